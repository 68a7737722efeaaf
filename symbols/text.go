package symbols

import (
	"fmt"
	"slices"
	"sync/atomic"
)

// texts holds the text of all symbols, in chunks of the Go heap that have no pointers. Text is
// added under Table.adding and read by anybody.
//
// Invariant: a byte of a chunk is written once, before the place of its text is in an entry.
type texts struct {
	chunks  atomic.Pointer[[]string] // all of each chunk, written or not; number 0 is none
	used    []int                    // bytes of each chunk that are text
	current []byte                   // the chunk with number last, up to what is used; nil if no text goes there
	last    int
	bytes   int64 // of all chunks
}

// Sizes of chunks. A text longer than a quarter of the next chunk gets one of its own.
const (
	leastChunk    = 4 << 10
	greatestChunk = 1 << 20
)

// A place says where a text is: 20 bits of a chunk's number, 20 of an offset, 24 of a length. It is
// never 0.
type place uint64

const (
	lengthBits = 24
	offsetBits = 20
	maxChunks  = 1 << 20

	// MaxBytes is the greatest length of a text, in bytes.
	MaxBytes = 1<<lengthBits - 1
)

func placeOf(chunk, offset, length int) place {
	return place(chunk)<<(lengthBits+offsetBits) | place(offset)<<lengthBits | place(length)
}

func (p place) chunk() int  { return int(p >> (lengthBits + offsetBits)) }
func (p place) offset() int { return int(p >> lengthBits & (1<<offsetBits - 1)) }
func (p place) length() int { return int(p & MaxBytes) }

// reset forgets all chunks, which the collector frees when nobody has a string of them.
func (x *texts) reset() {
	x.chunks.Store(&[]string{""})
	x.used, x.current, x.last, x.bytes = []int{0}, nil, 0, 0
}

// at returns the text at a place, and false if there is no such place.
func (x *texts) at(p place) (string, bool) {
	chunks := *x.chunks.Load()
	c, from, n := p.chunk(), p.offset(), p.length()
	if uint(c) >= uint(len(chunks)) || from+n > len(chunks[c]) {
		return "", false
	}
	return chunks[c][from : from+n], true
}

// add copies a text and returns its place.
func (x *texts) add(text string) (place, error) {
	if len(text) > MaxBytes {
		return 0, fmt.Errorf("a text of %d bytes, more than %d", len(text), MaxBytes)
	}
	if x.current == nil || len(text) > cap(x.current)-len(x.current) {
		size := min(leastChunk<<min(len(x.used)-1, 20), greatestChunk)
		own := len(text) > size/4
		if own {
			size = max(len(text), 1)
		}
		if len(x.used) == maxChunks {
			return 0, fmt.Errorf("%w: %d chunks of text", ErrFull, maxChunks)
		}
		chunk := x.addChunk(make([]byte, size))
		if own {
			copy(chunk, text)
			x.used[len(x.used)-1] = len(text)
			return placeOf(len(x.used)-1, 0, len(text)), nil
		}
		x.current, x.last = chunk[:0], len(x.used)-1
	}
	offset := len(x.current)
	x.current = append(x.current, text...)
	x.used[x.last] = len(x.current)
	return placeOf(x.last, offset, len(text)), nil
}

// addChunk publishes a chunk. Readers have the list up to its length of before, which is not
// written again.
func (x *texts) addChunk(chunk []byte) []byte {
	list := append(*x.chunks.Load(), view(chunk))
	x.chunks.Store(&list)
	x.used = append(x.used, 0)
	x.bytes += int64(len(chunk))
	return chunk
}

// copyFrom takes over the chunks of another, which both read from now on and only the other writes
// to.
func (x *texts) copyFrom(from *texts) {
	list := slices.Clone(*from.chunks.Load())
	x.chunks.Store(&list)
	x.used, x.current, x.last, x.bytes = slices.Clone(from.used), nil, 0, from.bytes
}
