package flat

// change returns the words of a tree that may be changed, for the function where.
func (n Node) change(where string) []uint32 {
	if n.tree == nil || n.tree.words == nil {
		panic(where + ": nil, or a node of a tree that was freed")
	}
	if n.tree.mapped != nil {
		panic(where + ": the tree is mapped, and read-only; change a Clone of it")
	}
	return n.tree.words
}

// SetWord sets a word. For generated packages.
func (n Node) SetWord(word, v uint32) { n.change("flat.Node.SetWord")[n.index+word] = v }

// SetUint64 sets two words. For generated packages.
func (n Node) SetUint64(word uint32, v uint64) {
	w := n.change("flat.Node.SetUint64")
	w[n.index+word], w[n.index+word+1] = uint32(v), uint32(v>>32)
}

// SetBits sets the bits of a mask, which v is shifted to, of a word. For generated packages.
func (n Node) SetBits(word, shift, mask, v uint32) {
	w := n.change("flat.Node.SetBits")
	at := n.index + word
	w[at] = w[at]&^(mask<<shift) | v&mask<<shift
}

// SetText sets a string, which is appended to the tree's text; the one before it stays there
// until Compact. For generated packages.
func (n Node) SetText(word uint32, s string) {
	w := n.change("flat.Node.SetText")
	id := uint32(0)
	if s != "" {
		id = n.tree.appendText("flat.Node.SetText", s)
	}
	w[n.index+word] = id
}

// SetOptionalText is SetText for a string that may be absent. For generated packages.
func (n Node) SetOptionalText(word uint32, s *string) {
	w := n.change("flat.Node.SetOptionalText")
	id := uint32(0)
	if s != nil {
		id = n.tree.appendText("flat.Node.SetOptionalText", *s)
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

// findParents sets a bit for each record that has a parent; once, for the first setter.
func (t *Tree) findParents() {
	if t.parents != nil {
		return
	}
	t.parents = make([]uint64, len(t.words)/64+1)
	t.markParents()
}

// markParents sets the bits of all records that are referred to.
func (t *Tree) markParents() {
	for i := uint32(1); uint64(i) < uint64(len(t.words)); i += t.size(i) {
		t.mentions(i, func(at uint32, op slotOp) {
			if r := t.words[at]; op == opRef && r != 0 {
				t.setParent(r, true)
			}
		})
	}
}

// SetWord sets an item of one word. For generated packages.
func (l List) SetWord(i int, v uint32) {
	l.check("flat.List.SetWord", i)
	Node{l.tree, l.first}.SetWord(uint32(i), v)
}

// SetUint64 sets an item of two words. For generated packages.
func (l List) SetUint64(i int, v uint64) {
	l.check("flat.List.SetUint64", i)
	Node{l.tree, l.first}.SetUint64(2*uint32(i), v)
}

// SetUint8 sets an item of 8 bits. For generated packages.
func (l List) SetUint8(i int, v uint8) {
	l.check("flat.List.SetUint8", i)
	Node{l.tree, l.first}.SetBits(uint32(i)/4, uint32(i)%4*8, 0xff, uint32(v))
}

// SetUint16 sets an item of 16 bits. For generated packages.
func (l List) SetUint16(i int, v uint16) {
	l.check("flat.List.SetUint16", i)
	Node{l.tree, l.first}.SetBits(uint32(i)/2, uint32(i)%2*16, 0xffff, uint32(v))
}

// SetText sets an item that is a string. For generated packages.
func (l List) SetText(i int, s string) {
	l.check("flat.List.SetText", i)
	Node{l.tree, l.first}.SetText(uint32(i), s)
}

// SetRef sets an item that is a reference, as Node.SetRef does. For generated packages.
func (l List) SetRef(i int, child Node, kinds *Kinds, method string) {
	l.check("flat.List.SetRef", i)
	Node{l.tree, l.first}.SetRef(uint32(i), child, kinds, method)
}

func (l List) check(where string, i int) {
	if uint(i) >= uint(l.count) {
		panic(where + ": index out of range")
	}
}
