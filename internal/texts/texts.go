// Package texts stores byte strings ("texts") of any length in a memory region outside the Go heap,
// and identifies each by a 32-bit Ref. Freed memory is reused.
//
// # Layout
//
// The size of a block is a multiple of 4 bytes. A Ref is the offset of a block in units of 4 bytes,
// so a heap is limited to 16 GiB. A block contains the length of its text, as a varint, followed by
// the text. Therefore, the cost of a text is its bytes, one byte for its length (two for 128 bytes
// or more), and the unused rest of the block. Block sizes are the multiples of 4 from 8 to 64, and
// then eight sizes for each doubling. The empty text is Ref 0, and costs nothing.
//
//	0           header      used                        committed
//	| free lists | block | block | dead block | block |  fresh  ...
//
// A dead block begins with a zero byte, which distinguishes it from the block of a text, followed
// by its size and the Refs of its neighbors in the list of its size class. The list heads are in
// the header, so that only the first Used bytes of the region must be saved. Adjacent dead blocks
// are merged (see dead.go). Otherwise, texts whose lengths change over time would leave memory that
// is too fragmented to be reused.
//
// # Adversarial memory
//
// The memory may come from a file that was manipulated. Even if a Ref or the contents of the memory
// are invalid, each call terminates and accesses only the first Used bytes. It may return wrong
// texts, or false. The number of used bytes is stored in the Heap itself and never read from this
// memory.
//
// # Concurrency
//
// A Heap may be used by one goroutine at a time, or by several goroutines that call only Bytes,
// Equal and From.
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

// A Ref identifies a text in a Heap. Ref 0 is the empty text.
type Ref = uint32

// Unit is the number of bytes in one unit of a Ref.
const Unit = 4

// ErrFull is wrapped by errors that report a lack of room for texts.
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

// A Heap stores texts. The zero Heap is not usable; use Open. A nil *Heap stands for the heap of a
// container without texts. It supports only Memory, Used, Dead, Committed, Contents, Reset, Close,
// Clone, NewChecker, and Load of zero bytes.
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

	// Owner returns the address of the owner's reference to a text, so that the heap can move the
	// text and update the reference. It returns nil if the owner has no such reference. If the
	// field Owner is nil, texts are never moved.
	Owner func(text []byte, ref Ref) *Ref

	account *vmem.Account
	huge    vmem.HugePages
	most    uintptr // address space to reserve, in bytes
	watched bool
}

// Open returns an empty heap. The heap reserves up to most bytes of address space when the first
// text is stored. If most is 0, the default is used.
func Open(most uintptr, huge vmem.HugePages, account *vmem.Account) *Heap {
	if most == 0 {
		most = vmem.DefaultSize()
	}
	return &Heap{account: account, huge: huge, most: max(most, headerBytes+unit)}
}

// Watch makes it safe to read texts without a lock and validate the results afterwards: such reads
// never fault, not even after Close. It must be called before the first text is stored.
func (h *Heap) Watch() { h.watched = true }

// Memory returns the memory of the heap that can be read, or nil if no text was ever stored. Put,
// PutString, Room, Free, Load and Close may change the result. In a watched heap, earlier results
// can still be read, but their contents are undefined.
func (h *Heap) Memory() []byte {
	if h == nil || h.region == nil {
		return nil
	}
	return h.memory[:h.region.Committed()]
}

// Used returns the number of bytes at the start of the region that are in use for the header and
// the blocks. It is 0 if no text was ever stored.
func (h *Heap) Used() uint64 {
	if h == nil {
		return 0
	}
	return h.used
}

// Dead returns the number of bytes in dead blocks, that is, in blocks that were freed and have not
// been reused.
func (h *Heap) Dead() uint64 {
	if h == nil {
		return 0
	}
	return h.dead
}

// Committed returns the number of committed bytes of the region.
func (h *Heap) Committed() uintptr {
	if h == nil || h.region == nil {
		return 0
	}
	return h.region.Committed()
}

// classOf returns the smallest size class whose blocks have at least n bytes.
func classOf(n uint64) int {
	if n <= linear*unit {
		return int((n+unit-1)/unit) - 1
	}
	shift := bits.Len64(n-1) - 4 // (n-1)>>shift is from 8 to 15
	return linear + (shift-3)*perStep + int((n-1)>>shift) - 8
}

// sizeOf returns the block size of a class, in bytes.
func sizeOf(class int) uint64 {
	if class < linear {
		return uint64(class+1) * unit
	}
	class -= linear
	return uint64(class%perStep+9) << (class/perStep + 3)
}

// blockOf returns the size class of the block for a text of n bytes.
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

// Put copies a text into the heap and returns its Ref. If Put fails, the error wraps ErrFull, and
// the heap is unchanged.
func (h *Heap) Put(text []byte) (Ref, error) { return put(h, text) }

// PutString is like Put, but takes a string.
func (h *Heap) PutString(text string) (Ref, error) { return put(h, text) }

// PutLocal is like PutString, but the string does not escape, so it may be on the caller's stack.
// The compiler can prove this here, but not if it inlines the generic put into another package.
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

// HeadBytes is the size, in bytes, of the head that PutHeaded stores before a text.
const HeadBytes = 8

// PutHeaded is like Put, but the stored text begins with head, a number in little-endian order. The
// owner uses this number to find its reference to the text.
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

// Room allocates a text of at least n bytes, whose length is the number of bytes that fit in its
// block. The bytes are undefined, and the caller may write them at any time. start is the offset of
// the first byte in the block, as in From.
func (h *Heap) Room(n int) (ref Ref, start int, err error) {
	if ref, err = h.alloc(max(n, 1)); err != nil {
		return 0, 0, err
	}
	size := sizeOf(blockOf(max(n, 1)))
	start = binary.PutUvarint(h.memory[uint64(ref)*unit:], size-uint64(varintLen(size-1)))
	return ref, start, nil
}

// From returns the bytes of the heap from the given offset in a block onwards. The block begins
// with the length of its text. From returns nil if the heap ends before the offset. It lets a
// caller read parts of a text without decoding its length.
func (h *Heap) From(ref Ref, offset int) []byte {
	at := uint64(ref)*unit + uint64(offset)
	if at >= h.used || at < headerBytes {
		return nil
	}
	return h.memory[at:h.used:h.used]
}

// alloc allocates a block for a text of n bytes.
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

// fresh allocates a block from memory that was not used before.
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

// start reserves the region, unless it is already reserved.
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

// follow updates the fields that depend on the region, because the region may have moved.
func (h *Heap) follow() {
	h.memory, h.moves = bytesOf(h.region), h.region.IsSmall()
	h.limit = min(uint64(h.most), uint64(h.region.Size()), maxBytes)
}

// Bytes returns the bytes of a text without copying them. It returns false if the heap has no such
// text. The bytes must not be modified. They are valid until the text is freed or the heap is reset
// or closed; in a heap with an Owner, any change to the heap may move the text and invalidates
// them. For texts of less than 128 bytes, Bytes is inlined.
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

// length decodes the varint of a text of 128 bytes or more. It returns the length of the text and
// the offset at which the text starts. If the varint is invalid, it returns a length that exceeds
// the heap.
func (h *Heap) length(at uint64) (n, start uint64) {
	n, width := binary.Uvarint(h.memory[at:min(at+5, h.used)])
	if width <= 0 || n > maxText {
		return h.used, at + 1
	}
	return n, at + uint64(width)
}

// Equal reports whether the text of a Ref equals the given string.
func (h *Heap) Equal(ref Ref, text string) bool {
	at := uint64(ref) * unit
	if ref != 0 && at >= headerBytes && at < h.used && len(text) < 1<<7 {
		return h.memory[at] == byte(len(text)) && uint64(len(text)) < h.used-at && string(h.memory[at+1:at+1+uint64(len(text))]) == text
	}
	b, ok := h.Bytes(ref)
	return ok && string(b) == text
}

// EqualIn is like Equal, for callers that do not hold a lock but have the result of Memory. It
// reads only this memory, whatever its contents are.
func EqualIn(memory []byte, ref Ref, text string) bool {
	at, n := uint64(ref)*unit, uint64(len(text))
	if n >= 1<<7 || ref == 0 {
		return equalLong(memory, ref, text)
	}
	// The bounds are checked against the size of the memory, not against the stored length, which
	// may have changed.
	return at < uint64(len(memory)) && n < uint64(len(memory))-at && memory[at] == byte(n) && string(memory[at+1:at+1+n]) == text
}

// equalLong implements EqualIn for the empty text and for texts of 128 bytes or more.
func equalLong(memory []byte, ref Ref, text string) bool {
	if ref == 0 {
		return text == ""
	}
	var length [binary.MaxVarintLen64]byte
	w := uint64(binary.PutUvarint(length[:], uint64(len(text))))
	at, n := uint64(ref)*unit, w+uint64(len(text))
	return at < uint64(len(memory)) && n <= uint64(len(memory))-at && string(memory[at:at+w]) == string(length[:w]) && string(memory[at+w:at+n]) == text
}

// Free frees the block of a text for reuse. It returns false and does nothing if the Ref is
// invalid. A Ref must not be freed twice, because two later texts would share a block.
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

// Reset removes all texts and keeps the memory for later ones.
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

// Clone returns a heap that contains the same texts with the same Refs. It copies the memory once.
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

// Contents returns the bytes that must be saved, which are the first Used bytes of the region. It
// returns nil if there are none.
func (h *Heap) Contents() []byte {
	if h == nil {
		return nil
	}
	return h.memory[:h.used:h.used]
}

// Load fills an empty heap with saved contents. used and dead are the results of Used and Dead for
// the saved heap. Load reserves a region for at least used bytes, and calls fill to commit memory
// at its start and store the contents there. The contents may be adversarial.
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
