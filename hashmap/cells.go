package hashmap

import (
	"math"
	"math/bits"
	"slices"
)

// A cells stores values on the Go heap and assigns each of them a number. The values are in chunks
// that never move, so a value keeps its address until it is dropped. Its number is then reused. The
// first chunk has room for eight values. Each later chunk is as long as all earlier chunks
// together, up to the maximum length.
type cells[V any] struct {
	chunks [][]V
	vacant []uint32 // numbers of dropped values, all less than used
	used   uint32   // count of the numbers that were issued so far
	slots  uint64   // capacity of the chunks, in values
	log    uint8    // log2 of the maximum length of a chunk
}

const (
	firstCells = 8
	mostCells  = math.MaxUint32 // exclusive upper bound of the numbers

	// The Go allocator allocates a chunk of more than 32 KiB in a span of its own. If the size of
	// the chunk is a power of two, it fills the span. With smaller chunks, 12 to 19 % of the memory
	// would be wasted.
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

// at returns the address of value number n. Whatever n is, at never accesses memory outside a
// chunk, because chunks are slices.
func (c *cells[V]) at(n uint32) *V {
	if n>>c.log != 0 {
		return &c.chunks[uint32(c.short())+n>>c.log][n&(1<<c.log-1)]
	}
	i := bits.Len32(n / firstCells)
	return &c.chunks[i][n-4<<i&^7]
}

// short returns the number of chunks that are shorter than the maximum length, not counting the
// first chunk.
func (c *cells[V]) short() uint8 { return max(c.log, 3) - 3 }

// grow allocates another chunk.
func (c *cells[V]) grow() {
	n := uint64(1) << c.log
	if len(c.chunks) <= int(c.short()) {
		n = min(n, max(firstCells, c.slots))
	}
	c.chunks = append(c.chunks, make([]V, n))
	c.slots += n
}

// full reports whether all possible numbers are in use, so that no value can be added.
func (c *cells[V]) full() bool { return c.used == mostCells && len(c.vacant) == 0 }

// take adds a zero value and returns its number. It must not be called if the cells are full.
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

// drop removes value number n and frees its number. It zeroes the value, so that the collector does
// not follow its pointers.
func (c *cells[V]) drop(n uint32) {
	*c.at(n) = *new(V)
	c.vacant = append(c.vacant, n)
}

// reset drops all values and keeps the chunks.
func (c *cells[V]) reset() {
	left := uint64(c.used)
	for _, chunk := range c.chunks {
		n := min(left, uint64(len(chunk)))
		clear(chunk[:n])
		left -= n
	}
	c.vacant, c.used = c.vacant[:0], 0
}

// clone returns a copy of the cells, in which each value has the same number.
func (c *cells[V]) clone() cells[V] {
	other := *c
	other.chunks, other.vacant = make([][]V, len(c.chunks)), slices.Clone(c.vacant)
	for i, chunk := range c.chunks {
		other.chunks[i] = append(make([]V, 0, len(chunk)), chunk...)
	}
	return other
}
