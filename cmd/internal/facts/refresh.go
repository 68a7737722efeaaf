package facts

import (
	"path/filepath"
	"slices"

	"golang.org/x/tools/go/packages"

	"github.com/coppice-go/coppice/cmd/internal/facts/escapes"
	"github.com/coppice-go/coppice/cmd/internal/site"
)

// Again recomputes the Facts and the IDs of sites of one package from its loaded source, without
// running the compiler or the program. The compiler's messages are copied from the old facts. If
// the source of a site has changed, the site gets a different ID, or facts without an expression.
func Again(pkg *packages.Package, sites []*site.Site) {
	u := &unit{Package: pkg, was: map[*site.Site]site.Facts{}}
	old := make([]site.Facts, len(sites))
	for i, s := range sites {
		old[i], u.was[s] = s.Facts, s.Facts
		for _, e := range s.Facts.Escapes {
			u.explained(filepath.Base(s.File), escapes.Escape{Line: s.Line, Column: e.Column, Message: e.Message, Flow: e.Flow})
		}
	}
	names := namer{}
	own := slices.DeleteFunc(slices.Clone(sites), func(s *site.Site) bool { return !u.denotes(s.Package) || !u.has(s.File) })
	for _, s := range sites {
		s.Facts = site.Facts{Kind: site.Other, Length: -1}
	}
	u.fill(own, names)
	names.name(sites)
	for i, s := range sites {
		s.Facts.Escapes, s.Facts.Values = old[i].Escapes, old[i].Values
	}
}
