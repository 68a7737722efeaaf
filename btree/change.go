package btree

import "fmt"

// place finds a key in the tree, and inserts it if it is missing. It returns the leaf that contains
// the key, and the index of the key in the leaf. The caller must then write the value, and also the
// key itself if keys are compared by a function. If place fails, the keys do not change.
func (t *tree) place(p *probe) (n node, at int, found bool, err error) {
	if t.root == 0 {
		if err := t.reserve(1); err != nil {
			return n, 0, false, err
		}
		t.root, _ = t.take(0)
	}
	for {
		count, found := t.descend(&t.cursor, p)
		if !found && (t.most > 0 && t.length >= t.most || t.ranked && uint64(t.length) >= mostCounted) {
			return n, 0, false, fmt.Errorf("%w: it holds %d entries, as many as %s", ErrFull, t.length, t.boundBy())
		}
		if found || count < t.leafCap {
			return t.placeHere(p, count, found)
		}
		if err := t.makeRoom(); err != nil {
			return n, 0, false, err
		}
	}
}

// boundBy returns a phrase for an error message. The phrase names the limit that the tree has
// reached: Options.Max or the range of the counts.
func (t *tree) boundBy() string {
	if t.most > 0 && t.length >= t.most {
		return "Options.Max allows"
	}
	return "a Ranked map can count"
}

// placeHere completes place at the leaf at the cursor. The leaf has count keys; found reports
// whether it contains the key.
func (t *tree) placeHere(p *probe, count int, found bool) (n node, at int, _ bool, err error) {
	if err := t.own(); err != nil {
		return n, 0, false, err
	}
	last := &t.cursor.path[t.height]
	n, at = t.node(last.node), last.at
	if found {
		return n, at, true, nil
	}
	if t.mode == stringed {
		if err = t.insertText(n, at, count, p.text); err != nil {
			return n, 0, false, err
		}
	} else {
		t.openGap(n, true, at, count)
	}
	switch t.mode {
	case words64:
		n.keys64(t.leafCap)[at] = p.word
	case words32:
		n.keys32(t.leafCap)[at] = uint32(p.word)
	}
	if t.ranked {
		t.tally(1)
	}
	t.length++
	t.changes++
	return n, at, false, nil
}

// makeRoom takes one step towards making room for another key in the leaf at the cursor: it splits
// a node, or moves entries to a neighbor. The caller repeats the call until the leaf has room.
func (t *tree) makeRoom() error {
	if err := t.own(); err != nil {
		return err
	}
	d := t.height
	if d > 0 && !t.atEnd() {
		if done, err := t.share(); done || err != nil {
			return err
		}
	}
	for d > 0 && t.count(t.node(t.cursor.path[d-1].node), false) == t.innerCap {
		d--
	}
	return t.split(d)
}

// atEnd reports whether the cursor is after all keys or before all keys. This is the case when keys
// are inserted in ascending or descending order.
func (t *tree) atEnd() bool { return t.isEdge(t.height, true) || t.isEdge(t.height, false) }

// isEdge reports whether the cursor, on levels 0 to d, is before all keys or, if last is true,
// after all keys.
func (t *tree) isEdge(d int, last bool) bool {
	for i := range d + 1 {
		end := 0
		if last {
			end = t.count(t.node(t.cursor.path[i].node), i == t.height)
		}
		if t.cursor.path[i].at != end {
			return false
		}
	}
	return true
}

// share moves entries of the full leaf at the cursor to a neighbor under the same parent, if a
// neighbor has free space. Leaves are therefore four fifths full on average; if full leaves were
// only split, they would be seven tenths full. The technique is from B*-trees (Knuth, volume 3,
// 6.2.4).
func (t *tree) share() (done bool, err error) {
	d := t.height - 1
	up := t.cursor.path[d]
	parent := t.node(up.node)
	enough := t.leafCap - max(2, t.leafCap/8)
	size := func(i int) int { return t.count(t.node(parent.child(&t.shape, i)), true) }
	left := -1
	if up.at > 0 && size(up.at-1) <= enough {
		left = up.at - 1
	}
	if up.at < t.count(parent, false) {
		if right := size(up.at + 1); right <= enough && (left < 0 || right < size(left)) {
			left = up.at
		}
	}
	if left < 0 {
		return false, nil
	}
	total := size(left) + size(left+1)
	return true, t.rearrange(d, left, total/2)
}

// split splits the node on level d of the path. Unless the node is the root, its parent must not be
// full.
func (t *tree) split(d int) error {
	leaf := d == t.height
	n := t.node(t.cursor.path[d].node)
	count := t.count(n, leaf)
	keep := count / 2
	switch few := count / 16; {
	case t.isEdge(d, true) && t.appending:
		keep = count - 1
	case t.isEdge(d, true):
		keep = count - max(1, few)
	case t.isEdge(d, false):
		keep = max(1, few)
	}
	if err := t.reserve(2); err != nil {
		return err
	}
	n = t.node(t.cursor.path[d].node)
	if d == 0 {
		number, top := t.take(uint8(t.height + 1))
		top.children(&t.shape)[0] = t.root
		top.header().open = 1
		t.root = number
		t.height++
		copy(t.cursor.path[1:], t.cursor.path[:t.height])
		t.cursor.path[0] = step{number, 0}
		d++
	}
	up := t.cursor.path[d-1]
	parent := t.node(up.node)
	// The new node is inserted as an empty right neighbor; arrange sets the key that separates the
	// two nodes.
	number, right := t.take(n.header().level)
	if !leaf {
		right.header().skip = n.header().skip
	}
	ups := t.count(parent, false)
	t.openGap(parent, false, up.at, ups)
	parent.children(&t.shape)[up.at+1] = number
	if t.mode == stringed {
		parent.refs(&t.shape)[up.at] = 0
	}
	err := t.arrange(d-1, up.at, keep, true)
	if err != nil { // no memory for the string of the separator
		parent = t.node(t.cursor.path[d-1].node)
		t.closeGap(parent, false, up.at, ups+1)
		t.release(number)
		t.lower()
	}
	return err
}

// lower reduces the height of the tree: as long as the root has only one child, it removes the
// root, and the child becomes the new root.
func (t *tree) lower() {
	for t.height > 0 {
		n := t.node(t.root)
		if t.count(n, false) > 0 {
			return
		}
		old := t.root
		t.root = n.child(&t.shape, 0)
		t.height--
		t.retire(old)
	}
}

// remove removes a key, and reports whether it was present.
func (t *tree) remove(p *probe) (found bool, err error) {
	if t.length == 0 {
		return false, nil
	}
	count, found := t.descend(&t.cursor, p)
	if !found {
		return false, nil
	}
	if err := t.removeHere(count); err != nil {
		return false, err
	}
	return true, nil
}

// removeHere removes the key at the cursor, whose leaf has count keys. If it fails, nothing
// changes.
func (t *tree) removeHere(count int) error {
	if err := t.own(); err != nil {
		return err
	}
	last := t.cursor.path[t.height]
	n := t.node(last.node)
	if t.mode == stringed {
		t.removeText(n, last.at)
	}
	if t.texted {
		t.retireText(*t.valueRef(n, last.at))
	}
	t.closeGap(n, true, last.at, count)
	if t.ranked {
		t.tally(^uint32(0))
	}
	t.length--
	t.changes++
	if count-1 < t.leafCap/4 {
		t.thin()
	}
	return nil
}

// thin rebalances the nodes on the path after a deletion, from the leaf up. It joins each node that
// is less than a quarter full with a neighbor, or moves entries between the two. If there is no
// memory for this, the nodes do not change.
func (t *tree) thin() {
	for d := t.height; d > 0; d-- {
		leaf := d == t.height
		room := t.capOf(leaf)
		if t.count(t.node(t.cursor.path[d].node), leaf) >= room/4 {
			break
		}
		up := t.cursor.path[d-1]
		parent := t.node(up.node)
		left := up.at
		if ups := t.count(parent, false); ups == 0 {
			continue // an only child has no neighbor; its parent is less than a quarter full, too
		} else if left == ups {
			left--
		}
		keep := t.count(t.node(parent.child(&t.shape, left)), leaf) + t.count(t.node(parent.child(&t.shape, left+1)), leaf) + b2i(!leaf)
		if keep > room-room/8 {
			keep /= 2
		}
		if t.rearrange(d-1, left, keep) != nil {
			break
		}
	}
	t.lower()
}

// above reports whether a key is greater than all keys in the tree.
func (t *tree) above(p *probe) bool {
	if t.length == 0 {
		return true
	}
	if t.edge(&t.cursor, -1, true) == 0 && !t.before(&t.cursor) {
		return false
	}
	last := t.cursor.path[t.height]
	n := t.node(last.node)
	switch t.mode {
	case words64:
		return p.word > n.keys64(t.leafCap)[last.at]
	case words32:
		return uint32(p.word) > n.keys32(t.leafCap)[last.at]
	case stringed:
		return t.compareKey(n, last.at, p.text) < 0
	default:
		return p.compare(n.keyAt(&t.shape, last.at)) > 0
	}
}
