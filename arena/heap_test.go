package arena_test

import (
	"strings"
	"testing"

	"github.com/coppice-go/coppice/arena"
	"github.com/coppice-go/coppice/internal/checks"
	"github.com/coppice-go/coppice/internal/testkit/compiler"
)

type leaf struct {
	name     string
	value    int
	children []*leaf
}

// With a nil arena, all functions work on the Go heap, and no value is ever taken back.
//
//coppice:ignore stalevalue the arena is nil
func TestNilArena(t *testing.T) {
	var a *arena.Arena
	one := arena.Alloc(a, leaf{name: "ash", value: 1})
	two := arena.New[leaf](a)
	list := arena.SliceOf(a, one, two)
	list = arena.Append(a, list, arena.Alloc(a, leaf{value: 3}))
	row := arena.Make[int](a, 3)
	copied := arena.Clone(a, []string{"oak"})
	source := []byte("yew")
	name := a.String(source)
	source[0] = 'n'
	text := name + a.CloneString("elm")
	if same(name, a.CloneString(name)) {
		t.Error("a string is not a copy")
	}
	slabOf := arena.Of[leaf](a)
	slabOf.New().value = 4
	m := a.Mark()
	exported := arena.Export(a, one)
	a.Rewind(m)
	a.Reset()
	a.Release()
	if one.name != "ash" || *two.ptr() != 0 || len(list) != 3 || list[2].value != 3 || len(row) != 3 || copied[0] != "oak" || text != "yewelm" || exported != one {
		t.Errorf("after Rewind, Reset and Release: %v %v %v %v %v %q %p", one, two, list, row, copied, text, exported)
	}
	if a.Size() != 0 || a.Stats() != (arena.Stats{}) {
		t.Errorf("a nil arena holds %d, %+v", a.Size(), a.Stats())
	}
	if got := panicOf(func() { arena.Make[int](a, -1) }); !strings.HasPrefix(got, "arena.Make: negative count -1") {
		t.Errorf("panic %q", got)
	}
}

func (l *leaf) ptr() *int { return &l.value }

// With a nil arena, Alloc and New cost exactly one allocation, as new does.
func TestNilArenaAllocatesOnce(t *testing.T) {
	var a *arena.Arena
	var kept *leaf
	if allocs := testing.AllocsPerRun(100, func() { kept = arena.Alloc(a, leaf{value: 1}) }); allocs != 1 {
		t.Errorf("Alloc with a nil arena allocates %v times", allocs)
	}
	if allocs := testing.AllocsPerRun(100, func() { kept = arena.New[leaf](a) }); allocs != 1 {
		t.Errorf("New with a nil arena allocates %v times", allocs)
	}
	_ = kept
}

// These functions must inline: with a nil arena, New then compiles to new, and Alloc builds its
// value at the call site.
func TestHotCallsInline(t *testing.T) {
	if checks.Enabled {
		t.Skip("checked builds do not inline")
	}
	compiler.MustInline(t, "arena.New", "arena.Alloc", "arena.Grow")
}

func TestPutAndList(t *testing.T) {
	var a arena.Arena
	for range 3 {
		root := arena.Alloc(&a, leaf{name: "root", children: arena.SliceOf(&a, arena.Alloc(&a, leaf{value: 1}), arena.Alloc(&a, leaf{value: 2}))})
		if root.name != "root" || len(root.children) != 2 || cap(root.children) != 2 || root.children[1].value != 2 {
			t.Fatalf("the tree is %+v", root)
		}
		if plain := arena.Alloc(&a, [3]int32{1, 2, 3}); *plain != [3]int32{1, 2, 3} {
			t.Fatalf("a plain value is %v", *plain)
		}
		if none := arena.SliceOf[int](&a); none != nil {
			t.Fatal("SliceOf of nothing is not nil")
		}
		a.Reset()
	}
}

// Reset, Rewind and Size visit only the types that were used in the phase.
func TestIdleTypesAreNotLookedAt(t *testing.T) {
	if checks.Enabled {
		t.Skip("a checked build looks at all")
	}
	var a arena.Arena
	for range 3 {
		for _, use := range meets() {
			use(&a)
		}
		a.Reset()
	}
	all := a.Stats()
	if all.Size == 0 || a.Size() != all.Size {
		t.Fatalf("Held is %d, and Stats say %d", a.Size(), all.Size)
	}
	idle := func() {
		arena.New[leaf](&a)
		a.Rewind(a.Mark())
		a.Reset()
	}
	idle()
	if allocs := testing.AllocsPerRun(100, idle); allocs != 0 {
		t.Errorf("a small phase allocates %v times", allocs)
	}
	for range 64 + 2*all.Types {
		idle()
	}
	if held := a.Size(); held > 1<<10 {
		t.Errorf("%d of %d bytes are held, 64 phases after all but one type were used", held, all.Size)
	}
	for _, use := range meets() { // the types come back into use
		use(&a)
	}
	a.Reset()
	if a.Size() != a.Stats().Size || a.Size() < all.Size/2 {
		t.Errorf("Held is %d, Stats say %d", a.Size(), a.Stats().Size)
	}
}

// SliceOf copies its arguments, and returns nil for none, with and without an arena.
func TestListsAreCopies(t *testing.T) {
	for name, in := range map[string]*arena.Arena{"an arena": new(arena.Arena), "the Go heap": nil} {
		given := []int{1, 2, 3}
		made := arena.SliceOf(in, given...)
		given[1] = 7
		if len(made) != 3 || cap(made) != 3 || made[1] != 2 || arena.SliceOf[int](in) != nil {
			t.Errorf("in %s a SliceOf is %v", name, made)
		}
	}
}

// The memory of a type is dropped when the type has been unused for 64 consecutive phases and its
// turn comes, but not earlier.
func TestIdleTypesAreDroppedAfter64Phases(t *testing.T) {
	if checks.Enabled {
		t.Skip("a checked build resets all types, and drops the memory of idle ones sooner")
	}
	const types = 5 // the test's type, and four that every arena has for values without pointers
	soonest := 1000
	for before := range types { // so that each type is once the first in turn
		var a arena.Arena
		for range 2 { // memory that was dropped once is dropped again
			for range before {
				a.Reset()
			}
			for range 3 {
				arena.New[leaf](&a)
				a.Reset()
			}
			phases := 0
			for ; a.Size() > 0 && phases < 100; phases++ {
				a.Reset()
			}
			if phases >= 64+types {
				t.Errorf("%d bytes are held after %d phases that used nothing", a.Size(), phases)
			}
			soonest = min(soonest, phases)
		}
	}
	if soonest != 64 {
		t.Errorf("memory was dropped after %d phases, want 64", soonest)
	}
}

// Phases that do not use a type do not change how much of its memory is kept.
func TestRareTypesKeepTheirMemory(t *testing.T) {
	if checks.Enabled {
		t.Skip("a checked build resets all types")
	}
	var a arena.Arena
	round := func() {
		for range 10_000 {
			arena.New[leaf](&a)
		}
		for range 50 {
			a.Reset()
			arena.New[*int](&a)
		}
		a.Reset()
	}
	for range 10 {
		round()
	}
	if allocs := testing.AllocsPerRun(20, round); allocs != 0 {
		t.Errorf("a type that each 51st phase uses allocates %v times", allocs)
	}
}

// Size decreases when a Reset drops memory that a type no longer needs.
func TestSizeFalls(t *testing.T) {
	var a arena.Arena
	for range 100_000 {
		arena.New[leaf](&a)
	}
	a.Reset()
	large := a.Size()
	for range 66 {
		arena.New[leaf](&a)
		a.Reset()
	}
	if held := a.Size(); held > large/10 {
		t.Errorf("%d of %d bytes are held after 66 small phases", held, large)
	}
}

// Size includes the memory of a phase once, no matter how many chunks it has and how often it was
// rewound.
func TestRewindAmongManyChunks(t *testing.T) {
	var a arena.Arena
	for phase := range 3 {
		start := a.Mark()
		old := make([]*leaf, 0, 1000)
		for i := range 1000 {
			old = append(old, arena.Alloc(&a, leaf{value: i}))
		}
		m := a.Mark()
		for range 3 {
			for range 1000 {
				arena.New[leaf](&a)
				arena.New[*string](&a)
			}
			a.Rewind(m)
		}
		held := a.Size()
		for i, v := range old {
			if v.value != i {
				t.Fatalf("phase %d: value %d is %d after a Rewind to a Mark that is younger", phase, i, v.value)
			}
		}
		a.Rewind(start)
		if a.Size() != held || a.Stats().Used != 0 {
			t.Fatalf("phase %d: Rewind to the start leaves %d of %d bytes, and %+v", phase, a.Size(), held, a.Stats())
		}
		a.Reset()
	}
}

// A Pool reuses the arenas that were returned to it.
func TestPoolReuses(t *testing.T) {
	var pool arena.Pool
	seen := map[*arena.Arena]bool{}
	for range 100 {
		a := pool.Get()
		seen[a] = true
		pool.Put(a)
	}
	if len(seen) > 80 { // the collector empties the pool, and checked builds delay reuse
		t.Errorf("100 Gets had %d arenas", len(seen))
	}
}

func TestPool(t *testing.T) {
	pool := arena.Pool{Options: arena.Options{Keep: 100_000}}
	pool.Put(nil)
	for range 10 {
		a := pool.Get()
		if st := a.Stats(); st.Used != 0 {
			t.Fatalf("an arena of the pool has %d bytes of values", st.Used)
		}
		arena.Make[byte](a, 1<<20)
		arena.Alloc(a, leaf{name: a.String([]byte("ash"))})
		pool.Put(a)
		if held := a.Size(); held > 100_000 { //coppice:ignore useafterput it looks at what the pool keeps
			t.Errorf("the pool keeps %d bytes", held)
		}
	}
	var zero arena.Pool
	a := zero.Get()
	arena.Make[byte](a, 20<<20)
	zero.Put(a)
	if held := a.Size(); held > 16<<20 { //coppice:ignore useafterput it looks at what the pool keeps
		t.Errorf("a zero Pool keeps %d bytes", held)
	}
}
