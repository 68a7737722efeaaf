package store_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"reflect"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"testing"

	"github.com/coppice-go/coppice/internal/testkit/child"
	"github.com/coppice-go/coppice/internal/testkit/memory"
	"github.com/coppice-go/coppice/internal/vmem"
	"github.com/coppice-go/coppice/store"
)

// These tests check what the system and the runtime report about stores.

// resident returns the resident set size of this process in bytes.
func resident(t *testing.T) int64 {
	t.Helper()
	statm, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		t.Skip("only where /proc tells the resident set")
	}
	var size, pages int64
	if _, err := fmt.Sscan(string(statm), &size, &pages); err != nil {
		t.Fatal(err)
	}
	return pages * int64(os.Getpagesize())
}

func skipInGoMemory(t *testing.T) {
	t.Helper()
	if vmem.GoMemory {
		t.Skip("here stores are Go memory")
	}
}

func TestTrimAndCloseGiveMemoryBack(t *testing.T) {
	skipInGoMemory(t)
	s, err := store.New[[1024]byte](store.Options{Max: 1 << 17})
	if err != nil {
		t.Fatal(err)
	}
	s.Alloc([1024]byte{1})
	debug.FreeOSMemory() // release the garbage of other tests before the measurement
	before := resident(t)
	_, block := s.Make(1 << 16)
	for i := range block {
		block[i][0] = 1
	}
	full := resident(t)
	if full-before < 60<<20 {
		t.Fatalf("64 MiB of records made the resident set %d bytes larger", full-before)
	}
	s.Reset()
	if kept := resident(t) - before; kept < 60<<20 {
		t.Errorf("Reset kept only %d bytes", kept)
	}
	first := s.Alloc([1024]byte{2})
	if err := s.Trim(); err != nil {
		t.Fatal(err)
	}
	if kept := resident(t) - before; kept > 4<<20 {
		t.Errorf("after Trim %d bytes are still resident", kept)
	}
	if s.At(first)[0] != 2 || s.Len() != 1 {
		t.Error("Trim harmed the record below")
	}

	// Trim also releases the memory of deleted records above the last live one.
	ref, block := s.Make(1 << 16)
	for i := range block {
		block[i][0] = 1
	}
	for i := range block {
		s.Delete(ref + store.Ref[[1024]byte](i))
	}
	if err := s.Trim(); err != nil {
		t.Fatal(err)
	}
	if kept := resident(t) - before; kept > 16<<20 { // checked builds note the place of every Delete
		t.Errorf("after Delete of all and Trim %d bytes are still resident", kept)
	}
	_, block = s.Make(1 << 16)
	for i := range block {
		if block[i] != [1024]byte{} {
			t.Fatalf("record %d is not zero after Trim", i)
		}
		block[i][0] = 1
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if kept := resident(t) - before; kept > 16<<20 { // checked builds note the place of every Delete
		t.Errorf("after Close %d bytes are still resident", kept)
	}
}

// A stale pointer faults, reads as zero, or points to a record of another store.
func TestStalePointersFault(t *testing.T) {
	s, err := store.New[int64](store.Options{Max: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	s.Alloc(1)
	_, block := s.Make(1 << 19)
	above, below := &block[len(block)-1], &block[0]
	*above, *below = 7, 8
	s.Reset()
	s.Alloc(2)
	if err := s.Trim(); err != nil {
		t.Fatal(err)
	}
	//coppice:ignore stalevalue it looks at what Reset and Trim left
	if v, faulted := read(above); !faulted && v != 0 {
		t.Errorf("a pointer above what Trim kept reads %d", v)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if v, faulted := read(below); !faulted && v != 0 {
		t.Errorf("a pointer into a closed store reads %d", v)
	}
}

func read(p *int64) (v int64, faulted bool) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() { faulted = recover() != nil }()
	return *p, false
}

func TestTenThousandStores(t *testing.T) {
	var o store.Options
	if vmem.GoMemory || child.Emulated() { // an emulator records every page of the address space
		o.Max = 1000
	}
	count := sized(2000, 10_000)
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	maps := memory.Mappings()
	stores := make([]*store.Store[node], count)
	for i := range stores {
		s, err := store.New[node](o)
		if err != nil {
			t.Fatalf("store %d: %v", i, err)
		}
		stores[i] = s
		s.Alloc(node{left: store.Ref[node](i)})
	}
	if least := stores[count-1].Max(); least < 1000 {
		t.Errorf("the last store has room for %d records", least)
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	if heap := (int64(after.HeapAlloc) - int64(before.HeapAlloc)) / int64(count); !vmem.GoMemory && heap > 1500 {
		t.Errorf("a store costs %d bytes of Go heap; New's comment says about 1 KiB", heap)
	}
	if added := memory.Mappings() - maps; added > 2*count+100 {
		t.Errorf("%d stores cost %d memory maps, more than two each", count, added)
	}
	for i, s := range stores {
		if s.At(1).left != store.Ref[node](i) {
			t.Fatalf("store %d holds a record of another", i)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// tooFewAddresses is the end of the error if a Max does not fit in a limited address space. It
// names the exceeded limit, if the system reports one, and the remedy. A store without a Max gets a
// smaller one instead.
var tooFewAddresses = map[bool]string{true: "; raise the limit (ulimit -v); or set a smaller Options.Max", false: "; or set a smaller Options.Max"}[runtime.GOOS == "linux"]

func TestLimitOnAddresses(t *testing.T) {
	skipInGoMemory(t)
	if os.Getenv("COPPICE_LIMITED") != "" {
		s, err := store.New[node](store.Options{})
		if err != nil {
			t.Fatal(err)
		}
		s.Alloc(node{})
		if x := s.AllocText("text"); s.Text(x) != "text" {
			t.Error("no text")
		}
		if h, err := store.NewHandles[node](store.Options{}); err != nil {
			t.Error(err)
		} else {
			h.Alloc(node{})
		}
		if s.Max() > 1<<29 {
			t.Errorf("under a limit of 4 GiB a store has room for %d records of 8 bytes", s.Max())
		}
		records := uint64(1) << 31
		_, err = store.New[node](store.Options{Max: int(records)})
		if err == nil || !strings.HasSuffix(err.Error(), tooFewAddresses) {
			t.Errorf("a store of 16 GiB gave %v", err)
		}
		return
	}
	child.SkipEmulated(t, "a limit on addresses binds the emulator, which maps more than the program does")
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("sh", "-c", "ulimit -v 4194304 || { echo no limit here; exit 1; }; exec \"$0\" -test.run '^TestLimitOnAddresses$'", self)
	cmd.Env = append(os.Environ(), "COPPICE_LIMITED=1")
	if out, err := cmd.CombinedOutput(); err != nil {
		if strings.Contains(string(out), "no limit here") {
			t.Skipf("%s", out)
		}
		t.Errorf("%v\n%s", err, out)
	}
}

// The system may refuse memory at any time. No record is lost, and the call returns ErrFull.
func TestRefusedMemoryIsErrFull(t *testing.T) {
	defer vmem.FailCommit(-1)
	for n := range 12 {
		vmem.FailCommit(-1)
		s, err := store.New[[1000]byte](store.Options{Max: 1 << 12})
		if err != nil {
			t.Fatal(err)
		}
		vmem.FailCommit(n)
		var put int
		for ; err == nil; put++ {
			_, err = s.TryAlloc([1000]byte{byte(put)})
		}
		if put--; put < s.Max() && (!errors.Is(err, store.ErrFull) || !errors.Is(err, vmem.ErrNoMemory)) {
			t.Errorf("commit %d refused: TryAlloc gave %v after %d records", n, err, put)
		}
		for i := range put {
			if s.At(store.Ref[[1000]byte](i + 1))[0] != byte(i) {
				t.Fatalf("commit %d refused: record %d is lost", n, i)
			}
		}
		if _, err := s.Clone(); n == 0 && !errors.Is(err, store.ErrFull) {
			t.Errorf("Clone without memory gave %v", err)
		}
		vmem.FailCommit(-1)
		if s.Len() != put {
			t.Errorf("commit %d refused: Len %d, want %d", n, s.Len(), put)
		}
		if put < s.Max() {
			if _, err := s.TryAlloc([1000]byte{}); err != nil {
				t.Errorf("with memory again TryAlloc gave %v", err)
			}
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	vmem.FailCommit(0)
	if _, err := store.New[node](store.Options{Max: 1}); !errors.Is(err, store.ErrFull) {
		t.Errorf("New without memory gave %v", err)
	}
}

func TestTotals(t *testing.T) {
	a := open[node](t, store.Options{Name: "accounted"})
	b := open[node](t, store.Options{Name: "accounted"})
	a.Make(100_000)
	find := func() store.Total {
		for _, total := range store.Totals() {
			if total.Name == "accounted" {
				return total
			}
		}
		return store.Total{}
	}
	got := find()
	if got.Stores != 2 || got.Committed < 800_000 || got.Reserved < 2*8<<20 {
		t.Errorf("Totals has %+v", got)
	}
	if err := errors.Join(a.Close(), b.Close()); err != nil {
		t.Fatal(err)
	}
	if got := find(); got.Stores != 0 {
		t.Errorf("after Close Totals has %+v", got)
	}
}

func TestAdjustMemoryLimit(t *testing.T) {
	skipInGoMemory(t)
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(1 << 30))
	store.AdjustMemoryLimit(true)
	defer store.AdjustMemoryLimit(false)
	before := debug.SetMemoryLimit(-1)
	s := open[node](t, store.Options{Max: 20 << 20})
	s.Make(10 << 20)
	if fell := before - debug.SetMemoryLimit(-1); fell < 80<<20 || fell > 110<<20 {
		t.Errorf("80 MiB of records lowered the limit by %d bytes", fell)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if after := debug.SetMemoryLimit(-1); after != before {
		t.Errorf("after Close the limit is %d, want %d", after, before)
	}
}

// Writers in several goroutines fill one store. A goroutine that synchronizes with them sees all
// records.
func TestWriters(t *testing.T) {
	s := open[[2]int32](t, store.Options{})
	const goroutines, each = 8, 5000
	refs := make([][]store.Ref[[2]int32], goroutines)
	var wg sync.WaitGroup
	for g := range goroutines {
		wg.Go(func() {
			w := s.Writer()
			defer w.Close()
			for i := range each {
				switch i % 100 {
				case 50:
					first, made := w.Make(3)
					for j := range made {
						made[j] = [2]int32{int32(g), int32(i)}
						refs[g] = append(refs[g], first+store.Ref[[2]int32](j))
					}
				case 51:
					r, p := w.New()
					*p = [2]int32{int32(g), int32(i)}
					refs[g] = append(refs[g], r)
				default:
					refs[g] = append(refs[g], w.Alloc([2]int32{int32(g), int32(i)}))
				}
			}
		})
	}
	for i := range int32(each) { // Alloc may be called while Writers are open
		s.Alloc([2]int32{-1, i})
	}
	wg.Wait()
	total := each
	seen := map[store.Ref[[2]int32]]bool{}
	for g := range refs {
		total += len(refs[g])
		for _, r := range refs[g] {
			if s.At(r)[0] != int32(g) || seen[r] {
				t.Fatalf("record %v of goroutine %d holds %v (seen before: %v)", r, g, *s.At(r), seen[r])
			}
			seen[r] = true
		}
	}
	if s.Len() != total {
		t.Errorf("Len = %d, want %d", s.Len(), total)
	}
	yielded := 0
	for r, v := range s.All() {
		if v[0] >= 0 && !seen[r] {
			t.Fatalf("All yields %v, which nobody put", r)
		}
		yielded++
	}
	if yielded != total {
		t.Errorf("All yields %d records, want %d: the unused ends of blocks must be skipped", yielded, total)
	}
	// The unused ends of blocks are reused.
	const more = 10_000 // more than the rest of the store's own window
	s.Make(more)
	bound := len(s.Slice())
	for free := bound - 1 - s.Len(); free > 0; free-- {
		s.Alloc([2]int32{})
	}
	if len(s.Slice()) != bound || s.Len() != bound-1 {
		t.Errorf("with all free slots filled Slice has %d and Len is %d, want %d and %d", len(s.Slice()), s.Len(), bound, bound-1)
	}
}

func TestWriterEndsWithReset(t *testing.T) {
	s := open[node](t, store.Options{})
	w := s.Writer()
	w.Alloc(node{})
	s.Reset()
	wantPanic(t, "this Writer ended with a Reset or Close", func() { w.Alloc(node{}) })
	wantPanic(t, "this Writer ended", func() { w.Make(2) })
	w.Close()
	w.Close()
	if s.Alloc(node{}) != 1 || s.Len() != 1 {
		t.Error("the ended Writer still has slots")
	}
}

// The HugePages option reaches the kernel. The test does not depend on whether huge pages are
// currently available.
func TestHugePages(t *testing.T) {
	skipInGoMemory(t)
	child.SkipEmulated(t, "advice about huge pages is not passed on to the kernel")
	mode, err := os.ReadFile("/sys/kernel/mm/transparent_hugepage/enabled")
	if err != nil || bytes.Contains(mode, []byte("[never]")) {
		t.Skip("no transparent huge pages here")
	}
	for _, c := range []struct {
		mode store.HugePages
		size int    // MiB of records
		want string // a flag of their mapping: hg for huge pages, nh for none
	}{{store.HugePagesOn, 8, "hg"}, {store.HugePagesAuto, 64, "hg"}, {store.HugePagesAuto, 4, ""}, {store.HugePagesOff, 64, "nh"}} {
		s := open[[64]byte](t, store.Options{HugePages: c.mode, Max: c.size << 14})
		_, made := s.Make(c.size << 14)
		flags := strings.Fields(memory.Flags(reflect.ValueOf(&made[len(made)/2]).Pointer()))
		if len(flags) == 0 {
			t.Skip("the kernel does not tell flags")
		}
		got := ""
		for _, flag := range flags {
			if flag == "hg" || flag == "nh" {
				got += flag
			}
		}
		if got != c.want {
			t.Errorf("mode %d: the mapping of %d MiB of records has the flags %v, want %q of hg and nh", c.mode, c.size, flags, c.want)
		}
	}
}

// The race detector sees accesses to records, so it reports a race on one.
func TestRaceOnARecordIsReported(t *testing.T) {
	if !vmem.GoMemory || runtime.GOARCH == "386" {
		t.Skip("run with -race")
	}
	cmd := exec.Command("go", "run", "-race", "./testdata/race")
	out, err := cmd.CombinedOutput()
	if err == nil || !bytes.Contains(out, []byte("WARNING: DATA RACE")) {
		t.Errorf("a race on a record gave %v and\n%s", err, out)
	}
}
