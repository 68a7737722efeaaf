package vmem

import (
	"bytes"
	"errors"
	"math"
	"os"
	"path/filepath"
	"runtime/pprof"
	"testing"
	"unsafe"
)

// small reserves a region that begins on the Go heap.
func small(t *testing.T, size uintptr) *Region {
	t.Helper()
	r, err := ReserveSmall(size, 1, HugeAuto, NewAccount(t.Name(), 0))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// A small region is on the Go heap. It keeps its contents when it moves, both within the Go heap
// and to address space of its own.
func TestSmallRegions(t *testing.T) {
	r := small(t, 1<<20)
	if r.Size() != 1<<20 || r.Committed() != 0 || r.Reach() != 0 || !r.IsSmall() || r.Pointer() != nil {
		t.Fatalf("an empty region: %+v", r)
	}
	var want []byte
	for size := uintptr(1); size <= r.Size(); size += 1 + size/3 {
		mustCommit(t, r, size)
		if r.IsSmall() != (size <= mostSmall) || r.Reach() < size || r.IsSmall() && r.Reach() != r.Committed() {
			t.Fatalf("%d bytes: small %v, reach %d, committed %d", size, r.IsSmall(), r.Reach(), r.Committed())
		}
		b := bytesOf(r, r.Committed())
		if !bytes.Equal(b[:len(want)], want) {
			t.Fatalf("%d bytes: it holds other bytes after a move", size)
		}
		if i := bytes.IndexFunc(b[len(want):], func(c rune) bool { return c != 0 }); i >= 0 {
			t.Fatalf("%d bytes: byte %d of fresh memory is not zero", size, i)
		}
		for i := len(want); i < int(size); i++ {
			b[i] = byte(i*7 + 1)
			want = append(want, b[i])
		}
	}
	if err := r.Commit(r.Size() + 1); err == nil {
		t.Error("more than was asked for was committed")
	}
	account := r.account
	if err := r.Close(); err != nil || account.IsOpen() || account.Committed != 0 || account.Reserved != 0 {
		t.Errorf("%v, %+v", err, account)
	}
}

// Renew replaces the memory of a region by zeroed memory. The old memory does not change until
// Release.
func TestRenew(t *testing.T) {
	r := small(t, 1<<20)
	defer r.Close()
	mustCommit(t, r, 1000)
	before := bytesOf(r, 1000)
	before[999] = 7
	if r.CanRenew(mostSmall+1) || !r.CanRenew(mostSmall) {
		t.Error("a small region renews more than it may have, or less")
	}
	FailNextCommits(1)
	if _, err := r.Renew(3001); !errors.Is(err, ErrNoMemory) || bytesOf(r, 1000)[999] != 7 {
		t.Errorf("without memory: %v", err)
	}
	FailCommit(-1)
	old, err := r.Renew(3001)
	if err != nil || r.Committed() != 3008 || r.account.Committed != 3008 {
		t.Errorf("%v: it has %d bytes, and says %d", err, r.Committed(), r.account.Committed)
	}
	if i := bytes.IndexFunc(bytesOf(r, 3008), func(c rune) bool { return c != 0 }); i >= 0 {
		t.Errorf("byte %d of the new memory is not zero", i)
	}
	if before[999] != 7 {
		t.Error("the old memory was changed before Release")
	}
	MoveAlways(true, true)
	defer MoveAlways(false, false)
	if old.Release(); before[999] != 0xA5 {
		t.Error("Release has not overwritten the old memory for a test that asks for it")
	}
	mustCommit(t, r, mostSmall+1)
	if r.CanRenew(1) {
		t.Error("a region with addresses can renew")
	}
}

// The pprof profile coppice contains only the regions with address space of their own. Small
// regions are included in the heap profile.
func TestProfileOfSmallRegions(t *testing.T) {
	count := func() int { return pprof.Lookup("coppice").Count() }
	before := count()
	r, s := small(t, 1<<20), small(t, 1<<20)
	mustCommit(t, r, 1000)
	if got := count() - before; got != 0 {
		t.Errorf("%d small regions are in the profile", got)
	}
	mustCommit(t, r, mostSmall+1)
	if got := count() - before; got != 1 {
		t.Errorf("with addresses, %d are in the profile", got)
	}
	for _, r := range []*Region{r, s} {
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if got := count() - before; got != 0 {
		t.Errorf("after Close, %d are in the profile", got)
	}
}

// Accounts that are created at the same place in the code share a call stack, up to a maximum
// number of different stacks.
func TestStacksAreShared(t *testing.T) {
	var set stackSet
	var two [2][]uintptr
	for i := range two {
		two[i] = set.share(&stack{1, 2, 3}, 3)
	}
	if &two[0][0] != &two[1][0] || len(two[0]) != 3 || two[0][2] != 3 {
		t.Errorf("%v and %v", two[0], two[1])
	}
	for i := range uintptr(2 * mostStacks) {
		if got := set.share(&stack{i + 1}, 1); len(got) != 1 || got[0] != i+1 {
			t.Fatalf("stack %d is %v", i+1, got)
		}
	}
	if len(set.shared) != mostStacks {
		t.Errorf("%d stacks are kept, want %d", len(set.shared), mostStacks)
	}
}

// When a small region commits released memory again, the memory is zero. The account shows how much
// is committed.
func TestSmallRegionsGiveBack(t *testing.T) {
	r := small(t, 1<<20)
	mustCommit(t, r, 1000)
	if account := r.account; account.Committed != uint64(r.Committed()) || account.Regions != 1 || account.Reserved != 0 {
		t.Errorf("%+v", account)
	}
	bytesOf(r, 1)[0] = 1
	if err := r.Decommit(1000); err != nil || bytesOf(r, 1)[0] != 1 {
		t.Error("memory that is kept was given back", err)
	}
	if err := r.Decommit(0); err != nil || r.Committed() != 0 || r.account.Committed != 0 {
		t.Errorf("%v, %+v", err, r)
	}
	mustCommit(t, r, 1)
	if bytesOf(r, 1)[0] != 0 {
		t.Error("what was given back is not zero")
	}
	if err := r.Close(); err != nil {
		t.Error(err)
	}
}

// If there is not enough memory or address space, Commit leaves a small region unchanged.
func TestSmallRegionsWithoutMemory(t *testing.T) {
	for _, more := range []uintptr{2000, 2 * mostSmall} {
		r := small(t, 1<<20)
		mustCommit(t, r, 1000)
		bytesOf(r, 1)[0] = 7
		at, account := r.Pointer(), *r.account
		FailNextCommits(2)
		err := r.Commit(more)
		FailCommit(-1)
		if !errors.Is(err, ErrNoMemory) || !r.IsSmall() || r.Pointer() != at || bytesOf(r, 1)[0] != 7 || r.account.Committed != account.Committed || r.account.Reserved != 0 {
			t.Errorf("%d bytes: %v, %+v", more, err, r)
		}
		mustCommit(t, r, more)
		if bytesOf(r, 1)[0] != 7 {
			t.Errorf("%d bytes: lost", more)
		}
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	}
	r := small(t, math.MaxUint>>1+1)
	defer r.Close()
	mustCommit(t, r, 1)
	if err := r.Commit(math.MaxUint >> 2); err == nil || !r.IsSmall() {
		t.Errorf("addresses without end: %v", err)
	}
}

// TestCommitFileIntoSmallRegions tests file sizes near the limits mostSmall and leastMapped.
func TestCommitFileIntoSmallRegions(t *testing.T) {
	for _, size := range []int{1, mostSmall, mostSmall + 1, leastMapped, leastMapped + 1} {
		want := bytes.Repeat([]byte("coppice"), size)[:size]
		path := filepath.Join(t.TempDir(), "file")
		if err := os.WriteFile(path, want, 0o600); err != nil {
			t.Fatal(err)
		}
		f, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		r := small(t, 1<<20)
		err = r.CommitFile(f, 0, uintptr(size))
		if err != nil || !bytes.Equal(unsafe.Slice((*byte)(r.Pointer()), size), want) || r.IsSmall() != (size <= mostSmall) {
			t.Errorf("%d bytes: %v, small %v", size, err, r.IsSmall())
		}
		if err := errors.Join(r.Close(), f.Close()); err != nil {
			t.Error(err)
		}
	}
}
