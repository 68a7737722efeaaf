//go:build race && linux && amd64

package vmem

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// Reserving a region touches no memory, not even the shadow memory of the race detector. Closed
// regions are zeroed and reused.
func TestBackingCostsAddressesOnly(t *testing.T) {
	resident := func() (kib int) { // the number in statm lags behind, especially with many processors
		rollup, err := os.ReadFile("/proc/self/smaps_rollup")
		if err != nil {
			t.Skip(err)
		}
		_, rss, _ := strings.Cut(string(rollup), "\nRss:")
		if _, err := fmt.Sscan(rss, &kib); err != nil {
			t.Fatal(err)
		}
		return kib
	}
	const size, count = 1 << 24, 4
	before := resident()
	var regions [count]*Region
	for i := range regions {
		regions[i] = reserve(t, size)
		mustCommit(t, regions[i], 1)
		bytesOf(regions[i], 1)[0] = 1
	}
	if more := (resident() - before) << 10; more > size {
		t.Errorf("%d regions of %d bytes, hardly used, cost %d", count, size, more)
	}
	starts := map[*byte]bool{}
	for _, r := range regions {
		starts[&bytesOf(r, 1)[0]] = true
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
	}
	for range regions {
		r := reserve(t, size)
		defer r.Close()
		mustCommit(t, r, 1)
		if b := bytesOf(r, 1); b[0] != 0 || !starts[&b[0]] {
			t.Error("a region does not begin where a closed one did, or is not zero")
		}
	}
}

// When the variable backing is full, Reserve uses the Go heap.
func TestFullBacking(t *testing.T) {
	retired.Lock()
	used := backingUsed
	backingUsed = uintptr(len(backing))
	retired.Unlock()
	defer func() {
		retired.Lock()
		defer retired.Unlock()
		backingUsed = used
	}()
	r := reserve(t, 1<<19+1<<18) // no test closes a region of this size
	mustCommit(t, r, 1<<19)
	if r.mapping.reusable() {
		t.Error("a region that has no room in the variable is said to be there")
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
}
