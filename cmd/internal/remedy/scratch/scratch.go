// Package scratch is the remedy that grows a slice in memory that its owner keeps, and copies
// the elements once at the end:
//
//	var all []Attr
//	for p.more() {
//		all = append(all, p.attr())
//	}
//	return all
//
// becomes
//
//	var all []Attr
//	allMark := len(p.allScratch)
//	allTop := allMark
//	for p.more() {
//		p.allScratch = append(p.allScratch[:allTop], p.attr())
//		allTop = len(p.allScratch)
//	}
//	all = append(all, p.allScratch[allMark:allTop]...)
//	clear(p.allScratch[allMark:])
//	p.allScratch = p.allScratch[:allMark]
//	return all
//
// A slice that does not leave the function needs no copy. It takes the owner's memory and gives it
// back at the end:
//
//	todo := w.todoScratch[:0]
//	w.todoScratch = nil // in use
//	...
//	clear(todo)
//	w.todoScratch = todo[:0]
//
// While a slice grows, all of its arrays but the last one become garbage. The scratch memory grows
// once to the longest list, and each result is allocated once, at its exact length.
//
// The scratch memory is a stack, because the function may call itself while it fills a list. Each
// call uses only the length that it has computed itself (allTop). So if a panic has left elements
// above that length, they are overwritten and never copied to a result. The call to clear sets the
// pointers to nil. Without it, the scratch memory would retain the elements of earlier results.
//
// The maker leaves the slice unchanged if
//
//   - the owner is not confined to one call, may be nil, or is assigned as a whole;
//   - the slice leaves the function before the end of the loop;
//   - the loop reads the slice or its length, and the slice leaves the function;
//   - the loop has more than mostExits exits, or an exit that is not a return statement.
package scratch

import (
	_ "embed"

	"github.com/coppice-go/coppice/cmd/internal/remedy"
	"github.com/coppice-go/coppice/cmd/internal/site"
)

//go:embed remedy.toml
var data []byte

// Remedy contains the documentation, the rules and the maker of the remedy.
var Remedy = &remedy.Remedy{
	Document: remedy.MustParse(data),
	Rules: []remedy.Rule{
		{Number: 5, Row: 4, Name: "growth to an unknown length", Match: growth, Do: scratchWords},
	},
	Subject: remedy.Local,
	ByFate:  true,
	Owner:   remedy.Best,
	Imports: imports,
	Holds:   (*remedy.Program).OwnerHolds,
	Make:    scratch,
}

// growth implements rule 5 for slices that an owner can keep. It does not match if there are as
// many owners as slices, because then no owner would use its scratch slice a second time.
func growth(p *remedy.Program, s *site.Site) []string {
	if s.Facts.Kind != site.Append || s.Fate.Main() == "retained" || p.Crowded(s) != "" {
		return nil
	}
	why := []string{"append grows the slice, and its final length is not known in advance"}
	switch s.Fate.Main() {
	case "unknown":
	case "temporary":
		why = append(why, p.Lifetimes(s), "a slice that is emptied and kept (s = s[:0]) grows once")
	default:
		why = append(why, p.Lifetimes(s), "what it grew from is garbage; a scratch slice that is kept grows once, and what is held is copied at its length")
	}
	return why
}

// imports returns an empty Import for temporary slices, which need no copy.
func imports(_ *remedy.Program, s *site.Site) remedy.Import {
	if s.Fate.Main() == "temporary" {
		return remedy.Import{}
	}
	return remedy.Import{What: "slab.Make", Instead: "a copy with append needs no dependency"}
}

func scratchWords(_ *remedy.Program, s *site.Site) string {
	if s.Fate.Main() == "temporary" {
		return "scratch slice"
	}
	return "scratch + slab.Make"
}
