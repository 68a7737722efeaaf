package texts

import (
	"encoding/binary"
	"math/bits"
)

// This file manages the dead blocks of a heap. It keeps them in lists by size, and merges adjacent
// ones.
//
// A dead block is in the list of the largest size class whose blocks are not larger than the dead
// block. It contains the links to its neighbors in the list. A block of 4 or 8 bytes is too small
// for links. Blocks of 8 bytes are recorded in a bit set outside the heap instead.
//
// Free merges a block with the dead blocks that follow it. Dead blocks that precede it are merged
// by a sweep, which proceeds through the heap in small steps while more than an eighth of the heap
// is dead: each Free sweeps 4 to 32 times the size of its block, and storing a text for which no
// dead block is large enough sweeps 8 KiB.
//
// If the owner of the texts can find its references to them, and a quarter of the heap is dead, the
// sweep also moves each text down into the dead block before it. Thus, the dead block moves up,
// grows, and disappears when it reaches the end.

const (
	leastBlock  = 8                  // minimum size of a block of a text, in bytes
	leastLinked = 12                 // minimum size of a dead block in a list, in bytes
	mostDead    = (1<<24 - 1) * unit // maximum size of a dead block; larger ones are split

	sweepBytes = 8 << 10 // size of a sweep
	sweepTimes = 32      // ratio of the maximum sweep by Free to the size of the freed block
	sweepFrom  = 8       // one part in this many of the heap must be dead for a sweep
	slideFrom  = 4       // and for moving texts

	leastGivenBack = 1 << 20 // bytes
)

// A filled is a bit set of the size classes whose free lists may contain blocks.
type filled [(classes + 63) / 64]uint64

func (f *filled) set(class int)   { f[class/64] |= 1 << (class % 64) }
func (f *filled) clear(class int) { f[class/64] &^= 1 << (class % 64) }

// next returns the first class that is not below the given one and whose list may contain blocks.
// It returns the constant classes if there is none.
func (f *filled) next(class int) int {
	for i := class / 64; i < len(f); i++ {
		w := f[i]
		if i == class/64 {
			w &= ^uint64(0) << (class % 64)
		}
		if w != 0 {
			return i*64 + bits.TrailingZeros64(w)
		}
	}
	return classes
}

// unknown returns a set of all classes, for memory that was loaded from a file. The first access to
// an empty list removes its class from the set.
func unknown() (f filled) {
	for i := range f {
		f[i] = ^uint64(0)
	}
	return f
}

func (h *Heap) word(at uint64) uint32       { return binary.LittleEndian.Uint32(h.memory[at:]) }
func (h *Heap) setWord(at uint64, w uint32) { binary.LittleEndian.PutUint32(h.memory[at:], w) }

// holds reports whether a range of bytes is within the blocks of the heap.
func (h *Heap) holds(at, size uint64) bool {
	return at >= headerBytes && at < h.used && size <= h.used-at
}

// deadSize returns the size of the dead block at an offset. It returns 0 if the memory there is not
// a dead block, but a text or invalid contents of an adversarial file.
func (h *Heap) deadSize(at uint64) uint64 {
	if !h.holds(at, unit) {
		return 0
	}
	w := h.word(at)
	if size := uint64(w>>8) * unit; byte(w) == 0 && size > 0 && h.holds(at, size) {
		return size
	}
	return 0
}

// listOf returns the size class in whose list a dead block of the given size is kept.
func listOf(size uint64) int {
	class := classOf(size)
	if sizeOf(class) > size {
		class--
	}
	return class
}

// push turns a range of bytes into one or more dead blocks.
func (h *Heap) push(at, size uint64) {
	for size > mostDead {
		h.pushOne(at, mostDead-leastLinked) // so that the last one is large enough
		at, size = at+mostDead-leastLinked, size-(mostDead-leastLinked)
	}
	h.pushOne(at, size)
}

func (h *Heap) pushOne(at, size uint64) {
	class, ref := listOf(size), Ref(at/unit)
	h.setWord(at, uint32(size/unit)<<8)
	if size < leastLinked {
		if size == leastBlock {
			h.tiny.add(ref)
		} else {
			h.tiny.remove(ref)
		}
		return
	}
	first := h.word(uint64(class) * 4)
	h.setWord(at+4, first)
	h.setWord(at+8, 0)
	if next := uint64(first) * unit; first != 0 && h.holds(next, leastLinked) {
		h.setWord(next+8, ref)
	}
	h.setWord(uint64(class)*4, ref)
	h.filled.set(class)
}

// unlink removes a dead block from its list, or from the set of tiny blocks.
func (h *Heap) unlink(at, size uint64) {
	if size < leastLinked {
		h.tiny.remove(Ref(at / unit))
		return
	}
	next, before := h.word(at+4), h.word(at+8)
	if place := uint64(next) * unit; next != 0 && h.holds(place, leastLinked) {
		h.setWord(place+8, before)
	}
	if place := uint64(before) * unit; before != 0 {
		if h.holds(place, leastLinked) {
			h.setWord(place+4, next)
		}
		return
	}
	class := listOf(size)
	h.setWord(uint64(class)*4, next)
	if next == 0 {
		h.filled.clear(class)
	}
}

// reuse allocates a block of a class from a dead block. It returns 0 if no dead block is large
// enough. The rest of the dead block remains dead.
func (h *Heap) reuse(class int) Ref {
	need := sizeOf(class)
	if need == leastBlock {
		if ref := h.tiny.first(); ref != 0 {
			if h.deadSize(uint64(ref)*unit) == need { // otherwise a hostile file has changed the block
				h.tiny.remove(ref)
				h.dead -= min(h.dead, need)
				return ref
			}
			h.tiny.remove(ref)
		}
	}
	for c := h.filled.next(class); c < classes; c = h.filled.next(c + 1) {
		ref := h.word(uint64(c) * 4)
		at := uint64(ref) * unit
		size := h.deadSize(at)
		if size < leastLinked || listOf(size) != c {
			h.setWord(uint64(c)*4, 0) // it is empty, or from a hostile file
			h.filled.clear(c)
			continue
		}
		h.unlink(at, size)
		h.dead -= min(h.dead, need)
		if size > need {
			h.push(at+need, size-need)
		}
		return ref
	}
	return 0
}

// release turns the block of a text into a dead block, and merges it with the dead blocks that
// follow it.
func (h *Heap) release(at, size uint64) {
	h.dead += size
	size = h.absorb(at, size)
	if at+size == h.used { // the last one: its memory becomes fresh again
		h.used = at
		h.dead -= min(h.dead, size)
		if h.hand >= at {
			h.hand = 0
		}
		h.giveBack()
		return
	}
	h.push(at, size)
}

// giveBack returns unused memory at the end of the heap to the system, if there is much of it and
// the heap has an Owner. Without an Owner, readers may still use an older state of the heap, so the
// memory is kept for later texts.
func (h *Heap) giveBack() {
	if h.Owner == nil || uint64(h.region.Committed()) < 2*h.used+leastGivenBack {
		return
	}
	// If the system refuses, for example because the process has no mapping left, the memory is
	// kept.
	_ = h.region.Decommit(uintptr(h.used + h.used/4))
}

// absorb removes from their lists the dead blocks that directly follow the given block. It returns
// the total size of the block and these dead blocks. The block itself must not be in a list.
func (h *Heap) absorb(at, size uint64) uint64 {
	for {
		next := at + size
		more := h.deadSize(next)
		if more == 0 || size+more > mostDead {
			return size
		}
		h.unlink(next, more)
		if h.hand == next {
			h.hand = at
		}
		size += more
	}
}

// sweep processes the next blocks of the heap, up to the given number of bytes: it merges adjacent
// dead blocks, and moves texts down.
func (h *Heap) sweep(bytes uint64) {
	at := max(h.hand, headerBytes)
	for end := at + bytes; at < end && at < h.used; {
		if size := h.deadSize(at); size > 0 {
			at = h.sweepDead(at, size)
		} else if text, ok := h.Bytes(Ref(at / unit)); ok {
			at += sizeOf(blockOf(len(text)))
		} else {
			at = h.used // this happens only with a hostile file
		}
	}
	if h.hand = at; at >= h.used {
		h.hand = 0
	}
}

// sweepDead processes a dead block. It returns the offset at which the sweep continues.
func (h *Heap) sweepDead(at, size uint64) uint64 {
	if more := h.deadSize(at + size); more > 0 && size+more <= mostDead || at+size == h.used {
		h.unlink(at, size)
		h.dead -= min(h.dead, size)
		if h.release(at, size); at >= h.used {
			return h.used
		}
		size = max(h.deadSize(at), unit)
	}
	if size == leastBlock {
		h.tiny.add(Ref(at / unit)) // a dead block from a file is not in the set yet
	}
	if h.Owner == nil || h.dead < h.used/slideFrom {
		return at + size
	}
	return h.slide(at, size)
}

// slide swaps a dead block with the text that follows it, so that the text moves down.
func (h *Heap) slide(at, size uint64) uint64 {
	from := at + size
	text, ok := h.Bytes(Ref(from / unit))
	bytes := sizeOf(blockOf(len(text)))
	if !ok || len(text) == 0 || !h.holds(from, bytes) {
		return from
	}
	name := h.Owner(text, Ref(from/unit))
	if name == nil {
		return from
	}
	h.unlink(at, size)
	h.dead -= min(h.dead, size)
	copy(h.memory[at:][:bytes], h.memory[from:][:bytes])
	*name = Ref(at / unit)
	h.release(at+bytes, size)
	return min(at+bytes, h.used)
}

// A tinySet is the set of the 8-byte dead blocks, which are too small for a list.
type tinySet struct {
	bits  []uint64 // one for each unit of the heap, up to the highest used so far
	count int
	from  int // words before it are zero
}

func (s *tinySet) has(ref Ref) bool {
	return int(ref/64) < len(s.bits) && s.bits[ref/64]>>(ref%64)&1 != 0
}

// add adds a block to the set.
func (s *tinySet) add(ref Ref) {
	if s.has(ref) {
		return
	}
	i := int(ref / 64)
	for i >= len(s.bits) {
		s.bits = append(s.bits, 0)
	}
	s.bits[i] |= 1 << (ref % 64)
	s.count++
	s.from = min(s.from, i)
}

// remove removes a block from the set if the set contains it.
func (s *tinySet) remove(ref Ref) {
	if s.has(ref) {
		s.bits[ref/64] &^= 1 << (ref % 64)
		s.count--
	}
}

// first returns the first block in the set, or 0 if the set is empty.
func (s *tinySet) first() Ref {
	if s.count == 0 {
		return 0
	}
	for s.bits[s.from] == 0 {
		s.from++
	}
	return Ref(s.from*64 + bits.TrailingZeros64(s.bits[s.from]))
}
