package texts

import (
	"encoding/binary"
	"math/bits"
)

// This file has the dead blocks: lists of them by size, and how those that touch become one.
//
// A dead block is in the list of the greatest class that it is as large as, and knows its
// neighbours there. One of 8 bytes, or of 4, has no room for that: those of 8 have a bit each
// outside of the heap.
//
// Free joins a block with the dead ones behind it. Those before it are joined by a sweep, which
// goes through the heap little by little while an eighth of it is dead: each Free sweeps 4 to 32
// times its block, and a text that no dead block has room for 8 KiB.
//
// Where the owner of the texts says where it names them, and a quarter of the heap is dead, the
// sweep also slides each text down into the dead block before it: the dead block moves up, grows,
// and is gone when it reaches the end.

const (
	leastBlock  = 8                  // bytes of the block of a text
	leastLinked = 12                 // bytes of a dead block that is in a list
	mostDead    = (1<<24 - 1) * unit // bytes of a dead block; a larger one is several

	sweepBytes = 8 << 10 // of a sweep
	sweepTimes = 32      // the dead part of what is freed, in a sweep by Free
	sweepFrom  = 8       // the part of the heap that must be dead
	slideFrom  = 4       // and for texts to slide

	leastGivenBack = 1 << 20 // bytes
)

// A filled says which lists are not empty, by class.
type filled [(classes + 63) / 64]uint64

func (f *filled) set(class int)   { f[class/64] |= 1 << (class % 64) }
func (f *filled) clear(class int) { f[class/64] &^= 1 << (class % 64) }

// next returns the first class from one on whose list is not empty, and classes if there is none.
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

// unknown says that any list may have blocks: those of memory that was loaded. The first look
// tells.
func unknown() (f filled) {
	for i := range f {
		f[i] = ^uint64(0)
	}
	return f
}

func (h *Heap) word(at uint64) uint32       { return binary.LittleEndian.Uint32(h.memory[at:]) }
func (h *Heap) setWord(at uint64, w uint32) { binary.LittleEndian.PutUint32(h.memory[at:], w) }

// holds says that the heap has so many bytes of blocks from a place on.
func (h *Heap) holds(at, size uint64) bool {
	return at >= headerBytes && at < h.used && size <= h.used-at
}

// deadSize returns the size of the dead block at a place, and 0 if there is none: a text, or what a
// hostile file has there.
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

// listOf returns the class in whose list a dead block is.
func listOf(size uint64) int {
	class := classOf(size)
	if sizeOf(class) > size {
		class--
	}
	return class
}

// push makes bytes a dead block, or several.
func (h *Heap) push(at, size uint64) {
	for size > mostDead {
		h.pushOne(at, mostDead-leastLinked) // so that enough is left for the last
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

// unlink takes a dead block out of its list, if it is in one.
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

// reuse takes a block of a class from a dead one, and returns 0 if none serves. What is left of
// that is a dead block.
func (h *Heap) reuse(class int) Ref {
	need := sizeOf(class)
	if need == leastBlock {
		if ref := h.tiny.first(); ref != 0 {
			if h.deadSize(uint64(ref)*unit) == need { // else only a hostile file says that
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
			h.setWord(uint64(c)*4, 0) // it is empty, or a hostile file's
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

// release makes the block of a text a dead one, joined with the dead ones behind it.
func (h *Heap) release(at, size uint64) {
	h.dead += size
	size = h.absorb(at, size)
	if at+size == h.used { // the last: its memory is fresh again
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

// giveBack gives memory behind the texts back to the system, if it is much and nobody reads an
// older state of the heap. Else it waits for texts to come.
func (h *Heap) giveBack() {
	if h.Owner == nil || uint64(h.region.Committed()) < 2*h.used+leastGivenBack {
		return
	}
	// Where the system refuses, which it does without a mapping to spare, the memory stays.
	_ = h.region.Decommit(uintptr(h.used + h.used/4))
}

// absorb takes the dead blocks behind one out of their lists, and returns the size of all. The
// block itself is in no list.
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

// sweep goes through so many bytes of blocks: it joins dead ones that touch, and slides texts down.
func (h *Heap) sweep(bytes uint64) {
	at := max(h.hand, headerBytes)
	for end := at + bytes; at < end && at < h.used; {
		if size := h.deadSize(at); size > 0 {
			at = h.sweepDead(at, size)
		} else if text, ok := h.Bytes(Ref(at / unit)); ok {
			at += sizeOf(blockOf(len(text)))
		} else {
			at = h.used // only a hostile file says that
		}
	}
	if h.hand = at; at >= h.used {
		h.hand = 0
	}
}

// sweepDead is for one dead block. It returns where the sweep goes on.
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
		h.tiny.add(Ref(at / unit)) // that of a file is not in the set yet
	}
	if h.Owner == nil || h.dead < h.used/slideFrom {
		return at + size
	}
	return h.slide(at, size)
}

// slide moves the text behind a dead block to its place, and the dead block behind the text.
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

// A tinySet has the dead blocks that are too small for a list.
type tinySet struct {
	bits  []uint64 // one for each unit of the heap, as far as there were some
	count int
	from  int // no word before has a bit
}

func (s *tinySet) has(ref Ref) bool {
	return int(ref/64) < len(s.bits) && s.bits[ref/64]>>(ref%64)&1 != 0
}

// add puts a block into the set.
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

// remove takes a block out of the set, if it is there.
func (s *tinySet) remove(ref Ref) {
	if s.has(ref) {
		s.bits[ref/64] &^= 1 << (ref % 64)
		s.count--
	}
}

// first returns the first block of the set, or 0.
func (s *tinySet) first() Ref {
	if s.count == 0 {
		return 0
	}
	for s.bits[s.from] == 0 {
		s.from++
	}
	return Ref(s.from*64 + bits.TrailingZeros64(s.bits[s.from]))
}
