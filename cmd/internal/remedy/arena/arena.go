// Package arena is the remedy that allocates values of many types from one arena, which the caller
// resets. The edit gives a function a variant that has an arena as a parameter. The old function
// remains, and calls the variant with a nil arena. In a caller that uses the variant,
//
//	doc, err := Parse(text)
//
// becomes
//
//	doc, err := ParseIn(a, text) // a is an *arena.Arena
//
// In functions with access to the parser p, values and lists come from the arena of p:
//
//	n := &Node{Op: op}
//	list = append(list, n)
//
// becomes
//
//	n := arena.New[Node](p.arena)
//	n.Op = op
//	list = append(arena.Grow(p.arena, list, 1), n)
//
// All values of a result die together, so one Reset replaces the work of the garbage collector. A
// nil arena is the Go heap, so the old function and its callers behave as before.
//
// Only a person can tell when a result is dead. For this reason, coppice find only proposes an
// arena, and Form makes the edit only if the user names the function (coppice fix -arena). A read
// after Reset returns a different value, which is memory-safe, but wrong. Package keeps determines
// which values the module itself may keep after the call; these values remain on the Go heap.
package arena

import (
	_ "embed"
	"fmt"

	"github.com/coppice-go/coppice/cmd/internal/remedy"
	"github.com/coppice-go/coppice/cmd/internal/site"
)

//go:embed remedy.toml
var data []byte

// Remedy contains the documentation and the rule of the remedy. Its rule is tried before the rules
// for single types, because it applies to a special case of several of these rules.
var Remedy = &remedy.Remedy{
	Document: remedy.MustParse(data),
	Rules: []remedy.Rule{
		{Number: 9, Before: 2, Name: "many types that die together", Match: dieTogether, Do: remedy.InOwner("arena")},
	},
	Subject: subject,
	Owner:   remedy.Best,
	Imports: remedy.Uses("arena.Arena", ""),
	Holds:   (*remedy.Program).OwnerHolds,
}

func subject(p *remedy.Program, s *site.Site) string {
	o, _ := p.Owner(s)
	return o.Type // dieTogether has checked that the owner exists
}

// inArena reports whether the values of a site can come from an arena. An arena allocates single
// values, slices and strings.
func inArena(s *site.Site) bool {
	switch k := s.Facts.Kind; k {
	case site.MakeSlice, site.Append, site.ToString, site.Concat, site.ToBytes:
		return true
	default:
		return remedy.Single(k)
	}
}

// arenaType returns a key for the type of a site's values: the type, a slice of it, or "string".
func arenaType(s *site.Site) string {
	switch s.Facts.Kind {
	case site.ToString, site.Concat:
		return "string"
	case site.MakeSlice, site.Append, site.ToBytes:
		return "[]" + s.Facts.Type
	}
	return s.Facts.Type
}

// owned is the key for an owner's type.
type owned struct{ pkg, owner string }

// temporaries returns, for each owner, the types of temporary values that the owner often
// allocates.
func temporaries(p *remedy.Program) map[owned]map[string]bool {
	return remedy.Known(p, owned{}, func() map[owned]map[string]bool {
		all := map[owned]map[string]bool{}
		for _, s := range p.Sites {
			o, _ := p.Owner(s)
			if o == nil || s.Fate.Main() != "temporary" || !inArena(s) {
				continue
			}
			of := owned{s.Package, o.Type}
			if all[of] == nil {
				all[of] = map[string]bool{}
			}
			all[of][arenaType(s)] = true
		}
		return all
	})
}

// arenaValues and arenaLists are the minimum numbers of value types, and of slice and string types,
// for which an arena is better than slabs. With fewer types, slabs are better, because they need no
// arena parameter.
const arenaValues, arenaLists = 2, 1

// dieTogether implements rule 9. It matches if an owner allocates values of many types, including
// slices or strings, and all of them are dead when the operation ends.
func dieTogether(p *remedy.Program, s *site.Site) []string {
	o, _ := p.Owner(s)
	if o == nil || s.Fate.Main() != "temporary" || !inArena(s) {
		return nil
	}
	types := temporaries(p)[owned{s.Package, o.Type}]
	values, lists := 0, 0
	for t := range types {
		if t == "string" || t[:min(2, len(t))] == "[]" {
			lists++
		} else {
			values++
		}
	}
	if values < arenaValues || lists < arenaLists {
		return nil
	}
	return []string{
		fmt.Sprintf("%s makes values of %d types, slices or strings among them", remedy.Bare(o.Type), values+lists),
		p.Lifetimes(s),
		fmt.Sprintf("so one Reset at the end of the operation frees them all (%s)", o.How),
	}
}
