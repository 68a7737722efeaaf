package flatimpl

import "sort"

// A move says where records are now: those from index from on, up to the next move, have moved by the offset by, modulo 2^32.
type move struct {
	from, by uint32
	replaced bool // the record at from alone; where it was is another node now, or nil
}

// addMove appends a move, unless the one before it says the same.
func addMove(moves []move, from, by uint32) []move {
	if last := len(moves) - 1; last >= 0 && moves[last].by == by && !moves[last].replaced {
		return moves
	}
	return append(moves, move{from, by, false})
}

// A refPlan says where the records of a kind have references.
type refPlan struct {
	fixed []uint32 // in these words of the fixed part
	list  *slot    // in each item of the only slice
	some  bool     // anywhere
	other bool     // in items that have more than a reference, or in several slices: mentions finds them
}

// refPlan returns the plan of a shape.
func (s *shape) refPlan() refPlan {
	var p refPlan
	lists := 0
	for i := range s.slots {
		switch l := &s.slots[i]; l.op {
		case opRef:
			p.fixed = append(p.fixed, l.off)
		case opList:
			lists++
			if len(l.slots) == 1 && l.slots[0].op == opRef && l.item == 32 {
				p.list = l
				continue
			}
			p.other = p.other || l.hasRefs()
		case opNested:
			p.other = p.other || l.hasRefs()
		}
	}
	p.other = p.other || p.list != nil && lists > 1
	p.some = p.other || p.list != nil || len(p.fixed) > 0
	return p
}

// hasRefs reports whether there are references in the items of a list.
func (l *slot) hasRefs() bool {
	for k := range l.slots {
		if s := &l.slots[k]; s.op == opRef || s.op == opNested && s.hasRefs() {
			return true
		}
	}
	return false
}

// moveRefs moves the references in the record at i, which was at index was before, and whose move is the last of the moves. It panics for
// a reference that did not lead backwards, as a mapped file has that was changed.
func (t *Tree) moveRefs(plan *refPlan, i, was uint32, moves []move) {
	words, last := t.words, moves[len(moves)-1]
	if plan.other {
		t.moveMentioned(i, was, moves)
		return
	}
	for _, off := range plan.fixed {
		if r := words[i+off]; r >= last.from && r < was {
			words[i+off] = r + last.by
		} else if r != 0 {
			words[i+off] = t.moved(i, i+off, was, moves)
		}
	}
	if plan.list != nil {
		n, first := t.list(i, plan.list, i+t.tables.shapes[uint8(words[i])].words)
		for k := first; k < first+n; k++ {
			if r := words[k]; r >= last.from && r < was {
				words[k] = r + last.by
			} else if r != 0 {
				words[k] = t.moved(i, k, was, moves)
			}
		}
	}
}

// moveMentioned moves the references in the record at i, wherever they are.
func (t *Tree) moveMentioned(i, was uint32, moves []move) {
	t.mentions(i, func(at uint32, op slotOp) {
		if op == opRef && t.words[at] != 0 {
			t.words[at] = t.moved(i, at, was, moves)
		}
	})
}

// moved returns where the record is now that the word at of the record at i refers to. It panics if that word does not accept
// what the record was replaced by.
func (t *Tree) moved(i, at, was uint32, moves []move) uint32 {
	r := t.words[at]
	if r >= was {
		panic(changedFile)
	}
	to, replaced := findMoved(moves, r)
	if to >= was+moves[len(moves)-1].by {
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

// findMoved returns where the record at r is now, and whether it was replaced.
func findMoved(moves []move, r uint32) (to uint32, replaced bool) {
	k := sort.Search(len(moves), func(k int) bool { return moves[k].from > r }) - 1
	if k < 0 {
		panic(changedFile)
	}
	return r + moves[k].by, moves[k].replaced
}

// setOf returns the kinds that the reference in the word at of the record at i accepts; none if no reference stands there.
func (t *Tree) setOf(i, at uint32) *Kinds {
	s := &t.tables.shapes[uint8(t.words[i])]
	if set := t.setIn(i, i+s.words, at, s.slots); set != nil {
		return set
	}
	return new(Kinds)
}

// setIn is setOf for the slots of the block at i, whose lists start at end. It returns nil if no reference stands there.
func (t *Tree) setIn(i, end, at uint32, slots []slot) *Kinds {
	for k := range slots {
		l := &slots[k]
		if l.op == opRef && i+l.off == at {
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
