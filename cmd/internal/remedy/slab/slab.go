// Package slab is the remedy that cuts many small values of one type from chunks:
//
//	return &Node{Left: left, Right: right}
//
// becomes
//
//	return p.nodes.Alloc(Node{Left: left, Right: right})
//
// The edit adds a field nodes of type slab.Chunks[Node] to the owner p. In a module that does not
// require Coppice, the type is a copy of slab.Chunks in the package. A variable whose address is
// returned becomes a pointer:
//
//	var n Node
//	n.Text = text
//	return &n
//
// becomes
//
//	n := p.nodes.New()
//	n.Text = text
//	return n
//
// Calling malloc costs about the same for one value as for a chunk of several, and a chunk is one
// object for the collector to track. The results are ordinary pointers, and slab.Chunks has no
// Reset, so the edit cannot cause a use after free. The price is retention: one live value keeps
// its whole chunk alive.
//
// The maker leaves a value unchanged if
//
//   - the function has no owner, or the owner is not confined to one call, because a slab has no
//     lock;
//   - the owner may be nil, or creates several results: one result would retain the values of
//     another;
//   - there are many owners and each allocates few values: chunks that are not filled raise B/op;
//   - the value is larger than 1 KiB: a chunk would contain at most six such values.
package slab

import (
	_ "embed"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/coppice-go/coppice/cmd/internal/remedy"
	"github.com/coppice-go/coppice/cmd/internal/site"
)

//go:embed remedy.toml
var data []byte

// Remedy contains the documentation, the rules and the maker of the remedy.
var Remedy = &remedy.Remedy{
	Document: remedy.MustParse(data),
	Rules: []remedy.Rule{
		{Number: 8, Name: "values of a result, with an owner", Match: ownedResult, Do: remedy.InOwner("slab")},
		{Number: 10, Row: 1, Name: "values of a result, whose callers have an owner", Match: handedIn, Do: handedWords},
		{Number: 10, Row: 2, Name: "values of a result, from constructors", Match: constructed, Do: remedy.Words("slab, needs parameter")},
	},
	Subject: subject,
	ByFate:  true,
	Owner:   slabOwner,
	Imports: remedy.Uses("slab.Chunks", "coppice fix writes a copy of it into the package instead"),
	Holds:   addConditions,
	Costs:   costs,
	Make:    makeSlab,
}

func subject(p *remedy.Program, s *site.Site) string {
	if o := slabOwner(p, s); o != nil {
		return o.Type
	}
	return "constructors"
}

// slabOwner returns the owner of a slab for a site's values. Either the function has access to the
// owner, or its callers could pass the owner. slabOwner returns nil if the owner does not exist
// yet.
func slabOwner(p *remedy.Program, s *site.Site) *site.Owner {
	if o, _ := p.Owner(s); o != nil {
		return o
	}
	return p.Handing(s)
}

// longSlice is the maximum size of a slice from a slab, in bytes. slab.Make allocates a longer
// slice separately, so a slab would save nothing.
const longSlice = 384

func slabbed(s *site.Site) bool {
	return remedy.Single(s.Facts.Kind) || s.Facts.Kind == site.MakeSlice && remedy.Size(s) <= longSlice
}

// keptWithResult reports whether all or some of the values live as long as the result, or their
// lifetime is unknown.
func keptWithResult(s *site.Site) bool {
	fate := s.Fate.Main()
	return fate == "result" || fate == "mixed" || fate == "unknown"
}

func ownedResult(p *remedy.Program, s *site.Site) []string {
	o, _ := p.Owner(s)
	if o == nil || !slabbed(s) || !keptWithResult(s) {
		return nil
	}
	why := []string{fmt.Sprintf("%s %s %s, made by %s", remedy.Number(p.Made(s, *o)), remedy.Bare(s.Facts.Type), p.Per(), howMany(p, *o))}
	why = append(why, fmt.Sprintf("%s is at hand: %s; it has no lock, and no other goroutine gets it", remedy.Bare(o.Type), o.How), p.Lifetimes(s))
	return append(why, escapes(s)...)
}

// howMany describes the number of owners.
func howMany(p *remedy.Program, o site.Owner) string {
	switch name := remedy.Bare(o.Type); {
	case o.Many() <= 0:
		if p.Existing() {
			return name + ", of which the profiles have none"
		}
		return name + ", of which an operation allocates none"
	case o.Many() <= 1:
		return "one " + name
	default:
		return remedy.Number(o.Many()) + " " + name
	}
}

// escapes returns the first reason that the compiler gives for the escape, if it gives one.
func escapes(s *site.Site) []string {
	for _, e := range s.Facts.Escapes {
		if e.Message != "" {
			return []string{"the compiler: " + e.Message}
		}
	}
	return nil
}

// handedIn implements rule 10 for functions that have no suitable owner, but whose callers have
// one.
func handedIn(p *remedy.Program, s *site.Site) []string {
	o := p.Handing(s)
	if o == nil || !remedy.Single(s.Facts.Kind) || !keptWithResult(s) || s.Fate.Method == site.Unknown {
		return nil
	}
	return []string{
		fmt.Sprintf("%s %s %s, and callers have %s (%s), which makes %s", remedy.Number(s.Objects), remedy.Bare(s.Facts.Type), p.Per(), remedy.Bare(o.Type), o.How, remedy.Number(p.Each(s, *o))),
		fmt.Sprintf("%s has no owner at hand: the slab would be passed in", s.Function), p.Lifetimes(s),
	}
}

func handedWords(p *remedy.Program, s *site.Site) string {
	return "slab in " + remedy.Bare(p.Handing(s).Type) + ", needs parameter"
}

// constructed implements rule 10 for functions without an owner, which would have to get one as a
// parameter. A parameter of the same type as the values, such as the children of a node, is not an
// owner. If callers have owners but none of these is suitable, the rule does not apply, because a
// better owner further up the call chain is unlikely.
func constructed(p *remedy.Program, s *site.Site) []string {
	other := func(o site.Owner) bool { return remedy.Bare(o.Type) != remedy.Bare(s.Facts.Type) }
	if slices.ContainsFunc(s.Facts.Owners, other) || len(p.NoneAbove(s)) > 0 || !remedy.Single(s.Facts.Kind) || !keptWithResult(s) || s.Fate.Method == site.Unknown || s.Facts.NoSource != "" {
		return nil
	}
	why := []string{fmt.Sprintf("%s makes %s %s %s, and has no struct at hand that could own a slab", s.Function, remedy.Number(s.Objects), remedy.Bare(s.Facts.Type), p.Per()), p.Lifetimes(s)}
	const most = 3
	for i, c := range s.Facts.Callers {
		if i == most {
			why = append(why, fmt.Sprintf("and at %d more places", len(s.Facts.Callers)-most))
			break
		}
		why = append(why, fmt.Sprintf("called at %s:%d, where it would be passed in", base(c.File), c.Line))
	}
	return why
}

// base returns the last element of a path whose elements are separated by slashes or backslashes.
func base(file string) string { return filepath.Base(strings.ReplaceAll(file, `\`, "/")) }
