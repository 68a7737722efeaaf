package hashmap

import (
	"fmt"
	"runtime"
	"strconv"
	"testing"

	"github.com/coppice-go/coppice/internal/testkit/choice"
	"github.com/coppice-go/coppice/internal/testkit/mapkit"
	"github.com/coppice-go/coppice/internal/testkit/testsize"
	"github.com/coppice-go/coppice/internal/vmem"
)

// TestManySmallMaps verifies that a program can have a million small Maps.
func TestManySmallMaps(t *testing.T) { mapkit.ManySmall(t, made[string]) }

// TestSmallMapsMove runs the model tests on small Maps whose memory moves whenever it grows, so
// that code that has kept an old address reads invalid data.
func TestSmallMapsMove(t *testing.T) {
	vmem.MoveAlways(true, true)
	defer vmem.MoveAlways(false, false)
	seeds := 10
	if testsize.Full() {
		seeds = 500
	}
	for _, p := range programs {
		t.Run(p.name, func(t *testing.T) {
			for seed := range seeds {
				p.run(t, t.TempDir(), choice.Seeded(uint64(seed)), 20+10*(seed%10))
			}
		})
	}
}

// TestSmallMapsHaveOnePage verifies that a small Map with a single page has committed memory for
// that page only, and not for the smaller pages that it replaced.
func TestSmallMapsHaveOnePage(t *testing.T) {
	m := Must(New[uint64, uint64](Options{}))
	defer m.Close()
	for i := range uint64(896) {
		m.Set(i, i)
		r := m.dir[0]
		if want := m.groupBytes << r.log(); m.pages == 1 && uint64(m.region.Committed()) != want {
			t.Fatalf("%d entries in %d groups have %d bytes of pages, want %d", i+1, r.mask()+1, m.region.Committed(), want)
		}
		for k := range i + 1 {
			if v, ok := m.Get(k); !ok || v != k {
				t.Fatalf("%d entries: Get(%d) is %d, %v", i+1, k, v, ok)
			}
		}
	}
	if m.pages != 1 {
		t.Fatalf("%d pages: the test looks at one", m.pages)
	}
}

// TestSmallMapsWithoutMemory verifies that a small Map does not change if there is not enough
// memory for a larger page.
func TestSmallMapsWithoutMemory(t *testing.T) {
	m := Must(New[uint64, uint64](Options{}))
	defer m.Close()
	for i := uint64(0); ; i++ {
		vmem.FailNextCommits(1)
		err := m.TrySet(i, i)
		vmem.FailCommit(-1)
		if (err != nil) != (i > 0 && i == uint64(room(m.dir[0].log()))) {
			t.Fatalf("Set %d in %d slots: %v", i, slots<<m.dir[0].log(), err)
		}
		if err == nil {
			continue
		}
		if got := m.Len(); got != int(i) || m.Verify() != nil {
			t.Fatalf("after %v it has %d entries, want %d; Verify says %v", err, got, i, m.Verify())
		}
		if m.Set(i, i); i > 100 {
			return
		}
	}
}

// BenchmarkSmall compares a small Map with Go's map. It measures the time to create and fill the
// map, and its size in bytes, including the keys.
func BenchmarkSmall(b *testing.B) {
	for _, n := range []int{8, 100, 1000} {
		benchSmall(b, "uint64", n, func(i int) uint64 { return uint64(i) })
		benchSmall(b, "string", n, func(i int) string { return "key/" + strconv.Itoa(i) })
	}
}

func benchSmall[K comparable](b *testing.B, name string, n int, key func(int) K) {
	for _, c := range contenders[K]() {
		b.Run(fmt.Sprintf("%s/%d/%s", name, n, c.name), func(b *testing.B) {
			const kept = 100
			gets, ends := make([]func(K) (uint64, bool), 0, kept), make([]func(), 0, kept)
			fill := func() (get func(K) (uint64, bool), end func()) {
				get, set, _, end := c.make(n)
				for i := range n {
					set(key(i), 1)
				}
				return get, end
			}
			before := bytesInUse()
			for range kept {
				get, end := fill()
				gets, ends = append(gets, get), append(ends, end)
			}
			bytes := bytesInUse() - before
			for b.Loop() {
				_, end := fill()
				end()
			}
			b.ReportMetric(float64(bytes)/kept, "B/map")
			for i, end := range ends {
				if _, ok := gets[i](key(0)); !ok {
					b.Fatal("a key is missing")
				}
				end()
			}
		})
	}
}

// bytesInUse returns the total size of the live heap objects and of the committed memory outside
// the heap.
func bytesInUse() int64 {
	var m runtime.MemStats
	for range 2 {
		runtime.GC()
	}
	runtime.ReadMemStats(&m)
	total := int64(m.HeapAlloc)
	for _, a := range vmem.Accounts() {
		if a.Reserved > 0 {
			total += int64(a.Committed)
		}
	}
	return total
}
