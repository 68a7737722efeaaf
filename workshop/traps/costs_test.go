package traps

import (
	"fmt"
	"runtime"
	"testing"
	"time"

	"github.com/coppice-go/coppice/arena"
	"github.com/coppice-go/coppice/internal/checks"
	"github.com/coppice-go/coppice/pool"
	"github.com/coppice-go/coppice/slab"
	"github.com/coppice-go/coppice/store"
)

// The tests in this file count operations. Where that is impossible, they compare the CPU times of
// two functions on the same thread, in one run. The defect increases the ratio by a factor of fifty
// or more.

// ratio returns the CPU time of the first function divided by that of the second. It compares their
// shortest runs, because load on the machine can only lengthen a run. It stops after five
// consecutive runs in which neither minimum has decreased by more than a tenth.
func ratio(one, other func()) float64 {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	took := func(f func()) time.Duration {
		start := threadTime()
		f()
		return threadTime() - start
	}
	least, leastOther := took(one), took(other)
	for calm := 0; calm < 5; calm++ {
		t, o := took(one), took(other)
		if t < least*9/10 || o < leastOther*9/10 {
			calm = 0
		}
		least, leastOther = min(least, t), min(leastOther, o)
	}
	return float64(least) / float64(max(leastOther, 1))
}

// flat and wide have the same size, but wide has a field for every byte.
type (
	flat  [128]byte
	quad  struct{ A, B, C, D byte }
	oct   struct{ A, B, C, D, E, F, G, H quad }
	wide  struct{ A, B, C, D oct }
	maker func(n int)
)

// An allocator that inspects the type of every value becomes slower with the number of fields.
// Coppice inspects a type only once: a store when it is made, an arena when it first allocates the
// type.
func TestTrapReflectionOnEveryAllocation(t *testing.T) {
	check := func(flat, wide maker) error {
		const n, most = 2000, 20
		if ratio := ratio(func() { wide(n) }, func() { flat(n) }); ratio > most {
			return fmt.Errorf("128 fields cost %.0f times what one costs", ratio)
		}
		return nil
	}
	falls(t, check(miniMaker[flat](reflects), miniMaker[wide](reflects)), "times what one costs")
	stands(t, "the sound miniature", check(miniMaker[flat](sound), miniMaker[wide](sound)))
	stands(t, "slab.Slab", check(slabMaker[flat](slab.Options{}), slabMaker[wide](slab.Options{})))
	stands(t, "arena.Arena", check(arenaMaker[flat](), arenaMaker[wide]()))
	stands(t, "store.Store", check(storeMaker[flat](t), storeMaker[wide](t)))
	stands(t, "store.Handles", check(handleMaker[flat](t), handleMaker[wide](t)))
}

// An allocator that searches all its full chunks for each value needs ten thousand times as long
// for a hundred times as many values. The slab gets short chunks here, so that it has many of them.
func TestTrapLinearScanOverFullBuffers(t *testing.T) {
	check := func(open func() maker) error {
		const few, times, most = 100, 100, 8
		small, large := open(), open()
		often := func() {
			for range times {
				small(few)
			}
		}
		if ratio := ratio(func() { large(few * times) }, often); ratio > most {
			return fmt.Errorf("values cost %.0f times as much among %d times as many", ratio, times)
		}
		return nil
	}
	falls(t, check(func() maker { return miniMaker[uint64](scans) }), "times as much among")
	stands(t, "the sound miniature", check(func() maker { return miniMaker[uint64](sound) }))
	stands(t, "slab.Slab", check(func() maker { return slabMaker[uint64](slab.Options{FirstChunk: 8, MaxChunk: 8}) }))
	stands(t, "arena.Arena", check(arenaMaker[uint64]))
	stands(t, "store.Store", check(func() maker { return storeMaker[uint64](t) }))
	stands(t, "store.Handles", check(func() maker { return handleMaker[uint64](t) }))
}

func miniMaker[T any](d defect) maker {
	m := newMini[T](d)
	return func(n int) {
		for range n {
			m.New()
		}
		m.Reset()
	}
}

func slabMaker[T any](o slab.Options) maker {
	s := &slab.Slab[T]{Options: o}
	return func(n int) {
		for range n {
			s.New()
		}
		s.Reset()
	}
}

func arenaMaker[T any]() maker {
	var a arena.Arena
	return func(n int) {
		for range n {
			arena.New[T](&a)
		}
		a.Reset()
	}
}

func storeMaker[T any](t *testing.T) maker {
	s := newStore[T](t, 100_000)
	return func(n int) {
		for range n {
			s.New()
		}
		s.Reset()
	}
}

func handleMaker[T any](t *testing.T) maker {
	h, err := store.NewHandles[T](store.Options{Max: 100_000})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { mustNot(t, h.Close()) })
	return func(n int) {
		for range n {
			h.New()
		}
		h.Reset()
	}
}

// An escaping is a sound mini, except that its Del prints the name in a panic.
type escaping struct{ mini[uint64] }

func (e *escaping) Del(n name) {
	if !e.has(n) {
		panic(fmt.Sprintf("traps.escaping: %v is no value's name", &n)) // DEFECT: this moves n to the Go heap, panic or not
	}
	e.mini.Del(n)
}

// A name whose address is passed to the formatting of a panic message is allocated on each call,
// even if there is never a panic.
func TestTrapEscapeIntoAPanicPath(t *testing.T) {
	check := func(newAndDel func()) error {
		newAndDel()
		if allocs := testing.AllocsPerRun(1000, newAndDel); allocs > 0 {
			return fmt.Errorf("a New and a Del cost %v allocations", allocs)
		}
		return nil
	}
	bad, good := escaping{*newMini[uint64](sound)}, newMini[uint64](sound)
	falls(t, check(func() { n, _ := bad.New(); bad.Del(n) }), "cost 1 allocations")
	stands(t, "the sound miniature", check(func() { n, _ := good.New(); good.Del(n) }))
	if checks.Enabled {
		return // checked builds record the caller of every Del
	}
	s := newStore[uint64](t, 1000)
	stands(t, "store.Store", check(func() { r, _ := s.New(); s.Delete(r) }))
	h, err := store.NewHandles[uint64](store.Options{Max: 1000})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { mustNot(t, h.Close()) }()
	for range 70_000 { // allocations for names become rare after many names per slot
		h.Delete(h.Alloc(1))
	}
	stands(t, "store.Handles", check(func() { h.Delete(h.Alloc(1)) }))
	var p pool.Pool[[4]uint64]
	stands(t, "pool.Pool", check(func() { p.Put(p.Get()) }))
}

// A copier copies bytes to its chunk and returns a copy of this copy.
type copier struct{ chunk []byte }

func (c *copier) String(b []byte) string {
	if len(c.chunk)+len(b) > cap(c.chunk) {
		c.chunk = make([]byte, 0, 1<<16)
	}
	start := len(c.chunk)
	c.chunk = append(c.chunk, b...)
	return string(c.chunk[start:]) // DEFECT: this is a copy on the Go heap
}

// A string that is built in the arena and then copied to the Go heap costs memory in both.
func TestTrapStringBuiltInArenaCopiedBack(t *testing.T) {
	token := []byte("a token that is longer than a word")
	check := func(build func([]byte) int) error {
		var n int
		if allocs := testing.AllocsPerRun(1000, func() { n += build(token) }); allocs >= 1 || n == 0 {
			return fmt.Errorf("a string costs %v allocations", allocs)
		}
		return nil
	}
	var bad copier
	falls(t, check(func(b []byte) int { text = bad.String(b); return len(text) }), "costs 1 allocations")
	var a arena.Arena
	stands(t, "arena.Arena", check(func(b []byte) int { text = a.String(b); return len(text) }))
	s := newStore[byte](t, 1000)
	word := string(token)
	stands(t, "store.Text", check(func([]byte) int { return len(s.TextBytes(s.AllocText(word))) }))
}

// text keeps the compiler from placing the strings of the test on the stack.
var text string
