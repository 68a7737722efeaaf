package flatimpl

import (
	"math/bits"
	"slices"
)

// A move records new positions: those of the records from index from on, up to end, change by the
// offset by, modulo 2^32. Records between the end of a move and the next are gone.
type move struct{ from, end, by uint32 }

// to returns the new position of the first record.
func (m *move) to() uint32 { return m.from + m.by }

// moves are sorted. The ranks find one without a search: for each word of the tree there is a bit
// that says whether a move starts there, and for each 64 words how many start before.
type moves struct {
	list  []move
	ranks []rank
}

// reset removes all moves and keeps the memory. A move of the word 0 begins the list.
func (m *moves) reset() { m.list = append(m.list[:0], move{0, 1, 0}) }

// index computes the ranks, in a tree of that many words.
func (m *moves) index(words int) {
	need := words/64 + 1
	m.ranks = slices.Grow(m.ranks[:0], need)[:need]
	clear(m.ranks)
	for i := range m.list {
		at := m.list[i].from
		m.ranks[at/64].starts |= 1 << (at % 64)
	}
	before := uint32(0)
	for i := range m.ranks {
		m.ranks[i].before = before
		before += uint32(bits.OnesCount64(m.ranks[i].starts))
	}
}

// find returns the last move that starts at r or before.
func (m *moves) find(r uint32) *move {
	k := &m.ranks[r/64]
	return &m.list[k.before+uint32(bits.OnesCount64(k.starts<<(63-r%64)))-1]
}
