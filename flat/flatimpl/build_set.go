package flatimpl

// change returns the words of the tree for writing. It panics if the node is nil, or if the tree
// was freed or is read-only. The message begins with the caller's name, which is passed in where.
func (n Node) change(where string) []uint32 {
	if n.tree == nil || n.tree.words == nil {
		panic(where + ": the node is nil, or its tree was freed")
	}
	if n.tree.mapped != nil {
		panic(where + ": the tree is mapped, and read-only; change a Clone of it")
	}
	if n.tree.shared != nil {
		panic(where + ": the tree belongs to a forest and is read-only; change a Clone of it")
	}
	return n.tree.words
}

// SetWord sets the word at the given offset.
func (n Node) SetWord(word, v uint32) { n.change("flatimpl.Node.SetWord")[n.index+word] = v }

// SetUint64 sets the two words at the given offset.
func (n Node) SetUint64(word uint32, v uint64) {
	w := n.change("flatimpl.Node.SetUint64")
	w[n.index+word], w[n.index+word+1] = uint32(v), uint32(v>>32)
}

// SetBits replaces the bits that mask<<shift selects in a word with the same bits of v<<shift.
func (n Node) SetBits(word, shift, mask, v uint32) {
	w := n.change("flatimpl.Node.SetBits")
	at := n.index + word
	w[at] = w[at]&^(mask<<shift) | v&mask<<shift
}

// SetText sets a string. It appends the string to the tree's text; the previous string is kept
// until Compact.
func (n Node) SetText(word uint32, s string) {
	w := n.change("flatimpl.Node.SetText")
	id := uint32(0)
	if s != "" {
		id = n.tree.appendText("flatimpl.Node.SetText", s)
	}
	w[n.index+word] = id
}

// SetBytes is like SetText for a byte slice.
func (n Node) SetBytes(word uint32, p []byte) { n.SetText(word, stringOf(p)) }

// SetOptionalText is like SetText for an optional string. nil means that the string is absent.
func (n Node) SetOptionalText(word uint32, s *string) {
	w := n.change("flatimpl.Node.SetOptionalText")
	id := uint32(0)
	if s != nil {
		id = n.tree.appendText("flatimpl.Node.SetOptionalText", *s)
	}
	w[n.index+word] = id
}

func (t *Tree) appendText(where, s string) uint32 {
	if uint64(len(t.text))+uint64(len(s)) > maxWords || uint64(len(t.ends)) == maxWords {
		panic(where + ": the tree has no room for more text; Compact it")
	}
	t.text = append(t.text, s...)
	t.ends = append(t.ends, uint32(len(t.text)))
	return uint32(len(t.ends) - 1)
}

func (t *Tree) hasParent(i uint32) bool { return t.parents[i/64]>>(i%64)&1 != 0 }

func (t *Tree) setParent(i uint32, has bool) {
	t.parents[i/64] &^= 1 << (i % 64)
	if has && i != 0 {
		t.parents[i/64] |= 1 << (i % 64)
	}
}

// findParents allocates and computes the parent bits. The first setter that needs them calls it.
func (t *Tree) findParents() {
	t.parents = make([]uint64, len(t.words)/64+1)
	t.knowParents()
}

// knowParents sets the parent bits of a tree in which none is set. If all records are reachable,
// all of them except the root have a parent, so that all bits can be set without reading the tree.
func (t *Tree) knowParents() {
	if !t.whole {
		t.markParents()
		return
	}
	t.filled = true
	n := len(t.words) / 64
	if n > 0 {
		t.parents[0] = ^uint64(0)
	}
	for k := 1; k < n; k *= 2 { // copy is faster than single stores
		copy(t.parents[k:n], t.parents[:k])
	}
	t.parents[n] = 1<<(len(t.words)%64) - 1
	t.setParent(t.root, false)
}

// markParents sets the parent bit of each record to which a reference refers.
func (t *Tree) markParents() {
	var refs []uint32
	for i := t.First().index; i != 0; i = t.nextIndex(i) {
		plan := &t.tables.refs[uint8(t.words[i])]
		if !plan.some {
			continue
		}
		refs = t.refs(refs[:0], i, plan)
		for _, at := range refs {
			t.setParent(t.words[at], true)
		}
	}
}

// SetWord sets item i, which must have one word.
func (l List) SetWord(i int, v uint32) {
	l.check("flatimpl.List.SetWord", i)
	Node{l.tree, l.first}.SetWord(uint32(i), v)
}

// SetUint64 sets item i, which must have two words.
func (l List) SetUint64(i int, v uint64) {
	l.check("flatimpl.List.SetUint64", i)
	Node{l.tree, l.first}.SetUint64(2*uint32(i), v)
}

// SetUint8 sets item i, which must have 8 bits.
func (l List) SetUint8(i int, v uint8) {
	l.check("flatimpl.List.SetUint8", i)
	Node{l.tree, l.first}.SetBits(uint32(i)/4, uint32(i)%4*8, 0xff, uint32(v))
}

// SetUint16 sets item i, which must have 16 bits.
func (l List) SetUint16(i int, v uint16) {
	l.check("flatimpl.List.SetUint16", i)
	Node{l.tree, l.first}.SetBits(uint32(i)/2, uint32(i)%2*16, 0xffff, uint32(v))
}

// SetText sets item i, which must be a string.
func (l List) SetText(i int, s string) {
	l.check("flatimpl.List.SetText", i)
	Node{l.tree, l.first}.SetText(uint32(i), s)
}

// SetBytes sets item i, which must be a byte slice.
func (l List) SetBytes(i int, p []byte) { l.SetText(i, stringOf(p)) }

// SetRef sets item i, which must be a reference, as Node.SetRef does.
func (l List) SetRef(i int, child Node, kinds *Kinds, method string) {
	l.check("flatimpl.List.SetRef", i)
	Node{l.tree, l.first}.SetRef(uint32(i), child, kinds, method)
}

func (l List) check(where string, i int) {
	if uint(i) >= uint(l.count) {
		panic(where + ": index out of range")
	}
}
