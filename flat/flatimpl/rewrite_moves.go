package flatimpl

// A move describes the new positions of adjacent records, which start at the index from and end
// before the index end. The field by is added to their indexes, modulo 2^32. Records between the
// end of a move and the start of the next move are removed.
type move struct{ from, end, by uint32 }

// to returns the new position of the first record of the move.
func (m *move) to() uint32 { return m.from + m.by }

// A moves is a sorted list of moves. Its index allows find to return a move without a search.
type moves struct {
	list  []move
	ranks ranks // the words where moves start
}

// reset removes all moves and keeps the memory. The list then begins with a move of the word 0,
// which stays in place.
func (m *moves) reset() { m.list = append(m.list[:0], move{0, 1, 0}) }

// index prepares the moves for calls to find, in a tree of the given number of words.
func (m *moves) index(words int) {
	m.ranks.reset()
	for i := range m.list {
		m.ranks.add(m.list[i].from, words)
	}
}

// find returns the last move that starts at or before r.
func (m *moves) find(r uint32) *move { return &m.list[m.ranks.last(r)] }
