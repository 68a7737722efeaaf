package hashmap

import (
	"fmt"
	"runtime/debug"
	"testing"
)

// TestDirectoryIsMadeAhead verifies that ahead writes to the memory of the next directory, one page
// per call, and that deepen then uses that memory instead of allocating.
func TestDirectoryIsMadeAhead(t *testing.T) {
	const n = leastWaiting / 2
	b := table{dir: make([]ref, n), left: make([]uint32, n), shift: 64 - 15}
	for i := range b.dir {
		b.dir[i], b.left[i] = newRef(uint64(i)<<3, 7, 15), uint32(i)
	}
	for range leastWaiting/writtenAhead + 2 { // the first call allocates, and the last one finds nothing left to write
		b.ahead()
	}
	if b.next.written < leastWaiting || len(b.next.dir) != leastWaiting || len(b.next.left) != leastWaiting {
		t.Fatalf("written are %d of %d and %d entries", b.next.written, len(b.next.dir), len(b.next.left))
	}
	made := &b.next.dir[0]
	b.deepen()
	if &b.dir[0] != made || b.next != nil || b.depth() != 16 {
		t.Errorf("it made another one, of depth %d", b.depth())
	}
	for i, r := range b.dir {
		left := uint32(0)
		if i%2 == 0 {
			left = uint32(i / 2)
		}
		if r != newRef(uint64(i/2)<<3, 7, 15) || b.left[i] != left {
			t.Fatalf("entry %d is %x with %d left", i, r, b.left[i])
		}
	}
}

// TestNothingIsMadeAheadOfSmallDirectories verifies that ahead allocates nothing for a small
// directory.
func TestNothingIsMadeAheadOfSmallDirectories(t *testing.T) {
	b := table{dir: make([]ref, leastWaiting/4), left: make([]uint32, leastWaiting/4)}
	b.ahead()
	if b.next != nil {
		t.Errorf("it has %d entries", len(b.next.dir))
	}
}

// BenchmarkDeepen measures the cost of doubling a directory, with memory that was written ahead and
// with fresh memory.
func BenchmarkDeepen(b *testing.B) {
	for _, n := range []int{leastWaiting / 2, 1 << 18} {
		for _, ahead := range []bool{true, false} {
			b.Run(fmt.Sprintf("entries=%d/ahead=%t", n, ahead), func(b *testing.B) {
				for range b.N {
					b.StopTimer()
					t := table{dir: make([]ref, n), left: make([]uint32, n), shift: 32}
					for i := range t.dir { // as in a map in use
						t.dir[i], t.left[i] = 1, 1
					}
					debug.FreeOSMemory()
					for ahead && t.next.written < 2*n {
						t.ahead()
					}
					b.StartTimer()
					t.deepen()
				}
			})
		}
	}
}
