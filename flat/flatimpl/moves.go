package flatimpl

import (
	"math/bits"
	"sort"
)

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
	fixed uint32 // in these words of the fixed part: bit k is word k
	words uint32 // of the fixed part
	list  *slot  // in each item of the only slice
	some  bool   // anywhere
	far   bool   // not only in these words
	other bool   // in items that have more than a reference, in several slices, or beyond word 31: mentions finds them
}

// refPlan returns the plan of a shape.
func (s *shape) refPlan() refPlan {
	p := refPlan{words: s.words}
	lists := 0
	for i := range s.slots {
		switch l := &s.slots[i]; l.op {
		case opRef:
			p.fixed |= 1 << l.off
			p.other = p.other || l.off > 31
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
	if p.other {
		p.fixed = 0
	}
	p.far = p.other || p.list != nil
	p.some = p.far || p.fixed != 0
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

// moveRefs moves the references in the record at i, which was at index was before, and whose move is last, the last of the moves. It
// panics for a reference that did not lead backwards, as a mapped file has that was changed.
func (t *Tree) moveRefs(plan *refPlan, i, was uint32, last move, moves []move) {
	words, first, by := t.words, last.from, last.by
	for rest := plan.fixed; rest != 0; rest &= rest - 1 {
		at := i + uint32(bits.TrailingZeros32(rest))
		if r := words[at]; r-first < was-first { // one of this run, and earlier
			words[at] = r + by
		} else if r != 0 {
			words[at] = t.moved(i, at, was, moves)
		}
	}
	if plan.far {
		t.moveFar(plan, i, was, last, moves)
	}
}

// moveFar is moveRefs for the references in slices, and beyond word 31.
func (t *Tree) moveFar(plan *refPlan, i, was uint32, last move, moves []move) {
	if plan.other {
		t.moveMentioned(i, was, moves)
		return
	}
	first, by := last.from, last.by
	n, at := t.list(i, plan.list, i+plan.words)
	list := t.words[at:][:n]
	for k, r := range list {
		if r-first < was-first {
			list[k] = r + by
		} else if r != 0 {
			list[k] = t.moved(i, at+uint32(k), was, moves)
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

// findMoved returns where the record at r is now, and whether it was replaced. Most references lead to records that stand near, so
// that it looks for the move from the last one on, in steps that double.
func findMoved(moves []move, r uint32) (to uint32, replaced bool) {
	low, high := len(moves), len(moves) // those from high on begin after r
	for step := 1; low > 0; step *= 2 {
		if low = max(0, high-step); moves[low].from <= r {
			break
		}
		high = low
	}
	k := low + sort.Search(high-low, func(k int) bool { return moves[low+k].from > r }) - 1
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
