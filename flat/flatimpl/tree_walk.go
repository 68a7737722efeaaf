package flatimpl

// First returns the first record of the buffer, or nil if there is none.
func (t *Tree) First() Node {
	if len(t.words) < 2 {
		return Node{}
	}
	return Node{t, 1}
}

// Unordered reports whether children may come after their parents. All and Fold check it at each
// node, because First has to stay small.
func (n Node) Unordered() bool { return n.tree.edit != nil }

// RefuseOrder panics because children may come after their parents.
func (n Node) RefuseOrder() Node {
	n.tree.checkOrder("flat: All and Fold")
	return Node{}
}

// Next returns the next record of the buffer, or nil after the last. Children come before their
// parents.
func (n Node) Next() Node { return n.tree.node(n.tree.nextIndex(n.index)) }

// Skip returns the record after n, which has that many words, or nil after the last.
func (n Node) Skip(words uint64) Node {
	if next := uint64(n.index) + words; next < uint64(len(n.tree.words)) {
		return Node{n.tree, uint32(next)}
	}
	return Node{}
}

// Size returns the number of words of a record. It panics if it is no longer a record.
func (n Node) Size() uint64 {
	size := n.tree.size(n.index)
	if size == 0 {
		panic(NoRecord)
	}
	return uint64(size)
}

// NoRecord is the panic for a record without a valid kind.
const NoRecord = "flatimpl.Node.Next: the mapped file was changed"

// nextIndex returns the index of the record after the one at i, or 0 after the last. It panics
// where a changed mapped file would make it go backward.
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

// mentions calls f with the index of each word of the record at i that is a reference or the number
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

// haveMentions reports whether there are references or strings in slots.
func haveMentions(slots []slot) bool {
	for k := range slots {
		if s := &slots[k]; s.op <= opOptionalText || s.tells {
			return true
		}
	}
	return false
}

// mentionedItems implements mentions for n items of a list, the first of which is at index at. It
// recurses into slices of structs, up to the nesting depth of structs in the schema.
func (t *Tree) mentionedItems(at, n uint32, l *slot, f func(at uint32, op slotOp)) {
	if !l.tells {
		return
	}
	if uint64(at)+uint64(n)*uint64(l.item/32) > uint64(len(t.words)) {
		panic(NoRecord) // before f is called 2^32 times
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

// Results holds what a fold has computed so far, for each node.
type Results[R any] struct {
	tree *Tree
	of   []R // by the index of the record
}

// Of returns the result of a node that the fold has visited, and the zero R for nil.
func (r Results[R]) Of(n Node) R {
	if n.tree != nil && n.tree != r.tree {
		panic("flatimpl.Results.Of: a node of another tree")
	}
	return r.of[n.index]
}

// NewResults allocates one R for each word of the tree.
func NewResults[R any](t *Tree) Results[R] { return Results[R]{t, make([]R, max(1, len(t.words)))} }

// Set sets the result of a node.
func (r Results[R]) Set(n Node, v R) { r.of[n.index] = v }
