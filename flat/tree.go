package flat

import (
	"io"

	"github.com/coppice-go/coppice/flat/flatimpl"
)

// A Tree holds the records of a tree in one buffer, and the strings that they refer to. The Tree of
// each generated package embeds one. Any number of goroutines may read a Tree concurrently; a
// change needs exclusive access.
type Tree flatimpl.Tree

// impl returns the tree as the type that generated packages use.
func (t *Tree) impl() *flatimpl.Tree { return (*flatimpl.Tree)(t) }

// Flat returns the tree itself. The Tree of each generated package inherits this method, so that
// code for trees of any schema can accept them.
func (t *Tree) Flat() *Tree { return t }

// NumNodes returns the number of records, including those that are not reachable from the root.
func (t *Tree) NumNodes() int { return t.impl().NumNodes() }

// NumWords returns the number of 32-bit words in the records, without strings.
func (t *Tree) NumWords() int { return t.impl().NumWords() }

// NumBytes returns the size of the file that WriteTo writes. The tree takes about as much memory.
func (t *Tree) NumBytes() int64 { return t.impl().NumBytes() }

// String formats the tree in Go syntax. Deep or long trees are truncated.
func (t *Tree) String() string { return t.impl().String() }

// Dump writes one line per record, in buffer order: the record's index, by which other records
// refer to it, its offset in the file, its kind and its fields. A string of more than 64 bytes is
// written in full once; after that, only its first 64 bytes and its length. Dump returns the first
// error from w.
func (t *Tree) Dump(w io.Writer) error { return t.impl().Dump(w) }

// WriteTo writes the tree as a file. It returns the number of bytes written and the first error
// from w. It panics if a Builder has edited the tree and some children come after their parents:
// write the result of Compact instead.
func (t *Tree) WriteTo(w io.Writer) (int64, error) { return t.impl().WriteTo(w) }

// Clone returns a copy of the tree. Handles of t do not belong to the copy. Clone makes one
// allocation and one copy of the records; the copy shares the strings, which never change. The
// clone of a mapped tree is in memory and can be changed.
func (t *Tree) Clone() *Tree { return (*Tree)(t.impl().Clone()) }

// CloneInto frees the tree old and copies t into the memory of that tree. If the memory is large
// enough, this makes one small allocation. CloneInto panics if old is t.
func (t *Tree) CloneInto(old *Tree) *Tree { return (*Tree)(t.impl().CloneInto(old.impl())) }

// Compact returns the tree in canonical form, in which equal trees have equal bytes: records
// are in post-order, each string is stored once, in the order of first use, and records that
// are not reachable from the root are dropped. Compact does not recurse. While it runs, it
// needs two additional words for each word of the tree. It does not change t.
func (t *Tree) Compact() *Tree { return (*Tree)(t.impl().Compact()) }

// Free releases the tree's memory. From then on the tree has no nodes, and every attempt to
// read one panics. If a function or method takes the tree, such as Root, Clone, Fold or a
// method of a Builder, the panic says that the tree was freed. Accessors and loops say so only
// in checked builds (-tags coppice_checks, or -race); in other builds, they report an index out
// of range. NumNodes and NumWords return 0, and String returns "nil". Strings read from the
// tree remain valid, unless the tree is mapped: then Free does what Close does.
func (t *Tree) Free() { t.impl().Free() }

// Close frees the tree like Free, and unmaps the file of a tree that Open returned. Do not use
// strings read from a mapped tree after Close: reading them faults, or returns whatever is
// mapped at their address by then. A second Close does nothing.
func (t *Tree) Close() error { return t.impl().Close() }
