package arena_test

import (
	"fmt"
	"math"
	"reflect"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/coppice-go/coppice/arena"
	"github.com/coppice-go/coppice/internal/checks"
	"github.com/coppice-go/coppice/internal/testkit/compiler"
)

func TestZeroArenaWorks(t *testing.T) {
	var a arena.Arena
	if got := a.Stats(); got != (arena.Stats{}) {
		t.Errorf("an unused arena: %+v", got)
	}
	a.Reset()
	a.Release()
	a.Rewind(a.Mark())
	if p, q := arena.New[pair](&a), arena.New[pair](&a); p == q || *p != (pair{}) {
		t.Errorf("New gave %p %v and %p, want two zeroed values", p, *p, q)
	}
}

// The collector must see the pointers in arena memory: a value that is referenced only by another
// value in the arena must stay alive.
func TestPointersInTheArenaKeepWhatTheyPointTo(t *testing.T) {
	var a arena.Arena
	type link struct {
		next  *link
		text  string
		list  []*int
		boxed any
		call  func() int
	}
	head := arena.New[link](&a)
	for i := range 1000 {
		l := arena.New[link](&a)
		n := i
		*l = link{head.next, strings.Repeat("x", i), []*int{&n}, &n, func() int { return n }}
		head.next = l
		if i%100 == 0 {
			runtime.GC()
		}
	}
	a = arena.Arena{} // values that are still referenced must stay valid
	runtime.GC()
	i := 999
	for l := head.next; l != nil; l = l.next {
		if len(l.text) != i || *l.list[0] != i || *l.boxed.(*int) != i || l.call() != i {
			t.Fatalf("value %d is %+v", i, *l)
		}
		i--
	}
}

func TestEveryTypeIsAligned(t *testing.T) {
	var a arena.Arena
	arena.New[byte](&a)
	aligned[byte](t, &a)
	aligned[uint16](t, &a)
	aligned[uint32](t, &a)
	aligned[uint64](t, &a)
	aligned[complex128](t, &a)
	aligned[[3]byte](t, &a)
	aligned[[5]uint16](t, &a)
	aligned[[7]uint64](t, &a)
	aligned[[100]float32](t, &a)
	aligned[struct {
		b bool
		f float64
	}](t, &a)
	aligned[*int](t, &a)
	aligned[string](t, &a)
	aligned[struct{}](t, &a)
	aligned[[3 << 20]byte](t, &a)
}

func aligned[T comparable](t *testing.T, a *arena.Arena) {
	t.Helper()
	var zero T
	align := uintptr(reflect.TypeFor[T]().Align())
	size := reflect.TypeFor[T]().Size()
	for range 20 {
		arena.Make[byte](a, 3) // moves the next word off a round address
		values := arena.Make[T](a, 3)[:2]
		for _, p := range []*T{arena.New[T](a), &values[0], &values[1]} {
			if at := reflect.ValueOf(p).Pointer(); at%align != 0 && size > 0 {
				t.Errorf("a %s lies at %#x, not aligned to %d", reflect.TypeFor[T](), at, align)
			}
			if *p != zero {
				t.Errorf("a %s is not zero", reflect.TypeFor[T]())
			}
		}
	}
}

// A bool that is neither 0 nor 1 breaks compiled code, because the compiler may omit the bounds
// check of an index computed from a bool. A write through a stale pointer to another type must
// therefore never reach a bool.
func TestBoolsNeverShareMemoryWithOtherTypes(t *testing.T) {
	if checks.Enabled {
		t.Skip("checked builds panic at the stale write")
	}
	type flag [2]bool
	var a arena.Arena
	arena.New[flag](&a)
	arena.Make[bool](&a, 8)
	stale := make([]*uint64, 0, 1000)
	for range 1000 {
		stale = append(stale, arena.New[uint64](&a))
	}
	a.Reset()
	for _, p := range stale {
		*p = math.MaxUint64 //coppice:ignore stalevalue it writes where a bool may lie next
	}
	for range 1000 {
		if f := arena.New[flag](&a); *f != (flag{}) {
			t.Fatal("a bool came from memory that a *uint64 points to")
		}
		for _, b := range arena.Make[bool](&a, 9) {
			if b {
				t.Fatal("a slice of bools came from memory that a *uint64 points to")
			}
		}
	}
}

func TestOnlyTheLastSliceGrowsInPlace(t *testing.T) {
	var a arena.Arena
	growsInPlace[byte](t, &a)
	growsInPlace[[3]byte](t, &a)
	growsInPlace[uint32](t, &a)
	growsInPlace[*int](t, &a)
	growsInPlace[string](t, &a)
}

func growsInPlace[T any](t *testing.T, a *arena.Arena) {
	t.Helper()
	name := reflect.TypeFor[T]()
	var values [3]T
	for range 2 { // make chunks large enough for all that follows, even while one rests
		a.Reset()
		arena.Make[T](a, 100)
	}
	for length := range 17 {
		a.Reset()
		s := arena.Make[T](a, length+1)
		arena.New[T](a) // does not prevent this: New takes other memory
		longer := arena.Append(a, s, values[:]...)
		if &longer[0] != &s[0] || len(longer) != len(s)+3 {
			t.Errorf("the last slice of %d %s was copied, or has the wrong length %d", len(s), name, len(longer))
		}
		for range 20 {
			longer = arena.Append(a, longer, values[0])
		}
		if &longer[0] != &s[0] {
			t.Errorf("the last slice of %d %s was copied by later Appends", len(s), name)
		}
		part := longer[:1:1] // longer owns the elements after the first
		if moved := arena.Append(a, part, values[0]); &moved[0] == &part[0] {
			t.Errorf("Append to a part of a slice of %s wrote into the rest of it", name)
		}
		earlier := arena.Make[T](a, 2)
		arena.Make[T](a, 1)
		if moved := arena.Append(a, earlier, values[0]); &moved[0] == &earlier[0] {
			t.Errorf("a slice of %s grew into the next one", name)
		}
	}
}

func TestAppendTakesWhatAppendTakes(t *testing.T) {
	var a arena.Arena
	type names []string
	var list names
	list = arena.Append(&a, list)
	if list != nil {
		t.Error("Append of nothing to nil made something")
	}
	list = arena.Append(&a, list, "oak", "ash")
	list = arena.Append(&a, list, list...)
	other := []string{"yew"} // on the Go heap
	list = arena.Append(&a, list, arena.Append(&a, other, "elm")...)
	if got := strings.Join(list, " "); got != "oak ash oak ash yew elm" {
		t.Errorf("the list is %q", got)
	}
}

func TestStringsAreCopies(t *testing.T) {
	var a arena.Arena
	b := []byte("coppice")
	s := a.String(b)
	c := a.CloneString(s)
	b[0] = 'X'
	if s != "coppice" || c != s {
		t.Errorf("the strings are %q and %q", s, c)
	}
	if a.String(nil) != "" || a.CloneString("") != "" {
		t.Error("no bytes are not the empty string")
	}
}

func TestEqualPhasesSettleToNoAllocation(t *testing.T) {
	if checks.Enabled || compiler.ChecksPointers() {
		t.Skip("checked builds remember the place of every Reset")
	}
	var a arena.Arena
	phase := func() {
		meet(&a, 10)
		var list []*pair
		for i := range 2000 {
			m := a.Mark()
			list = arena.Append(&a, list, arena.New[pair](&a))
			if i%2 == 1 {
				arena.New[point](&a)[0] = 1
				a.Rewind(m)
				list = list[:len(list)-1]
			}
		}
		arena.Make[string](&a, 10)[3] = a.CloneString("yew")
		a.Reset()
	}
	for range 4 {
		phase()
	}
	if allocs := testing.AllocsPerRun(100, phase); allocs != 0 {
		t.Errorf("a phase like the ones before costs %v allocations", allocs)
	}
}

// One large phase must not pin memory forever: its memory is dropped after 64 small phases.
func TestLargePhaseIsGoneAfter64SmallOnes(t *testing.T) {
	var a arena.Arena
	arena.Make[byte](&a, 32<<20)
	arena.Make[*int](&a, 4<<20)
	a.Reset()
	if held := a.Stats().Size; held < 32<<20 {
		t.Errorf("%d bytes held after the large phase", held)
	}
	for range 64 + a.Stats().Types + 4 { // after 64 phases, each type is checked in turn
		arena.New[pair](&a)
		a.Reset()
	}
	if checks.Enabled {
		a.Reset() // the quarantine holds memory for one more phase
	}
	if held := a.Stats().Size; held > 10<<10 {
		t.Errorf("%d bytes held after 64 small phases", held)
	}
}

// Marks take memory too, and Keep does not limit it. Reset and Release must therefore free the
// memory of a phase with many Marks.
func TestManyMarksAreForgotten(t *testing.T) {
	for name, end := range map[string]func(*arena.Arena){"Reset": (*arena.Arena).Reset, "Release": (*arena.Arena).Release} {
		var a arena.Arena
		for range 100_000 {
			arena.New[pair](&a)
			a.Mark()
		}
		end(&a)
		a.Reset()
		if held := heapBytes(func() { a = arena.Arena{} }); held > 6<<20 {
			t.Errorf("after %s the arena holds %d bytes", name, held)
		}
	}
}

// heapBytes calls drop and returns the number of bytes by which the Go heap shrinks.
func heapBytes(drop func()) int64 {
	var before, after runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&before)
	drop()
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&after)
	return int64(before.HeapAlloc) - int64(after.HeapAlloc)
}

func TestKeepBoundsWhatResetKeeps(t *testing.T) {
	a := &arena.Arena{Options: arena.Options{Keep: 100_000}}
	for range 3 {
		for range 10_000 {
			arena.New[pair](a)
			arena.New[t0](a)
			arena.New[point](a)
		}
		arena.New[t1](a)
		a.Reset()
		if held := a.Stats().Size; held > 100_000 || held == 0 {
			t.Errorf("%d bytes held after Reset, Keep is 100,000", held)
		}
	}
}

func TestStatsAddUp(t *testing.T) {
	var a arena.Arena
	arena.New[[16]byte](&a)
	arena.New[[5]byte](&a)
	a.String(make([]byte, 20))
	arena.Make[bool](&a, 7)
	got := a.Stats()
	if got.Types != 1 || got.Chunks != 3 || got.Used != 16+8+24+7 || got.Size != 3<<8 || got.Wasted != 0 {
		t.Errorf("Stats = %+v", got)
	}
	arena.Of[[16]byte](&a).New()
	if got := a.Stats(); got.Types != 2 || got.Used != 16+8+24+7+16 {
		t.Errorf("Stats = %+v after a value of a slab of its own", got)
	}
}

func TestOfIsTheSlabThatNewUses(t *testing.T) {
	var a arena.Arena
	arena.New[pair](&a)
	arena.New[point](&a)
	pairs, points := arena.Of[pair](&a), arena.Of[point](&a)
	arena.New[pair](&a)
	arena.New[point](&a)
	if pairs.Len() != 2 || points.Len() != 1 || arena.Of[pair](&a) != pairs || arena.Of[point](&a) != points {
		t.Errorf("the slabs have %d and %d values, want 2 and 1", pairs.Len(), points.Len())
	}
	a.Release()
	if arena.Of[pair](&a) != pairs || pairs.Len() != 0 {
		t.Error("the slab did not stay the same, empty")
	}
}

func TestRewindTakesBackWhatCameAfterTheMark(t *testing.T) {
	var a arena.Arena
	start := a.Mark()
	before := a.CloneString("before")
	list := arena.Append(&a, []int(nil), 1, 2, 3)
	m := a.Mark()
	for round := range 3 {
		n := arena.New[pair](&a) // a type that the arena had not seen at the Mark
		if *n != (pair{}) {
			t.Fatalf("round %d handed out %v", round, *n)
		}
		n.left, n.right = n, n
		longer := arena.Append(&a, list, 4, 5, 6)
		inner := a.Mark()
		if s := a.CloneString("after"); s != "after" {
			t.Fatal(s)
		}
		a.Rewind(inner)
		if len(longer) != 6 || longer[5] != 6 || n.left != n {
			t.Fatal("Rewind touched what was made before its Mark")
		}
		a.Rewind(m)
		if before != "before" || list[2] != 3 || a.Stats().Used != 8+4*intBytes {
			t.Fatalf("round %d: Rewind left %q, %v, %+v", round, before, list, a.Stats())
		}
	}
	a.Rewind(start)
	if a.Stats().Used != 0 {
		t.Error("the Mark of an empty arena is not the start of the phase")
	}
}

const intBytes = 4 << (^uint(0) >> 63)

func TestMisusePanics(t *testing.T) {
	var a arena.Arena
	for want, f := range map[string]func(){
		"arena.Make: negative count -1":            func() { arena.Make[int](&a, -1) },
		"arena.Make: ":                             func() { arena.Make[int](&a, math.MaxInt) },
		"arena.Make: " + strconv.Itoa(math.MaxInt): func() { arena.Make[*int](&a, math.MaxInt) },
		"arena.Arena.Reset: negative Keep -1":      func() { (&arena.Arena{Options: arena.Options{Keep: -1}}).Reset() },
	} {
		if got := panicOf(f); !strings.HasPrefix(got, want) {
			t.Errorf("panic %q, want %q...", got, want)
		}
	}
	if arena.New[int](&a) == nil {
		t.Error("the arena is unusable after a panic")
	}
}

func TestCheckedBuildsCatchMisuse(t *testing.T) {
	if !checks.Enabled {
		t.Skip("only in checked builds")
	}
	var a arena.Arena
	typed, plain := arena.New[pair](&a), arena.New[[9]int](&a)
	a.Reset() // the Reset whose position the panic reports
	for name, write := range map[string]func(){
		"arena_test.pair": func() { typed.left = typed },
		"uint64":          func() { plain[8] = 1 },
	} {
		write()
		got := panicOf(a.Reset)
		if ok, _ := regexp.MatchString(`^slab\.Slab\.Reset: a `+name+` was written after the Reset at .*arena_test\.go:\d+`, got); !ok {
			t.Errorf("a write through a stale pointer said %q", got)
		}
		a.Release()
		typed, plain = arena.New[pair](&a), arena.New[[9]int](&a)
		a.Reset()
	}
}

// panicOf returns the panic value of f, or "no panic".
func panicOf(f func()) (message string) {
	defer func() {
		if r := recover(); r != nil {
			message = fmt.Sprint(r)
		}
	}()
	f()
	return "no panic"
}
