package slab_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/coppice-go/coppice/internal/checks"
	"github.com/coppice-go/coppice/internal/testkit/compiler"
	"github.com/coppice-go/coppice/slab"
)

type node struct{ left, right *node }

func TestZeroSlabWorks(t *testing.T) {
	var s slab.Slab[node]
	if s.Len() != 0 || s.Cap() != 0 {
		t.Errorf("an unused slab has Len %d, Cap %d", s.Len(), s.Cap())
	}
	s.Reset()
	s.Release()
	a, b := s.New(), s.New()
	if a == b || *a != (node{}) || *b != (node{}) {
		t.Errorf("New gave %p %v and %p %v, want two zeroed values", a, *a, b, *b)
	}
	if s.Len() != 2 {
		t.Errorf("Len = %d after two New", s.Len())
	}
}

// The package documentation and New's comment promise one allocation per chunk.
func TestNewAllocatesOncePerChunk(t *testing.T) {
	const chunk, chunks = 1000, 8
	allocs := testing.AllocsPerRun(100, func() {
		s := &slab.Slab[node]{Options: slab.Options{FirstChunk: chunk, MaxChunk: chunk}}
		for range chunk * chunks {
			s.New()
		}
	})
	list := 4.0 // the list of chunks grows to 1, 2, 4, 8
	if allocs < chunks || allocs > chunks+list+1 {
		t.Errorf("%d chunks cost %v allocations", chunks, allocs)
	}
}

func TestGrowMakesExactlyOneChunk(t *testing.T) {
	const n = 12_345
	for _, take := range []struct {
		name string
		all  func(*slab.Slab[node])
	}{
		{"one by one", func(s *slab.Slab[node]) {
			for range n {
				s.New()
			}
		}},
		{"one Make", func(s *slab.Slab[node]) { s.Make(n) }},
		{"mixed", func(s *slab.Slab[node]) { s.New(); s.Make(n - 2); s.New() }},
	} {
		var s *slab.Slab[node]
		if allocs := testing.AllocsPerRun(100, func() {
			s = &slab.Slab[node]{Options: slab.Options{}}
			s.Grow(n)
			take.all(s)
		}); allocs != 2 {
			t.Errorf("%s: %v allocations for the slab and its chunk", take.name, allocs)
		}
		if s.Len() != n || s.Cap() != n {
			t.Errorf("%s: Len %d, Cap %d, want both %d", take.name, s.Len(), s.Cap(), n)
		}
	}
}

func TestEqualPhasesSettleToNoAllocation(t *testing.T) {
	if checks.Enabled {
		t.Skip("checked builds remember the place of every Reset")
	}
	for name, phase := range map[string]func(*slab.Slab[node]){
		"New": func(s *slab.Slab[node]) {
			for range 100_000 {
				s.New()
			}
		},
		"Make": func(s *slab.Slab[node]) {
			for i := range 1000 {
				s.Make(i)
			}
		},
		"Grow more than is used": func(s *slab.Slab[node]) { s.Grow(5000); s.New() },
		"hardly anything":        func(s *slab.Slab[node]) { s.New() },
	} {
		var s slab.Slab[node]
		for range 4 {
			phase(&s)
			s.Reset()
		}
		if allocs := testing.AllocsPerRun(100, func() { phase(&s); s.Reset() }); allocs != 0 {
			t.Errorf("%s: a phase like the ones before costs %v allocations", name, allocs)
		}
	}
}

func TestValuesAreZeroAfterReset(t *testing.T) {
	var s slab.Slab[node]
	for phase := range 6 {
		for i := range 1000 << phase {
			n := s.New()
			if i%7 == 0 {
				n = &s.Make(3)[1]
			}
			if *n != (node{}) {
				t.Fatalf("phase %d, value %d is %v, want zero", phase, i, *n)
			}
			n.left, n.right = n, n
		}
		s.Reset()
	}
}

// Reset must clear the values, so that the collector can free memory that only they referenced.
func TestResetForgetsWhatValuesPointTo(t *testing.T) {
	var s slab.Slab[*[1 << 20]byte]
	for range 64 {
		*s.New() = new([1 << 20]byte)
	}
	full := heapBytes()
	s.Reset()
	if after := heapBytes(); full-after < 60<<20 {
		t.Errorf("64 MiB were reachable from the slab; Reset freed %d bytes", full-after)
	}
	runtime.KeepAlive(&s)
}

func TestLargePhaseIsGoneAfter64SmallOnes(t *testing.T) {
	var s slab.Slab[node]
	before := heapBytes()
	count := 4 << 20
	if checks.Enabled {
		count = 1 << 18 // every Reset checks all quarantined slots
	}
	s.Make(count)
	large := count * 2 * ptrBytes // 64 MiB where a pointer has 8 bytes
	s.Reset()
	for phase := range 64 {
		if phase < 32 && s.Cap() < count {
			t.Fatalf("%d slots kept %d phases after the large one", s.Cap(), phase)
		}
		s.New()
		s.Reset()
	}
	if checks.Enabled {
		s.Reset() // the quarantine keeps slots for one more phase
	}
	if kept := heapBytes() - before; kept > int64(large)/64 {
		t.Errorf("%d bytes kept after 64 small phases", kept)
	}
	runtime.KeepAlive(&s)
}

// The requests of a service differ in size. The memory of a large request must be available for the
// next large one, even after small ones.
func TestPhasesOfMixedSizeTakeLittle(t *testing.T) {
	var s slab.Slab[node]
	sizes := rand.New(rand.NewPCG(1, 2))
	allocated, used := 0, 0
	phases := 2000
	if checks.Enabled {
		phases = 200
	}
	for phase := range phases {
		held := s.Cap()
		n := int(100 * math.Exp2(6*sizes.Float64())) // 100 to 6400, uniform on a logarithmic scale
		for range n {
			s.New()
		}
		if phase >= 100 {
			used += n
			allocated += s.Cap() - held
		}
		s.Reset()
	}
	if allocated > used/50 && !checks.Enabled {
		t.Errorf("%d of %d slots came from new memory, want 2 %% at most", allocated, used)
	}
}

func TestReleaseGivesAllBack(t *testing.T) {
	var s slab.Slab[node]
	before := heapBytes()
	for range 4 << 20 {
		s.New()
	}
	held := s.New()
	held.left = held
	full := heapBytes()
	s.Release()
	if kept := heapBytes() - before; full-before < 4<<20*2*ptrBytes*15/16 || kept > 2<<20 {
		t.Errorf("%d bytes before Release, %d after it; one held value may keep one chunk of 1 MiB", full-before, kept)
	}
	if held.left != held {
		t.Error("Release touched a value that is still held")
	}
	if s.Len() != 0 || s.Cap() != 0 {
		t.Errorf("a released slab has Len %d, Cap %d", s.Len(), s.Cap())
	}
}

func TestKeepBoundsWhatResetKeeps(t *testing.T) {
	s := &slab.Slab[node]{Options: slab.Options{FirstChunk: 100, MaxChunk: 100, Keep: 250}}
	for range 10_000 {
		s.New()
	}
	s.Reset()
	if checks.Enabled {
		s.Reset()
	}
	if s.Cap() != 200 {
		t.Errorf("Cap = %d after Reset, want the two chunks of 100 that fit Keep 250", s.Cap())
	}
}

func TestPolicy(t *testing.T) {
	for _, c := range []struct {
		name    string
		options slab.Options
		values  int
		chunks  int
		caps    int
	}{
		{"NodeArena: fixed 10,000", slab.Options{FirstChunk: 10_000, MaxChunk: 10_000}, 25_000, 3, 30_000},
		{"geometric from 256 bytes", slab.Options{}, 16 + 16 + 16 + 24 + 36 + 54, 6, 162},
		{"geometric with a bound", slab.Options{FirstChunk: 10, MaxChunk: 20}, 10 + 10 + 10 + 15 + 20 + 20, 6, 85},
		{"default bound of 1 MiB", slab.Options{}, 1 << 20, 37, 1076810},
	} {
		s := &slab.Slab[[16]byte]{Options: c.options}
		for range c.values {
			s.New()
		}
		if got := s.Stats(); got.Chunks != c.chunks || got.Cap != c.caps {
			t.Errorf("%s: %d values in %d chunks of %d slots together, want %d of %d",
				c.name, c.values, got.Chunks, got.Cap, c.chunks, c.caps)
		}
	}
}

func TestMakeLosesLessThanItReturns(t *testing.T) {
	var s slab.Slab[node]
	made := 0
	for i := range 5000 {
		s.New()
		n := i * 31 % 97
		made += n
		s.Make(n)
	}
	st := s.Stats()
	if st.Wasted > made {
		t.Errorf("%d slots lost by making %d", st.Wasted, made)
	}
	if st.Len != 5000+made || st.Size != uint64(st.Cap)*uint64(2*ptrBytes) {
		t.Errorf("Stats = %+v, want Len %d and Bytes for Cap slots", st, 5000+made)
	}
}

func TestMakeCannotBeAppendedInto(t *testing.T) {
	var s slab.Slab[int]
	a := s.Make(3)
	b := s.Make(3)
	_ = append(a, 7)
	_ = append(b, 7)
	for i, v := range append(a[:3:3], b...) {
		if v != 0 {
			t.Errorf("value %d is %d: an append wrote into the neighbour", i, v)
		}
	}
	if z := s.Make(0); z == nil || len(z) != 0 {
		t.Errorf("Make(0) = %v, want an empty slice", z)
	}
}

func TestOddTypes(t *testing.T) {
	var empty slab.Slab[struct{}]
	for range 5000 {
		if empty.New() == nil {
			t.Fatal("New of a zero-size type gave nil")
		}
	}
	empty.Reset()

	var huge slab.Slab[[3 << 20]byte]
	a, b := huge.New(), huge.New()
	a[0], b[0] = 1, 2
	if got := huge.Stats(); got.Chunks != 2 || a[0] != 1 {
		t.Errorf("two values larger than a chunk: %+v", got)
	}
}

func TestMisusePanics(t *testing.T) {
	var s slab.Slab[node]
	for want, f := range map[string]func(){
		"slab.Slab.Make: negative count -1":    func() { s.Make(-1) },
		"slab.Slab.Grow: negative count -7":    func() { s.Grow(-7) },
		"slab.Slab.Make: 9":                    func() { s.Make(math.MaxInt) }, // 9223372036854775807 values
		"slab.Slab.Grow: 9":                    func() { s.Grow(math.MaxInt) },
		"slab.Slab.New: negative count in":     func() { (&slab.Slab[node]{Options: slab.Options{Keep: -1}}).New() },
		"slab.Slab.Make: FirstChunk 2 exceeds": func() { (&slab.Slab[node]{Options: slab.Options{FirstChunk: 2, MaxChunk: 1}}).Make(1) },
	} {
		if ptrBytes == 4 {
			want = strings.Replace(want, ": 9", ": 2147483647", 1)
		}
		if got := panicOf(f); !strings.HasPrefix(got, want) {
			t.Errorf("panic %q, want %q...", got, want)
		}
	}
	if s.New() == nil || s.Len() != 1 {
		t.Error("the slab is unusable after a panic")
	}
}

func TestCheckedBuildsCatchMisuse(t *testing.T) {
	if !checks.Enabled {
		t.Skip("only in checked builds")
	}
	var s slab.Slab[node]
	stale := s.New()
	s.Reset()          // the panic names this line
	stale.left = stale //coppice:ignore stalevalue it wants the panic
	got := panicOf(s.Reset)
	if ok, _ := regexp.MatchString(`^slab\.Slab\.Reset: a slab_test\.node was written after the Reset at .*slab_test\.go:\d+`, got); !ok {
		t.Errorf("a write through a stale pointer said %q", got)
	}
}

// New is only useful if the compiler inlines it into the caller.
func TestNewInlines(t *testing.T) {
	if checks.Enabled {
		t.Skip("checked builds do not inline")
	}
	compiler.MustInline(t, "slab.Slab.New", "slab.Slab.Alloc", "slab.Chunks.New", "slab.Chunks.Alloc")
}

const ptrBytes = 4 << (^uintptr(0) >> 63)

// heapBytes returns the number of reachable bytes on the Go heap.
func heapBytes() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
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
