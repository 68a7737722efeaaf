package store

import (
	"strings"
	"testing"

	"github.com/coppice-go/coppice/internal/checks"
	"github.com/coppice-go/coppice/internal/testkit/random"
)

// FewNumbers makes the given Handles, which must be unused, share a small number of generations of
// each class. Otherwise they would use the generations of the process.
func FewNumbers[T any](each uint64, handles ...*Handles[T]) {
	few := &generations{}
	for class := range classes {
		few.end[class] = each
	}
	for _, h := range handles {
		h.numbers = few
	}
}

// tenYears is the number of Allocs in ten years at a million per second.
const tenYears = 10 * 366 * 24 * 3600 * 1_000_000

// TestNumbersLast verifies the arithmetic of docs/decisions/0004 with the constants of the code:
// any slot can be reused for ten years, even if a million Handles that had a slot of the same class
// were dropped. TestChurnUntilNumbersRunOut verifies that the code follows the formula.
func TestNumbersLast(t *testing.T) {
	for class := range classes {
		all, slots := generationsOf(class), uint64(rest(class))
		used := tenYears/slots + 1          // each worn slot had all generations before more were leased
		unused := used + all/greatestLeases // the last lease, as large as all before, or the greatest
		others := uint64(1_000_000) * firstLease
		if need := min(2*used, unused) + others; need > all {
			t.Errorf("class %d has %d generations, and needs %d for ten years", class, all, need)
		}
		if most := all * slots; most < 1<<50 {
			t.Errorf("a slot of class %d can be churned %d times, want 2^50", class, most)
		}
		// The list of leases stays short, because the size of a lease doubles up to the maximum.
		if most := 64 + all/(all/greatestLeases); most > 1<<15 {
			t.Errorf("class %d may have %d leases", class, most)
		}
	}
	// A short-lived Handles takes only a first lease of class 0, whatever its Max.
	if most := generationsOf(0) / firstLease; most < 1<<53 {
		t.Errorf("there are numbers for %d Handles, want 2^53", most)
	}
	if last := handleOf(generationsOf(7)-1, 1<<32-1, 7); last >= vacant {
		t.Errorf("the last handle of all is %#x, which says vacant", last)
	}
}

// There are few spare slots, but always enough: when all other slots except one are live, some
// class has as many slots as rest returns.
func TestSpareSlots(t *testing.T) {
	counts := []uint64{1, 2, 14, 15, 16, 252, 253, 255, 256, 4092, 4093, 4095, 4096, 1 << 24, 1_000_000_000, 1 << 31, MaxRecords}
	r := random.New(t)
	for _, mask := range indexMask {
		for range 1000 {
			counts = append(counts, r.Uint64N(min(mask, MaxRecords))+1)
		}
	}
	for _, n := range counts {
		spare, all := spare(n), n+spare(n)
		if spare*50 > n {
			t.Errorf("%d records have %d spare slots, more than 2%%", n, spare)
		}
		resting := uint64(0)
		for class := 0; class == 0 || class < classes && indexMask[class-1] < all; class++ {
			resting += uint64(rest(class)) - 1
		}
		if spare != resting {
			t.Errorf("%d records have %d spare slots, and %d may be resting", n, spare, resting)
		}
	}
}

func TestHandlesKnowTheirSlots(t *testing.T) {
	for class := range classes {
		for _, generation := range []uint64{0, 1, generationsOf(class) - 1} {
			for _, slot := range []uint32{1, uint32(indexMask[class]), uint32(indexMask[class]/2 + 1)} {
				n := handleOf(generation, slot, class)
				if n == 0 || n >= vacant || n>>classBits&indexMask[n%classes] != uint64(slot) || n%classes != uint64(class) {
					t.Errorf("generation %d, slot %d, class %d is %#x", generation, slot, class, n)
				}
			}
		}
	}
	for slot, want := range map[uint32]int{1: 0, 15: 0, 16: 1, 255: 1, 256: 2, 1<<28 - 1: 6, 1 << 28: 7, 1<<32 - 1: 7} {
		if got := classOf(slot); got != want {
			t.Errorf("slot %d has class %d, want %d", slot, got, want)
		}
	}
}

// churn stores and deletes a record until Alloc panics. It returns the number of successful calls
// and the panic message. It fails the test if a handle is repeated.
func churn(t *testing.T, h *Handles[int64], seen map[Handle[int64]]bool) (puts int, message string) {
	t.Helper()
	defer func() { message, _ = recover().(string) }()
	for ; ; puts++ {
		n := h.Alloc(1)
		if seen[n] {
			t.Fatalf("%v was given out twice", n)
		}
		seen[n] = true
		if !h.Delete(n) {
			t.Fatalf("Delete of %v, just put, failed", n)
		}
	}
}

// If all records of a Handles except one are live, that one can be reused as often as the formula
// states: the number of generations of its class times the number of slots that must be worn before
// the next lease.
func TestChurnUntilNumbersRunOut(t *testing.T) {
	for _, c := range []struct{ max, class int }{{1, 0}, {15, 0}, {16, 1}, {255, 1}, {256, 2}, {4092, 2}, {4096, 3}, {60_000, 3}} {
		const each = 50
		h := newHandles(t, c.max)
		FewNumbers(each, h)
		seen := map[Handle[int64]]bool{}
		for range c.max - 1 {
			seen[h.Alloc(1)] = true
		}
		puts, message := churn(t, h, seen)
		if want := each * rest(c.class); puts < want || puts > want+each*int(spare(uint64(c.max))) {
			t.Errorf("one of %d records was put %d times, want %d or a few more", c.max, puts, want)
		}
		if want := "store.Handles.Alloc: the handle numbers are exhausted: "; !strings.HasPrefix(message, want) {
			t.Errorf("Alloc said %q, want %q", message, want)
		}
		if h.Len() != c.max-1 || len(seen) != c.max-1+puts {
			t.Errorf("%d records are left of %d; %d handles for %d Puts", h.Len(), c.max-1, len(seen), c.max-1+puts)
		}
		for n := range h.All() {
			if _, ok := h.Get(n); !ok {
				t.Fatalf("%v is lost", n)
			}
		}
	}
}

// A Handles with a huge Max takes as few numbers as one with a small Max, and so does a slot that
// is reused in it. Max costs only address space.
func TestMaxCostsNoNumbers(t *testing.T) {
	used := func(max int) (taken [classes]uint64) {
		h := newHandles(t, max)
		FewNumbers(1<<20, h)
		for i := range int64(100_000) {
			h.Delete(h.Alloc(i))
		}
		return h.numbers.next
	}
	large := 1 << 20 // the most that is possible in Go memory
	if !checks.Enabled && ^uint(0)>>32 != 0 {
		large <<= 11
	}
	if small, huge := used(10), used(large); small != huge || small[0] != 1<<17 || small[1] != 0 {
		t.Errorf("100,000 Puts in one place took the generations %d with a Max of 10, and %d with %d", small, huge, large)
	}
}

// Short-lived Handles take few numbers, and none of those that another Handles can still use.
func TestShortLivesBesideChurn(t *testing.T) {
	each, lives := 1<<12, 900
	if testing.Short() {
		each, lives = 1<<10, 100
	}
	churned := newHandles(t, 1000)
	FewNumbers(uint64(each), churned)
	seen := map[Handle[int64]]bool{}
	for range 400 {
		seen[churned.Alloc(1)] = true
	}
	for range lives {
		h := newHandles(t, 1<<16)
		h.numbers = churned.numbers
		n := h.Alloc(1)
		if seen[n] {
			t.Fatalf("%v was given out twice", n)
		}
		seen[n] = true
		if err := h.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if puts, _ := churn(t, churned, seen); puts < each*rest(2) {
		t.Errorf("beside %d short lives one of 400 records could be put %d times, want %d", lives, puts, each*rest(2))
	}
	if took := churned.numbers.next[0]; took < uint64(lives)*firstLease {
		t.Errorf("%d short lives took %d generations", lives, took)
	}
}

// Reset uses up generations like Delete, and Alloc finds worn slots again.
func TestResetsUntilNumbersRunOut(t *testing.T) {
	const each, records = 40, 300
	h := newHandles(t, records)
	FewNumbers(each, h)
	seen := map[Handle[int64]]bool{}
	message := func() (message string) {
		defer func() { message, _ = recover().(string) }()
		for {
			for range records {
				n := h.Alloc(1)
				if seen[n] {
					t.Fatalf("%v was given out twice", n)
				}
				seen[n] = true
			}
			h.Reset()
		}
	}()
	if all := each * int(records+spare(records)); len(seen) < all-records || len(seen) > all {
		t.Errorf("%d Puts, want nearly all of %d numbers", len(seen), all)
	}
	if !strings.Contains(message, "the handle numbers are exhausted") {
		t.Errorf("Alloc said %q", message)
	}
	h.Reset()
	for n := range seen {
		if _, ok := h.Get(n); ok {
			t.Fatalf("%v is accepted after a Reset", n)
		}
	}
}

// A worn slot is not reused while there are other slots. Thus the memory grows by only a few slots,
// and few leases are needed.
func TestWornSlotsRest(t *testing.T) {
	h := newHandles(t, 1<<14)
	handles := make([]Handle[int64], 5000)
	for i := range handles {
		handles[i] = h.Alloc(1)
	}
	for i := range int64(1_000_000) {
		h.Delete(handles[4999])
		handles[4999] = h.Alloc(i)
	}
	if more := int(h.top) - len(handles); more > rest(3) {
		t.Errorf("churning one of 5000 records took %d slots more, want at most %d", more, rest(3))
	}
	if leased := h.classes[3].total; leased > 2*1_000_000/uint64(rest(3))+firstLease {
		t.Errorf("a million Puts in one place leased %d generations of 2^16 numbers", leased)
	}
}
