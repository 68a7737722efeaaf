package flatimpl

import (
	"math/bits"
	"slices"
)

// A rank states which of 64 words of a tree are in the set, and how many words of the set come
// before them.
type rank struct {
	starts uint64 // a bit for each word that is in the set
	before uint32 // number of words in the set that come before these 64 words
}

// A ranks is a set of words of a tree. It numbers the words in the set from 0 on, in ascending
// order. A lookup costs only a load and a population count.
type ranks struct {
	of []rank
	n  int
}

// reset removes all words and keeps the memory.
func (x *ranks) reset() { x.of, x.n = x.of[:0], 0 }

// add adds the word at i, which must come after all words in the set. The parameter words is the
// number of words of the tree.
func (x *ranks) add(i uint32, words int) {
	if len(x.of) == 0 {
		x.of = slices.Grow(x.of, words/64+1)
	}
	for int(i/64) >= len(x.of) {
		x.of = append(x.of, rank{before: uint32(x.n)})
	}
	x.of[i/64].starts |= 1 << (i % 64)
	x.n++
}

// has reports whether the word at i is in the set.
func (x *ranks) has(i uint32) bool {
	k := int(i / 64)
	return k < len(x.of) && x.of[k].starts>>(i%64)&1 != 0
}

// last returns the number of the last word in the set at or before i, or -1 if there is none.
func (x *ranks) last(i uint32) int {
	if k := int(i / 64); k < len(x.of) {
		return int(x.of[k].before) + bits.OnesCount64(x.of[k].starts<<(63-i%64)) - 1
	}
	return x.n - 1
}
