package flatimpl

import "github.com/coppice-go/coppice/internal/checks"

// First returns the first record of the buffer, or nil if there is none.
func (t *Tree) First() Node {
	if len(t.words) < 2 {
		return Node{}
	}
	return Node{t, 1}
}

// Start returns the index of the first record. It panics if children may come after their parents.
// It also panics if i is not 0, which happens if a mapped file was changed and no record begins at
// i.
func (t *Tree) Start(i uint64) uint64 {
	if i != 0 {
		panic(NoRecord)
	}
	t.checkOrder("flat: All and Fold")
	return 1
}

// Forward returns the index of the record after the record at i, or of the first record if i is 0.
// It is small enough to inline into a loop. It calls next at the start, for records with lists, and
// for records of other sizes. Its branches look redundant but are not: see guess.
func Forward(t *Tree, i uint64, next func(*Tree, uint64) uint64) uint64 {
	if checks.Enabled {
		t.checkFreed(reading)
	}
	switch t.tables.sizes[uint8(t.words[i])] {
	case 2:
		return i + 2
	case 3:
		return i + 3
	case 4:
		return i + 4
	}
	return next(t, i)
}

// End returns the number of words of the tree.
func (t *Tree) End() uint64 { return uint64(len(t.words)) }

// Word returns the word at i.
func (t *Tree) Word(i uint64) uint32 { return t.words[i] }

// At returns the record at i.
func (t *Tree) At(i uint64) Node { return Node{t, uint32(i)} }

// After returns the index at which the record at i, of any kind, ends.
func (t *Tree) After(i uint64) uint64 { return i + t.At(i).Size() }

// Next returns the next record of the buffer, or nil after the last record. Children come before
// their parents.
func (n Node) Next() Node { return n.tree.node(n.tree.nextIndex(n.index)) }

// Size returns the number of words of a record. It panics if n is no longer a record, because a
// mapped file was changed.
func (n Node) Size() uint64 {
	size := n.tree.size(n.index)
	if size == 0 {
		panic(NoRecord)
	}
	return uint64(size)
}

// NoRecord is the panic message for a record without a valid kind.
const NoRecord = "flatimpl.Node.Next: the mapped file was changed"

// nextIndex returns the index of the record after the record at i, or 0 after the last record. It
// panics if a mapped file was changed such that the next record would come before the record at i.
func (t *Tree) nextIndex(i uint32) uint32 {
	next := i + guess(t.tables.sizes[uint8(t.words[i])])
	if next == i {
		next += t.size(i)
	}
	if next <= i {
		panic(NoRecord)
	}
	if uint64(next) >= uint64(len(t.words)) {
		return 0
	}
	return next
}

// mentions calls f with the index of each word of the record at i that is a reference or the index
// of a string, in the order of fields and items.
func (t *Tree) mentions(i uint32, f func(at uint32, op slotOp)) {
	s := &t.tables.shapes[uint8(t.words[i])]
	end := i + s.words
	for k := range s.slots {
		slot := &s.slots[k]
		switch slot.op {
		case opRef, opText, opOptionalText:
			f(i+slot.off, slot.op)
		case opList:
			n, first := t.list(i, slot, end)
			end = first + uint32(words(uint64(n), slot.item))
			if !slot.tells {
				continue
			}
			if slot.far || end < first || uint64(end) > uint64(len(t.words)) { // or a mapped file was changed
				t.mentionedItems(first, n, slot, f)
				continue
			}
			for at := first; at < end; at += slot.item / 32 {
				for j := range slot.slots {
					if op := slot.slots[j].op; op <= opOptionalText {
						f(at+slot.slots[j].off, op)
					}
				}
			}
		case opNested:
			n, first := t.nested(i, slot)
			t.mentionedItems(first, n, slot, f)
		}
	}
}

// haveMentions reports whether any of the slots is or contains a reference or a string.
func haveMentions(slots []slot) bool {
	for k := range slots {
		if s := &slots[k]; s.op <= opOptionalText || s.tells {
			return true
		}
	}
	return false
}

// mentionedItems implements mentions for n items of a list. The first item begins at the index at.
// It recurses into slices of structs, up to the nesting depth of structs in the schema.
func (t *Tree) mentionedItems(at, n uint32, l *slot, f func(at uint32, op slotOp)) {
	if !l.tells {
		return
	}
	if uint64(at)+uint64(n)*uint64(l.item/32) > uint64(len(t.words)) {
		panic(NoRecord) // instead of calling f up to 2^32 times
	}
	for ; n > 0; n-- {
		for j := range l.slots {
			switch s := &l.slots[j]; {
			case s.op <= opOptionalText:
				f(at+s.off, s.op)
			case s.op == opNested:
				count, first := t.nested(at, s)
				t.mentionedItems(first, count, s, f)
			}
		}
		at += l.item / 32
	}
}

// Results contains the result of each node that a fold has visited so far.
type Results[R any] struct {
	tree *Tree
	of   []R // results by record index
}

// Of returns the result of a node that the fold has already visited. For nil, it returns the zero
// value of R.
func (r Results[R]) Of(n Node) R {
	if n.tree != nil && n.tree != r.tree {
		panic("flatimpl.Results.Of: a node of another tree")
	}
	return r.of[n.index]
}

// NewResults returns Results for a tree. It allocates one value of type R for each word of the
// tree.
func NewResults[R any](t *Tree) Results[R] {
	t.checkFreed("flat: Fold")
	return Results[R]{t, make([]R, len(t.words))}
}

// Set sets the result of a node.
func (r Results[R]) Set(n Node, v R) { r.of[n.index] = v }
