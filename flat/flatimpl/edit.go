package flatimpl

import "slices"

// An edit is the state of a tree while a Builder edits it. The tree keeps it after the edit if some
// references point forward, or if the root has a parent because the edit was abandoned. Children
// may then come after their parents, but there are no cycles. docs/decisions/0024 explains how
// cycles are prevented.
//
// To prevent cycles, each record has a height. The height of an old record is its index. The height
// of a new record is the maximum height of the records below it, or 0 if its kind has no children.
// An old record is higher than its children. A new record is at least as high as its children, and
// comes after those children that are new. A chain of references therefore never returns to its
// start.
type edit struct {
	b       *Builder // the Builder that edits the tree; nil after the edit
	forward bool     // some references point forward
	mixed   bool     // heights are no longer maintained, because a child is higher than its parent
	base    uint32   // index of the first word of new records
	heights []uint32 // for each word from base on: 1 + the height of the record that starts there
	refs    []uint32 // buffer of computed
	todo    []uint32 // buffer of below
	seen    []uint64
}

// Edit makes the Builder continue the tree t: new records are added after the end of t, and setters
// accept any node as a child except the parent itself and the nodes above it. Finish ends the edit.
// Edit panics if the tree is freed, mapped or already being edited, and if the Builder has begun a
// different tree. docs/decisions/0065 measures what edits cost.
func (b *Builder) Edit(t *Tree) {
	b.checkIdle("Edit")
	name := b.tables.schema.name + ".Builder.Edit: "
	switch {
	case t == nil || t.words == nil:
		panic(name + "the tree was freed")
	case t.fixed():
		panic(name + "the tree is mapped or belongs to a forest, and is read-only; edit a Clone of it")
	case t.isOpen() || t.rewriter != nil:
		panic(name + "a Builder is changing the tree already; call Finish first")
	case len(b.tree.words) > 1 || b.rest != nil || b.err != nil:
		panic(name + "the Builder has begun another tree; call Finish or Reset first")
	}
	if t.edit == nil {
		t.edit = &edit{base: uint32(len(t.words))}
	}
	t.edit.b = b
	b.rest, b.tree = b.tree, t
	if t.parents == nil && !t.tables.share {
		t.parents, b.rest.parents = b.rest.parents, nil
		b.fitParents()
		t.knowParents()
	}
	b.fitParents()
	b.done = len(t.words)
	b.far.swept = 0
	b.strings.reset()
	b.strings.stale = len(t.ends) > 1
	b.count()
}

// isOpen reports whether a Builder edits the tree.
func (t *Tree) isOpen() bool { return t.edit != nil && t.edit.b != nil }

// endEdit ends the edit of a tree. The Builder continues with the empty tree that it had before.
func (b *Builder) endEdit() {
	t, rest := b.tree, b.rest
	if t.words != nil {
		b.settle()
	}
	if e := t.edit; e != nil { // nil if the tree was freed in the meantime
		t.whole = t.whole && len(t.words) == int(e.base)
		e.b = nil
		if !e.forward && (t.tables.share || t.root == 0 || !t.hasParent(t.root)) {
			t.edit = nil
		}
	}
	b.tree, b.rest = rest, nil
	b.start(rest.words, rest.ends, rest.parents)
}

// checkOrder panics unless children come before their parents. The message begins with the given
// function name.
func (t *Tree) checkOrder(function string) {
	t.checkClosed(function)
	if t.edit != nil {
		panic(function + ": the tree was edited, and children come after their parents or the root has a parent; use the result of Compact")
	}
}

// checkClosed panics if a Builder edits the tree. The message begins with the given function name.
func (t *Tree) checkClosed(function string) {
	if t.isOpen() {
		panic(function + ": a Builder is editing the tree; call Finish first")
	}
}

// accepts reports whether the word with index at, in the record or inline struct n, may refer to
// the record at c: the record at c must neither contain the word nor be above the record that
// contains it. If heights are not enough to decide this, accepts visits all nodes below c.
func (e *edit) accepts(t *Tree, n Node, at, c uint32) bool {
	back := t.endsBefore(c, at)
	if !t.tables.refs[uint8(t.words[c])].some {
		e.forward = e.forward || !back
		return true
	}
	if !e.mixed && !e.lower(t, n, at, c, back) || e.mixed {
		if e.below(t, c, at) {
			return false
		}
		e.mixed = true
	}
	e.forward = e.forward || !back
	return true
}

// lower reports whether the heights of all records stay valid if the word with index at, in n,
// refers to the record at c. It may raise the height of n if n has no parent. The parameter back
// states whether c comes before n.
func (e *edit) lower(t *Tree, n Node, at, c uint32, back bool) bool {
	height := e.height(t, c)
	if at < e.base {
		return height == 0 || t.endsBefore(height, at)
	}
	e.measure(t)
	i := e.recordOf(n.index)
	if i == 0 || !back { // the record begins far before the word, or c is new and comes after n
		return false
	}
	of := &e.heights[i-e.base]
	if height >= *of && !t.tables.share && !t.hasParent(i) {
		*of = height + 1
	}
	return height < *of
}

// recordOf returns the index of the new record that contains the word, which may be in a list or an
// inline struct. It returns 0 if the record begins far before the word.
func (e *edit) recordOf(word uint32) uint32 {
	const far = 64
	for k := word - e.base; word-e.base-k < far; k-- {
		if e.heights[k] != 0 {
			return e.base + k
		}
	}
	return 0
}

// endsBefore reports whether the record at i ends before the word with index at.
func (t *Tree) endsBefore(i, at uint32) bool { return uint64(i)+uint64(t.size(i)) <= uint64(at) }

// height returns the height of the record at i, which must be of a kind that can have children.
func (e *edit) height(t *Tree, i uint32) uint32 {
	if i < e.base {
		return i
	}
	e.measure(t)
	return e.heights[i-e.base] - 1
}

// measure computes the heights of all complete records for which they have not been computed yet.
func (e *edit) measure(t *Tree) {
	i, end := e.base+uint32(len(e.heights)), uint32(len(t.words))
	if n := int(end - i); n > cap(e.heights)-len(e.heights) {
		e.heights = slices.Grow(e.heights, max(n, len(e.heights)))
	}
	for i < end {
		size := t.size(i)
		e.heights = append(e.heights, 1+e.computed(t, i))
		for range size - 1 {
			e.heights = append(e.heights, 0)
		}
		i += size
	}
}

// computed returns the height of the record at i, which it computes from the record's references.
// The record must be new and complete.
func (e *edit) computed(t *Tree, i uint32) (height uint32) {
	plan := &t.tables.refs[uint8(t.words[i])]
	if !plan.some {
		return 0
	}
	e.refs = t.refs(e.refs[:0], i, plan)
	for _, at := range e.refs {
		switch r := t.words[at]; {
		case r == 0 || !t.tables.refs[uint8(t.words[r])].some:
		case r < e.base:
			height = max(height, r)
		default:
			height = max(height, e.heights[r-e.base]-1)
		}
	}
	return height
}

// below reports whether the word with index at belongs to the record at c or to a record below it.
func (e *edit) below(t *Tree, c, at uint32) bool {
	if t.tables.share {
		if need := len(t.words)/64 + 1; need > len(e.seen) {
			e.seen = make([]uint64, need+need/2)
		}
		clear(e.seen)
	}
	e.todo = append(e.todo[:0], c)
	for len(e.todo) > 0 {
		i := e.todo[len(e.todo)-1]
		e.todo = e.todo[:len(e.todo)-1]
		if i <= at && !t.endsBefore(i, at) {
			return true
		}
		if t.tables.share {
			if e.seen[i/64]>>(i%64)&1 != 0 {
				continue
			}
			e.seen[i/64] |= 1 << (i % 64)
		}
		e.todo = Node{t, i}.children(e.todo)
	}
	return false
}
