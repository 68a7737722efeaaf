package vmem

import (
	"fmt"
	"math"
	"os"
	"runtime/debug"
	"strings"
	"sync"
	"testing"
	"unsafe"

	"github.com/coppice-go/coppice/internal/testkit/child"
	"github.com/coppice-go/coppice/internal/testkit/memory"
)

// Each test in this file verifies a promise that the tests in other files do not cover.

// A region has at least 64 KiB, and Commit never commits memory beyond its end.
func TestSizesOfRegions(t *testing.T) {
	r := reserve(t, 1)
	defer r.Close()
	if r.Size() != minReserve {
		t.Errorf("a region of 1 byte has %d", r.Size())
	}
	mustCommit(t, r, r.Size())
	bytesOf(r, r.Size())[r.Size()-1] = 1

	full := reserve(t, 16<<20)
	defer full.Close()
	mustCommit(t, full, 14<<20)
	mustCommit(t, full, 15<<20) // a quarter more would be beyond the end
	if full.Committed() != full.Size() {
		t.Errorf("%d of %d bytes are committed, want all", full.Committed(), full.Size())
	}
}

// Commit commits a quarter more than necessary, up to 256 MiB.
func TestGreatestStepOfACommit(t *testing.T) {
	if GoMemory {
		t.Skip("regions are smaller here")
	}
	size := uintptr(1 << 31)
	r := reserve(t, 2*size)
	defer r.Close()
	mustCommit(t, r, size)
	before := r.Committed()
	mustCommit(t, r, before+1)
	if step := r.Committed() - before; step > maxCommit+hugeSize {
		t.Errorf("one byte more committed %d", step)
	}
}

// The addresses of all closed regions of the same size are reused, not only the addresses of the
// last one.
func TestAddressesOfAllClosedRegionsComeAgain(t *testing.T) {
	if GoMemory {
		t.Skip("here the collector keeps what stale pointers point into")
	}
	const size = 1 << 26
	starts := map[unsafe.Pointer]bool{}
	regions := make([]*Region, 0, 3)
	for range 3 {
		r := reserve(t, size)
		starts[r.Pointer()] = true
		regions = append(regions, r)
	}
	for _, r := range regions {
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
	}
	for range 3 {
		r := reserve(t, size)
		defer r.Close()
		if !starts[r.Pointer()] {
			t.Error("a region has new addresses although some are retired")
		}
		delete(starts, r.Pointer())
	}
}

func TestLargeRegionsStartAtAHugePage(t *testing.T) {
	if GoMemory {
		t.Skip("here the Go heap places them")
	}
	for size := uintptr(hugeSize); size <= 64<<20; size *= 2 {
		r := reserve(t, size)
		defer r.Close()
		if at := uintptr(r.Pointer()); at%hugeSize != 0 {
			t.Errorf("a region of %d bytes starts at %#x", size, at)
		}
	}
}

func TestGreatestRegionInGoMemory(t *testing.T) {
	if !GoMemory {
		t.Skip("here regions are not in Go memory")
	}
	greatest := uintptr(1 << 30)
	if math.MaxInt == math.MaxInt32 {
		greatest = 256 << 20
	}
	if _, err := Reserve(2*greatest, HugeAuto, NewAccount(t.Name(), 0)); err == nil || !strings.Contains(err.Error(), "regions have at most") {
		t.Errorf("a region of %d bytes gave %v", 2*greatest, err)
	}
}

// EverCommitted includes memory that has been released.
func TestEverCommittedNeverFalls(t *testing.T) {
	r := reserve(t, 1<<20)
	defer r.Close()
	before := EverCommitted()
	mustCommit(t, r, 1<<20)
	full := EverCommitted()
	if err := r.Decommit(0); err != nil {
		t.Fatal(err)
	}
	if after := EverCommitted(); full-before != uint64(r.Size()) || after != full {
		t.Errorf("EverCommitted was %d, %d with 1 MiB, and %d after it was given back", before, full, after)
	}
}

func TestAdjustLimitSwitchedOff(t *testing.T) {
	if GoMemory {
		t.Skip("here the runtime counts the bytes itself")
	}
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(200 << 20))
	limit := func() int64 { return debug.SetMemoryLimit(-1) }
	r := reserve(t, 1<<26)
	defer r.Close()
	AdjustLimit(true)
	defer AdjustLimit(false)
	mustCommit(t, r, 1<<25)
	AdjustLimit(false)
	if limit() != 200<<20 {
		t.Errorf("switched off with memory committed, the limit is %d, want what the user set", limit())
	}
	debug.SetMemoryLimit(math.MaxInt64)
	AdjustLimit(true)
	mustCommit(t, r, 1<<26)
	if limit() != math.MaxInt64 {
		t.Errorf("where there was no limit it is %d", limit())
	}
}

// Goroutines reserve and commit regions, and list accounts, concurrently.
func TestManyGoroutines(t *testing.T) {
	start := make(chan struct{})
	var wg sync.WaitGroup
	for g := range 8 {
		account := NewAccount(fmt.Sprint("goroutine ", g), 0)
		wg.Go(func() {
			<-start
			for range 50 {
				r, err := Reserve(1<<17, HugeAuto, account)
				if err != nil {
					t.Error(err)
					return
				}
				if err := r.Commit(1 << 16); err != nil {
					t.Error(err)
				}
				bytesOf(r, 1)[0] = byte(g)
				Accounts()
				DefaultSize()
				if b := bytesOf(r, 1)[0]; b != byte(g) {
					t.Errorf("goroutine %d has the region of %d", g, b)
				}
				if err := r.Close(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	close(start)
	wg.Wait()
}

// Decommit discards the advice on huge pages, so Commit must give it again.
func TestHugePagesAfterDecommit(t *testing.T) {
	child.SkipEmulated(t, "advice about huge pages is not passed on to the kernel")
	if _, err := os.Stat("/proc/self/smaps"); GoMemory || err != nil {
		t.Skip("the system does not tell")
	}
	for mode, want := range map[HugePages]string{HugeOn: "hg", HugeOff: "nh"} {
		r, err := Reserve(8<<20, mode, NewAccount(t.Name(), 0))
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		for range 2 {
			mustCommit(t, r, 8<<20)
			flags := memory.Flags(uintptr(r.Pointer()))
			if flags == "" {
				t.Skip("the kernel does not tell flags")
			}
			if !strings.Contains(flags, " "+want) {
				t.Errorf("mode %d: the mapping has the flags%s, want %s", mode, flags, want)
			}
			if err := r.Decommit(0); err != nil {
				t.Fatal(err)
			}
		}
	}
}
