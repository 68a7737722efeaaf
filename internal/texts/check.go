package texts

import (
	"fmt"
	"math/bits"
)

// A Checker checks that the blocks of a heap do not overlap. These are the blocks of texts in use
// and the dead blocks, which are available for reuse. A Checker needs two bits of memory for each
// unit of the heap.
type Checker struct {
	heap  *Heap
	taken []uint64
	named []uint64 // the first units of texts in use
}

// NewChecker returns a Checker for the heap. The heap must not change until the check is complete.
func (h *Heap) NewChecker() *Checker {
	words := (h.Used()/unit + 63) / 64
	return &Checker{h, make([]uint64, words), make([]uint64, words)}
}

// Text checks the block of a text in use. It returns an error if the heap has no text with this
// Ref, or if the block of the text overlaps a block that was checked before.
func (c *Checker) Text(ref Ref) error {
	if ref == 0 {
		return nil
	}
	b, ok := c.heap.Bytes(ref)
	if !ok {
		return fmt.Errorf("there is no text %d", ref)
	}
	if err := c.take(ref, sizeOf(blockOf(len(b)))); err != nil {
		return err
	}
	c.named[ref/64] |= 1 << (ref % 64)
	return nil
}

// Dead checks all dead blocks. It must be called after Text has been called for all texts in use.
// Up to the end of the heap, there must be no gaps between blocks, as a sweep requires. The free
// lists must contain each dead block that is large enough for a list exactly once, and nothing
// else.
func (c *Checker) Dead() error {
	h := c.heap
	if h == nil {
		return nil
	}
	starts, at := make([]uint64, len(c.taken)), uint64(headerBytes)
	for at < h.used {
		size := h.deadSize(at)
		if size > 0 {
			if err := c.take(Ref(at/unit), size); err != nil {
				return fmt.Errorf("a dead block: %w", err)
			}
			starts[at/unit/64] |= 1 << (at / unit % 64)
		} else if text, ok := h.Bytes(Ref(at / unit)); ok && len(text) > 0 {
			size = sizeOf(blockOf(len(text)))
			if ref := Ref(at / unit); c.named[ref/64]>>(ref%64)&1 == 0 && h.holds(at, size) {
				// If a text is not in use, its block is merely wasted. But it must not overlap a
				// text in use, because a sweep would then continue in the middle of that text.
				if err := c.take(ref, size); err != nil {
					return fmt.Errorf("a text without a name: %w", err)
				}
			}
		}
		if size == 0 || !h.holds(at, size) {
			return fmt.Errorf("at byte %d of %d is neither a text nor a dead block", at, h.used)
		}
		at += size
	}
	for class := listOf(leastLinked); class < classes && h.used > 0; class++ {
		for before, ref := Ref(0), h.word(uint64(class)*4); ref != 0; before, ref = ref, h.word(uint64(ref)*unit+4) {
			i := uint64(ref)
			if i/64 >= uint64(len(starts)) || starts[i/64]>>(i%64)&1 == 0 || listOf(h.deadSize(i*unit)) != class || h.word(i*unit+8) != before {
				return fmt.Errorf("block %d is not dead, or is in a wrong list", ref)
			}
			starts[i/64] &^= 1 << (i % 64)
		}
	}
	for i, word := range starts {
		for ; word != 0; word &= word - 1 {
			// The block is in no list, so removing it from its list would follow invalid links.
			if ref := Ref(i*64 + bits.TrailingZeros64(word)); h.deadSize(uint64(ref)*unit) >= leastLinked {
				return fmt.Errorf("block %d is dead, and in no list", ref)
			}
		}
	}
	return nil
}

// take marks the units of a block as taken. It returns an error if the block is outside the heap or
// one of its units is already taken.
func (c *Checker) take(ref Ref, size uint64) error {
	at := uint64(ref) * unit
	if at < headerBytes || at >= c.heap.used || size > c.heap.used-at {
		return fmt.Errorf("block %d of %d bytes is outside the %d of the heap", ref, size, c.heap.used)
	}
	for i := uint64(ref); i < uint64(ref)+size/unit; i++ {
		if c.taken[i/64]>>(i%64)&1 != 0 {
			return fmt.Errorf("text %d shares bytes with another", ref)
		}
		c.taken[i/64] |= 1 << (i % 64)
	}
	return nil
}
