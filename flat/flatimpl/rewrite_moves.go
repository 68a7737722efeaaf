package flatimpl

import "math/bits"

// A move records new positions: the records from index from on, up to the next move, have moved by
// the offset by, modulo 2^32.
type move struct {
	from, by uint32
	replaced bool // only the record at from; another node, or nil, has replaced it
}

// moves are sorted by from. The index at finds one without a search: at[k] is the last one that
// starts at or before word 64*k of the tree, for each k up to the last move's.
type moves struct {
	list []move
	at   []uint32
	refs []uint32 // of the record whose references are being moved
}

// reset removes all moves and keeps the memory.
func (m *moves) reset() { m.list, m.at = m.list[:0], m.at[:0] }

// add appends a move, unless the previous one has the same offset.
func (m *moves) add(from, by uint32) {
	if last := len(m.list) - 1; last < 0 || m.list[last].by != by || m.list[last].replaced {
		m.append(move{from, by, false})
	}
}

// replace appends that the record at from is now the one at to. It replaces a move of this record
// alone.
func (m *moves) replace(from, to uint32) {
	if last := len(m.list) - 1; m.list[last].from == from {
		m.list = m.list[:last]
	}
	m.append(move{from, to - from, true})
}

func (m *moves) append(new move) {
	for 64*uint64(len(m.at)) < uint64(new.from) {
		m.at = append(m.at, uint32(max(0, len(m.list)-1)))
	}
	m.list = append(m.list, new)
}

// last returns the last move.
func (m *moves) last() move { return m.list[len(m.list)-1] }

// find returns the new position of the record at r, and whether it was replaced.
func (m *moves) find(r uint32) (to uint32, replaced bool) {
	k := len(m.list) - 1
	if block := int(r / 64); block < len(m.at) {
		for k = int(m.at[block]); k+1 < len(m.list) && m.list[k+1].from <= r; {
			k++
		}
	}
	if k < 0 || m.list[k].from > r {
		panic(changedFile)
	}
	return r + m.list[k].by, m.list[k].replaced
}

// moveRefs moves the references in the record at i, which was at index was before, and whose move
// is last. It panics for a reference that does not lead backward, which can occur in a mapped file
// that was changed.
func (t *Tree) moveRefs(plan *refPlan, i, was uint32, last move, m *moves) {
	words, first, by := t.words, last.from, last.by
	for rest := plan.fixed; rest != 0; rest &= rest - 1 {
		at := i + uint32(bits.TrailingZeros32(rest))
		if r := words[at]; r-first < was-first { // an earlier record in this run
			words[at] = r + by
		} else if r != 0 {
			words[at] = t.moved(i, at, was, last, m)
		}
	}
	if plan.far {
		t.moveFar(plan, i, was, last, m)
	}
}

// moveFar is moveRefs for the references in slices, and beyond word 31.
func (t *Tree) moveFar(plan *refPlan, i, was uint32, last move, m *moves) {
	if plan.other {
		t.moveOther(plan, i, was, last, m)
		return
	}
	first, by := last.from, last.by
	n, at := t.list(i, plan.list, i+plan.words)
	list := t.words[at:][:n]
	for k, r := range list {
		if r-first < was-first {
			list[k] = r + by
		} else if r != 0 {
			list[k] = t.moved(i, at+uint32(k), was, last, m)
		}
	}
}

// moveOther is moveFar for the references that only the plan's steps lead to.
func (t *Tree) moveOther(plan *refPlan, i, was uint32, last move, m *moves) {
	words, first, by := t.words, last.from, last.by
	m.refs = t.refs(m.refs[:0], i, plan)
	for _, at := range m.refs {
		if r := words[at]; r-first < was-first {
			words[at] = r + by
		} else if r != 0 {
			words[at] = t.moved(i, at, was, last, m)
		}
	}
}

// moved returns the new position of the record that the word at of the record at i refers to. It
// panics if that word does not accept the replacement of the record.
func (t *Tree) moved(i, at, was uint32, last move, m *moves) uint32 {
	r := t.words[at]
	if r >= was {
		panic(changedFile)
	}
	to, replaced := m.find(r)
	if to >= was+last.by {
		panic(changedFile) // no record starts at r
	}
	if replaced && to != 0 {
		if set := t.setOf(i, at); !set.has(uint8(t.words[to])) {
			parent := Node{t, i}
			panic(t.tables.misuse("Builder.Rewrite", "as child of "+parent.describe()+" nil or "+t.tables.oneOf(set), Node{t, to}.describe()))
		}
	}
	return to
}

// setOf returns the kinds that the reference or link in the word at of the record at i accepts, or
// none if the word is neither.
func (t *Tree) setOf(i, at uint32) *Kinds {
	s := &t.tables.shapes[uint8(t.words[i])]
	if set := t.setIn(i, i+s.words, at, s.slots); set != nil {
		return set
	}
	return new(Kinds)
}

// setIn implements setOf for the slots of the block at i, whose lists start at end. It returns nil
// if the word is neither.
func (t *Tree) setIn(i, end, at uint32, slots []slot) *Kinds {
	for k := range slots {
		l := &slots[k]
		if (l.op == opRef || l.op == opLink) && i+l.off == at {
			return l.set
		}
		var n, first uint32
		switch l.op {
		case opList:
			n, first = t.list(i, l, end)
			end = first + uint32(words(uint64(n), l.item))
		case opNested:
			n, first = t.nested(i, l)
		default:
			continue
		}
		if size := l.item / 32; size > 0 && len(l.slots) > 0 {
			if last := first + n*size; at >= first && at < last {
				return t.setIn(first+(at-first)/size*size, last, at, l.slots)
			}
			for ; l.far && n > 0; n-- {
				if set := t.setIn(first, first, at, l.slots); set != nil {
					return set
				}
				first += size
			}
		}
	}
	return nil
}
