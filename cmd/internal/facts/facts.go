// Package facts determines the facts about the sites of a profile, using the source code and the
// compiler: which expression allocates, its type and size, why the value escapes, and which struct
// could own an allocator for it.
//
//	load.go       loads the packages that own sites, and has the compiler explain what escapes
//	readable.go   reports whether this program is too old to read a package
//	escape.go     records what the compiler says about an expression; package escapes reads it
//	candidate.go  finds expressions that may allocate, with call.go, box.go and captured.go
//	position.go   converts positions to those of the compiler and of the profile
//	choose.go     chooses the expression of a site on its line; divide.go those of its instructions
//	describe.go   describes an expression; types.go its type, context.go the code around it
//	field.go      finds the structs that a growing slice, or the bytes of a string, are fields of
//	owner.go      finds structs that could own an allocator; callerowners.go those that callers have
//	within.go     counts owners; objections.go and reset.go find objections to them
//	written.go    finds code that writes to a copy
//	unread.go     finds copies of all elements of a field, and errors that are never read
//	returned.go   finds an exported function through which a caller may get a value
//	id.go         names sites so that the names survive edits
package facts

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/coppice-go/coppice/cmd/internal/site"
)

// Options specify where the source code is and how the program was built.
type Options struct {
	Dir   string   // folder in which import paths are resolved; the current folder if empty
	Env   []string // environment of the go command; if nil, the environment of the process
	Go    string   // go command that built the program; the first in PATH if empty
	Flags []string // build flags, such as -tags=x
	Tests bool     // whether to read test files even if no site is in one

	Temp string // folder for the compiler's messages; os.TempDir() if empty

	// Patterns match the packages that may contain sites of package main. An empty list means ".".
	Patterns []string

	// Divided is called for each new site that was split off from another one: part is the new
	// site, and of is the original. A site is split if its Instructions belong to several
	// expressions on its line. If Divided is nil, sites are not split.
	Divided func(part, of *site.Site)

	// Standard reports whether a package belongs to the standard library. If Standard is nil, every
	// package is assumed not to. Sites in the standard library, which run during startup or in a
	// goroutine of the library, get neither facts nor a warning, because users cannot change them.
	Standard func(importPath string) bool
}

// Fill fills in the Facts and the ID of each site. Place, Leaf and Cost must be set. Fill compiles
// each package that contains sites, and those imports that are not in the build cache. This takes
// seconds, and tens of megabytes for each package.
//
// If the source of a site cannot be found or does not compile, Facts.NoSource states the reason,
// and a warning counts the sites for each reason. Fill returns an error only if it cannot do
// anything, because the go command is missing or Dir is unusable.
func Fill(ctx context.Context, o Options, sites []*site.Site) (warnings []string, err error) {
	if len(sites) == 0 {
		return nil, nil
	}
	temp, err := os.MkdirTemp(o.Temp, "coppice-facts-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(temp)
	loaded, err := load(ctx, o, temp, sites)
	if err != nil {
		return nil, err
	}
	of, was := map[*unit][]*site.Site{}, map[*site.Site]site.Facts{}
	for _, s := range sites {
		was[s] = s.Facts
		s.Facts = site.Facts{Kind: site.Other, Length: -1}
		u, why := loaded.unit(s)
		if why != "" {
			s.Facts.NoSource = why
			continue
		}
		of[u] = append(of[u], s)
	}
	names := namer{}
	for _, u := range loaded.units {
		own := of[u]
		if len(own) == 0 {
			continue
		}
		if o.Divided != nil {
			u.divided = func(part, of *site.Site) {
				sites = append(sites, part)
				o.Divided(part, of)
			}
		}
		u.was = was
		warnings = append(warnings, u.fill(own, names)...)
	}
	names.name(sites)
	for _, path := range slices.Sorted(maps.Keys(loaded.garbled)) {
		warnings = append(warnings, fmt.Sprintf("%d of the compiler's explanations of %s cannot be read; run the command again", loaded.garbled[path], path))
	}
	return slices.Concat(warnings, unknown(sites, o.Standard)), nil
}

// fill fills in the facts of the given sites, which belong to the unit. It returns a warning if too
// many sites do not match the source.
func (u *unit) fill(sites []*site.Site, names namer) (warnings []string) {
	u.survey()
	chosen := map[*site.Site]*candidate{}
	strange, example := 0, (*site.Site)(nil)
	for _, s := range slices.Clone(sites) {
		if u.strange(s) {
			strange++
			example = cmp.Or(example, s)
		}
		for _, part := range u.divide(s) {
			chosen[part.site] = part.of
			if part.site != s {
				sites = append(sites, part.site)
				u.divided(part.site, s)
			}
		}
		if chosen[s] == nil {
			chosen[s] = u.choose(s, chosen)
		}
	}
	for _, s := range sites {
		c := chosen[s]
		if c == nil {
			u.undescribed(s)
			continue
		}
		u.describe(s, c)
		names[s] = u.ordinal(c)
	}
	for _, s := range sites {
		if s.Facts.Kind != site.Append {
			s.Sizes = nil
		}
		if c := chosen[s]; c != nil {
			s.Facts.Owners = u.owners(c, sites)
			s.Facts.Grows = u.grows(c, sites)
			if c.kind == site.Literal || c.kind == site.New || c.kind == site.Moved {
				s.Facts.Above = u.callerOwners(c, s.Facts.Owners, sites)
			}
			recall(&s.Facts, u.was[s])
			if !slices.ContainsFunc(s.Facts.Owners, func(o site.Owner) bool { return strings.TrimPrefix(o.Type, "*") != s.Facts.Type }) {
				s.Facts.Callers = u.callers(c) // the only owner, if any, is the allocated type
			}
		}
	}
	const few = 0.05
	if float64(strange) > few*float64(len(sites)) {
		warnings = append(warnings, fmt.Sprintf("%d of %d sites of %s are not in the functions that the profile names, such as %s in %s:%d; check out the source that the program was built from",
			strange, len(sites), u.PkgPath, example.Function, filepath.Base(example.File), example.Line))
	}
	return warnings
}

// recall restores the measured counts of owners and distinct strings from a site's old facts. These
// counts cannot be derived from the source.
func recall(f *site.Facts, was site.Facts) {
	if f.Kind == was.Kind {
		f.Values = was.Values
	}
	for _, old := range slices.Concat(was.Owners, was.Above) {
		for _, owners := range [][]site.Owner{f.Owners, f.Above} {
			for i := range owners {
				if owners[i].Type == old.Type {
					owners[i].Begun, owners[i].SetUp = old.Begun, old.SetUp
				}
			}
		}
	}
}

// unknown returns one warning for each reason for which sites have no source.
func unknown(sites []*site.Site, standard func(string) bool) (warnings []string) {
	var reasons []string
	count := map[string]int{}
	for _, s := range sites {
		if why := s.Facts.NoSource; why != "" && (standard == nil || !standard(s.Package)) {
			if count[why]++; count[why] == 1 {
				reasons = append(reasons, why)
			}
		}
	}
	for _, why := range reasons {
		if n := count[why]; n == 1 {
			warnings = append(warnings, "no facts about a site: "+why)
		} else {
			warnings = append(warnings, fmt.Sprintf("no facts about %d sites: %s", n, why))
		}
	}
	return warnings
}

// oneLine joins the lines of a message from the go command.
func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }
