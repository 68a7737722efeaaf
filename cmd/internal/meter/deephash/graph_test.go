package deephash

import (
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/coppice-go/coppice/internal/testkit/random"
)

// A vertex has a field of every type that can refer to other vertices.
type vertex struct {
	num         int
	text        string
	raw         []byte
	real        float64
	small       [2]uint8
	left, right *vertex
	list        []*vertex
	named       map[string]*vertex
	counts      map[*vertex]int
	any         any
	boxed       struct{ inner any }
	f           func()
}

// links returns the addresses of all *vertex variables in v, except for those in maps and
// interfaces.
func (v *vertex) links() []**vertex {
	all := []**vertex{&v.left, &v.right}
	for i := range v.list {
		all = append(all, &v.list[i])
	}
	return all
}

// graphs draws up to 12 vertices with random links between them, each with a different num.
func graphs(t *rapid.T) []*vertex {
	n := rapid.IntRange(1, 12).Draw(t, "vertices")
	all := make([]*vertex, n)
	for i := range all {
		all[i] = &vertex{num: i}
	}
	some := rapid.Custom(func(t *rapid.T) *vertex {
		if i := rapid.IntRange(-2, n-1).Draw(t, "to"); i >= 0 {
			return all[i]
		}
		return nil
	})
	for _, v := range all {
		v.text = rapid.String().Draw(t, "text")
		v.raw = rapid.SliceOfN(rapid.Byte(), 0, 20).Draw(t, "raw")
		v.real = rapid.Float64().Draw(t, "real")
		v.small[1] = rapid.Byte().Draw(t, "small")
		v.left, v.right = some.Draw(t, "left"), some.Draw(t, "right")
		v.list = rapid.SliceOfN(some, 0, 3).Draw(t, "list")
		v.named = rapid.MapOfN(rapid.StringN(0, 2, -1), some, 0, 4).Draw(t, "named")
		v.counts = rapid.MapOfN(some, rapid.Int(), 0, 4).Draw(t, "counts")
		switch rapid.IntRange(0, 4).Draw(t, "any") {
		case 1:
			v.any = some.Draw(t, "in any")
		case 2:
			v.any = v.num * 3
		case 3:
			v.any = []any{v.text, some.Draw(t, "in slice"), []any{}}
		case 4:
			v.boxed.inner = struct{ v *vertex }{some.Draw(t, "in box")}
		}
		v.f = func() {}
	}
	return all
}

// clone returns a copy of the graph. The copies are in a single allocation, in random order, and
// their maps are filled in random order.
func clone(t *rapid.T, all []*vertex) []*vertex {
	at := map[*vertex]*vertex{nil: nil}
	memory := make([]vertex, len(all))
	for i, k := range rapid.Permutation(rangeOf(len(all))).Draw(t, "memory") {
		at[all[i]] = &memory[k]
	}
	copies := make([]*vertex, len(all))
	for i, v := range all {
		c := at[v]
		copies[i] = c
		*c = *v
		c.raw, c.list = slices.Clone(v.raw), slices.Clone(v.list)
		for _, p := range c.links() {
			*p = at[*p]
		}
		c.named, c.counts = map[string]*vertex{}, map[*vertex]int{}
		for _, k := range shuffled(v.named) {
			c.named[k] = at[v.named[k]]
		}
		for _, k := range shuffled(v.counts) {
			c.counts[at[k]] = v.counts[k]
		}
		switch x := v.any.(type) {
		case *vertex:
			c.any = at[x]
		case []any:
			c.any = []any{x[0], at[x[1].(*vertex)], []any{}}
		}
		if x, ok := v.boxed.inner.(struct{ v *vertex }); ok {
			x.v = at[x.v]
			c.boxed.inner = x
		}
		c.f = nil
	}
	return copies
}

func rangeOf(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return all
}

func shuffled[K comparable, V any](m map[K]V) []K {
	keys := slices.Collect(maps.Keys(m))
	r := rand.New(rand.NewPCG(random.Seed(), uint64(len(keys))))
	r.Shuffle(len(keys), func(i, k int) { keys[i], keys[k] = keys[k], keys[i] })
	return keys
}

// hashOf hashes the values with a new DeepHasher.
func hashOf(values ...any) uint64 {
	hash, _ := NewDeepHasher("").Hash(map[string][]string{}, values)
	return hash
}

func TestCopiesAreEqual(t *testing.T) {
	random.Check(t, func(t *rapid.T) {
		all := graphs(t)
		want := hashOf(all[0])
		for range 3 {
			if got := hashOf(clone(t, all)[0]); got != want {
				t.Fatalf("a copy of %d vertices has hash %x, want %x", len(all), got, want)
			}
		}
	})
}

// changes are modifications of a vertex that must change the hash. Each function reports whether it
// has in fact modified the vertex.
var changes = map[string]func(v *vertex) bool{
	"num":         func(v *vertex) bool { v.num = -1; return true },
	"text":        func(v *vertex) bool { v.text += "\x00"; return true },
	"raw":         func(v *vertex) bool { v.raw = append(v.raw, 0); return true },
	"nil raw":     func(v *vertex) bool { was := v.raw; v.raw = nil; return was != nil },
	"real":        func(v *vertex) bool { v.real = -v.real; return true },
	"small":       func(v *vertex) bool { v.small[0]++; return true },
	"left":        func(v *vertex) bool { v.left, v.right = v.right, v.left; return v.left != v.right },
	"new left":    func(v *vertex) bool { v.left = &vertex{}; return true },
	"list":        func(v *vertex) bool { v.list = append(v.list, nil); return true },
	"named":       func(v *vertex) bool { v.named["long name"] = v; return true },
	"nil named":   func(v *vertex) bool { v.named = nil; return true },
	"counts":      func(v *vertex) bool { v.counts[v]++; return true },
	"any":         func(v *vertex) bool { v.any = uint8(1); return true },
	"any's type":  func(v *vertex) bool { n, ok := v.any.(int); v.any = int64(n); return ok },
	"boxed":       func(v *vertex) bool { v.boxed.inner = int8(1); return true },
	"two of list": func(v *vertex) bool { v.list = append(v.list, &vertex{}, &vertex{}); return true },
}

func TestChangesDiffer(t *testing.T) {
	for name, change := range changes {
		t.Run(name, func(t *testing.T) {
			random.Check(t, func(t *rapid.T) {
				all := graphs(t)
				reached := reachable(all[0])
				v := rapid.SampledFrom(reached).Draw(t, "changed")
				before := hashOf(all[0])
				if change(v) && hashOf(all[0]) == before {
					t.Fatalf("vertex %d changed and the hash is the same", v.num)
				}
			})
		})
	}
}

// TestSharingDiffers verifies that the hash changes if one of several pointers to the same vertex
// is replaced by a pointer to a copy.
func TestSharingDiffers(t *testing.T) {
	random.Check(t, func(t *rapid.T) {
		all := graphs(t)
		into := map[*vertex][]**vertex{}
		for _, v := range reachable(all[0]) {
			for _, p := range v.links() {
				into[*p] = append(into[*p], p)
			}
		}
		delete(into, nil)
		for _, v := range all {
			if links := into[v]; len(links) > 1 {
				before := hashOf(all[0])
				twin := *v
				*rapid.SampledFrom(links).Draw(t, "link") = &twin
				if hashOf(all[0]) == before {
					t.Fatalf("vertex %d is shared or not, and the hash is the same", v.num)
				}
				return
			}
		}
	})
}

// reachable returns v and the vertices that are reachable from it without passing through maps or
// interfaces.
func reachable(v *vertex) []*vertex {
	all := []*vertex{v}
	for i := 0; i < len(all); i++ {
		for _, p := range all[i].links() {
			if *p != nil && !slices.Contains(all, *p) {
				all = append(all, *p)
			}
		}
	}
	return all
}
