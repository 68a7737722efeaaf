package store

import "math/bits"

// A run is a range of consecutive slots, from first to last, inclusive.
type run struct{ first, last uint32 }

// len returns the number of slots in the run.
func (r run) len() uint32 { return r.last - r.first + 1 }

// A bitmap is a set of slots. It is long enough for all slots that were ever set; slots beyond its
// end are not in the set.
type bitmap []uint64

func (b bitmap) has(slot uint32) bool {
	i := slot / 64
	return int(i) < len(b) && b[i]>>(slot%64)&1 != 0
}

// len returns the number of slots in the set.
func (b bitmap) len() (sum uint32) {
	for _, word := range b {
		sum += uint32(bits.OnesCount64(word))
	}
	return sum
}

// set adds the slots of the run. If the bitmap is too short, it is extended to cover all slots up
// to top.
func (b *bitmap) set(r run, top uint32) {
	if need := int(r.last/64) + 1; need > len(*b) {
		grown := make(bitmap, max(need, int(top/64)+1, 2*len(*b)))
		copy(grown, *b)
		*b = grown
	}
	for slot := r.first; ; slot++ {
		(*b)[slot/64] |= 1 << (slot % 64)
		if slot == r.last {
			return
		}
	}
}

// clear removes the slots of the run, which must be in the set.
func (b bitmap) clear(r run) {
	for slot := r.first; ; slot++ {
		b[slot/64] &^= 1 << (slot % 64)
		if slot == r.last {
			return
		}
	}
}

// upTo returns the set without the slots after last.
func (b bitmap) upTo(last uint32) bitmap {
	words := int(last/64) + 1
	if words > len(b) {
		return b
	}
	b = b[:words]
	b[words-1] &= 1<<(last%64)<<1 - 1
	return b
}
