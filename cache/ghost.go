package cache

import "math/bits"

// A ghost is the ghost queue of S3-FIFO: it stores the hashes of recently evicted entries, about as
// many as the shard has entries. It is a table of words without links, in buckets of eight; a new
// word replaces the oldest of its bucket. A word contains 15 bits of the hash, the kind (how the
// entry was used), and the time at which the hash was added. The authors of S3-FIFO use the same
// structure.
//
// Time is measured in ticks. About 200 ticks pass while as many hashes are added as the ghost has
// words. Tick numbers have 16 bits and wrap around, but a word is usually replaced long before its
// tick number recurs. A word that is not replaced in time looks like a recent addition; the only
// cost is the memory of the word.
type ghost struct {
	words []uint32 // a word of 0 is empty
	added uint64
	shift uint // log2 of the number of additions per tick
}

const (
	ghostWays = 8
	first     = 1 // initial value of ghost.added
)

// A kind records how an evicted entry was used.
type kind uint32

const (
	unused kind = iota // used at most once, soon after it was added
	used               // used more often, or again after an earlier eviction
)

// kindBit is the bit of a ghost word that stores the kind.
const kindBit = 1 << 16

func newGhost(words []uint32) ghost {
	clear(words)
	return ghost{words: words, added: first, shift: uint(max(bits.Len(uint(len(words)))-8, 0))}
}

func (g *ghost) bucket(h uint64) []uint32 {
	n := uint64(len(g.words) / ghostWays)
	return g.words[uint64(uint32(h))*n>>32*ghostWays:][:ghostWays]
}

// mark returns the bits of a hash that are stored in a word. They are taken from the half of the
// hash that does not select the bucket.
func mark(h uint64) uint32 { return uint32(h>>16) &^ 0x1FFFF }

// age returns the age of a word in ticks.
func (g *ghost) age(word uint32) uint16 { return uint16(g.added>>g.shift) - uint16(word) }

// add adds the hash of an evicted entry, and replaces the oldest word of its bucket.
func (g *ghost) add(h uint64, k kind) {
	b := g.bucket(h)
	oldest := 0
	for i, w := range b {
		if w == 0 || w&^0x1FFFF == mark(h) {
			oldest = i
			break
		}
		if g.age(w) > g.age(b[oldest]) {
			oldest = i
		}
	}
	b[oldest] = mark(h) | uint32(k)*kindBit | uint32(uint16(g.added>>g.shift))
	g.added++
}

// forget removes a hash, and reports whether it was among the last n additions. It also returns the
// kind of the hash, and the approximate number of additions since the hash was added.
func (g *ghost) forget(h uint64, n int) (k kind, ago uint64, ok bool) {
	b := g.bucket(h)
	for i, w := range b {
		if w != 0 && w&^0x1FFFF == mark(h) {
			b[i] = 0
			return kind(w / kindBit & 1), uint64(g.age(w)) << g.shift, uint64(g.age(w)) <= uint64(n)>>g.shift
		}
	}
	return 0, 0, false
}
