package checks_test

import (
	"errors"
	"testing"

	"github.com/coppice-go/coppice/internal/checks"
)

func TestNonZero(t *testing.T) {
	type record struct {
		p *int
		s string
	}
	records := make([]record, 5)
	if i := checks.NonZero(records); i != -1 {
		t.Errorf("element %d of zeros is not zero", i)
	}
	records[4].s = "x"
	if i := checks.NonZero(records); i != 4 {
		t.Errorf("NonZero = %d, want the last", i)
	}
	records[0].p = new(int)
	if i := checks.NonZero(records); i != 0 {
		t.Errorf("NonZero = %d, want the first", i)
	}
	if i := checks.NonZero(make([]struct{}, 3)); i != -1 {
		t.Errorf("element %d without a size is not zero", i)
	}
}

func TestNonZeroByte(t *testing.T) {
	for _, length := range []int{0, 1, 4095, 4096, 4097, 10_000} {
		b := make([]byte, length)
		if i := checks.NonZeroByte(b); i != -1 {
			t.Errorf("byte %d of %d zeros is not zero", i, length)
		}
		for _, want := range []int{length - 1, length / 2, 0} {
			if length == 0 {
				continue
			}
			b[want] = 1
			if i := checks.NonZeroByte(b); i != want {
				t.Errorf("of %d bytes byte %d is not zero, want %d", length, i, want)
			}
		}
	}
}

func TestMustHold(t *testing.T) {
	if said := panicOf(func() { checks.MustHold("slab.Reset", nil) }); said != "" {
		t.Errorf("what holds said %q", said)
	}
	if said := panicOf(func() { checks.MustHold("slab.Reset", errors.New("a chunk is gone")) }); said != "slab.Reset: a chunk is gone" {
		t.Errorf("what is broken said %q", said)
	}
}

// A check whose cost grows with the container costs only a constant amount per call if a Budget
// limits it.
func TestBudget(t *testing.T) {
	var b checks.Budget
	spent, looks := 0, 0
	const calls = 10_000
	for size := range calls {
		if b.Affords(size) {
			spent += size
			looks++
		}
	}
	switch {
	case !checks.Enabled && looks > 0:
		t.Errorf("%d looks outside checked builds", looks)
	case checks.Enabled && (spent > 2*calls || looks < 10):
		t.Errorf("%d calls spent %d on %d looks, want no more than two steps each, and a look at each doubling", calls, spent, looks)
	}
}
