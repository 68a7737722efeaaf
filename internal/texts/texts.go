// Package texts stores byte strings ("texts") of any length in one region of memory outside the Go
// heap, and identifies each by 32 bits. Freed memory is reused.
//
// # Layout
//
// The size of a block is a multiple of 4 bytes, and a Ref is its offset in units of 4 bytes, so a
// heap is limited to 16 GiB. A block contains the length of its text, as a varint, and the text. A
// text therefore costs its bytes, one byte for its length (two from 128 on), and the unused rest of
// the block. Block sizes are the multiples of 4 from 8 to 64, and then eight sizes for each
// doubling. The empty text is Ref 0, and costs nothing.
//
//	0           header      used                        committed
//	| free lists | block | block | dead block | block |  fresh  ...
//
// A dead block begins with a byte 0, unlike the block of any text, followed by its size and the
// Refs of its neighbors in the list of its size. The list heads are in the header, so that only the
// first Used bytes of the region must be saved. Adjacent dead blocks are merged (dead.go), so that
// texts whose lengths change over time do not leave memory behind that is too fragmented to be
// reused.
//
// # Adversarial memory
//
// The memory may come from a file that was manipulated. Even if a Ref or the contents of the memory
// are invalid, each call accesses only the first Used bytes, and terminates. It may then return
// wrong texts, or false. The number of used bytes is stored in the Heap itself and never read from
// that memory.
//
// # Concurrency
//
// A Heap may be used by one goroutine at a time, or by several that only call Bytes, Equal and
// From.
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

// A Ref identifies a text of a Heap. 0 is the empty text.
type Ref = uint32

// Unit is the unit of Refs in bytes.
const Unit = 4

// ErrFull is wrapped by errors that report that there is no room for a text.
var ErrFull = errors.New("no room for text")

const (
	unit     = Unit
	maxBytes = unit << 32 // the maximum size of a heap
	maxText  = 1 << 30    // the maximum length of a text

	linear  = 16 // size classes 0 to 15 have 4 to 64 bytes; 0 has no blocks
	perStep = 8  // size classes for each doubling above
	classes = linear + perStep*26

	headerBytes = 1024 // the free lists, four bytes for each class
)

// A Heap holds texts. The zero Heap is not usable; Open returns a usable one. A nil *Heap belongs
// to an owner without texts. It supports only Memory, Used, Dead, Committed, Contents, Reset,
// Close, Clone, NewChecker, and Load of zero bytes.
type Heap struct {
	region *vmem.Region // nil until the first text
	memory []byte       // the region, committed or not
	moves  bool         // the region is small, and a commit may move it
	used   uint64       // bytes from the start that are header or blocks
	dead   uint64       // bytes of dead blocks
	filled filled       // the lists of dead blocks that are not empty
	tiny   tinySet      // dead blocks that are in no list
	hand   uint64       // the block where the next sweep begins; 0 for the first
	limit  uint64       // maximum of used

	// Owner returns the address of the owner's reference to a text, so that the heap may move the
	// text and update the reference. It returns nil if there is none. Without an Owner, texts do
	// not move.
	Owner func(text []byte, ref Ref) *Ref

	account *vmem.Account
	huge    vmem.HugePages
	most    uintptr // address space to reserve, in bytes
	watched bool
}

// Open returns an empty heap that reserves up to most bytes of address space when its first text is
// stored; 0 means the default.
func Open(most uintptr, huge vmem.HugePages, account *vmem.Account) *Heap {
	if most == 0 {
		most = vmem.DefaultSize()
	}
	return &Heap{account: account, huge: huge, most: max(most, headerBytes+unit)}
}

// Watch must be called before the first text is stored if goroutines will read texts without a lock
// and validate the result afterwards. Their accesses then never fault, not even after Close.
func (h *Heap) Watch() { h.watched = true }

// Memory returns the bytes that can be read, or nil if there never was a text. Put, PutString,
// Room, Free, Load and Close can change the result. Earlier results can still be read in a watched
// heap, but have undefined contents.
func (h *Heap) Memory() []byte {
	if h == nil || h.region == nil {
		return nil
	}
	return h.memory[:h.region.Committed()]
}

// Used returns the number of bytes from the start of the region that hold texts, or 0 if there
// never was one.
func (h *Heap) Used() uint64 {
	if h == nil {
		return 0
	}
	return h.used
}

// Dead returns the number of bytes in blocks that were freed and not reused.
func (h *Heap) Dead() uint64 {
	if h == nil {
		return 0
	}
	return h.dead
}

// Committed returns the number of committed bytes.
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
	shift := bits.Len64(n-1) - 4 // (n-1)>>shift is from 8 to 15
	return linear + (shift-3)*perStep + int((n-1)>>shift) - 8
}

// sizeOf returns the size in bytes of the blocks of a class.
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

// Put copies a text into the heap, and returns its Ref. If it fails, the error wraps ErrFull, and
// nothing changes.
func (h *Heap) Put(text []byte) (Ref, error) { return put(h, text) }

// PutString is like Put for a string.
func (h *Heap) PutString(text string) (Ref, error) { return put(h, text) }

// PutLocal is like PutString for a string on the stack: here the compiler proves that the string
// does not escape, which it cannot prove when it inlines the generic put into another package.
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

// HeadBytes is the size in bytes of the number at the start of a text that PutHeaded stored.
const HeadBytes = 8

// PutHeaded is like Put, but the text begins with the number head, in little-endian order. The
// owner uses the number to find its reference to the text.
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

// Room allocates a text of at least n bytes: as many bytes as fit into its block. The bytes are
// undefined, and the caller may write them at any time. start is the offset of the first byte, as
// in From.
func (h *Heap) Room(n int) (ref Ref, start int, err error) {
	if ref, err = h.alloc(max(n, 1)); err != nil {
		return 0, 0, err
	}
	size := sizeOf(blockOf(max(n, 1)))
	start = binary.PutUvarint(h.memory[uint64(ref)*unit:], size-uint64(varintLen(size-1)))
	return ref, start, nil
}

// From returns all bytes of the heap after the first offset bytes of a block, which begins with the
// length of its text. It returns nil if the heap ends before that offset. A caller can thus read
// parts of a text without its length.
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
		return 0, fmt.Errorf("%w: %d bytes, but a text has at most %d", ErrFull, n, maxText)
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
	if err != nil && h.dead > 0 { // then a sweep of the whole heap
		h.hand = 0
		h.sweep(h.used)
		if ref := h.reuse(class); ref != 0 {
			return ref, nil
		}
	}
	return ref, err
}

// fresh returns a block of memory that was not used before.
func (h *Heap) fresh(size uint64) (Ref, error) {
	if err := h.start(); err != nil {
		return 0, err
	}
	used := max(h.used, headerBytes)
	if size > h.limit-used {
		return 0, fmt.Errorf("%w: %d of the maximum %d bytes are used", ErrFull, used, h.limit)
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

// start reserves the region.
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

// follow updates the address of the region, which may have moved.
func (h *Heap) follow() {
	h.memory, h.moves = bytesOf(h.region), h.region.IsSmall()
	h.limit = min(uint64(h.most), uint64(h.region.Size()), maxBytes)
}

// Bytes returns the bytes of a text without a copy, and false if the heap has no such text. They
// must not be written, and are valid until Free of the text, Reset or Close or, with an Owner,
// until any change to the heap, which may move the text. It inlines for texts of less than 128
// bytes.
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

// length decodes the varint of a long text, and returns the length of the text and the offset at
// which it starts. For an invalid varint it returns a length greater than the heap.
func (h *Heap) length(at uint64) (n, start uint64) {
	n, width := binary.Uvarint(h.memory[at:min(at+5, h.used)])
	if width <= 0 || n > maxText {
		return h.used, at + 1
	}
	return n, at + uint64(width)
}

// Equal reports whether the text of a Ref equals the given one.
func (h *Heap) Equal(ref Ref, text string) bool {
	at := uint64(ref) * unit
	if ref != 0 && at >= headerBytes && at < h.used && len(text) < 1<<7 {
		return h.memory[at] == byte(len(text)) && uint64(len(text)) < h.used-at && string(h.memory[at+1:at+1+uint64(len(text))]) == text
	}
	b, ok := h.Bytes(ref)
	return ok && string(b) == text
}

// EqualIn is like Equal for callers that have the result of Memory, but no lock: it reads only that
// memory, whatever its contents are.
func EqualIn(memory []byte, ref Ref, text string) bool {
	at, n := uint64(ref)*unit, uint64(len(text))
	if n >= 1<<7 || ref == 0 {
		return equalLong(memory, ref, text)
	}
	// The bounds come from the size of the memory, not from the length stored in it, which may have
	// changed.
	return at < uint64(len(memory)) && n < uint64(len(memory))-at && memory[at] == byte(n) && string(memory[at+1:at+1+n]) == text
}

// equalLong implements EqualIn for texts of 128 bytes and more, and for the empty one.
func equalLong(memory []byte, ref Ref, text string) bool {
	if ref == 0 {
		return text == ""
	}
	var length [binary.MaxVarintLen64]byte
	w := uint64(binary.PutUvarint(length[:], uint64(len(text))))
	at, n := uint64(ref)*unit, w+uint64(len(text))
	return at < uint64(len(memory)) && n <= uint64(len(memory))-at && string(memory[at:at+w]) == string(length[:w]) && string(memory[at+w:at+n]) == text
}

// Free releases the block of a text for reuse. For a Ref that is not valid, it does nothing and
// returns false. A Ref must not be freed twice: two later texts would share a block.
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
	if h.used > 0 { // otherwise no text was ever stored, though address space may be reserved
		clear(h.memory[:headerBytes])
		h.used = headerBytes
	}
	h.dead, h.hand, h.filled, h.tiny = 0, 0, filled{}, tinySet{}
}

// Close releases the memory. A second Close does nothing. The heap can be used again.
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

// Clone returns a heap with the same texts under the same Refs. It copies the memory once.
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
		return nil, errors.Join(fmt.Errorf("%w: %d bytes, but address space for only %d", ErrFull, h.used, clone.limit), clone.Close())
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

// Contents returns the bytes that must be saved, or nil if there are none: the first Used bytes of
// the region.
func (h *Heap) Contents() []byte {
	if h == nil {
		return nil
	}
	return h.memory[:h.used:h.used]
}

// Load fills an empty heap with the contents of a heap with the given Used and Dead. It reserves a
// region for at least used bytes, and calls fill to commit memory at its start and store the
// contents there. The contents may be adversarial.
func (h *Heap) Load(used, dead uint64, fill func(*vmem.Region) error) error {
	switch {
	case used == 0:
		return nil
	case h == nil:
		return fmt.Errorf("%w: the file has %d bytes of string data, but the container stores no strings", fromfile.ErrInvalid, used)
	case h.region != nil:
		return errors.New("the heap is not empty")
	case used < headerBytes || used > maxBytes || used%unit != 0:
		return fmt.Errorf("%w: invalid size of the string data: %d bytes", fromfile.ErrInvalid, used)
	}
	h.most = max(h.most, uintptr(used))
	if err := h.start(); err != nil {
		return err
	}
	err := fill(h.region)
	h.follow()
	if err == nil && (used > h.limit || uint64(h.region.Committed()) < used) {
		err = fmt.Errorf("%w: %d bytes, but memory for only %d", ErrFull, used, h.region.Committed())
	}
	if err != nil {
		return errors.Join(err, h.Close())
	}
	h.used, h.dead = used, min(dead, used)
	h.filled = unknown()
	return nil
}
