package flatimpl

import "math/bits"

// isWhole reports whether all records of the tree are known to be reachable from the root. Without flat:share that is so if as many
// records as there are, without the root, have a parent.
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

// bits returns a bit for each of so many words, all 0, in the memory of s.
func (s *scratch) bits(words int) []uint64 {
	need := words/64 + 1
	if cap(s.marks) < need {
		s.marks = make([]uint64, need+need/4) // the next tree may be larger
		return s.marks[:need]
	}
	clear(s.marks[:need])
	return s.marks[:need]
}

// mark returns a bit for each record that is reachable from the root, and how many there are. It does not recurse, and
// works in the memory of s. If misuse is the name of a function and the schema does not have flat:share, mark panics in that name
// for a record with several parents.
func (t *Tree) mark(misuse string, s *scratch) (live []uint64, n int) {
	m := marker{t: t, live: s.bits(len(t.words)), todo: s.todo[:0]}
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
			t.mentions(i, func(at uint32, op slotOp) {
				if r := words[at]; op == opRef && r != 0 {
					m.reach(r, i)
				}
			})
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

// A marker is what mark works with.
type marker struct {
	t      *Tree
	live   []uint64
	todo   []uint32 // records that are reachable, and whose references are still to be followed
	leaves int      // reachable records without references
	misuse string   // the function that panics for a second parent; none if it is empty
}

// reach marks the record at r, to which the record at parent refers.
func (m *marker) reach(r, parent uint32) {
	bit := uint64(1) << (r % 64)
	if m.live[r/64]&bit != 0 || r >= parent {
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

// again panics if the record at r may not have a second parent.
func (m *marker) again(r, parent uint32) {
	if r >= parent {
		panic(changedFile)
	}
	if m.misuse != "" {
		t := m.t
		panic(t.tables.misuse(m.misuse, "each node once", Node{t, r}.describe()+", which has a second parent, "+Node{t, parent}.describe()+
			"; use it once, or say flat:share in the schema"))
	}
}

// dead returns a bit for each record of the new tree that is not reachable, and how many there are. It panics
// if a record has several parents, and the schema does not have flat:share.
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
	// The words in which no record starts keep their 0.
	for i := t.First().index; i != 0; i = t.nextIndex(i) {
		live[i/64] ^= 1 << (i % 64)
	}
	return live, t.nodes - n
}

// sweep removes the records of the new tree that are not reachable. The others close up in their order. It panics
// if a record has several parents, and the schema does not have flat:share.
func (w *rewrite) sweep() {
	t := w.to
	dead, n := w.dead()
	if n == 0 {
		return
	}
	t.nodes -= n
	moves := addMove(w.moves[:0], 1, 0)
	words, end := t.words, uint32(len(t.words))
	out := nextBit(dead, 1, end)
	for gap := out; gap < end; {
		first := gap // of the records that are reachable, up to one that is not
		for first < end && dead[first/64]>>(first%64)&1 != 0 {
			first += t.size(first)
		}
		gap = nextBit(dead, first, end)
		moves = addMove(moves, first, out-first)
		t.moveRun(first, gap, moves)
		out += uint32(copy(words[out:], words[first:gap]))
	}
	t.words = t.words[:out]
	if t.root != 0 {
		t.root, _ = findMoved(moves, t.root)
	}
	w.moves = moves
	t.mapLinks(func(r uint32) uint32 {
		if dead[r/64]>>(r%64)&1 != 0 {
			return 0
		}
		to, _ := findMoved(moves, r)
		return to
	})
}

// nextBit returns the index of the first bit from i on that is set, or end if there is none before end.
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

// moveRun moves the references in the records from index first up to index end, whose move is the last of the moves.
func (t *Tree) moveRun(first, end uint32, moves []move) {
	words, plans, sizes := t.words, &t.tables.refs, &t.tables.sizes
	last := moves[len(moves)-1]
	for i := first; i < end; {
		kind := uint8(words[i])
		if plan := &plans[kind]; plan.some {
			t.moveRefs(plan, i, i, last, moves)
		}
		size := guess(sizes[kind])
		if size == 0 {
			size = t.size(i)
		}
		if size == 0 {
			panic(changedFile)
		}
		i += size
	}
}
