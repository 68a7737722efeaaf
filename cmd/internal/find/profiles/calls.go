package profiles

import (
	"cmp"
	"maps"
	"slices"

	"github.com/google/pprof/profile"

	"github.com/coppice-go/coppice/cmd/internal/site"
)

// A Call is a machine instruction that allocates. A place may have several such instructions. They
// belong to different expressions, such as the append and the literal of a = append(a, &T{}), or to
// one expression that was inlined more than once.
type Call struct {
	Key
	In string // function that contains the machine code of the call
	At uint64 // address relative to the mapping; Rank replaces it with a rank among the calls in In
}

// An Amount contains what a call allocated.
type Amount struct {
	Objects
	sizes map[int64]int64 // number of objects by their size in bytes
}

// callAt returns the call at location l. Its costs are credited to the key k.
func callAt(k Key, l *profile.Location) Call {
	c := Call{Key: k, At: l.Address}
	if m := l.Mapping; m != nil && m.Start <= l.Address {
		c.At -= m.Start
	}
	if n := len(l.Line); n > 0 && l.Line[n-1].Function != nil {
		c.In = l.Line[n-1].Function.Name
	}
	return c
}

// add adds sign*o to the amount, where all objects in o have the given size. The size is 0 if the
// profile does not contain it.
func (a *Amount) add(o Objects, sign int64, size int64) {
	a.Objects.Add(o, sign)
	if a.sizes == nil {
		a.sizes = map[int64]int64{}
	}
	a.sizes[size] += sign * o.Objects
}

// sizesOf returns the sizes of the objects that a call allocates. It returns nil if a size is
// unknown.
func sizesOf(a Amount, ops float64) (all []site.Size) {
	for _, size := range slices.Sorted(maps.Keys(a.sizes)) {
		switch n := a.sizes[size]; {
		case n < 0 || n > 0 && size == 0:
			return nil
		case n > 0:
			all = append(all, site.Size{Bytes: size, Objects: float64(n) / ops})
		}
	}
	return all
}

// A Ranking numbers the calls of one binary by the order of their addresses. In another binary with
// the same code, the calls have the same numbers (ranks), although their addresses differ.
type Ranking struct {
	ranks map[Call]uint64
	count map[Call]int // number of calls; the keys have address 0
}

// Ranking returns the ranking of the calls in a heap profile.
func (h *Heap) Ranking() Ranking {
	all := map[Call][]uint64{}
	for c := range h.Calls {
		at := Call{Key: c.Key, In: c.In}
		all[at] = append(all[at], c.At)
	}
	r := Ranking{map[Call]uint64{}, map[Call]int{}}
	for at, addresses := range all {
		slices.Sort(addresses)
		for i, a := range addresses {
			r.ranks[Call{at.Key, at.In, a}] = uint64(i)
		}
		r.count[at] = len(addresses)
	}
	return r
}

// Rank returns c with its rank instead of its address. c must be a call of the ranked binary.
func (r Ranking) Rank(c Call) Call { return Call{c.Key, c.In, r.ranks[c]} }

// Of returns the objects in a profile of the ranked binary, by call, with ranks instead of
// addresses. It omits calls that are not in the ranking.
func (r Ranking) Of(h *Heap) map[Call]Objects {
	ranked := map[Call]Objects{}
	for c, a := range h.Calls {
		if _, ok := r.ranks[c]; ok {
			ranked[r.Rank(c)] = a.Objects
		}
	}
	return ranked
}

// Fits reports whether r and other have the same number of calls at the place of c, so that the
// ranks of their calls correspond.
func (r Ranking) Fits(other Ranking, c Call) bool {
	at := Call{Key: c.Key, In: c.In}
	return r.count[at] == other.count[at]
}

// Divide sets the Instructions of each site that has more than one. CPU samples at other addresses
// are divided among the instructions in proportion to the bytes that they allocate.
func Divide(sites []*site.Site, cpu *CPU, heap *Heap, ops float64, fate func(Call) site.Fate) {
	of := map[Key][]Call{}
	for c := range heap.Calls {
		of[c.Key] = append(of[c.Key], c)
	}
	for _, s := range sites {
		key := KeyOf(s)
		if len(of[key]) < 2 {
			continue
		}
		slices.SortFunc(of[key], func(a, b Call) int { return cmp.Or(cmp.Compare(a.In, b.In), cmp.Compare(a.At, b.At)) })
		samples := 0
		for _, c := range of[key] {
			samples += cpu.MallocCalls[c]
		}
		for _, c := range of[key] {
			a := heap.Calls[c]
			if a.Objects.Objects <= 0 && a.Bytes <= 0 {
				continue
			}
			call := site.Instruction{In: c.In, At: c.At, Fate: fate(c)}
			call.Sizes = sizesOf(a, ops)
			call.Objects, call.Bytes = float64(a.Objects.Objects)/ops, float64(a.Bytes)/ops
			call.ObjectsPart, call.BytesPart = fraction(a.Objects.Objects, heap.Total.Objects), fraction(a.Bytes, heap.Total.Bytes)
			own := float64(cpu.MallocCalls[c])
			if rest := s.Samples - samples; rest > 0 && s.Bytes > 0 {
				own += float64(rest) * call.Bytes / s.Bytes
			}
			call.Samples, call.Malloc = int(own), own/float64(max(1, cpu.Classes.Samples))
			s.Instructions = append(s.Instructions, call)
		}
	}
}

// KeyOf returns the key to which the costs of a site were credited.
func KeyOf(s *site.Site) Key {
	k := Key{Place: s.Place}
	if s.Leaf != nil {
		k.Leaf = *s.Leaf
	}
	return k
}
