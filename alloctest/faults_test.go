package alloctest_test

import (
	"strings"
	"testing"

	"github.com/coppice-go/coppice/alloctest"
)

// A fault is a mutant that only a sufficiently large test detects.
type fault struct {
	name    string
	promise alloctest.Promise
	scale   alloctest.Scale // the smallest scale that detects it
	spoil   mutant
	words   string // expected in the message, so that a reader knows where to look
}

var faults = []fault{
	{"aliasing at the 4,096th value", alloctest.Distinct, alloctest.Short, sharesAt(4096), "the 4,095th value starts at"},
	{"aliasing at the 5,001st value", alloctest.Distinct, alloctest.Short, sharesAt(5001), "the 5,001st value at"},
	{"aliasing at the 65,537th value", alloctest.Distinct, alloctest.Normal, sharesAt(65_537), "the 65,537th value at"},
	{"writing to a value at the 65,537th", alloctest.Kept, alloctest.Normal, sharesAt(65_537), "; it holds what was written to the 65,537th value"},
	{"rows of more than 256 share a value", alloctest.Rows, alloctest.Short, longRowsShare, "of 257, share memory: "},
	{"stale values beyond 20 chunks of 256", alloctest.Zeroed, alloctest.Short, staleBeyond(20, 256), "the 5,121st value after a Reset of as many is not zero at value.Kind"},
	{"stale values beyond 20 chunks of 3,000", alloctest.Zeroed, alloctest.Normal, staleBeyond(20, 3000), "the 60,001st value after a Reset of as many is not zero at value.Kind"},
	{"a second Release leaks", alloctest.Freed, alloctest.Short, leaksAMegabyte, "in the Go heap after the second Release (call number 2)"},
	{"each Release leaks a little", alloctest.Freed, alloctest.Normal, leaksALittle, "more bytes are held in the Go heap after"},
	{"Release frees nothing", alloctest.Freed, alloctest.Short, releasesNothing, "in the Go heap after Release (call number 1)"},
	{"Release frees nothing outside the Go heap", alloctest.Freed, alloctest.Short, releasesNothingOutside, "held outside the Go heap after Release"},
	{"Release keeps what values pointed to", alloctest.Forgotten, alloctest.Short, releasesNothing, "still alive after Release"},
}

// TestFaultsOfSize verifies that each fault is detected at its scale. A fault of the normal scale
// must pass at the short scale: otherwise that scale would do more work than documented.
func TestFaultsOfSize(t *testing.T) {
	if testing.Short() {
		t.Skip("crowds of 131,072 values")
	}
	for _, f := range faults {
		t.Run(f.name, func(t *testing.T) {
			open := func() described {
				p := newPlain[node](1 << 30)
				a := p.described()
				f.spoil(p, &a)
				return a
			}
			err := alloctest.VerifyAt(f.scale, open, f.promise)
			if err == nil {
				t.Fatalf("the scale %s does not see it", f.scale)
			}
			for _, want := range []string{"broken promise: " + string(f.promise), f.words} {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("the message %q does not say %q", err, want)
				}
			}
			if f.scale == alloctest.Normal {
				if err := alloctest.Verify(open, f.promise); err != nil {
					t.Errorf("the scale short sees it already: %v", err)
				}
			}
		})
	}
}

// sharesAt returns a mutant whose nth New returns the previous value again. The values before it
// lie in one block, so that on every machine their addresses are in the order of the calls.
func sharesAt(nth int) mutant {
	return func(p *plain[node], a *described) {
		block := make([]node, nth)
		calls := 0
		a.Alloc, a.TryAlloc, a.Make = nil, nil, nil
		a.New = func() (int, *node) {
			name, v := p.New()
			switch calls++; {
			case calls < nth:
				v = &block[calls-1]
			case calls == nth:
				v = &block[nth-2]
				*v = node{}
			}
			p.values[name] = v
			return name, v
		}
	}
}

// longRowsShare makes each row of more than 256 values start with the last value of the row before
// it.
func longRowsShare(p *plain[node], a *described) {
	var rest []node
	a.Make = func(n int) (int, []node) {
		first, row := p.Make(n)
		if n <= 256 {
			return first, row
		}
		if len(rest) < n {
			rest = make([]node, 1<<14)
		}
		row, rest = rest[:n:n], rest[n-1:]
		row[0] = node{}
		for i := range row {
			p.values[first+i] = &row[i]
		}
		return first, row
	}
}

// staleBeyond returns a mutant that reuses its chunks after Reset, but zeroes only the first ones.
func staleBeyond(chunks, length int) mutant {
	return func(p *plain[node], a *described) {
		var all [][]node
		used := 0
		a.Alloc, a.TryAlloc, a.Make, a.Delete, a.Mark = nil, nil, nil, nil, nil
		a.New = func() (int, *node) {
			if used == len(all)*length {
				all = append(all, make([]node, length))
			}
			name, _ := p.New()
			p.values[name] = &all[used/length][used%length]
			used++
			return name, p.values[name]
		}
		a.Reset = func() {
			for i := range min(chunks, len(all)) {
				clear(all[i])
			}
			used = 0
			p.Reset()
		}
	}
}

func leaksAMegabyte(p *plain[node], a *described) {
	var leaked [][]byte
	calls := 0
	a.Release = func() {
		if calls++; calls > 1 {
			leaked = append(leaked, make([]byte, 1<<20))
		}
		p.Release()
	}
}

// littles holds the memory that leaksALittle never frees.
var littles [][]byte

func leaksALittle(p *plain[node], a *described) {
	a.Release = func() {
		littles = append(littles, make([]byte, 12<<10))
		p.Release()
	}
}

// releasesNothing forgets its values on Release but keeps them alive.
func releasesNothing(p *plain[node], a *described) {
	var dead []map[int]*node
	a.Release = func() { dead = append(dead, p.values); p.Release() }
}

// releasesNothingOutside never reports less off-heap memory than before, not even after Release.
func releasesNothingOutside(p *plain[node], a *described) {
	most := uint64(0)
	a.OffHeap = func() uint64 {
		most = max(most, p.Bytes())
		return most
	}
	a.Release = func() { a.OffHeap(); p.Release() }
}
