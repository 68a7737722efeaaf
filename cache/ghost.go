package cache

import "math/bits"

// A ghost remembers the hashes of entries that were evicted recently: about as many as the shard
// has entries. It is a table of words without links, in buckets of eight, of which the oldest is
// replaced: 15 bits of hash, the kind, and when it was added. That is how the authors of S3-FIFO
// store theirs.
//
// Time is counted in ticks, of which the ghost's length has some 200, in 16 bits that wrap. Words
// are replaced long before their tick comes again; one that is not is a wrong guess, which costs
// nothing but its place.
type ghost struct {
	words []uint32 // 0 is empty
	added uint64
	shift uint // additions of a tick, as a power of two
}

const (
	ghostWays = 8
	first     = 1 // how many additions a ghost counts before there was one
)

// A kind says how an evicted entry had been used.
type kind uint32

const (
	unused kind = iota // at most once, soon after it was put there
	used               // more often, or again after it had been evicted before
)

// kindBit is that of a word of the ghost.
const kindBit = 1 << 16

func newGhost(words []uint32) ghost {
	clear(words)
	return ghost{words: words, added: first, shift: uint(max(bits.Len(uint(len(words)))-8, 0))}
}

func (g *ghost) bucket(h uint64) []uint32 {
	n := uint64(len(g.words) / ghostWays)
	return g.words[uint64(uint32(h))*n>>32*ghostWays:][:ghostWays]
}

// mark is what a word has of a hash. It shares no bit with the half of the hash that chooses a
// bucket.
func mark(h uint64) uint32 { return uint32(h>>16) &^ 0x1FFFF }

// age returns how many ticks ago a word was added.
func (g *ghost) age(word uint32) uint16 { return uint16(g.added>>g.shift) - uint16(word) }

// add remembers a hash.
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

// forget reports whether a hash was among the last n that were added, takes it out, and returns its
// kind and about how many were added since.
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
