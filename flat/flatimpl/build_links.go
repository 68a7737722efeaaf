package flatimpl

import "github.com/coppice-go/coppice/internal/checks"

// A link refers to a record without making it a child. Its target is the root, or a child of some
// record: for example, a link can refer to a parent or to a declaration. A link can point in any
// direction, and traversals do not follow it. If its target becomes unreachable, the link becomes
// nil. docs/decisions/0026 explains the choice.

// pendingLink is the value of a link during Rewrite as long as the new position of its target is
// not known. Accessors return nil for such a link.
const pendingLink = allBits

// Link returns the record to which the link in the given word points, or the zero Node if the link
// is nil.
func (n Node) Link(word uint32) Node {
	if checks.Enabled {
		n.tree.checkFreed(reading)
	}
	return n.tree.linked(n.tree.words[n.index+word])
}

// linked returns the record at index r, which is the value of a link, or the zero Node if the link
// is nil.
func (t *Tree) linked(r uint32) Node {
	if r == 0 || r == pendingLink {
		return Node{}
	}
	return Node{t, r}
}

// Link returns the record to which item i, a link, points, or the zero Node if the link is nil.
func (l List) Link(i int) Node { return l.tree.linked(l.Word(i)) }

// Link returns the word that represents a link to a record of the tree, or 0 if the link is nil. It
// panics if the record belongs to a different tree, or does not have one of the kinds. If kinds is
// nil, any kind is allowed.
func (b *Builder) Link(to Node, kinds *Kinds) uint32 {
	switch {
	case to.index == 0 || to.tree == promised:
		return to.index
	case to.tree != b.tree || kinds != nil && !kinds.has(uint8(b.tree.words[to.index])):
		b.refuseLink(to, kinds)
	}
	return to.index
}

// refuseLink panics with the reason why a record cannot link to the node.
func (b *Builder) refuseLink(to Node, kinds *Kinds) {
	method := b.tables.kindName(uint8(b.tree.words[b.done]))
	found := to.describe()
	if to.tree != b.tree {
		found += " of another tree, or of one that is finished"
	}
	panic(b.tables.misuse("Builder."+method, "nil or "+b.tables.oneOf(kinds)+" as the link"+sinceItBegan, found))
}

// SetLink sets the link in the given word to point to a record, which may be anywhere in the tree.
// It panics unless the record is nil, or belongs to the same tree and has one of the kinds. If
// kinds is nil, any kind is allowed. The panic message contains the given method name.
func (n Node) SetLink(word uint32, to Node, kinds *Kinds, method string) {
	w := n.change("flatimpl.Node.SetLink")
	t := n.tree
	found := ""
	switch {
	case to.index == 0:
	case to.tree != t:
		found = " of another tree"
	case kinds != nil && !kinds.has(to.Kind()):
		found = " of this tree"
	}
	if found != "" {
		panic(t.tables.misuse(method, "nil or "+t.tables.oneOf(kinds)+" of this tree", to.describe()+found))
	}
	w[n.index+word] = to.index
}

// SetLink sets item i, which must be a link, as Node.SetLink does.
func (l List) SetLink(i int, to Node, kinds *Kinds, method string) {
	l.check("flatimpl.List.SetLink", i)
	Node{l.tree, l.first}.SetLink(uint32(i), to, kinds, method)
}

// haveLinks reports whether any of the slots is a link or contains one.
func haveLinks(slots []slot) bool {
	for k := range slots {
		if slots[k].op == opLink || slots[k].linked {
			return true
		}
	}
	return false
}

// addTargets adds the kinds of records to which the links in slots may point.
func (s *Kinds) addTargets(slots []slot) {
	for k := range slots {
		if l := &slots[k]; l.op == opLink {
			for i, kinds := range l.set {
				s[i] |= kinds
			}
		} else if l.linked {
			s.addTargets(l.slots)
		}
	}
}

// links calls f for each word of the record at i that is a link, in the order of fields and items.
// It passes the index of the word and the kinds that the link accepts.
func (t *Tree) links(i uint32, f func(at uint32, kinds *Kinds)) {
	if s := &t.tables.shapes[uint8(t.words[i])]; s.linked {
		t.linksIn(i, i+s.words, s.slots, f)
	}
}

// linksIn implements method links for the block at i, whose own lists start at the index end. Its
// recursion depth is the nesting depth of structs in the schema.
func (t *Tree) linksIn(i, end uint32, slots []slot, f func(at uint32, kinds *Kinds)) {
	for k := range slots {
		l := &slots[k]
		var n, first uint32
		switch l.op {
		case opLink:
			f(i+l.off, l.set)
			continue
		case opList:
			n, first = t.list(i, l, end)
			end = first + uint32(words(uint64(n), l.item))
		case opNested:
			n, first = t.nested(i, l)
		default:
			continue
		}
		if !l.linked {
			continue
		}
		for ; n > 0; n-- {
			t.linksIn(first, first, l.slots, f)
			first += l.item / 32
		}
	}
}

// mapLinks replaces each link r in the tree with to(r). It returns at once if the schema has no
// links.
func (t *Tree) mapLinks(to func(r uint32) uint32) {
	if !t.tables.linked {
		return
	}
	for i := t.First().index; i != 0; i = t.nextIndex(i) {
		t.links(i, func(at uint32, _ *Kinds) {
			if r := t.words[at]; r != 0 {
				t.words[at] = to(r)
			}
		})
	}
}

// links validates the links of all records. It must be called after all records have been
// validated.
func (v *validator[S]) links(t *Tree) (err error) {
	for i := t.First().index; v.tables.linked && i != 0; i = t.nextIndex(i) {
		t.links(i, func(at uint32, kinds *Kinds) {
			r := v.words[at]
			switch {
			case r == 0 || err != nil:
			case uint64(r) >= uint64(len(v.words)) || v.mark(r) == noRecord:
				err = v.wrong(i, "word %d links to %d, where no record starts", at, r)
			case !kinds.has(uint8(v.words[r])):
				err = v.wrong(i, "word %d links to a %s, which is not allowed there", at, v.tables.kindName(uint8(v.words[r])))
			}
		})
		if err != nil {
			return err
		}
	}
	return nil
}
