package flat

import (
	"math"
	"slices"
)

// A Tree is records in one buffer, and the strings that they mention. A generated package embeds it in a
// Tree of its own. Many goroutines may read a Tree at once; what changes it wants it alone.
type Tree struct {
	words   []uint32 // the records; word 0 is 0. nil once freed
	ends    []uint32 // where each string ends in text; string 0 is empty
	text    []byte   // only ever appended to, so that strings can point into it
	root    uint32
	nodes   int
	tables  *tables
	parents []uint64 // a bit for each record that has a parent; nil if not known
	mapped  *mapping // of a tree that Open returned
}

// maxWords is the greatest number of words, and of bytes of text.
const maxWords = math.MaxUint32

// Flat returns the tree itself, from a generated package's Tree too: for code that takes trees of any schema.
func (t *Tree) Flat() *Tree { return t }

// Root returns the root, which is nil if the tree has no node. For generated packages.
func (t *Tree) Root() Node { return t.node(t.root) }

// node returns the record at i. Of 0 it is the zero Node, so that a nil is equal to every other one, and that what reads
// its fields finds no tree to read.
func (t *Tree) node(i uint32) Node {
	if i == 0 {
		return Node{}
	}
	return Node{t, i}
}

// NumNodes returns how many records there are, those that the root does not reach among them.
func (t *Tree) NumNodes() int { return t.nodes }

// NumBytes returns the size of the file that WriteTo would write, which is about
// the memory that the tree takes.
func (t *Tree) NumBytes() int64 {
	return headerBytes + int64(padded(len(t.tables.text))) + 4*int64(len(t.words)) + 4*int64(len(t.ends)) + int64(len(t.text))
}

// NumWords returns how many words of 32 bits the records take, strings not among them.
func (t *Tree) NumWords() int { return len(t.words) }

// Free drops the tree's memory. Its handles panic from then on; strings that were read from it stay good,
// unless the tree is mapped: then Free is Close.
func (t *Tree) Free() {
	if t.mapped != nil {
		t.Close()
		return
	}
	t.drop()
}

func (t *Tree) drop() {
	t.words, t.ends, t.text, t.parents = nil, nil, nil, nil
	t.root, t.nodes = 0, 0
}

// Clone returns a copy, whose handles are its own. It costs one allocation and one copy of the records; the strings
// are shared, because they never change. Of a mapped tree it is a copy in memory, which may be changed.
func (t *Tree) Clone() *Tree { return t.cloneWith("flat.Tree.Clone", nil) }

// CloneInto is Clone that frees old and uses its memory, so that a copy of equal size costs one
// small allocation. It panics if old is the tree itself.
func (t *Tree) CloneInto(old *Tree) *Tree {
	if old == t {
		panic("flat.Tree.CloneInto: a tree cannot be copied into itself")
	}
	if t.words == nil {
		panic("flat.Tree.CloneInto: the tree was freed")
	}
	words := old.words
	if old.mapped != nil {
		words = nil
	}
	old.Free()
	return t.cloneWith("flat.Tree.CloneInto", words[:0])
}

// cloneWith copies the records into words, which it grows if it must.
func (t *Tree) cloneWith(where string, words []uint32) *Tree {
	if t.words == nil {
		panic(where + ": the tree was freed")
	}
	c := &Tree{root: t.root, nodes: t.nodes, tables: t.tables}
	c.words = append(words, t.words...)
	if t.mapped != nil {
		c.ends, c.text = slices.Clone(t.ends), slices.Clone(t.text)
		return c
	}
	// The copy must not append where strings of this tree will be.
	c.ends, c.text = slices.Clip(t.ends), slices.Clip(t.text)
	return c
}

// string returns string i without a copy.
func (t *Tree) string(i uint32) string {
	if i == 0 {
		return ""
	}
	return stringOf(t.text[t.ends[i-1]:t.ends[i]])
}
