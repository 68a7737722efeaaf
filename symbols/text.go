package symbols

import (
	"fmt"
	"slices"
	"sync/atomic"
)

// texts holds the strings of all symbols, in chunks on the Go heap that have no pointers. Strings
// are added while Table.adding is locked. Any goroutine may read them without the lock.
//
// Invariant: a byte of a chunk is written once, before an entry refers to it.
type texts struct {
	chunks  atomic.Pointer[[]string] // whole chunks, written or not; chunk 0 is not used
	used    []int                    // bytes in use in each chunk
	current []byte                   // the chunk with number last, up to the bytes in use; nil if strings are not added to it
	last    int
	bytes   int64 // total size of all chunks in bytes
}

// These are the minimum and maximum chunk sizes. A string that is longer than a quarter of the next
// chunk gets its own chunk.
const (
	leastChunk    = 4 << 10
	greatestChunk = 1 << 20
)

// A place describes the location of a string: 20 bits for the chunk number, 20 bits for the offset,
// and 24 bits for the length. It is never 0.
type place uint64

const (
	lengthBits = 24
	offsetBits = 20
	maxChunks  = 1 << 20

	// MaxBytes is the maximum length of a string, in bytes.
	MaxBytes = 1<<lengthBits - 1
)

func placeOf(chunk, offset, length int) place {
	return place(chunk)<<(lengthBits+offsetBits) | place(offset)<<lengthBits | place(length)
}

func (p place) chunk() int  { return int(p >> (lengthBits + offsetBits)) }
func (p place) offset() int { return int(p >> lengthBits & (1<<offsetBits - 1)) }
func (p place) length() int { return int(p & MaxBytes) }

// reset drops all chunks, which the collector frees when no string refers to them.
func (x *texts) reset() {
	x.chunks.Store(&[]string{""})
	x.used, x.current, x.last, x.bytes = []int{0}, nil, 0, 0
}

// at returns the string at a place, and false if the place is not valid.
func (x *texts) at(p place) (string, bool) {
	chunks := *x.chunks.Load()
	c, from, n := p.chunk(), p.offset(), p.length()
	if uint(c) >= uint(len(chunks)) || from+n > len(chunks[c]) {
		return "", false
	}
	return chunks[c][from : from+n], true
}

// add copies a string and returns its place.
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

// addChunk publishes a chunk. Concurrent readers use the list of chunks only up to its previous
// length, and that part is never written again.
func (x *texts) addChunk(chunk []byte) []byte {
	list := append(*x.chunks.Load(), view(chunk))
	x.chunks.Store(&list)
	x.used = append(x.used, 0)
	x.bytes += int64(len(chunk))
	return chunk
}

// copyFrom takes over the chunks of another table. Afterwards both tables read the chunks, but only
// the other table writes to them.
func (x *texts) copyFrom(from *texts) {
	list := slices.Clone(*from.chunks.Load())
	x.chunks.Store(&list)
	x.used, x.current, x.last, x.bytes = slices.Clone(from.used), nil, 0, from.bytes
}
