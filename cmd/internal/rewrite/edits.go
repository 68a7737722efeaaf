package rewrite

import (
	"cmp"
	"errors"
	"go/token"
	"slices"
)

// An edit replaces the bytes from start to end. Edits keep all that they do not name: comments, the
// layout of lines, and the line directives of generated files.
type edit struct {
	start, end int
	text       string
}

// replace replaces what stands from one position to another.
func (p *pass) replace(from, to token.Pos, text string) {
	file := p.Fset.File(from)
	p.edits[file.Name()] = append(p.edits[file.Name()], edit{file.Offset(from), file.Offset(to), text})
}

// insert inserts before a position.
func (p *pass) insert(at token.Pos, text string) { p.replace(at, at, text) }

// apply makes all edits. Of those at one place, the first comes first.
func apply(old []byte, edits []edit) ([]byte, error) {
	edits = slices.Clone(edits)
	slices.SortStableFunc(edits, func(a, b edit) int { return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(a.end, b.end)) })
	var out []byte
	done := 0
	for _, e := range edits {
		if e.start < done {
			return nil, errors.New("two changes overlap")
		}
		out = append(out, old[done:e.start]...)
		out = append(out, e.text...)
		done = e.end
	}
	return append(out, old[done:]...), nil
}
