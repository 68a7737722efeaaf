package facts

import (
	"slices"

	"github.com/coppice-go/coppice/cmd/internal/facts/escapes"
	"github.com/coppice-go/coppice/cmd/internal/site"
)

// Escapes records a message of the compiler about a package.
func (l *loading) Escapes(pkgPath, file string, e escapes.Escape) {
	for _, u := range l.units {
		if u.is(pkgPath) {
			u.explained(file, e)
		}
	}
}

// Garbled counts the unreadable messages about a package.
func (l *loading) Garbled(pkgPath string) { l.garbled[pkgPath]++ }

// explained adds an escape, unless it was added before. A package that is compiled both alone and
// for its tests reports each escape twice.
func (u *unit) explained(file string, e escapes.Escape) {
	if u.escapes == nil {
		u.escapes = map[line][]escapes.Escape{}
	}
	at := line{file, e.Line}
	if !slices.ContainsFunc(u.escapes[at], func(old escapes.Escape) bool { return old.Column == e.Column && old.Message == e.Message }) {
		u.escapes[at] = append(u.escapes[at], e)
	}
}

// escapesOf returns the messages of the compiler for an expression or, if there are none, for its
// line.
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
