package facts

import (
	"slices"

	"github.com/coppice-go/coppice/cmd/internal/facts/escapes"
	"github.com/coppice-go/coppice/cmd/internal/site"
)

// Escapes records a compiler message about an escaping value in a package.
func (l *loading) Escapes(pkgPath, file string, e escapes.Escape) {
	for _, u := range l.units {
		if u.denotes(pkgPath) {
			u.explained(file, e)
		}
	}
}

// Garbled counts an unparsable message about a package.
func (l *loading) Garbled(pkgPath string) { l.garbled[pkgPath]++ }

// explained records an escape unless it is already known. If a package is compiled both by itself
// and with its tests, the compiler reports each escape twice.
func (u *unit) explained(file string, e escapes.Escape) {
	if u.escapes == nil {
		u.escapes = map[line][]escapes.Escape{}
	}
	at := line{file, e.Line}
	if !slices.ContainsFunc(u.escapes[at], func(old escapes.Escape) bool { return old.Column == e.Column && old.Message == e.Message }) {
		u.escapes[at] = append(u.escapes[at], e)
	}
}

// escapesOf returns the compiler's messages about a candidate's expression. If there are none, it
// returns the messages about its line.
func (u *unit) escapesOf(c *candidate) (all []site.Escape) {
	var line []site.Escape
	line = slices.Grow(line, len(u.escapes[c.compiled]))
	for _, e := range u.escapes[c.compiled] {
		said := site.Escape{Column: e.Column, Message: e.Message, Flow: e.Flow}
		if line = append(line, said); e.Column == c.column {
			all = append(all, said)
		}
	}
	if len(all) == 0 {
		return line
	}
	return all
}
