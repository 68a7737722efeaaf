package btree

// rearrange moves entries between children i and i+1 of the node on level d of the path, so that
// child i has keep entries and child i+1 has the rest. If no entries remain for child i+1, that
// child is removed.
func (t *tree) rearrange(d, i, keep int) error { return t.arrange(d, i, keep, false) }

// arrange implements rearrange and split. If splits is true, child i+1 must be a new empty node,
// and the parent must not yet contain a key that separates the two children.
func (t *tree) arrange(d, i, keep int, splits bool) error {
	err := t.arrangeNodes(d, i, keep, splits)
	if t.ranked && err == nil {
		t.recount(d, i)
	}
	return err
}

func (t *tree) arrangeNodes(d, i, keep int, splits bool) error {
	if t.held.newest.Load() != 0 {
		if err := t.reserve(2); err != nil {
			return err
		}
	}
	parent, leaf := t.node(t.cursor.path[d].node), d+1 == t.height
	t.changes++ // even if the insertion that needs the space then fails for lack of memory
	left, right := t.ownChild(parent, i), t.ownChild(parent, i+1)
	x := t.scratch.empty()
	x.gather(&t.shape, left, leaf, t.count(left, leaf))
	if !splits {
		if !leaf {
			x.between(&t.shape, parent, i)
		}
		x.gather(&t.shape, right, leaf, t.count(right, leaf))
	}
	if leaf && t.mode == stringed {
		return t.arrangeTexts(d, i, keep, left, right)
	}
	if keep == x.count {
		t.join(d, i, left, leaf)
		return nil
	}
	// If the children are inner nodes, the new separator is a key that moves up from them. If they
	// are leaves, it is a copy of a key.
	if t.mode != stringed {
		copy(parent.bytes(headerBytes+uintptr(i)*t.keyBytes, t.keyBytes), x.keys[uintptr(keep)*t.keyBytes:])
	} else {
		t.setText(parent, i, x.refs[keep]) // settleParent checks its common prefix
	}
	x.scatter(&t.shape, left, leaf, 0, keep)
	x.scatter(&t.shape, right, leaf, keep+b2i(!leaf), x.count)
	t.settleNode(left, leaf, d, i)
	t.settleNode(right, leaf, d, i+1)
	t.settleParent(d)
	return nil
}

// arrangeTexts completes arrange for leaves with string keys. It allocates all new strings first,
// so that no entry has changed if an allocation fails.
func (t *tree) arrangeTexts(d, i, keep int, left, right node) error {
	x, parent := &t.scratch, t.node(t.cursor.path[d].node)
	t.gatherTexts(left, t.count(left, true))
	t.gatherTexts(right, x.count-len(x.packed))
	var f fencing
	f.low, f.okLow = t.fence(d, i, true)
	f.high, f.okHigh = t.fence(d, i+1, false)
	if keep == x.count {
		p, err := t.pack(x.packed, f)
		if err != nil {
			return err
		}
		t.retireBlock(left)
		t.retireBlock(right)
		t.write(left, x.packed, &p)
		t.join(d, i, left, true)
		return nil
	}
	middle := separator(x.packed[keep-1].text, x.packed[keep].text)
	ref, err := t.putText(middle)
	if err != nil {
		return err
	}
	p, err := t.pack(x.packed[:keep], fencing{f.low, middle, f.okLow, true})
	if err != nil {
		t.heap.Free(ref)
		return err
	}
	q, err := t.pack(x.packed[keep:], fencing{middle, f.high, true, f.okHigh})
	if err != nil {
		t.heap.Free(ref)
		t.heap.Free(p.block.ref)
		return err
	}
	t.retireBlock(left)
	t.retireBlock(right)
	t.write(left, x.packed[:keep], &p)
	t.write(right, x.packed[keep:], &q)
	t.retireText(parent.refs(&t.shape)[i]) // string of the previous separator; 0 in a split
	t.setText(parent, i, ref)
	x.scatterRest(&t.shape, left, true, 0, keep)
	x.scatterRest(&t.shape, right, true, keep, x.count)
	t.fill(left, true, keep, t.leafCap)
	t.fill(right, true, x.count-keep, t.leafCap)
	t.settleParent(d)
	return nil
}

// join moves all entries of children i and i+1 to child i, and removes child i+1 and the key that
// separates the two children.
func (t *tree) join(d, i int, left node, leaf bool) {
	parent, x := t.node(t.cursor.path[d].node), &t.scratch
	texts := leaf && t.mode == stringed
	if texts {
		t.retireText(parent.refs(&t.shape)[i])
	}
	gone := parent.child(&t.shape, i+1)
	t.closeGap(parent, false, i, t.count(parent, false))
	t.retire(gone)
	if texts {
		x.scatterRest(&t.shape, left, true, 0, x.count)
		t.fill(left, true, x.count, t.leafCap)
	} else {
		x.scatter(&t.shape, left, leaf, 0, x.count)
		t.settleNode(left, leaf, d, i)
	}
	t.settleParent(d)
}

// settleNode completes the rearrangement of child i of the node on level d. It determines the
// common prefix that the child's words leave out, and fills the unused words after the last key.
func (t *tree) settleNode(n node, leaf bool, d, i int) {
	if t.mode == stringed {
		t.leaveOut(n, d, i)
	}
	t.fill(n, leaf, t.count(n, leaf), t.capOf(leaf))
}

// leaveOut determines the prefix that the words of child i of the node on level d leave out, and
// rebuilds the words. The child must be an inner node. The prefix is the common prefix of the two
// keys in the nodes above that bound the child. A child that lacks a lower or an upper bound is
// called open; its prefix is the common prefix of its own keys.
func (t *tree) leaveOut(n node, d, i int) {
	low, okLow := t.fence(d, i, true)
	high, okHigh := t.fence(d, i, false)
	n.header().open = uint8(1 - b2i(okLow && okHigh))
	skip := 0
	if okLow && okHigh {
		skip = common(low, high)
	} else {
		skip = t.ownSkip(n)
	}
	t.reword(n, skip)
}

// ownSkip returns the length of the prefix that all keys in an inner node share, or 0 if the node
// has fewer than two keys.
func (t *tree) ownSkip(n node) int {
	count, refs := t.count(n, false), n.refs(&t.shape)
	if count < 2 {
		return 0
	}
	return common(t.text(refs[0]), t.text(refs[count-1]))
}

// reword rebuilds the words of an inner node so that they leave out the first skip bytes of each
// key.
func (t *tree) reword(n node, skip int) {
	n.header().skip = uint32(skip)
	words := n.keys64(t.innerCap)
	for i, ref := range n.refs(&t.shape)[:t.count(n, false)] {
		words[i] = textWord(t.text(ref), uint32(skip))
	}
}

// settleParent must be called after keys of the node on level d have changed. If the node is open
// (see leaveOut) and the common prefix of its keys has changed, settleParent rebuilds the words of
// the node. A new root starts with an empty prefix.
func (t *tree) settleParent(d int) {
	if t.mode != stringed {
		return
	}
	n := t.node(t.cursor.path[d].node)
	if h := n.header(); h.open != 0 {
		if skip := t.ownSkip(n); skip != int(h.skip) {
			t.reword(n, skip)
		}
	}
}

// fence returns the string that bounds the keys of child i of the node on level d of the path: the
// lower bound if low is true, and otherwise the upper bound. It returns false if the child has no
// such bound.
func (t *tree) fence(d, i int, low bool) ([]byte, bool) {
	for ; d >= 0; d-- {
		n := t.node(t.cursor.path[d].node)
		refs := n.refs(&t.shape)
		if low && i > 0 {
			return t.text(refs[i-1]), true
		}
		if !low && i < t.count(n, false) {
			return t.text(refs[i]), true
		}
		if d > 0 {
			i = t.cursor.path[d-1].at
		}
	}
	return nil, false
}
