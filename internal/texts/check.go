package texts

import (
	"encoding/binary"
	"fmt"
)

// A Checker looks whether blocks of a heap share bytes: those of texts that somebody names, and dead ones, which later texts get. It
// has a bit for each unit.
type Checker struct {
	heap  *Heap
	taken []uint64
}

// NewChecker returns a Checker of the heap, which must not change meanwhile.
func (h *Heap) NewChecker() *Checker {
	return &Checker{h, make([]uint64, (h.used/unit+63)/64)}
}

// Text looks at the block of a text that somebody names. It fails if there is no such text, or if it shares bytes with one before.
func (c *Checker) Text(ref Ref) error {
	if ref == 0 {
		return nil
	}
	b, ok := c.heap.Bytes(ref)
	if !ok {
		return fmt.Errorf("there is no text %d", ref)
	}
	return c.take(ref, sizeOf(blockOf(len(b))))
}

// Dead looks at all dead blocks, after all texts.
func (c *Checker) Dead() error {
	for class := 0; class < classes && c.heap.used > 0; class++ {
		next := binary.LittleEndian.Uint32(c.heap.memory[class*4:])
		for next != 0 {
			if err := c.take(next, sizeOf(class)); err != nil { // so no list has a loop
				return fmt.Errorf("a dead block: %w", err)
			}
			next = binary.LittleEndian.Uint32(c.heap.memory[uint64(next)*unit:])
		}
	}
	return nil
}

// take marks the units of a block.
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
