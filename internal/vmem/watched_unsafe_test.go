package vmem

import "testing"

// Memory released by a watched region reads as zero and cannot be written. Its addresses are reused
// only for other watched regions.
func TestWatchedRegionsNeverFault(t *testing.T) {
	if GoMemory || !mapsFiles {
		t.Skip("memory of Go never faults, and that of Windows does")
	}
	const size = 32 << 20
	for _, least := range []uintptr{1, size} { // one that begins small, and one that does not
		r, err := ReserveWatched(size, least, HugeAuto, NewAccount(t.Name(), 0))
		if err != nil {
			t.Fatal(err)
		}
		mustCommit(t, r, 1<<20)
		b := bytesOf(r, 1<<20)
		b[0], b[len(b)-1] = 1, 1
		if err := r.Decommit(64 << 10); err != nil {
			t.Fatal(err)
		}
		if b[0] != 1 || faults(&b[len(b)-1]) || b[len(b)-1] != 0 {
			t.Error("what was given back is not zero")
		}
		mustCommit(t, r, 1<<20)
		b[len(b)-1] = 1
		start := r.Pointer()
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
		if faults(&b[0]) || b[0] != 0 || b[len(b)-1] != 0 {
			t.Error("what was closed is not zero")
		}
		other := reserve(t, size)
		defer other.Close()
		if other.Pointer() == start {
			t.Error("a region that faults has addresses that never do")
		}
		again, err := ReserveWatched(size, size, HugeAuto, NewAccount(t.Name(), 0))
		if err != nil {
			t.Fatal(err)
		}
		if again.Pointer() != start {
			t.Error("a watched region has new addresses although some are retired")
		}
		if err := again.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
