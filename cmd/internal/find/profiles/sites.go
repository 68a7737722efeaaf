package profiles

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/google/pprof/profile"

	"github.com/coppice-go/coppice/cmd/internal/site"
)

// Sites joins the data of a program's profiles by place. It returns sites with Place, Leaf and
// Cost, the most expensive first. The parameter ops is the number of operations in the heap
// profiles; Sites panics unless it is positive. Either profile may be nil. A place that allocates
// nothing and uses no CPU time is not a site.
func Sites(cpu *CPU, heap *Heap, ops float64) []*site.Site {
	if !(ops > 0) {
		panic("profiles.Sites: the number of operations is not positive")
	}
	if cpu == nil {
		cpu = &CPU{}
	}
	if heap == nil {
		heap = &Heap{}
	}
	sites := map[Key]*site.Site{}
	at := func(k Key) *site.Site {
		s, ok := sites[k]
		if !ok {
			s = &site.Site{Place: k.Place}
			if k.Leaf != (site.Place{}) {
				s.Leaf = &k.Leaf
			}
			sites[k] = s
		}
		return s
	}
	for k, o := range heap.Sites {
		if o.Objects <= 0 && o.Bytes <= 0 {
			continue
		}
		c := &at(k).Cost
		c.Objects, c.Bytes = float64(o.Objects)/ops, float64(o.Bytes)/ops
		c.ObjectsPart, c.BytesPart = fraction(o.Objects, heap.Total.Objects), fraction(o.Bytes, heap.Total.Bytes)
		c.InUse, c.InUseBytes = o.InUse, o.InUseBytes
	}
	sizes := map[Key][][]site.Size{}
	for c, a := range heap.Calls {
		if a.Objects.Objects > 0 {
			sizes[c.Key] = append(sizes[c.Key], sizesOf(a, ops))
		}
	}
	for k, s := range sites {
		s.Sizes = site.Together(sizes[k]...)
	}
	for k, n := range cpu.Malloc {
		c := &at(k).Cost
		c.Samples, c.Malloc = n, fraction(int64(n), int64(cpu.Classes.Samples))
	}
	all := make([]*site.Site, 0, len(sites))
	for _, s := range sites {
		all = append(all, s)
	}
	formatting(all, cpu)
	slices.SortFunc(all, func(a, b *site.Site) int {
		if c := site.Cmp(a, b); c != 0 {
			return c
		}
		return compare(a, b)
	})
	return all
}

// formatting sets the CPU time of package fmt, in one site for each place. It selects a site whose
// leaf is in fmt if there is one, and otherwise any site of the place.
func formatting(sites []*site.Site, cpu *CPU) {
	if len(cpu.Formatting) == 0 {
		return
	}
	of := map[site.Place]*site.Site{}
	for _, s := range sites {
		if old := of[s.Place]; old == nil || s.Leaf != nil && s.Leaf.Package == "fmt" && (old.Leaf == nil || old.Leaf.Package != "fmt" || compare(s, old) < 0) {
			of[s.Place] = s
		}
	}
	for place, n := range cpu.Formatting {
		if s := of[place]; s != nil {
			s.Formatting = fraction(int64(n), int64(cpu.Classes.Samples))
		}
	}
}

func fraction(n, of int64) float64 {
	if of <= 0 {
		return 0
	}
	return float64(n) / float64(of)
}

// compare orders sites that have the same line and the same cost by their names, so that the same
// profiles always yield the same order.
func compare(a, b *site.Site) int {
	name := func(s *site.Site) string {
		n := s.Package + "." + s.Function
		if s.Leaf != nil {
			n += fmt.Sprintf(" %s.%s %s:%d", s.Leaf.Package, s.Leaf.Function, s.Leaf.File, s.Leaf.Line)
		}
		return n
	}
	return cmp.Compare(name(a), name(b))
}

// Call returns the call to which the cost of a sample is credited, and false if the sample does not
// belong to the program.
func (s *Scope) Call(sample *profile.Sample) (Call, bool) {
	got := read(sample.Location, s.frames)
	if !got.placed || got.ours {
		return Call{}, false
	}
	return callAt(got.key, got.at), true
}
