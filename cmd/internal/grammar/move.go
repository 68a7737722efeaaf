package grammar

import (
	"bytes"
	"path/filepath"
	"sort"
	"strings"

	"github.com/coppice-go/coppice/cmd/internal/imports"
)

// An Edit replaces the bytes of a file from Start to End by Text, or by Witness in the witness
// form.
type Edit struct {
	Start, End    int
	Text, Witness string
	Once          bool
}

// Move converts edits of the generated file to the edits of the grammar from which the generator
// produces them. Imports are given separately: added contains the names of new imports by their
// paths, and gone contains the paths of removed imports.
func (s *Source) Move(edits []Edit, added map[string]string, gone []string) (all []Edit, err error) {
	for _, e := range edits {
		moved, err := s.move(e)
		if err != nil {
			return nil, err
		}
		all = append(all, moved)
	}
	changed, err := s.imports(added, gone)
	return append(all, changed...), err
}

// move converts one edit of the generated file to an edit of the grammar.
func (s *Source) move(e Edit) (Edit, error) {
	from, ok := s.aligned.place(s.generated, s.grammar, e.Start, sideOf(e))
	to := from
	if ok && e.End > e.Start {
		to, ok = s.aligned.place(s.generated, s.grammar, e.End, ends)
	}
	if !ok || to < from {
		line := lineOf(s.generated, e.Start)
		return e, refusef("line %d of %s, which would change too, is not from %s", line, filepath.Base(s.File), filepath.Base(s.Grammar))
	}
	e.Text, e.Witness = s.spelled(e.Text, e.Start, from), s.spelled(e.Witness, e.Start, from)
	e.Start, e.End = from, to
	return e, nil
}

// spelled converts text for the generated file to the corresponding text for the grammar at the
// offset place.
func (s *Source) spelled(text string, at, place int) string {
	text = s.aligned.spelled(text, func(made string) string { return s.sourceOf(made, at) })
	return strings.ReplaceAll(text, "\n"+indent(s.generated, at), "\n"+indent(s.grammar, place))
}

// sourceOf returns the words of the grammar from which the generator produced the given words, in
// the region that contains an offset. It returns "" if there are none.
func (s *Source) sourceOf(made string, at int) string {
	around := s.aligned.regionAt(at)
	for _, p := range s.aligned.pairs {
		if !p.refers || p.region != around {
			continue
		}
		same := ""
		scan(s.generated, p.from, p.to, func(w word) bool {
			same += w.text
			return true
		})
		if same == made {
			return string(s.grammar[p.source:p.sourceEnds])
		}
	}
	return ""
}

// regionAt returns the index of the region that contains an offset.
func (a *aligned) regionAt(at int) int {
	return sort.Search(len(a.regions), func(i int) bool { return a.regions[i].start > at }) - 1
}

// indent returns the white space at the beginning of the line that contains an offset.
func indent(data []byte, at int) string {
	line := data[bytes.LastIndexByte(data[:at], '\n')+1:]
	return string(line[:len(line)-len(bytes.TrimLeft(line, " \t"))])
}

// A side selects one of two adjacent words: the word that ends at an offset, or the word that
// begins there.
type side int

const (
	ends side = iota
	begins
)

// sideOf returns the side for the beginning of an edit: a replaced text begins with the next word,
// and an inserted text follows the preceding word.
func sideOf(e Edit) side {
	if e.Start < e.End {
		return begins
	}
	return ends
}

// place returns the offset in the grammar that corresponds to an offset in the generated file.
func (a *aligned) place(generated, grammar []byte, at int, of side) (place int, ok bool) {
	next := sort.Search(len(a.pairs), func(i int) bool { return a.pairs[i].from >= at })
	isNext := next < len(a.pairs) && a.pairs[next].from == at
	if isNext && of == begins {
		return a.pairs[next].source, true
	}
	if next == 0 {
		return 0, false
	}
	before := a.pairs[next-1]
	switch {
	case before.to == at:
		return before.sourceEnds, true
	case isNext:
		return a.pairs[next].source, true
	case at < before.to: // within a word of new text or of generated code
		offset := before.source + at - before.from
		return offset, !before.refers && before.to-before.from == before.sourceEnds-before.source
	case next == len(a.pairs) || a.pairs[next].region != before.region:
		return 0, false
	}
	return wordBoundary(generated[before.to:at], grammar[before.sourceEnds:a.pairs[next].source], before.sourceEnds), true
}

// wordBoundary returns the offset between two words of the grammar that corresponds to an offset in
// the generated file. The same number of line ends and comments precede both offsets.
func wordBoundary(made, source []byte, from int) int {
	i := 0
	skip := func(text []byte, at int) int {
		for at < len(text) && (text[at] == ' ' || text[at] == '\t' || text[at] == '\r') {
			at++
		}
		return at
	}
	for j := skip(made, 0); j < len(made); j = skip(made, j+1) {
		at := skip(source, i)
		if at == len(source) || source[at] != made[j] {
			return from + i
		}
		i = at + 1
	}
	if len(made) > 0 && made[len(made)-1] != '\n' && (made[len(made)-1] == ' ' || made[len(made)-1] == '\t') {
		i = skip(source, i) // continue directly before the next word
	}
	return from + i
}

// imports returns the edits that change the imports in the grammar.
func (s *Source) imports(added map[string]string, gone []string) (all []Edit, err error) {
	if len(added) == 0 && len(gone) == 0 {
		return nil, nil
	}
	from, text := s.prologue()
	if len(added) > 0 {
		specs, err := imports.Add(s.Grammar, text, added)
		if err != nil {
			return nil, refusef("the imports of %s cannot be read: %v", filepath.Base(s.Grammar), err)
		}
		for _, e := range specs {
			all = append(all, Edit{from + e.Start, from + e.End, e.Text, e.Text, true})
		}
	}
	for _, path := range gone {
		start, end, ok := specOf(text, path)
		if !ok {
			return nil, refusef("%s would no longer need %s, but does not import it on a separate line", filepath.Base(s.Grammar), path)
		}
		all = append(all, Edit{Start: from + start, End: from + end, Once: true})
	}
	return all, nil
}

// prologue returns the Go code at the beginning of the grammar, and its offset.
func (s *Source) prologue() (from int, text []byte) {
	begin, end := []byte("%{"), []byte("%}")
	if at := bytes.Index(s.grammar, begin); at >= 0 && s.recipe.braces {
		from = at + len(begin)
		if n := bytes.Index(s.grammar[from:], end); n >= 0 {
			return from, s.grammar[from : from+n]
		}
	}
	return 0, s.grammar
}
