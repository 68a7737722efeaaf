package flat

import (
	"fmt"
	"strings"
)

// Every reference is checked where it enters a record: by the Builder's methods, by its Finish, by setters. The
// types of generated packages leave little to find: a handle is of the kind that its type says, or nil. What they
// cannot say is whose tree it is of, and whether it has a parent. Kinds are looked at all the same where not every
// kind of record will do, so that no way around the types makes a tree that Load refuses.

// Kinds is a set of kinds: bit k%32 of element k/32 is kind k. For generated packages.
type Kinds [8]uint32

func (s *Kinds) has(kind uint8) bool { return s[kind>>5]>>(kind&31)&1 != 0 }

// Ref returns the reference to a child that may be of any kind, 0 for nil. It panics if the child is not of this
// tree, or has a parent already and the schema does not share. For generated packages.
func (b *Builder) Ref(child Node) uint32 {
	i := child.index
	if i == 0 {
		return 0
	}
	if child.tree != b.tree {
		panic(refusal{b, b.tree, child, nil})
	}
	if !b.tables.share {
		word, bit := &b.tree.parents[i/64], uint64(1)<<(i%64)
		if *word&bit != 0 {
			panic(refusal{b, b.tree, child, nil})
		}
		*word |= bit
	}
	return i
}

// RefOf is Ref for a child that must be of one of the kinds. For generated packages.
func (b *Builder) RefOf(child Node, kinds *Kinds) uint32 {
	if child.tree == b.tree && !kinds.has(uint8(b.tree.words[child.index])) {
		panic(refusal{b, b.tree, child, kinds})
	}
	return b.Ref(child)
}

// A refusal is what the methods of a Builder panic with. It becomes text when somebody reads it, because a Ref that made
// the text would not be inlined.
type refusal struct {
	b     *Builder // its last record, which does not count, is the one that was being filled
	tree  *Tree
	child Node
	kinds *Kinds // what the child may be; nil if that does not matter
}

// Error says which method has refused which child.
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
	return t.tables.misuse("Builder."+method, "as child nil or "+t.tables.oneOf(r.kinds)+sinceItBegan, found)
}

// checkRoot panics unless the node may be the root of the tree.
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
	panic(b.tables.misuse("Builder.Finish", "as root nil or "+b.tables.oneOf(b.tables.root)+sinceItBegan, found))
}

// SetRef sets a reference, for the method of that name. It panics unless child is nil or a record of this tree and of
// those kinds, if kinds is not nil, that stands before this one and, if the schema does not share, has no parent. What
// was there has no parent afterwards, and may become a child elsewhere. For generated packages.
func (n Node) SetRef(word uint32, child Node, kinds *Kinds, method string) {
	w := n.change("flat.Node.SetRef")
	t, at := n.tree, n.index+word
	old := w[at]
	if child.index != 0 {
		t.checkChild(n, at, child, kinds, method)
	}
	if !t.tables.share {
		t.findParents()
		if child.index != 0 && child.index != old && (t.hasParent(child.index) || child.index == t.root) {
			t.refuse(method, kinds, child.describe()+", which has a parent already, or is the root; set that place to nil first")
		}
		t.setParent(old, false)
		t.setParent(child.index, true)
	}
	w[at] = child.index
}

// checkChild panics unless the child may stand in the word at of the record or inline struct n, parents aside.
func (t *Tree) checkChild(n Node, at uint32, child Node, kinds *Kinds, method string) {
	switch {
	case child.tree != t:
		t.refuse(method, kinds, child.describe()+" of another tree")
	// A struct inside a record does not know where the record starts, but the child must end before it.
	case uint64(child.index)+uint64(t.size(child.index)) > uint64(at) || child.index >= n.index:
		t.refuse(method, kinds, child.describe()+", which stands after its parent, or is the parent; build a new tree")
	case kinds != nil && !kinds.has(child.Kind()):
		t.refuse(method, kinds, child.describe()+" of this tree")
	}
}

func (t *Tree) refuse(method string, kinds *Kinds, found string) {
	panic(t.tables.misuse(method, "nil or "+t.tables.oneOf(kinds)+" of this tree that stands before its parent", found))
}

// To returns the node as a handle of a sum with those kinds, for the method of that name. It panics if the node is of
// another kind; nil is of every sum. For generated packages.
func (n Node) To(kinds *Kinds, method string) Node {
	if n.index != 0 && !kinds.has(n.Kind()) {
		t := n.tree.tables
		panic(t.misuse(method, "nil or "+t.oneOf(kinds), n.describe()))
	}
	return n
}

// describe says what a node is: "Num #12". Of a tree that was freed nobody knows.
func (n Node) describe() string {
	if n.tree.words == nil {
		return "a node of a tree that was freed"
	}
	return fmt.Sprintf("%s #%d", n.tree.tables.kindName(n.Kind()), n.index)
}

// oneOf names the kinds of a set, all of them if it is nil.
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
	if len(names) > most {
		names = append(names[:most], fmt.Sprintf("%d others", len(names)-most))
	}
	return "one of " + strings.Join(names, ", ")
}

// misuse is what a function of the generated package says when it panics.
func (t *tables) misuse(function, want, found string) string {
	return t.schema.name + "." + function + ": want " + want + "; found " + found
}

// sinceItBegan is said of children and roots: not of this tree is also what is of the one before.
const sinceItBegan = " that this Builder has returned since it began the tree"
