package decide

import (
	"fmt"
	"reflect"
	"slices"
	"testing"

	"github.com/coppice-go/coppice/cmd/internal/site"
	"github.com/coppice-go/coppice/internal/testkit/random"
	"pgregory.net/rapid"
)

var anyKind = rapid.SampledFrom([]site.Kind{
	site.Literal, site.New, site.MakeSlice, site.MakeMap, site.Append, site.ToString, site.ToBytes, site.Concat, site.Box,
	site.Variadic, site.Closure, site.Moved, site.MakeChan, site.Call, site.Goroutine, site.Other, "",
})

var anyOwner = rapid.Custom(func(t *rapid.T) site.Owner {
	return site.Owner{
		Type:      rapid.SampledFrom([]string{"*parser", "*Node", "*scope"}).Draw(t, "owner"),
		Lock:      rapid.SampledFrom([]string{"", "", "mu"}).Draw(t, "lock"),
		Goroutine: rapid.SampledFrom([]string{"", "", "a.go:1"}).Draw(t, "goroutine"),
		Instances: rapid.SampledFrom([]float64{-1, 0, 1, 20, 5000}).Draw(t, "instances"),
		Begun:     rapid.SampledFrom([]float64{0, 0, 0.1, 1, 20, 5000}).Draw(t, "begun"),
	}
})

func fraction(t *rapid.T, name string) float64 { return rapid.Float64Range(0, 1).Draw(t, name) }

// anySite returns a site with random facts, which may contradict each other.
func anySite(t *rapid.T, id int) *site.Site {
	s := &site.Site{ID: fmt.Sprint("s", id), Place: site.Place{
		Package: "p", File: "a.go", Line: rapid.IntRange(1, 6).Draw(t, "line"), Function: rapid.SampledFrom([]string{"f", "g"}).Draw(t, "function"),
	}}
	s.Objects = rapid.SampledFrom([]float64{0, 1, 60, 1000, 1e6}).Draw(t, "objects")
	s.Bytes = s.Objects * rapid.SampledFrom([]float64{8, 24, 200, 9000}).Draw(t, "size")
	s.BytesPart, s.ObjectsPart, s.Malloc = fraction(t, "bytes"), fraction(t, "objectsPart"), fraction(t, "malloc")
	s.Fate = rapid.SampledFrom([]site.Fate{
		{}, {Temporary: 1, Method: site.HoldAndDrop}, {Result: 1, Method: site.HoldAndDrop},
		{Retained: 1, Method: site.Little, Age: 3000}, {Temporary: 0.4, Result: 0.6, Method: site.Little},
	}).Draw(t, "fate")
	f := &s.Facts
	f.Kind, f.Owners = anyKind.Draw(t, "kind"), rapid.SliceOfN(anyOwner, 0, 3).Draw(t, "owners")
	f.Type = rapid.SampledFrom([]string{"Node", "[]Node", "string", "p.List[p.Node]", ""}).Draw(t, "type")
	f.Size = rapid.SampledFrom([]int64{0, 8, 24, 104, 9000}).Draw(t, "typeSize")
	f.Pointers = rapid.SampledFrom([]site.Pointers{site.NoPointers, site.OwnPointers, site.SomePointers, ""}).Draw(t, "pointers")
	f.Length = rapid.SampledFrom([]int{-1, 0, 3}).Draw(t, "length")
	f.Beside = rapid.SliceOfN(rapid.IntRange(1, 6), 0, 3).Draw(t, "beside")
	f.Known = rapid.SampledFrom([]string{"", "len(x)"}).Draw(t, "known")
	f.Callee = rapid.SampledFrom([]string{"", "bytes.Clone", "bufio.NewReader", "x.Y"}).Draw(t, "callee")
	f.Recursive, f.Test = rapid.Bool().Draw(t, "recursive"), rapid.Bool().Draw(t, "test")
	if rapid.Bool().Draw(t, "counted") {
		f.Values = &site.Values{Looked: 100, Distinct: rapid.IntRange(0, 100).Draw(t, "distinct")}
	}
	return s
}

func anyInput(t *rapid.T) Input {
	in := busy()
	in.Classes = site.Classes{Malloc: fraction(t, "mallocs") / 2, Mark: fraction(t, "mark") / 2, Samples: rapid.SampledFrom([]int{0, 999, 5000}).Draw(t, "samples")}
	if rapid.Bool().Draw(t, "noCeiling") {
		in.Ceiling = nil
	}
	if rapid.Bool().Draw(t, "setting") {
		in.Settings = []site.Setting{gogc(fraction(t, "cpu"), 4*fraction(t, "rss"))}
	}
	for i := range rapid.IntRange(0, 12).Draw(t, "sites") {
		in.Sites = append(in.Sites, anySite(t, i))
	}
	return in
}

func copied(in Input) Input {
	in.Sites = slices.Clone(in.Sites)
	for i, s := range in.Sites {
		c := *s
		in.Sites[i] = &c
	}
	return in
}

// TestAnyInputIsDecided verifies for random facts that each site gets advice with a reason, and
// that the proposals are consistent.
func TestAnyInputIsDecided(t *testing.T) {
	random.Check(t, func(t *rapid.T) {
		in := anyInput(t)
		out := Decide(in)
		if out.Answer == "" || out.Reason == "" {
			t.Fatalf("no answer: %+v", out)
		}
		of := map[string]string{} // proposal IDs by site ID
		for _, r := range out.Proposals {
			e := r.Estimate
			if !(0 <= e.Lo && e.Lo <= e.CPU && e.CPU <= e.Hi && e.Hi <= 1) {
				t.Fatalf("estimate %+v", e)
			}
			if len(e.If) == 0 || len(r.Why) == 0 || len(r.Price) == 0 || r.Title == "" || r.Next == "" {
				t.Fatalf("a proposal says too little: %+v", r)
			}
			for _, id := range r.Sites {
				if of[id] != "" {
					t.Fatalf("site %s is in %s and %s", id, of[id], r.ID)
				}
				of[id] = r.ID
			}
		}
		for _, s := range in.Sites {
			if s.Remedy == "" || s.Do == "" || len(s.Why) == 0 || slices.Contains(s.Why, "") {
				t.Fatalf("site without advice: %+v", s)
			}
			if s.Proposal != of[s.ID] || (s.Remedy == site.Leave) != (s.Proposal == "") {
				t.Fatalf("site %s says it is part of %q, and is part of %q", s.ID, s.Proposal, of[s.ID])
			}
		}
	})
}

func TestOrderOfSitesDoesNotMatter(t *testing.T) {
	random.Check(t, func(t *rapid.T) {
		in := anyInput(t)
		other := copied(in)
		other.Sites = rapid.Permutation(other.Sites).Draw(t, "order")
		a, b := Decide(in), Decide(other)
		if !reflect.DeepEqual(a, b) {
			t.Fatalf("%+v\nand in another order\n%+v", a, b)
		}
		advice := map[string]site.Advice{}
		for _, s := range in.Sites {
			advice[s.ID] = s.Advice
		}
		for _, s := range other.Sites {
			if !reflect.DeepEqual(advice[s.ID], s.Advice) {
				t.Fatalf("site %s: %+v\nand in another order\n%+v", s.ID, advice[s.ID], s.Advice)
			}
		}
	})
}

// fewEnough is a number of values per type and owner for which an allocator is never worthwhile,
// because all of them fit into its first chunks, which are short.
const fewEnough = 16

// TestSmallOwnersGetNoAllocator verifies that owners that create few values of a type never get a
// slab or an arena, whatever the other facts are. If the owners were not counted, such a proposal
// must be void.
func TestSmallOwnersGetNoAllocator(t *testing.T) {
	random.Check(t, func(t *rapid.T) {
		in := anyInput(t)
		in.Sites = nil
		in.Unit = "operation"
		many := rapid.Float64Range(2, 1e6).Draw(t, "owners")
		owner := rapid.SampledFrom([]site.Owner{
			{Type: "*parser", Instances: many}, {Type: "*parser", Instances: -1, Begun: many}, {Type: "*parser", Instances: many / 3, Begun: many}, {Type: "*parser", Instances: -1},
		}).Draw(t, "owner")
		for i := range rapid.IntRange(1, 8).Draw(t, "sites") {
			s := anySite(t, i)
			s.Facts.Type = fmt.Sprint("T", i)
			s.Objects = many * rapid.Float64Range(0.1, fewEnough).Draw(t, "each")
			s.Bytes = s.Objects * 48
			s.Facts.Owners, s.Facts.Above = nil, nil
			if rapid.Bool().Draw(t, "above") {
				s.Facts.Above = []site.Owner{owner}
			} else {
				s.Facts.Owners = []site.Owner{owner}
			}
			in.Sites = append(in.Sites, s)
		}
		counted := owner.Many() > 0
		for _, r := range Decide(in).Proposals {
			if allocator := r.Remedy == "slab" || r.Remedy == "arena"; allocator && (counted || len(r.Estimate.Void) == 0) {
				t.Fatalf("%s for owners %+v: %+v", r.Remedy, owner, r)
			}
		}
	})
}
