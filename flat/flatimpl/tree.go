package flatimpl

import (
	"math"
	"slices"
)

// A Tree consists of records in one buffer, and their strings. Programs use it as flat.Tree, where
// it is documented.
type Tree struct {
	words   []uint32 // the records; word 0 is 0; nil once freed
	ends    []uint32 // the end of each string in text; string 0 is empty
	text    []byte   // append-only, so that strings can point into it
	root    uint32
	nodes   int
	tables  *tables
	parents []uint64 // a bit for each record that has a parent; nil if not computed
	mapped  *mapping // mapped file of a tree from Open
	shared  *Texts   // shared strings of a tree in a forest, whose words may be in a mapping
	whole   bool     // all records are known to be reachable from the root
	filled  bool     // all bits of parents are set, even where no record starts
	edit    *edit    // set while the tree is edited, or if references point forward

	rewriter *Builder // rewrites a tree into this one, and checks parents at the end; otherwise nil
}

// maxWords is the maximum number of words of a tree, and also the maximum number of bytes of its
// strings.
const maxWords = math.MaxUint32

// Root returns the root, or nil if the tree is empty. It panics if the tree was freed.
func (t *Tree) Root() Node {
	if t.root == 0 && t.words == nil {
		panic("flatimpl.Tree.Root: the tree was freed")
	}
	return t.node(t.root)
}

// checkFreed panics if the tree was freed. The message begins with the given function name.
func (t *Tree) checkFreed(function string) {
	if t.words == nil {
		panic(function + ": the tree was freed")
	}
}

// reading is passed to checkFreed, in place of a function name, by accessors and by the steps of
// loops. They call checkFreed only in checked builds. In other builds, the call would exceed the
// inlining budget; it is not necessary, because any index into a freed tree is out of range.
const reading = "flatimpl: reading a node"

// node returns the record at i. If i is 0, it returns the zero Node. All nil handles are therefore
// equal, and reading a field of a nil handle panics because the handle has no tree.
func (t *Tree) node(i uint32) Node {
	if i == 0 {
		return Node{}
	}
	return Node{t, i}
}

// NumNodes implements flat.Tree.NumNodes.
func (t *Tree) NumNodes() int { return t.nodes }

// NumBytes implements flat.Tree.NumBytes.
func (t *Tree) NumBytes() int64 {
	return headerBytes + int64(padded(len(t.tables.text))) + 4*int64(len(t.words)) + 4*int64(len(t.ends)) + int64(len(t.text))
}

// NumWords implements flat.Tree.NumWords.
func (t *Tree) NumWords() int { return len(t.words) }

// Free implements flat.Tree.Free.
func (t *Tree) Free() {
	if t.mapped != nil {
		t.Close()
		return
	}
	t.drop()
}

func (t *Tree) drop() {
	t.words, t.ends, t.text, t.parents, t.shared = nil, nil, nil, nil, nil
	t.root, t.nodes, t.edit = 0, 0, nil
}

// Clone implements flat.Tree.Clone.
func (t *Tree) Clone() *Tree { return t.cloneWith("flat.Tree.Clone", nil) }

// CloneInto implements flat.Tree.CloneInto.
func (t *Tree) CloneInto(old *Tree) *Tree {
	if old == t {
		panic("flat.Tree.CloneInto: a tree cannot be copied into itself")
	}
	t.checkFreed("flat.Tree.CloneInto")
	t.checkClosed("flat.Tree.CloneInto")
	words := old.words
	if old.fixed() || cap(words) == len(zero) {
		words = nil // words is read-only, or the variable zero itself
	}
	old.Free()
	return t.cloneWith("flat.Tree.CloneInto", words[:0])
}

// cloneWith returns a copy of the tree. It copies the records into words if words is large enough,
// and otherwise allocates memory.
func (t *Tree) cloneWith(where string, words []uint32) *Tree {
	t.checkFreed(where)
	t.checkClosed(where)
	if t.shared != nil {
		return t.cloneShared(words)
	}
	c := &Tree{root: t.root, nodes: t.nodes, tables: t.tables, whole: t.whole && t.mapped == nil}
	c.words = append(words, t.words...)
	if e := t.edit; e != nil {
		c.edit = &edit{forward: e.forward, mixed: e.mixed, base: e.base, heights: slices.Clone(e.heights)}
	}
	if t.mapped != nil {
		c.ends, c.text = slices.Clone(t.ends), slices.Clone(t.text)
		return c
	}
	// Without Clip, the copy could append to the memory to which this tree appends.
	c.ends, c.text = slices.Clip(t.ends), slices.Clip(t.text)
	return c
}

// string returns string i without copying it.
func (t *Tree) string(i uint32) string {
	if i == 0 {
		return ""
	}
	return stringOf(t.text[t.ends[i-1]:t.ends[i]])
}
