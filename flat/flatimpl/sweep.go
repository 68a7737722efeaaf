package flatimpl

import "math/bits"

// isWhole reports whether all records of the tree are known to be reachable from the root. Without flat:share that is so if as many
// records as there are, without the root, have a parent.
func (t *Tree) isWhole() bool {
	if t.whole || t.tables.share || t.parents == nil {
		return t.whole
	}
	n := 0
	for _, w := range t.parents[:len(t.words)/64+1] {
		n += bits.OnesCount64(w)
	}
	return t.root != 0 && n+1 == t.nodes && !t.hasParent(t.root)
}

// mark returns a bit for each record that is reachable from the root, and how many there are. It does not recurse, and
// works in the memory of s. If misuse is the name of a function and the schema does not have flat:share, mark panics in that name
// for a record with several parents.
func (t *Tree) mark(misuse string, s *scratch) (live []uint64, n int) {
	need := len(t.words)/64 + 1
	if cap(s.marks) < need {
		s.marks = make([]uint64, need)
	}
	m := marker{t: t, live: s.marks[:need], todo: s.todo[:0]}
	clear(m.live)
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
		kind := uint8(words[i])
		plan := &plans[kind]
		if plan.other {
			t.mentions(i, func(at uint32, op slotOp) {
				if r := words[at]; op == opRef && r != 0 {
					m.reach(r, i)
				}
			})
			continue
		}
		for _, off := range plan.fixed {
			if r := words[i+off]; r != 0 {
				m.reach(r, i)
			}
		}
		if plan.list != nil {
			count, first := t.list(i, plan.list, i+t.tables.shapes[kind].words)
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

// sweep removes the records of the new tree that are not reachable. The others close up in their order. It panics
// if a record has several parents, and the schema does not have flat:share.
func (w *rewrite) sweep() {
	t := w.to
	live, n := t.mark("Builder.Rewrite", &w.b.scratch)
	if n == t.nodes {
		return
	}
	t.nodes = n
	moves := w.moves[:0]
	words, plans, sizes := t.words, &t.tables.refs, &t.tables.sizes
	end, out := uint32(len(words)), uint32(1)
	for i := uint32(1); i < end; {
		first := i // of records that are reachable, up to one that is not
		moves = addMove(moves, first, out-first)
		last := moves[len(moves)-1]
		for i < end && live[i/64]>>(i%64)&1 != 0 {
			kind := uint8(words[i])
			if plan := &plans[kind]; plan.some && last.by != 0 {
				t.moveRefs(plan, i, i, moves)
			}
			size := guess(sizes[kind])
			if size == 0 {
				size = t.size(i)
			}
			i += size
		}
		out += uint32(copy(words[out:], words[first:i]))
		for i < end && live[i/64]>>(i%64)&1 == 0 {
			i += t.size(i)
		}
	}
	t.words = t.words[:out]
	if t.root != 0 {
		t.root, _ = findMoved(moves, t.root)
	}
	w.moves = moves
	t.mapLinks(func(r uint32) uint32 {
		if live[r/64]>>(r%64)&1 == 0 {
			return 0
		}
		to, _ := findMoved(moves, r)
		return to
	})
}
