package hashmap

import (
	"math"
	"math/bits"
	"slices"
)

// A cells stores values on the Go heap, each of which has a number. The values are in chunks that
// never move. A value therefore stays in place until it is dropped; its number is then reused. The
// first chunk has eight values. Each later chunk is as long as all chunks before it together, up to
// the maximum length.
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

	// The allocator gives a chunk of more than 32 KiB its own span. The chunk fills this span if
	// its size is a power of two. For smaller chunks the allocator would waste 12 to 19 %.
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

// at returns the address of the value with a number. Even if the number comes from a damaged index,
// it never reads beyond a chunk, because chunks are slices.
func (c *cells[V]) at(n uint32) *V {
	if n>>c.log != 0 {
		return &c.chunks[uint32(c.short())+n>>c.log][n&(1<<c.log-1)]
	}
	i := bits.Len32(n / firstCells)
	return &c.chunks[i][n-4<<i&^7]
}

// short returns the number of chunks that are shorter than the maximum length. It does not count
// the first chunk.
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

// full reports whether all numbers are in use, so that no value can be added.
func (c *cells[V]) full() bool { return c.used == mostCells && len(c.vacant) == 0 }

// take adds a zero value, and returns its number. The cells must not be full.
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

// drop removes a value and frees its number. It zeroes the value, so that the collector does not
// follow its pointers.
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

// clone returns a copy that has the same values under the same numbers.
func (c *cells[V]) clone() cells[V] {
	other := *c
	other.chunks, other.vacant = make([][]V, len(c.chunks)), slices.Clone(c.vacant)
	for i, chunk := range c.chunks {
		other.chunks[i] = append(make([]V, 0, len(chunk)), chunk...)
	}
	return other
}
