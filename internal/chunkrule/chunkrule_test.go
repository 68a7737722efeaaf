package chunkrule

import (
	"slices"
	"testing"
)

// Sizes must be in descending order, as Length requires. The last one must not exceed Small, so
// that Length finds a size for every longer chunk.
func TestSizes(t *testing.T) {
	if down := slices.IsSortedFunc(Sizes[:], func(a, b uint) int { return int(b) - int(a) }); !down {
		t.Errorf("%v are not in descending order", Sizes)
	}
	if last := Sizes[len(Sizes)-1]; last > Small {
		t.Errorf("the shortest size is %d; chunks that are longer than %d bytes may find none", last, Small)
	}
}

// A chunk is never longer than the longest size, except for a single value, and never has more
// slots than Wanted. Once a chunk has the maximum length, all later chunks have it, too.
func TestLength(t *testing.T) {
	for _, size := range []int{1, 3, 8, 24, 104, 257, 1000, 8000} {
		longest := false
		for slots := uint(0); slots < 1<<20; slots += 1 + slots/50 {
			n := Length(slots, size)
			if n < 1 || n > Wanted(slots, size) || n > 1 && uint(n*size) > max(Small, Sizes[0]) {
				t.Errorf("after %d values of %d bytes a chunk has %d", slots, size, n)
			}
			if is := n == Longest(size); longest && !is || n > Longest(size) {
				t.Errorf("after %d values of %d bytes a chunk has %d, and the longest has %d", slots, size, n, Longest(size))
			} else {
				longest = is
			}
		}
	}
}
