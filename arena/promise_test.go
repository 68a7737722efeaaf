package arena_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/coppice-go/coppice/arena"
	"github.com/coppice-go/coppice/internal/checks"
)

// Each test in this file verifies a documented promise that a bug could break while all other tests
// pass.

// A type has its own slab if and only if it contains a pointer or its memory must not be shared
// with other types.
func TestWhichTypesHaveSlabs(t *testing.T) {
	testSlab[int](t, false)
	testSlab[uintptr](t, false)
	testSlab[complex64](t, false)
	testSlab[[0]*int](t, false)
	testSlab[struct {
		a [3]byte
		b float32
		c [0]string
	}](t, false)
	testSlab[*int](t, true)
	testSlab[string](t, true)
	testSlab[[]int](t, true)
	testSlab[map[int]int](t, true)
	testSlab[chan int](t, true)
	testSlab[func()](t, true)
	testSlab[any](t, true)
	testSlab[[3]*int](t, true)
	testSlab[[2][2]struct{ s string }](t, true)
	testSlab[struct {
		a int
		b *int
	}](t, true)
	testSlab[struct {
		a [2]int
		b struct{ c [1]any }
	}](t, true)
	testSlab[bool](t, true)
	testSlab[struct {
		n int
		b [2]bool
	}](t, true)
}

func testSlab[T any](t *testing.T, want bool) {
	t.Helper()
	var made, sliced arena.Arena
	arena.New[T](&made)
	arena.Make[T](&sliced, 2)
	for how, a := range map[string]*arena.Arena{"New": &made, "Make": &sliced} {
		if got := a.Stats().Types == 1; got != want {
			t.Errorf("%s[%s] made a slab of its own: %v, want %v", how, reflect.TypeFor[T](), got, want)
		}
	}
}

// Reset takes back values of any size, and their memory is zero when it is reused.
func TestResetTakesBackEverySize(t *testing.T) {
	var a arena.Arena
	testReset[[1]uint64](t, &a)
	testReset[[2]uint64](t, &a)
	testReset[[3]uint64](t, &a)
	testReset[[4]uint64](t, &a)
	testReset[[5]uint64](t, &a)
	testReset[[40]uint64](t, &a)
	testReset[*int](t, &a)
}

// Repeated equal phases eventually allocate nothing, whatever the size of the values.
func TestEverySizeSettles(t *testing.T) {
	if checks.Enabled {
		t.Skip("checked builds remember the place of every Reset")
	}
	testSettles[[1]uint64](t)
	testSettles[[2]uint64](t)
	testSettles[[3]uint64](t)
	testSettles[[4]uint64](t)
	testSettles[[5]uint64](t)
}

func testSettles[T any](t *testing.T) {
	t.Helper()
	var a arena.Arena
	phase := func() {
		for range 200_000 { // more than a chunk
			arena.New[T](&a)
		}
		a.Reset()
	}
	for range 4 {
		phase()
	}
	if allocs := testing.AllocsPerRun(10, phase); allocs != 0 {
		t.Errorf("a phase of %s like the ones before costs %v allocations", reflect.TypeFor[T](), allocs)
	}
}

func testReset[T any](t *testing.T, a *arena.Arena) {
	t.Helper()
	n := 0
	for range 4 {
		for range 300 {
			p := reflect.ValueOf(arena.New[T](a)).Elem()
			if !p.IsZero() {
				t.Fatalf("New[%s] handed out %v", p.Type(), p)
			}
			if p.Kind() == reflect.Array {
				p.Index(p.Len() - 1).SetUint(7)
			} else {
				p.Set(reflect.ValueOf(&n))
			}
		}
		a.Reset()
		if got := a.Stats(); got.Used != 0 || got.Wasted != 0 {
			t.Fatalf("after Reset with %s Stats are %+v", reflect.TypeFor[T](), got)
		}
	}
}

func TestCloneIsExact(t *testing.T) {
	var a arena.Arena
	if arena.Clone(&a, []int(nil)) != nil || arena.Clone(&a, []*int(nil)) != nil {
		t.Error("Clone of nil is not nil")
	}
	if c := arena.Clone(&a, []int{}); c == nil || len(c) != 0 {
		t.Errorf("Clone of an empty slice is %v", c)
	}
	for n := 1; n < 20; n++ {
		bytes, words := make([]byte, n, 2*n), make([]*int, n, 2*n)
		bytes[n-1], words[n-1] = 7, &n
		b, w := arena.Clone(&a, bytes), arena.Clone(&a, words)
		if len(b) != n || cap(b) != n || b[n-1] != 7 || len(w) != n || cap(w) != n || w[n-1] != &n {
			t.Errorf("Clones of %d values have len %d, cap %d and len %d, cap %d", n, len(b), cap(b), len(w), cap(w))
		}
		bytes[0] = 1
		if n > 1 && b[0] != 0 {
			t.Error("a Clone shares its values")
		}
	}
}

// Keep is an inclusive limit: Reset keeps memory of exactly Keep bytes.
func TestKeepItself(t *testing.T) {
	a := &arena.Arena{Options: arena.Options{Keep: 256}}
	arena.New[int](a) // one chunk of 256 bytes
	a.Reset()
	if held := a.Size(); held != 256 {
		t.Errorf("%d bytes held after Reset, want the chunk of 256 that Keep allows", held)
	}
}

// Make rejects a count whose total size in bytes exceeds the address space, even if the count
// itself does not.
func TestCountsBecomeBytes(t *testing.T) {
	var a arena.Arena
	n := 1 << (29 + 16*(^uint(0)>>63))
	if got := panicOf(func() { arena.Make[[2]uint64](&a, n) }); !strings.HasPrefix(got, fmt.Sprintf("arena.Make: %d values exceed", n)) {
		t.Errorf("panic %q", got)
	}
}

func TestStatsCountWhatIsPassedOver(t *testing.T) {
	var a arena.Arena
	arena.Make[uint64](&a, 20) // leaves 12 words of the first chunk unused
	arena.Make[uint64](&a, 20) // leaves 12 words of the second chunk
	if got := a.Stats(); got.Wasted != 12*8 || got.Used != 40*8 {
		t.Errorf("Stats are %+v, want 12 words lost and 40 used", got)
	}
}

// After Reset or Rewind, a stale slice must not grow in place, because the memory behind it belongs
// to other values.
func TestStaleSlicesDoNotGrowInPlace(t *testing.T) {
	for name, end := range map[string]func(*arena.Arena, arena.Mark){
		"Reset": func(a *arena.Arena, _ arena.Mark) { a.Reset() }, "Rewind": (*arena.Arena).Rewind,
	} {
		var a arena.Arena
		m := a.Mark()
		stale := arena.Append(&a, []byte(nil), 1, 2, 3, 4, 5) // leaves 3 bytes of its word unused
		end(&a, m)
		arena.Append(&a, stale, 6)
		if got := a.Stats().Used; got != 16 {
			t.Errorf("after %s a stale slice grew by %d bytes, want a copy of 16", name, got)
		}
	}
}

// Rewind may return to the same Mark repeatedly, and values older than the Mark stay intact.
func TestRewindToOneMarkAgain(t *testing.T) {
	var a arena.Arena
	first := arena.New[pair](&a)
	first.left = first
	word := arena.New[int](&a)
	*word = 7
	m := a.Mark()
	for range 3 {
		arena.New[pair](&a)
		arena.New[int](&a)
		a.Mark()
		a.Rewind(m)
		if first.left != first || *word != 7 {
			t.Fatalf("Rewind took back %v and %d, which are older than the Mark", *first, *word)
		}
	}
}

// In checked builds, every function and method panics when called on a copy of an Arena. The same
// check detects concurrent use by another goroutine.
func TestEveryMethodIsGuarded(t *testing.T) {
	if !checks.Enabled {
		t.Skip("only in checked builds")
	}
	var a, copied arena.Arena
	arena.New[int](&a)
	m := a.Mark()
	reflect.ValueOf(&copied).Elem().Set(reflect.ValueOf(&a).Elem()) // a copy that vet misses
	for name, f := range map[string]func(){
		"New": func() { arena.New[int](&copied) }, "Alloc": func() { arena.Alloc(&copied, 1) }, "Copy": func() { arena.Copy(&copied, new(int)) },
		"Make": func() { arena.Make[int](&copied, 1) }, "Append": func() { arena.Append(&copied, []int{}, 1) }, "Grow": func() { arena.Grow(&copied, []int{}, 1) },
		"Of": func() { arena.Of[int](&copied) }, "Arena.String": func() { copied.String([]byte{1}) }, "Arena.CloneString": func() { copied.CloneString("x") },
		"Arena.Concat": func() { copied.Concat("x", "y") }, "Arena.Join": func() { copied.Join([]string{"x"}, ",") },
		"Arena.Mark": func() { copied.Mark() }, "Arena.Rewind": func() { copied.Rewind(m) },
		"Arena.Reset": copied.Reset, "Arena.Release": copied.Release, "Arena.Stats": func() { copied.Stats() },
	} {
		if got := panicOf(f); !strings.HasPrefix(got, "arena."+name+": called on a copy") {
			t.Errorf("%s on a copy: %s", name, got)
		}
	}
}
