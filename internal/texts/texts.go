// Package texts keeps byte strings of any length in one region of memory outside the Go heap, and
// names each by 32 bits. What is freed is used again.
//
// # Layout
//
// A block is a multiple of 4 bytes, and a Ref its place in units of 4 bytes: a heap has at most 16
// GiB. A block holds the length of its text, as a varint, and the text. So a text costs its bytes,
// one for its length (two from 128 on), and what is left over: block sizes are the multiples of 4
// from 8 to 64, and then eight to each doubling. The empty text is Ref 0, and costs nothing.
//
//	0           header      used                        committed
//	| free lists | block | block | dead block | block |  fresh  ...
//
// A dead block begins with a byte 0, which no text does, and its size; then come the Refs of its
// neighbours in the list of its size. The lists begin in the header, so that the region's first
// Used bytes are all that must be saved. Dead blocks that touch become one (dead.go), so texts
// whose lengths drift do not leave memory behind that nobody fits into.
//
// # Hostile memory
//
// The memory may come from a file that somebody wrote who means harm. Whatever a Ref is and
// whatever the memory holds: each call reads and writes inside the first Used bytes only, and ends.
// It may then return other texts, or false. The number of bytes used is a heap's own, and never
// read from there.
//
// # Concurrency
//
// One goroutine at a time, or several that only call Bytes, Equal and Len.
package texts

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"
	"slices"

	"github.com/coppice-go/coppice/internal/fromfile"
	"github.com/coppice-go/coppice/internal/vmem"
)

// A Ref names a text of a Heap. 0 is the empty text.
type Ref = uint32

// Unit is how many bytes Refs count in.
const Unit = 4

// ErrFull is wrapped by errors for a text that there is no room for.
var ErrFull = errors.New("no room for text")

const (
	unit     = Unit
	maxBytes = unit << 32 // the greatest size of a heap
	maxText  = 1 << 30    // the greatest length of a text

	linear  = 16 // size classes 0 to 15 have 4 to 64 bytes; 0 has no blocks
	perStep = 8  // classes of each doubling above
	classes = linear + perStep*26

	headerBytes = 1024 // the free lists, four bytes a class
)

// A Heap holds texts. The zero Heap is empty and cannot be used; Open returns one that can. A nil
// *Heap is that of an owner without texts: Memory, Used, Dead, Committed, Contents, Reset, Close,
// Clone, Load of nothing and NewChecker take it.
type Heap struct {
	region *vmem.Region // nil until the first text
	memory []byte       // the region, memory or not
	moves  bool         // the region is small, and a commit may move it
	used   uint64       // bytes from the start that are header or blocks
	dead   uint64       // bytes of dead blocks
	filled filled       // the lists of dead blocks that are not empty
	tiny   tinySet      // dead blocks that are in no list
	hand   uint64       // where the next sweep begins, at a block; 0 for the first
	limit  uint64       // the greatest that used can become

	// Owner returns where the owner names a text, so that the heap may move it and write another
	// number there. It returns nil if it does not know. Without an Owner texts stay where they are.
	Owner func(text []byte, ref Ref) *Ref

	account *vmem.Account
	huge    vmem.HugePages
	most    uintptr // bytes of addresses to reserve
	watched bool
}

// Open returns an empty heap that reserves up to most bytes of addresses when its first text
// comes; 0 stands for as many as is usual.
func Open(most uintptr, huge vmem.HugePages, account *vmem.Account) *Heap {
	if most == 0 {
		most = vmem.DefaultSize()
	}
	return &Heap{account: account, huge: huge, most: max(most, headerBytes+unit)}
}

// Watch is for a heap that got no text yet: some will read Memory while another goroutine changes
// the heap, and find out afterwards. Nothing of it faults then, after Close either.
func (h *Heap) Watch() { h.watched = true }

// Memory returns the bytes that can be read, nil if there was never a text. Put, PutString, Room,
// Free, Load and Close can make them others; the ones from before can still be read in a heap that
// is watched, and hold anything.
func (h *Heap) Memory() []byte {
	if h == nil || h.region == nil {
		return nil
	}
	return h.memory[:h.region.Committed()]
}

// Used returns the bytes from the start of the region that hold texts, 0 if there never was one.
func (h *Heap) Used() uint64 {
	if h == nil {
		return 0
	}
	return h.used
}

// Dead returns the bytes of blocks that were freed and not used again.
func (h *Heap) Dead() uint64 {
	if h == nil {
		return 0
	}
	return h.dead
}

// Committed returns the bytes that are memory.
func (h *Heap) Committed() uintptr {
	if h == nil || h.region == nil {
		return 0
	}
	return h.region.Committed()
}

// classOf returns the smallest class with blocks of n bytes.
func classOf(n uint64) int {
	if n <= linear*unit {
		return int((n+unit-1)/unit) - 1
	}
	shift := bits.Len64(n-1) - 4 // 8 to 15 of 1<<shift bytes are less than n
	return linear + (shift-3)*perStep + int((n-1)>>shift) - 8
}

// sizeOf returns the bytes of blocks of a class.
func sizeOf(class int) uint64 {
	if class < linear {
		return uint64(class+1) * unit
	}
	class -= linear
	return uint64(class%perStep+9) << (class/perStep + 3)
}

// blockOf returns the class of a block for a text of n bytes.
func blockOf(n int) int {
	return classOf(max(uint64(n)+uint64(varintLen(uint64(n))), leastBlock))
}

func varintLen(n uint64) int {
	switch {
	case n < 1<<7:
		return 1
	case n < 1<<14:
		return 2
	case n < 1<<21:
		return 3
	case n < 1<<28:
		return 4
	}
	return 5
}

// Put copies a text into the heap, and returns its Ref. It fails with an error that wraps
// ErrFull, and changes nothing.
func (h *Heap) Put(text []byte) (Ref, error) { return put(h, text) }

// PutString is Put for a string.
func (h *Heap) PutString(text string) (Ref, error) { return put(h, text) }

// PutLocal is PutString for a string on the stack: the compiler sees that it does not escape, which
// it does not where it inlines the generic put into another package.
//
//go:noinline
func (h *Heap) PutLocal(text string) (Ref, error) { return put(h, text) }

func put[S string | []byte](h *Heap, text S) (Ref, error) {
	if len(text) == 0 {
		return 0, nil
	}
	ref, err := h.alloc(len(text))
	if err != nil {
		return 0, err
	}
	at := uint64(ref) * unit
	if len(text) < 1<<7 {
		h.memory[at] = byte(len(text))
		copy(h.memory[at+1:], text)
		return ref, nil
	}
	n := binary.PutUvarint(h.memory[at:], uint64(len(text)))
	copy(h.memory[at+uint64(n):], text)
	return ref, nil
}

// HeadBytes is how many bytes of a text the head of PutHeaded takes.
const HeadBytes = 8

// PutHeaded is Put for a text that begins with a number, in little-endian order: by it the owner
// finds where it names the text.
func (h *Heap) PutHeaded(head uint64, text []byte) (Ref, error) {
	ref, err := h.alloc(HeadBytes + len(text))
	if err != nil {
		return 0, err
	}
	at := uint64(ref) * unit
	at += uint64(binary.PutUvarint(h.memory[at:], uint64(HeadBytes+len(text))))
	binary.LittleEndian.PutUint64(h.memory[at:], head)
	copy(h.memory[at+HeadBytes:], text)
	return ref, nil
}

// Room returns a text of at least n bytes, which is for the caller to write at any time: as many as
// its block has. What they hold is undefined. start is where they begin, as From counts.
func (h *Heap) Room(n int) (ref Ref, start int, err error) {
	if ref, err = h.alloc(max(n, 1)); err != nil {
		return 0, 0, err
	}
	size := sizeOf(blockOf(max(n, 1)))
	start = binary.PutUvarint(h.memory[uint64(ref)*unit:], size-uint64(varintLen(size-1)))
	return ref, start, nil
}

// From returns all bytes of the heap from offset bytes behind the place of a block, which has its
// length there at first. It is nil if the heap ends before. So parts of a text can be read without
// its length.
func (h *Heap) From(ref Ref, offset int) []byte {
	at := uint64(ref)*unit + uint64(offset)
	if at >= h.used || at < headerBytes {
		return nil
	}
	return h.memory[at:h.used:h.used]
}

// alloc returns a block for a text of n bytes.
func (h *Heap) alloc(n int) (Ref, error) {
	if n > maxText {
		return 0, fmt.Errorf("%w: %d bytes, and a text has at most %d", ErrFull, n, maxText)
	}
	class := blockOf(n)
	if ref := h.reuse(class); ref != 0 {
		return ref, nil
	}
	if h.dead > h.used/sweepFrom {
		h.sweep(sweepBytes)
		if ref := h.reuse(class); ref != 0 {
			return ref, nil
		}
	}
	ref, err := h.fresh(sizeOf(class))
	if err != nil && h.dead > 0 { // then all of it
		h.hand = 0
		h.sweep(h.used)
		if ref := h.reuse(class); ref != 0 {
			return ref, nil
		}
	}
	return ref, err
}

// fresh returns a block of memory that was none yet.
func (h *Heap) fresh(size uint64) (Ref, error) {
	if err := h.start(); err != nil {
		return 0, err
	}
	used := max(h.used, headerBytes)
	if size > h.limit-used {
		return 0, fmt.Errorf("%w: it holds %d of at most %d bytes", ErrFull, used, h.limit)
	}
	if err := h.region.Commit(uintptr(used + size)); err != nil {
		return 0, fmt.Errorf("%w: %w", ErrFull, err)
	}
	if h.moves {
		h.follow()
	}
	h.used = used + size
	return Ref(used / unit), nil
}

// start makes the region.
func (h *Heap) start() error {
	if h.region != nil {
		return nil
	}
	most := min(uint64(h.most), maxBytes)
	reserve := vmem.ReserveSmall
	if h.watched {
		reserve = vmem.ReserveWatched
	}
	region, err := reserve(uintptr(min(most, uint64(^uintptr(0)>>2))), headerBytes, h.huge, h.account)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrFull, err)
	}
	h.region = region
	h.follow()
	return nil
}

// follow finds the region again, which may have moved.
func (h *Heap) follow() {
	h.memory, h.moves = bytesOf(h.region), h.region.IsSmall()
	h.limit = min(uint64(h.most), uint64(h.region.Size()), maxBytes)
}

// Bytes returns the bytes of a text without a copy, and false if the heap has no such text. They
// must not be written, and are valid until Free of the text, Reset or Close. It inlines
// for texts of less than 128 bytes.
func (h *Heap) Bytes(ref Ref) ([]byte, bool) {
	if ref == 0 {
		return nil, true
	}
	at := uint64(ref) * unit
	if at >= h.used || at < headerBytes {
		return nil, false
	}
	n, start := uint64(h.memory[at]), at+1
	if n >= 1<<7 {
		n, start = h.length(at)
	}
	if n > h.used-start {
		return nil, false
	}
	return h.memory[start : start+n : start+n], true
}

// length reads the varint of a long text, and returns where the text starts. What it cannot
// read is longer than the heap.
func (h *Heap) length(at uint64) (n, start uint64) {
	n, width := binary.Uvarint(h.memory[at:min(at+5, h.used)])
	if width <= 0 || n > maxText {
		return h.used, at + 1
	}
	return n, at + uint64(width)
}

// Equal tells whether the text of a Ref is the given one.
func (h *Heap) Equal(ref Ref, text string) bool {
	at := uint64(ref) * unit
	if ref != 0 && at >= headerBytes && at < h.used && len(text) < 1<<7 {
		return h.memory[at] == byte(len(text)) && uint64(len(text)) < h.used-at && string(h.memory[at+1:at+1+uint64(len(text))]) == text
	}
	b, ok := h.Bytes(ref)
	return ok && string(b) == text
}

// EqualIn is Equal for who has what Memory returned, and no lock: it reads that only, whatever it
// holds meanwhile.
func EqualIn(memory []byte, ref Ref, text string) bool {
	at, n := uint64(ref)*unit, uint64(len(text))
	if n >= 1<<7 || ref == 0 {
		return equalLong(memory, ref, text)
	}
	// The bounds are those of the memory, and not those that a length in it says: that may be
	// another one by now.
	return at < uint64(len(memory)) && n < uint64(len(memory))-at && memory[at] == byte(n) && string(memory[at+1:at+1+n]) == text
}

// equalLong is EqualIn for texts of 128 bytes and more, and for the empty one.
func equalLong(memory []byte, ref Ref, text string) bool {
	if ref == 0 {
		return text == ""
	}
	var length [binary.MaxVarintLen64]byte
	w := uint64(binary.PutUvarint(length[:], uint64(len(text))))
	at, n := uint64(ref)*unit, w+uint64(len(text))
	return at < uint64(len(memory)) && n <= uint64(len(memory))-at && string(memory[at:at+w]) == string(length[:w]) && string(memory[at+w:at+n]) == text
}

// Free gives the block of a text back for others. A Ref that names no text does nothing and returns
// false. A Ref must not be freed twice: two later texts would share a block.
func (h *Heap) Free(ref Ref) bool {
	b, ok := h.Bytes(ref)
	if !ok {
		return false
	}
	if ref == 0 {
		return true
	}
	class := blockOf(len(b))
	at := uint64(ref) * unit
	if at+sizeOf(class) > h.used {
		return false
	}
	h.release(at, sizeOf(class))
	if h.dead > h.used/sweepFrom {
		h.sweep(sizeOf(class) * sweepTimes * h.dead / h.used)
	}
	return true
}

// Reset drops all texts and keeps the memory.
func (h *Heap) Reset() {
	if h == nil {
		return
	}
	if h.used > 0 { // else no text ever got memory, though addresses may be reserved
		clear(h.memory[:headerBytes])
		h.used = headerBytes
	}
	h.dead, h.hand, h.filled, h.tiny = 0, 0, filled{}, tinySet{}
}

// Close gives the memory back. A second Close does nothing. The heap can be used again.
func (h *Heap) Close() error {
	if h == nil || h.region == nil {
		return nil
	}
	if err := h.region.Close(); err != nil {
		return err
	}
	h.region, h.memory, h.used, h.dead, h.hand, h.filled, h.tiny = nil, nil, 0, 0, 0, filled{}, tinySet{}
	return nil
}

// Clone returns a heap with the same texts under the same Refs, with one copy of memory.
func (h *Heap) Clone(account *vmem.Account) (*Heap, error) {
	if h == nil {
		return nil, nil
	}
	clone := Open(h.most, h.huge, account)
	clone.watched = h.watched
	if h.used == 0 {
		return clone, nil
	}
	if err := clone.start(); err != nil {
		return nil, err
	}
	if h.used > clone.limit {
		return nil, errors.Join(fmt.Errorf("%w: %d bytes, and addresses for %d", ErrFull, h.used, clone.limit), clone.Close())
	}
	if err := clone.region.Commit(uintptr(h.used)); err != nil {
		return nil, errors.Join(fmt.Errorf("%w: %w", ErrFull, err), clone.Close())
	}
	clone.follow()
	copy(clone.memory[:h.used], h.memory[:h.used])
	clone.used, clone.dead, clone.filled, clone.tiny = h.used, h.dead, h.filled, h.tiny
	clone.tiny.bits = slices.Clone(h.tiny.bits)
	return clone, nil
}

// Contents returns the bytes that must be saved, nil if there are none: the region's first Used.
func (h *Heap) Contents() []byte {
	if h == nil {
		return nil
	}
	return h.memory[:h.used:h.used]
}

// Load makes the heap, which is empty, hold what Contents and Dead returned. It reserves a region
// for used bytes and more, and fill puts the contents at its start: it commits the memory for them.
// The contents may be hostile.
func (h *Heap) Load(used, dead uint64, fill func(*vmem.Region) error) error {
	switch {
	case used == 0:
		return nil
	case h == nil:
		return fmt.Errorf("%w: %d bytes of text, and keys are not strings", fromfile.ErrInvalid, used)
	case h.region != nil:
		return errors.New("the heap is not empty")
	case used < headerBytes || used > maxBytes || used%unit != 0:
		return fmt.Errorf("%w: %d bytes of text are impossible", fromfile.ErrInvalid, used)
	}
	h.most = max(h.most, uintptr(used))
	if err := h.start(); err != nil {
		return err
	}
	err := fill(h.region)
	h.follow()
	if err == nil && (used > h.limit || uint64(h.region.Committed()) < used) {
		err = fmt.Errorf("%w: %d bytes, and memory for %d", ErrFull, used, h.region.Committed())
	}
	if err != nil {
		return errors.Join(err, h.Close())
	}
	h.used, h.dead = used, min(dead, used)
	h.filled = unknown()
	return nil
}
