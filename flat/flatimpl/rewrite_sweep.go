package flatimpl

import "math/bits"

// isWhole reports whether all records of the tree are known to be reachable from the root. Without
// flat:share, that is so if all records except the root have a parent.
func (t *Tree) isWhole() bool {
	if t.whole || t.tables.share || t.parents == nil || t.filled {
		return t.whole
	}
	n := 0
	for _, w := range t.parents[:len(t.words)/64+1] {
		n += bits.OnesCount64(w)
	}
	return t.root != 0 && n+1 == t.nodes && !t.hasParent(t.root)
}

// bits returns a bit for each of that many words, all 0, in the memory of s.
func (s *scratch) bits(words int) []uint64 {
	need := words/64 + 1
	if cap(s.marks) < need {
		s.marks = make([]uint64, need+need/4) // the next tree may be larger
		return s.marks[:need]
	}
	clear(s.marks[:need])
	return s.marks[:need]
}

// mark returns a bit for each record that is reachable from the root, and their number. It does not
// recurse, and uses the memory of s. If misuse is the name of a function and the schema does not
// have flat:share, mark panics in that name for a record with several parents.
func (t *Tree) mark(misuse string, s *scratch) (live []uint64, n int) {
	m := marker{t: t, live: s.bits(len(t.words)), todo: s.todo[:0], forward: t.edit != nil}
	if misuse != "" && !t.tables.share {
		m.misuse = misuse
	}
	words, plans := t.words, &t.tables.refs
	if t.root != 0 {
		m.reach(t.root, uint32(len(words)))
	}
	for len(m.todo) > 0 {
		i := m.todo[len(m.todo)-1]
		m.todo = m.todo[:len(m.todo)-1]
		n++
		plan := &plans[uint8(words[i])]
		if plan.other {
			s.refs = t.refs(s.refs[:0], i, plan)
			for _, at := range s.refs {
				if r := words[at]; r != 0 {
					m.reach(r, i)
				}
			}
			continue
		}
		for rest := plan.fixed; rest != 0; rest &= rest - 1 {
			if r := words[i+uint32(bits.TrailingZeros32(rest))]; r != 0 {
				m.reach(r, i)
			}
		}
		if plan.list != nil {
			count, first := t.list(i, plan.list, i+plan.words)
			for _, r := range words[first:][:count] {
				if r != 0 {
					m.reach(r, i)
				}
			}
		}
	}
	s.todo = m.todo
	return m.live, n + m.leaves
}

// A marker is the state of mark.
type marker struct {
	t       *Tree
	live    []uint64
	todo    []uint32 // reachable records whose references were not followed yet
	leaves  int      // reachable records without references
	forward bool     // references may lead forward
	misuse  string   // the function that panics for a second parent; none if empty
}

// reach marks the record at r, to which the record at parent refers.
func (m *marker) reach(r, parent uint32) {
	bit := uint64(1) << (r % 64)
	if m.live[r/64]&bit != 0 || r >= parent && !m.forward {
		m.again(r, parent)
		return
	}
	m.live[r/64] |= bit
	if m.t.tables.refs[uint8(m.t.words[r])].some {
		m.todo = append(m.todo, r)
	} else {
		m.leaves++
	}
}

// again panics if the record at r must not have a second parent.
func (m *marker) again(r, parent uint32) {
	if r >= parent && !m.forward {
		panic(changedFile)
	}
	if m.misuse != "" {
		t := m.t
		panic(t.tables.misuse(m.misuse, "each node once", Node{t, r}.describe()+", which has a second parent, "+Node{t, parent}.describe()+
			"; use it once, or say flat:share in the schema"))
	}
}

// dead returns a bit for each record of the new tree that is not reachable, and their number. It
// panics if a record has several parents, and the schema does not have flat:share.
func (w *rewrite) dead() ([]uint64, int) {
	t, s := w.to, &w.b.scratch
	if w.counted {
		if dead, n, ok := s.tally.dead(t, s); ok {
			return dead, n
		}
	}
	live, n := t.mark("Builder.Rewrite", s)
	if n == t.nodes {
		return nil, 0
	}
	// The bits of words in which no record starts stay 0.
	for i := t.First().index; i != 0; i = t.nextIndex(i) {
		live[i/64] ^= 1 << (i % 64)
	}
	return live, t.nodes - n
}

// sweep removes the records of the new tree that are not reachable. The others are moved together,
// in order. It panics if a record has several parents, and the schema does not have flat:share.
func (w *rewrite) sweep() {
	t := w.to
	dead, n := w.dead()
	if n == 0 {
		return
	}
	t.nodes -= n
	m := &w.moves
	m.reset()
	m.add(1, 0)
	words, end := t.words, uint32(len(t.words))
	gone := nextBit(dead, 1, end) // everything before it stays
	for gap, out := gone, gone; gap < end; {
		first := gap // of the reachable records, up to one that is not
		for first < end && dead[first/64]>>(first%64)&1 != 0 {
			first += t.size(first)
		}
		gap = nextBit(dead, first, end)
		m.add(first, out-first)
		out += gap - first
	}
	s := sweeper{t, dead, m, &w.spots}
	if t.tables.linked {
		s.moveLinks(m.list[0], gone)
	}
	out := gone
	for _, move := range m.list[1:] {
		gap := nextBit(dead, move.from, end)
		s.move(move, gap)
		out += uint32(copy(words[out:], words[move.from:gap]))
	}
	t.words = words[:out]
	if t.root != 0 {
		t.root, _ = m.find(t.root)
	}
}

// nextBit returns the index of the first bit from i on that is set, or end if there is none before
// end.
func nextBit(bitmap []uint64, i, end uint32) uint32 {
	if i >= end {
		return end
	}
	k := i / 64
	w := bitmap[k] &^ (1<<(i%64) - 1)
	for w == 0 {
		if k++; int(k) >= len(bitmap) {
			return end
		}
		w = bitmap[k]
	}
	return min(end, 64*k+uint32(bits.TrailingZeros64(w)))
}

// A sweeper moves references, after the new positions of all records are known.
type sweeper struct {
	t     *Tree
	dead  []uint64
	moves *moves
	spots *spots
}

// move moves the references and links in the records of a run, up to index end.
func (s *sweeper) move(run move, end uint32) {
	t := s.t
	words, plans, linked := t.words, &t.tables.refs, t.tables.linked
	if first := max(run.from, s.spots.from); first < end {
		s.moveNoted(run, first, end)
	}
	for i := run.from; i < min(end, s.spots.from); i = s.next(i) {
		plan := &plans[uint8(words[i])]
		if plan.some {
			t.moveRefs(plan, i, i, run, s.moves)
		}
		if linked {
			s.links(plan, i, run, end)
		}
	}
}

// moveLinks is move for links only: the records themselves stay.
func (s *sweeper) moveLinks(run move, end uint32) {
	for i := run.from; i < end; i = s.next(i) {
		s.links(&s.t.tables.refs[uint8(s.t.words[i])], i, run, end)
	}
}

// next returns the index of the record after the one at i.
func (s *sweeper) next(i uint32) uint32 {
	t := s.t
	size := guess(t.tables.sizes[uint8(t.words[i])])
	if size == 0 {
		size = t.size(i)
	}
	if size == 0 {
		panic(changedFile)
	}
	return i + size
}

// links moves the links of the record at i, which belongs to a run up to index end.
func (s *sweeper) links(plan *refPlan, i uint32, run move, end uint32) {
	if plan.farLinks {
		m := s.moves
		m.refs = s.t.linkRefs(m.refs[:0], i, plan)
		for _, at := range m.refs {
			s.link(at, run, end)
		}
		return
	}
	for rest := plan.links; rest != 0; rest &= rest - 1 {
		s.link(i+uint32(bits.TrailingZeros32(rest)), run, end)
	}
}

// link moves the link in the word at of a record in that run. A link to a dead record becomes nil.
func (s *sweeper) link(at uint32, run move, end uint32) {
	words := s.t.words
	r := words[at]
	if r == 0 {
		return
	}
	if r-run.from < end-run.from { // in the same run, in which nothing is dead
		words[at] = r + run.by
		return
	}
	if s.dead[r/64]>>(r%64)&1 != 0 {
		words[at] = 0
		return
	}
	words[at], _ = s.moves.find(r)
}
