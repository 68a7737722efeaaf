package chunks

import (
	"reflect"
	"runtime"
	"runtime/debug"
	"testing"

	"github.com/coppice-go/coppice/internal/chunkrule"
	"github.com/coppice-go/coppice/slab"
)

func sizeOf[T any]() uint { return uint(reflect.TypeFor[T]().Size()) }

// TestLikeChunks verifies that values are zeroed and distinct, and that chunks allocate like those
// of slab.Chunks.
func TestLikeChunks(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	like[byte](t)
	like[[3]byte](t)
	like[*int](t)
	like[string](t)
	like[[5]uint64](t)
	like[[8]*int](t)
	like[[31]uint64](t)
	like[[33]uint64](t)
	like[[100]uint64](t)
	like[[1000]uint64](t)
}

func like[T comparable](t *testing.T) {
	t.Helper()
	var (
		ours   chunks[T]
		theirs slab.Chunks[T]
		zero   T
		size   = sizeOf[T]()
		seen   = map[*T]bool{}
		kept   []*T
	)
	take := func(v *T) {
		if *v != zero || seen[v] {
			t.Fatalf("a value of %d bytes is not zero, or not new", size)
		}
		seen[v] = true
		kept = append(kept, v)
	}
	strange := 0
	same := func(i int, f, g func()) {
		if a, b := allocated(f), allocated(g); a != b {
			if strange++; strange > 5 { // the runtime allocates as well
				t.Fatalf("value %d of %d bytes takes %v, and slab.Chunks %v", i, size, a, b)
			}
		}
	}
	for i := range 3000 {
		var v, w *T
		switch i % 7 {
		case 0:
			same(i, func() { v = ours.New() }, func() { w = theirs.New() })
		case 5:
			var list, other []T
			n := i % 11
			same(i, func() { list = ours.Make(n) }, func() { other = theirs.Make(n) })
			if list == nil || len(list) != n || cap(list) != n || len(other) != n {
				t.Fatalf("Make(%d) is %d of %d", n, len(list), cap(list))
			}
			for j := range list {
				take(&list[j])
			}
			continue
		default:
			same(i, func() { v = ours.Alloc(zero) }, func() { w = theirs.Alloc(zero) })
		}
		take(v)
		runtime.KeepAlive(w)
	}
	runtime.KeepAlive(kept)
}

// allocated returns the number of objects and bytes that f allocates.
func allocated(f func()) (all [2]uint64) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return [2]uint64{after.Mallocs - before.Mallocs, after.TotalAlloc - before.TotalAlloc}
}

// TestLengths compares chunk lengths with the rule even after many values, without allocating each
// value, which would take too long.
func TestLengths(t *testing.T) {
	for slots := uint(0); slots < 1<<20; slots += 1 + slots/50 {
		lengths[byte](t, slots)
		lengths[[5]uint64](t, slots)
		lengths[[33]uint64](t, slots)
		lengths[[1000]uint64](t, slots)
	}
	c := chunks[int]{slots: 1 << 30}
	if n := c.next(); n != chunkrule.Sizes[0]/sizeOf[int]() {
		t.Errorf("the longest chunk has %d values", n)
	}
}

// lengths compares the length of the next chunk, after that many values, with the rule.
func lengths[T any](t *testing.T, slots uint) {
	t.Helper()
	c := chunks[T]{slots: slots}
	size := int(sizeOf[T]())
	if got, want := c.next(), chunkrule.Length(slots, size); got != uint(want) {
		t.Errorf("after %d values of %d bytes a chunk has %d, want %d", slots, size, got, want)
	}
}

func TestNegativeLength(t *testing.T) {
	var c chunks[int]
	c.New()
	defer func() {
		if err, ok := recover().(runtime.Error); !ok {
			t.Error("no panic of the runtime")
		} else if text := err.Error(); text != "runtime error: makeslice: len out of range" {
			t.Error(text)
		}
		if c.New() == nil {
			t.Error("nothing after the panic")
		}
	}()
	c.Make(-1)
}

func TestList(t *testing.T) {
	var c chunks[int]
	values := []int{1, 2, 3}
	list := c.SliceOf(values...)
	values[0] = 7
	if len(list) != 3 || cap(list) != 3 || list[0] != 1 || list[2] != 3 {
		t.Error(list, cap(list))
	}
}
