package flatimpl

import (
	"fmt"
	"strings"
)

// Every reference is checked when it is stored in a record: in the Builder's methods, in Finish,
// and in setters. The types of generated packages ensure that a handle has the kind of its type, or
// is nil. They cannot ensure that the handle belongs to this tree and that its record has no
// parent. Kinds are checked again where not every kind is allowed, so that even a program that
// circumvents the types cannot create a tree that Load rejects. docs/decisions/0011 explains the
// choice.

// Kinds is a bit set of record kinds. Kind k is bit k%32 of element k/32.
type Kinds [8]uint32

// Add adds a kind to the set if condition is true.
func (s *Kinds) Add(kind uint8, condition bool) {
	if condition {
		s[kind>>5] |= 1 << (kind & 31)
	}
}

func (s *Kinds) has(kind uint8) bool { return s[kind>>5]>>(kind&31)&1 != 0 }

// Ref returns the reference to a child of any kind, or 0 for nil. It panics if the child belongs to
// a different tree, or if it has a parent and the schema does not have flat:share.
func (b *Builder) Ref(child Node) uint32 {
	i := child.index
	if i == 0 {
		return 0
	}
	if child.tree != b.tree {
		panic(refusal{b, b.tree, child, nil})
	}
	if !b.sharing {
		word, bit := &b.tree.parents[i/64], uint64(1)<<(i%64)
		if *word&bit != 0 {
			panic(refusal{b, b.tree, child, nil})
		}
		*word |= bit
	}
	return i
}

// RefOf is like Ref for a child that must have one of the kinds.
func (b *Builder) RefOf(child Node, kinds *Kinds) uint32 {
	if child.tree == b.tree && !kinds.has(uint8(b.tree.words[child.index])) {
		panic(refusal{b, b.tree, child, kinds})
	}
	return b.Ref(child)
}

// A refusal is the panic value of a Builder's method that rejects a child. The message is formatted
// in Error and not in Ref, so that Ref stays small enough to inline.
type refusal struct {
	b     *Builder // its last, incomplete record is the one being filled
	tree  *Tree
	child Node
	kinds *Kinds // the allowed kinds of the child; nil if they do not matter
}

// Error describes the method that rejected the child, and the child.
func (r refusal) Error() string {
	t := r.tree
	method := "Add"
	if r.b.tree == t && r.b.done < len(t.words) {
		method = t.tables.kindName(uint8(t.words[r.b.done]))
	}
	found := r.child.describe()
	switch {
	case r.child.tree != t:
		found += " of another tree, or of one that is finished"
	case r.kinds == nil:
		found += ", which has a parent already; use it once, or say flat:share in the schema"
	}
	return t.tables.misuse("Builder."+method, "nil or "+t.tables.oneOf(r.kinds)+" as a child"+sinceItBegan, found)
}

// checkRoot panics unless the node can be the root of the tree.
func (b *Builder) checkRoot(root Node) {
	t, found := b.tree, ""
	switch {
	case root.index == 0:
		return
	case root.tree != t:
		found = root.describe() + " of another tree, or of one that is finished"
	case !b.tables.root.has(root.Kind()):
		found = root.describe() + " of this tree"
	case !b.tables.share && t.hasParent(root.index):
		found = root.describe() + ", which has a parent"
	default:
		return
	}
	panic(b.tables.misuse("Builder.Finish", "nil or "+b.tables.oneOf(b.tables.root)+" as the root"+sinceItBegan, found))
}

// SetRef changes a reference so that it refers to child. It panics unless child is nil or an
// earlier record of the same tree with one of the kinds. If kinds is nil, any kind is allowed. If
// the schema does not have flat:share, SetRef also panics if child has a parent. The panic message
// contains the given method name. Afterwards, the previous child has no parent and can be used
// elsewhere.
func (n Node) SetRef(word uint32, child Node, kinds *Kinds, method string) {
	n.change("flatimpl.Node.SetRef")
	t, at := n.tree, n.index+word
	if t.isOpen() {
		t.edit.b.settle()
		t.edit.b.far.stale = true
	}
	old := t.words[at]
	if child.index != 0 {
		t.checkChild(n, at, child, kinds, method)
	}
	t.whole = false
	switch b := t.rewriter; {
	case t.tables.share:
	case b != nil:
		if n.index < b.counted { // references of later records are counted when the function has returned
			b.scratch.tally.add(old, -1)
			b.scratch.tally.add(child.index, 1)
			b.scratch.tally.revive(at)
		}
	default:
		if t.parents == nil {
			t.findParents()
		}
		if child.index != 0 && child.index != old && (t.hasParent(child.index) || child.index == t.root && !t.isOpen()) {
			t.refuse(method, kinds, child.describe()+", which has a parent already, or is the root; set that place to nil first")
		}
		t.setParent(old, false)
		t.setParent(child.index, true)
	}
	t.words[at] = child.index
}

// checkChild panics unless the word with index at, in the record or inline struct n, may refer to
// child. It does not check parents.
func (t *Tree) checkChild(n Node, at uint32, child Node, kinds *Kinds, method string) {
	switch {
	case child.tree != t:
		t.refuse(method, kinds, child.describe()+" of another tree")
	case kinds != nil && !kinds.has(child.Kind()):
		t.refuse(method, kinds, child.describe()+" of this tree")
	case t.edit != nil:
		if !t.edit.accepts(t, n, at, child.index) {
			t.refuse(method, kinds, child.describe()+", which is the parent, or is above it; a tree has no cycles")
		}
	case t.rewriter != nil && t.rewriter.scratch.places.base != 0:
		places := &t.rewriter.scratch.places
		if !places.accepts(t, n, at, child.index) {
			t.refuse(method, kinds, child.describe()+", which comes after its parent, or is the parent; see Builder.Edit")
		}
		places.refer(at, child.index)
	// If n is an inline struct, the start of the record that contains it is not known here. It is
	// enough to check that the child ends before the word and starts before n.
	case !t.endsBefore(child.index, at) || child.index >= n.index:
		t.refuse(method, kinds, child.describe()+", which comes after its parent, or is the parent; see Builder.Edit")
	}
}

func (t *Tree) refuse(method string, kinds *Kinds, found string) {
	where := " of this tree that comes before its parent"
	if t.edit != nil {
		where = " of this tree that is not above its parent"
	}
	panic(t.tables.misuse(method, "nil or "+t.tables.oneOf(kinds)+where, found))
}

// To converts n to a handle of a sum, which consists of the given kinds. It panics if n has a
// different kind. The panic message contains the given method name. A nil node can be converted to
// any sum.
func (n Node) To(kinds *Kinds, method string) Node {
	if n.index != 0 && !kinds.has(n.Kind()) {
		t := n.tree.tables
		panic(t.misuse(method, "nil or "+t.oneOf(kinds), n.describe()))
	}
	return n
}

// describe returns the name and index of a node, such as "Num #12". The kind of a node in a freed
// tree is unknown.
func (n Node) describe() string {
	if n.tree.words == nil {
		return "a node of a tree that was freed"
	}
	return fmt.Sprintf("%s #%d", n.tree.tables.kindName(n.Kind()), n.index)
}

// oneOf lists the names of the kinds in a set, for an error message. nil is the set of all kinds.
func (t *tables) oneOf(kinds *Kinds) string {
	if kinds == nil {
		return "a node"
	}
	var names []string
	for kind := 1; kind < len(t.layout.Records); kind++ {
		if kinds.has(uint8(kind)) {
			names = append(names, t.kindName(uint8(kind)))
		}
	}
	const most = 8
	if len(names) > most+1 {
		names = append(names[:most], fmt.Sprintf("%d others", len(names)-most))
	}
	return "one of " + strings.Join(names, ", ")
}

// misuse returns the panic message for a call that misuses a function of the generated package.
func (t *tables) misuse(function, want, found string) string {
	return t.schema.name + "." + function + ": want " + want + "; found " + found
}

// sinceItBegan is the part of a panic message that excludes nodes of the Builder's previous tree.
const sinceItBegan = ", returned by this Builder since it began the tree"
