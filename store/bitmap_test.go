package store

import "testing"

// A bitmap contains the slots that were set and not cleared, however much it has grown. The method
// upTo can truncate it at any slot.
func TestBitmap(t *testing.T) {
	in := map[uint32]bool{}
	var b bitmap
	mustAgree := func(when string) {
		t.Helper()
		for slot := range uint32(1000) {
			if b.has(slot) != in[slot] {
				t.Fatalf("%s: slot %d is in the bitmap: %v, want %v", when, slot, b.has(slot), in[slot])
			}
		}
	}
	for _, r := range []run{{3, 3}, {62, 65}, {5, 9}, {127, 128}, {300, 460}, {700, 700}} {
		b.set(r, r.last)
		for slot := r.first; slot <= r.last; slot++ {
			in[slot] = true
		}
		mustAgree("set")
	}
	b.clear(run{310, 330})
	for slot := uint32(310); slot <= 330; slot++ {
		in[slot] = false
	}
	mustAgree("clear")
	for last := uint32(705); last > 0; last-- {
		b = b.upTo(last)
		in[last+1] = false
		mustAgree("upTo")
	}
}
