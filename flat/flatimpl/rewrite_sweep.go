package flatimpl

import "math/bits"

// isWhole reports whether all records of the tree are known to be reachable from the root. In a
// schema without flat:share, they are reachable if all records except the root have a parent.
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

// zeros returns a bit set with a bit for each word of a tree, all of them 0. It reuses the given
// memory if it is large enough. The parameter words is the number of words of the tree.
func zeros(memory *[]uint64, words int) []uint64 {
	need := words/64 + 1
	if cap(*memory) < need {
		*memory = make([]uint64, need+need/4) // the next tree may be larger
		return (*memory)[:need]
	}
	clear((*memory)[:need])
	return (*memory)[:need]
}

// mark returns a bit set of the records that are reachable from the root, and their number. It does
// not recurse, and uses the memory of s. If misuse is not empty and the schema does not have
// flat:share, mark panics if a record has several parents. The message then contains misuse, which
// is the name of a function.
func (t *Tree) mark(misuse string, s *scratch) (live []uint64, n int) {
	m := marker{t: t, live: zeros(&s.marks, len(t.words)), todo: s.todo[:0], forward: t.edit != nil || t.rewriter != nil}
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

// A marker holds the state of a call of Tree.mark.
type marker struct {
	t       *Tree
	live    []uint64
	todo    []uint32 // reachable records whose references were not followed yet
	leaves  int      // number of reachable records without references
	forward bool     // references may lead forward
	misuse  string   // name of the method that panics for a second parent; empty if none
}

// reach marks the record at r, to which the record at parent refers. If the record is already
// marked, it has a second parent, and reach calls m.again.
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

// again handles a record at r that has a second parent, the record at index parent. It panics if
// the schema does not allow this.
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

// setBits sets n bits of a bitmap, beginning with bit i.
func setBits(bitmap []uint64, i, n uint32) {
	for n > 0 {
		part := min(n, 64-i%64)
		bitmap[i/64] |= (1<<part - 1) << (i % 64)
		i, n = i+part, n-part
	}
}

// unmarked finds the records that are not in the bit set live. It adds their words to the bit set
// dead, and returns the number of these records.
func (t *Tree) unmarked(live, dead []uint64) (n int) {
	for i := t.First().index; i != 0; i = t.nextIndex(i) {
		if live[i/64]>>(i%64)&1 == 0 {
			setBits(dead, i, t.size(i))
			n++
		}
	}
	return n
}

// sweep removes the unreachable records of the new tree, and sorts the other records. It panics if
// a record has several parents, and the schema does not have flat:share.
func (w *pass) sweep() {
	t, s := w.to, &w.b.scratch
	var dead []uint64
	var n int
	ok := false
	if w.counted {
		dead, n, ok = s.tally.unreferenced(t, s, w.standIns)
	}
	if !ok {
		live, reached := t.mark("Builder.Rewrite", s)
		if dead = zeros(&s.gone, len(t.words)); reached < t.nodes {
			n = t.unmarked(live, dead)
		}
	}
	if n > 0 || len(s.places.made) > 0 {
		w.sort(dead, n)
	}
}

// nextBit returns the index of the first bit at or after i that is set, or end if there is none
// before end. The parameter flip must be 0, or have all bits set. In the second case, nextBit finds
// the first bit that is not set.
func nextBit(bitmap []uint64, i, end uint32, flip uint64) uint32 {
	if i >= end {
		return end
	}
	k := i / 64
	w := (bitmap[k] ^ flip) &^ (1<<(i%64) - 1)
	for w == 0 {
		if k++; k > (end-1)/64 {
			return end
		}
		w = bitmap[k] ^ flip
	}
	return min(end, 64*k+uint32(bits.TrailingZeros64(w)))
}
