package vmem

import (
	"bytes"
	"errors"
	"math"
	"runtime/debug"
	"runtime/pprof"
	"slices"
	"strings"
	"testing"
	"unsafe"
)

// bytesOf returns the first n bytes of a region, which must be committed.
func bytesOf(r *Region, n uintptr) []byte { return unsafe.Slice((*byte)(r.Pointer()), n) }

func reserve(t *testing.T, size uintptr) *Region {
	t.Helper()
	r, err := Reserve(size, HugeAuto, NewAccount(t.Name(), 0))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func mustCommit(t *testing.T, r *Region, size uintptr) {
	t.Helper()
	if err := r.Commit(size); err != nil {
		t.Fatal(err)
	}
	if r.Committed() < size || r.Committed() > r.Size() {
		t.Fatalf("Commit(%d) made %d of %d bytes memory", size, r.Committed(), r.Size())
	}
}

func TestCommitIsZeroed(t *testing.T) {
	r := reserve(t, 64<<20)
	start := r.Pointer()
	for _, size := range []uintptr{1, 64 << 10, 100 << 10, 3 << 20, 20 << 20, 64 << 20} {
		mustCommit(t, r, size)
		b := bytesOf(r, r.Committed())
		if i := slices.IndexFunc(b[size-1:], func(b byte) bool { return b != 0 }); i >= 0 {
			t.Fatalf("byte %d is not zero", int(size)-1+i)
		}
		b[size-1] = 0xFF
		if r.Pointer() != start {
			t.Fatal("the region moved")
		}
	}
	if err := r.Decommit(0); err != nil {
		t.Fatal(err)
	}
	mustCommit(t, r, 64<<20)
	if b := bytesOf(r, 64<<20); b[0] != 0 || b[3<<20-1] != 0 || b[64<<20-1] != 0 {
		t.Error("what was given back is not zero when it comes again")
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
}

// CommitWithin commits in steps of 2 MiB, but never exceeds the given limit, even if it is not a
// multiple of 2 MiB.
func TestCommitWithinABound(t *testing.T) {
	const most = 5*hugeSize/2 + Piece
	r := reserve(t, 8<<20)
	defer r.Close()
	for size := uintptr(1); size <= most; size += Piece {
		if err := r.CommitWithin(size, most); err != nil || r.Committed() < size || r.Committed() > most {
			t.Fatalf("CommitWithin(%d, %d): %v, and %d bytes are memory", size, most, err, r.Committed())
		}
	}
	if err := r.CommitWithin(most+1, most); err == nil {
		t.Error("more than the bound was committed")
	}
}

func TestCommitBeyondTheEndFails(t *testing.T) {
	r := reserve(t, 64<<10)
	defer r.Close()
	if err := r.Commit(r.Size() + 1); err == nil {
		t.Error("committed more than is reserved")
	}
	if _, err := Reserve(math.MaxUint, HugeAuto, NewAccount("x", 0)); err == nil {
		t.Error("reserved the whole address space")
	}
}

func TestRegionsDoNotOverlap(t *testing.T) {
	all := make([]*Region, 0, 50)
	for i := range 50 {
		r := reserve(t, 1<<(16+i%8))
		mustCommit(t, r, r.Size())
		b := bytesOf(r, r.Size())
		b[0], b[len(b)-1] = byte(i), byte(i)
		all = append(all, r)
	}
	for i, r := range all {
		if b := bytesOf(r, r.Size()); b[0] != byte(i) || b[len(b)-1] != byte(i) {
			t.Errorf("region %d holds bytes of another", i)
		}
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// faults reports whether reading *p faults.
func faults(p *byte) (faulted bool) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() { faulted = recover() != nil }()
	_ = *p + 1
	return false
}

func TestDecommittedMemoryFaults(t *testing.T) {
	r := reserve(t, 1<<20)
	mustCommit(t, r, 1<<20)
	b := bytesOf(r, 1<<20)
	for i := range b {
		b[i] = 1
	}
	if err := r.Decommit(100 << 10); err != nil {
		t.Fatal(err)
	}
	if b[100<<10-1] != 1 {
		t.Error("Decommit took what was to be kept")
	}
	last := &b[len(b)-1]
	if gone := GoMemory && *last == 0 || !GoMemory && faults(last); !gone {
		t.Error("what was given back is still there")
	}
	first := &b[0]
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	if gone := GoMemory && *first == 0 || !GoMemory && faults(first); !gone {
		t.Error("a closed region is still there")
	}
}

// If the process cannot have another mapping, Decommit calls drop. Dropped memory must fault, and
// must be zero when it is committed again.
func TestDroppedMemoryIsZero(t *testing.T) {
	r := reserve(t, 1<<20)
	defer r.Close()
	mustCommit(t, r, 1<<20)
	b := bytesOf(r, 1<<20)
	b[0], b[100<<10], b[1<<20-1] = 1, 1, 1
	if !r.mapping.drop(64<<10, 1<<20) {
		t.Skip("only Linux can")
	}
	if !faults(&b[100<<10]) {
		t.Error("what was dropped is still there")
	}
	if err := r.mapping.commit(64<<10, 1<<20); err != nil {
		t.Fatal(err)
	}
	if b[0] != 1 || b[100<<10] != 0 || b[1<<20-1] != 0 {
		t.Errorf("after a drop the bytes are %d, %d and %d", b[0], b[100<<10], b[1<<20-1])
	}
}

// The addresses of a closed region are reused only for the next region of the same size. The Go
// heap must not use them, because a write through a stale pointer would corrupt it.
func TestAddressesOfClosedRegionsComeAgain(t *testing.T) {
	if GoMemory {
		t.Skip("here the collector keeps what stale pointers point into")
	}
	const size = 1 << 27
	r := reserve(t, size)
	start := r.Pointer()
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	garbage := make([][]byte, 64)
	for i := range garbage {
		garbage[i] = make([]byte, size/8)
		if p := uintptr(unsafe.Pointer(&garbage[i][0])); p-uintptr(start) < size {
			t.Fatal("the Go heap grew into a closed region")
		}
	}
	again := reserve(t, size-1)
	defer again.Close()
	if again.Pointer() != start {
		t.Error("a region of the same size did not get the closed one's addresses")
	}
}

func TestInjectedFailure(t *testing.T) {
	defer FailCommit(-1)
	r := reserve(t, 1<<20)
	defer r.Close()
	FailCommit(1)
	mustCommit(t, r, 1)
	before := r.Committed()
	if err := r.Commit(1 << 20); !errors.Is(err, ErrNoMemory) || r.Committed() != before {
		t.Errorf("the injected failure gave %v and left %d bytes, want ErrNoMemory and %d", err, r.Committed(), before)
	}
	FailCommit(-1)
	mustCommit(t, r, 1<<20)
}

// If the system refuses a commit, Commit tries again with only as much memory as necessary.
func TestSecondTryOfACommit(t *testing.T) {
	defer FailCommit(-1)
	r := reserve(t, 16<<20)
	defer r.Close()
	mustCommit(t, r, 2<<20)
	FailNextCommits(1)
	mustCommit(t, r, 2<<20+1)
	if r.Committed() != 2<<20+minCommit {
		t.Errorf("committed %d bytes, want no more than is needed", r.Committed())
	}
	FailNextCommits(2)
	if err := r.Commit(4 << 20); !errors.Is(err, ErrNoMemory) {
		t.Errorf("refused twice: %v", err)
	}
}

func TestCommitsGrowGeometrically(t *testing.T) {
	r := reserve(t, goGreatest())
	defer r.Close()
	commits := 0
	for size := uintptr(1); size < r.Size()/2; size = r.Committed() + 1 {
		mustCommit(t, r, size)
		commits++
	}
	if commits > 60 {
		t.Errorf("%d commits for %d bytes", commits, r.Size()/2)
	}
}

// goGreatest returns a large region size that every platform can reserve.
func goGreatest() uintptr {
	if GoMemory {
		return 64 << 20
	}
	return 1 << 30
}

// Accounts returns the accounts sorted by name, whatever their sizes and the order in which they
// were opened.
func TestAccountsAreSorted(t *testing.T) {
	names := []string{"sorted c", "sorted a", "sorted d", "sorted b"}
	for i, name := range names {
		r, err := Reserve(1<<20, HugeOff, NewAccount(name, 0))
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		mustCommit(t, r, uintptr(i+1)<<16)
	}
	var got []string
	for _, a := range Accounts() {
		if strings.HasPrefix(a.Name, "sorted ") {
			got = append(got, a.Name)
		}
	}
	slices.Sort(names)
	if !slices.Equal(got, names) {
		t.Errorf("Accounts are in the order %q, want %q", got, names)
	}
}

func TestAccounts(t *testing.T) {
	a := NewAccount("test of accounts", 0)
	r1, err := Reserve(1<<20, HugeOff, a)
	if err != nil {
		t.Fatal(err)
	}
	r2, err := Reserve(1<<16, HugeOn, a)
	if err != nil {
		t.Fatal(err)
	}
	mustCommit(t, r1, 1<<17)
	find := func() *Account {
		for _, a := range Accounts() {
			if a.Name == "test of accounts" {
				return &a
			}
		}
		return nil
	}
	if got := find(); got == nil || got.Regions != 2 || got.Reserved != 1<<20+1<<16 || got.Committed != 1<<17 {
		t.Errorf("account %+v", got)
	}
	if !strings.Contains(a.Frames(), "TestAccounts") || !strings.Contains(a.Frames(), "vmem_unsafe_test.go:") {
		t.Errorf("the stack lacks its maker:\n%s", a.Frames())
	}
	var text bytes.Buffer
	if err := pprof.Lookup("coppice").WriteTo(&text, 1); err != nil || !strings.Contains(text.String(), "TestAccounts") {
		t.Errorf("the runtime's profile lacks the maker (%v):\n%s", err, &text)
	}
	for _, r := range []*Region{r1, r2} {
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if find() != nil || a.IsOpen() {
		t.Error("the account is open after both regions were closed")
	}
}

func TestAdjustLimit(t *testing.T) {
	if GoMemory {
		t.Skip("here the runtime counts the bytes itself")
	}
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(200 << 20))
	limit := func() int64 { return debug.SetMemoryLimit(-1) }
	AdjustLimit(true)
	defer AdjustLimit(false)
	start := limit() // reduced by the memory that other tests left open
	r := reserve(t, 1<<28)
	mustCommit(t, r, 50<<20)
	if got := start - limit(); got != int64(r.Committed()) {
		t.Errorf("%d bytes committed lowered the limit by %d", r.Committed(), got)
	}
	mustCommit(t, r, 1<<28)
	if limit() != leastLimit {
		t.Errorf("the limit fell to %d, want no less than %d", limit(), leastLimit)
	}
	debug.SetMemoryLimit(400 << 20) // the user changes it
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	if got := limit(); got < 390<<20 || got > 400<<20 {
		t.Errorf("after the user set 400 MiB and all was closed the limit is %d", got)
	}
	AdjustLimit(false)
	if limit() != 400<<20 {
		t.Errorf("switched off, the limit is %d, want what the user set", limit())
	}
}

// Affords accepts the size of a page, and rejects sizes that no address space can hold. It does not
// keep any memory.
func TestAffords(t *testing.T) {
	if err := Affords(4096); err != nil {
		t.Error(err)
	}
	for _, size := range []uint64{1 << 62, 1<<64 - 1} {
		if err := Affords(size); !GoMemory && !errors.Is(err, ErrNoMemory) {
			t.Errorf("%d bytes: %v", size, err)
		}
	}
}
