package hashmap

import (
	"math"
	"math/bits"
	"slices"
)

// cells are numbered values on the Go heap. They are stored in chunks that never move: a value
// stays in place until it is dropped, and its number is then reused. The first chunk has eight
// values, and each later chunk is as long as all chunks before it together, up to the maximum
// length.
type cells[V any] struct {
	chunks [][]V
	vacant []uint32 // numbers of dropped values, all below used
	used   uint32   // how many numbers were issued so far
	slots  uint64   // how many values the chunks have room for
	log    uint8    // log2 of the maximum length of a chunk
}

const (
	firstCells = 8
	mostCells  = math.MaxUint32 // exclusive upper bound of the numbers

	// A chunk of more than 32 KiB has a span of its own, which it fills if its size is a power of
	// two. For smaller chunks the allocator would waste 12 to 19 %.
	cellBytes    = 64 << 10
	mostCellsLog = 13
)

func cellsOf[V any]() (c cells[V]) {
	c.log = mostCellsLog
	for c.log > 0 && uint64(sizeOf[V]())<<c.log > cellBytes {
		c.log--
	}
	return c
}

// at returns the address of a value. It never reads beyond a chunk, whatever the number is, because
// chunks are slices.
func (c *cells[V]) at(n uint32) *V {
	if n>>c.log != 0 {
		return &c.chunks[uint32(c.short())+n>>c.log][n&(1<<c.log-1)]
	}
	i := bits.Len32(n / firstCells)
	return &c.chunks[i][n-4<<i&^7]
}

// short returns the number of chunks, not counting the first, that are shorter than the maximum
// length.
func (c *cells[V]) short() uint8 { return max(c.log, 3) - 3 }

// grow adds a chunk.
func (c *cells[V]) grow() {
	n := uint64(1) << c.log
	if len(c.chunks) <= int(c.short()) {
		n = min(n, max(firstCells, c.slots))
	}
	c.chunks = append(c.chunks, make([]V, n))
	c.slots += n
}

// full reports whether no number is left for another value.
func (c *cells[V]) full() bool { return c.used == mostCells && len(c.vacant) == 0 }

// take returns the number of a zero value. The cells must not be full.
func (c *cells[V]) take() uint32 {
	if last := len(c.vacant) - 1; last >= 0 {
		n := c.vacant[last]
		c.vacant = c.vacant[:last]
		return n
	}
	if uint64(c.used) == c.slots {
		c.grow()
	}
	c.used++
	return c.used - 1
}

// drop zeroes a value, so that the collector does not follow it, and frees its number.
func (c *cells[V]) drop(n uint32) {
	*c.at(n) = *new(V)
	c.vacant = append(c.vacant, n)
}

// reset drops all values.
func (c *cells[V]) reset() {
	left := uint64(c.used)
	for _, chunk := range c.chunks {
		n := min(left, uint64(len(chunk)))
		clear(chunk[:n])
		left -= n
	}
	c.vacant, c.used = c.vacant[:0], 0
}

// clone returns cells with the same values under the same numbers.
func (c *cells[V]) clone() cells[V] {
	other := *c
	other.chunks, other.vacant = make([][]V, len(c.chunks)), slices.Clone(c.vacant)
	for i, chunk := range c.chunks {
		other.chunks[i] = append(make([]V, 0, len(chunk)), chunk...)
	}
	return other
}
