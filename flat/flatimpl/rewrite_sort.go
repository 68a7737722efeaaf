package flatimpl

import (
	"math/bits"
	"slices"
)

// A sorter moves the records of a rewritten tree to their final positions. The order is the same as
// if the rewrite had copied all records: records that a function has created come directly after
// the record that was passed to the function, and unreachable records are removed. The sorter first
// determines all new positions, so that it visits each reference only once. docs/decisions/0064
// explains the choice.
type sorter struct {
	t     *Tree
	dead  []uint64 // a bit for each word of a record that is not reachable
	moves *moves
	refs  []uint32 // the words of a record that are references, or links
	out   uint32   // where the next record goes
}

// sort sorts the records of the new tree. The set dead contains the words of the dead records, and
// n is the number of these records.
func (w *pass) sort(dead []uint64, n int) {
	t, kept := w.to, &w.b.scratch
	places := &kept.places
	s := sorter{t, dead, &kept.moves, w.refs, 1}
	s.moves.reset()
	list := slices.Grow(s.moves.list, 2*len(places.made)) // enough if dead records are beside new ones
	made := slices.Grow(kept.made[:0], len(places.made))
	at := uint32(1)
	for k, m := range places.made {
		end := uint32(len(t.words))
		if k+1 < len(places.made) {
			end = places.made[k+1].first
		}
		list = s.place(list, at, m.end)
		made = s.place(made, m.first, end)
		at = m.end
	}
	list = s.place(list, at, places.base)
	s.moves.list = append(list, made...)
	s.moves.index(len(t.words))
	if t.root != 0 {
		t.root += s.moves.find(t.root).by
	}
	kept.made, kept.stash = made, s.moveAll(s.moves.list[1:len(list)], made, kept.stash)
	t.nodes -= n
	w.refs = s.refs
}

// place appends to list the moves of the live records between the indexes first and end, and
// returns the extended list. These records come next in the new order.
func (s *sorter) place(list []move, first, end uint32) []move {
	for first < end {
		gap := nextBit(s.dead, first, end, 0)
		if gap > first {
			list = append(list, move{first, gap, s.out - first})
			s.out += gap - first
		}
		first = nextBit(s.dead, gap, end, 1<<64-1)
	}
	return list
}

// moveAll moves all records. It first copies the records that functions have created, which are
// last in the buffer, to stash. It then moves the other records, in an order in which no record is
// overwritten before it has moved.
func (s *sorter) moveAll(old, made []move, stash []uint32) []uint32 {
	words := s.t.words
	if len(made) > 0 {
		stash = slices.Grow(stash[:0], len(words)-int(made[0].from))
	}
	for k := range made {
		m := &made[k]
		s.turn(m)
		stash = append(stash, words[m.from:m.end]...)
	}
	up := false
	for k := range old {
		m := &old[k]
		s.turn(m)
		if m.to() < m.from {
			copy(words[m.to():], words[m.from:m.end])
		}
		up = up || m.to() > m.from
	}
	for k := len(old) - 1; up && k >= 0; k-- {
		if m := &old[k]; m.to() > m.from {
			copy(words[m.to():], words[m.from:m.end])
		}
	}
	rest := stash
	for k := range made {
		m := &made[k]
		n := copy(words[m.to():], rest[:m.end-m.from])
		rest = rest[n:]
	}
	s.t.words = words[:s.out]
	return stash
}

// turn updates the references and links in the records of a move, so that they contain the new
// positions of their targets.
func (s *sorter) turn(m *move) {
	t := s.t
	words, plans, sizes, linked := t.words, &t.tables.refs, &t.tables.sizes, t.tables.linked
	first, by := m.from, m.by
	if m.from == 1 && by == 0 && !linked {
		return // nothing before these records moves
	}
	for i := first; i < m.end; {
		kind := uint8(words[i])
		size := guess(sizes[kind])
		if size == 0 {
			size = t.size(i)
		}
		if size == 0 {
			panic(changedFile)
		}
		plan := &plans[kind]
		for rest := plan.fixed; rest != 0; rest &= rest - 1 {
			at := i + uint32(bits.TrailingZeros32(rest))
			if r := words[at]; r-first < at-first { // an earlier record of this move
				words[at] = r + by
			} else if r != 0 {
				words[at] = s.turned(r, i+by)
			}
		}
		if plan.far {
			s.turnFar(plan, i, m)
		}
		if linked && (plan.links != 0 || plan.farLinks) {
			s.turnLinks(plan, i, m)
		}
		i += size
	}
}

// turned returns the new position of the record at r. The parameter parent is the new position of a
// record that refers to it. turned panics if the reference does not point backward, which can occur
// if a mapped file was changed.
func (s *sorter) turned(r, parent uint32) uint32 {
	to := r + s.moves.find(r).by
	if to >= parent {
		panic(changedFile)
	}
	return to
}

// turnFar implements turn for those references of the record at i that are in slices or beyond word
// 31.
func (s *sorter) turnFar(plan *refPlan, i uint32, m *move) {
	t := s.t
	if plan.other {
		s.refs = t.refs(s.refs[:0], i, plan)
		for _, at := range s.refs {
			if r := t.words[at]; r != 0 {
				t.words[at] = s.turned(r, i+m.by)
			}
		}
		return
	}
	n, at := t.list(i, plan.list, i+plan.words)
	list := t.words[at:][:n]
	for k, r := range list {
		if r-m.from < at-m.from {
			list[k] = r + m.by
		} else if r != 0 {
			list[k] = s.turned(r, i+m.by)
		}
	}
}

// turnLinks implements turn for the links of the record at i.
func (s *sorter) turnLinks(plan *refPlan, i uint32, m *move) {
	if plan.farLinks {
		s.refs = s.t.linkRefs(s.refs[:0], i, plan)
		for _, at := range s.refs {
			s.turnLink(at, m)
		}
		return
	}
	for rest := plan.links; rest != 0; rest &= rest - 1 {
		s.turnLink(i+uint32(bits.TrailingZeros32(rest)), m)
	}
}

// turnLink implements turn for the link in the word with index at. A link to a dead record becomes
// nil.
func (s *sorter) turnLink(at uint32, m *move) {
	words := s.t.words
	r := words[at]
	if r == 0 {
		return
	}
	if r-m.from < m.end-m.from { // in the same move
		words[at] = r + m.by
		return
	}
	to := s.moves.find(r)
	if r >= to.end {
		words[at] = 0
		return
	}
	words[at] = r + to.by
}
