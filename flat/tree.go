package flat

import (
	"io"

	"github.com/coppice-go/coppice/flat/flatimpl"
)

// A Tree stores the records of a tree in one buffer, and the strings to which they refer. The Tree
// type of each generated package embeds this type. Any number of goroutines may read a Tree
// concurrently; a change needs exclusive access.
type Tree flatimpl.Tree

// impl returns the tree as the type that generated packages use.
func (t *Tree) impl() *flatimpl.Tree { return (*flatimpl.Tree)(t) }

// Flat returns the tree itself. The Tree type of each generated package inherits this method, so
// that code for trees of any schema can accept its values.
func (t *Tree) Flat() *Tree { return t }

// NumNodes returns the number of records, including those that are not reachable from the root.
func (t *Tree) NumNodes() int { return t.impl().NumNodes() }

// NumWords returns the number of 32-bit words in the records, without strings.
func (t *Tree) NumWords() int { return t.impl().NumWords() }

// NumBytes returns the size of the file that WriteTo writes. The tree uses about the same amount of
// memory.
func (t *Tree) NumBytes() int64 { return t.impl().NumBytes() }

// String formats the tree in Go syntax. Deep or long trees are truncated.
func (t *Tree) String() string { return t.impl().String() }

// Dump writes one line per record, in buffer order: the record's index, by which other records
// refer to it, its offset in the file, its kind and its fields. A string of more than 64 bytes is
// written in full once; after that, Dump writes only its first 64 bytes and its length. Dump
// returns the first error from w.
func (t *Tree) Dump(w io.Writer) error { return t.impl().Dump(w) }

// WriteTo writes the tree as a file. It returns the number of bytes written and the first error
// from w. WriteTo panics if a Builder has edited the tree and some children come after their
// parents: write the result of Compact instead.
func (t *Tree) WriteTo(w io.Writer) (int64, error) { return t.impl().WriteTo(w) }

// Clone returns a copy of the tree. Handles to nodes of t do not belong to the copy. Clone
// allocates once and copies the records. The copy shares the strings of t, which never change. The
// clone of a mapped tree is in memory and can be changed.
func (t *Tree) Clone() *Tree { return (*Tree)(t.impl().Clone()) }

// CloneInto frees the tree old and copies t into the memory of that tree. If the memory is large
// enough, CloneInto makes only one small allocation. CloneInto panics if old is t.
func (t *Tree) CloneInto(old *Tree) *Tree { return (*Tree)(t.impl().CloneInto(old.impl())) }

// Compact returns the tree in canonical form, in which equal trees have equal bytes: records
// are in post-order, each string is stored once, in the order of first use, and records that
// are not reachable from the root are dropped. Compact does not recurse. While it runs, it
// needs two additional words for each word of the tree. It does not change t.
func (t *Tree) Compact() *Tree { return (*Tree)(t.impl().Compact()) }

// Free releases the tree's memory. From then on the tree has no nodes, and every attempt to read a
// node panics. The panic message of functions and methods that get the tree as an argument or
// receiver, such as Root, Clone, Fold and the methods of a Builder, reports that the tree was
// freed. The panic message of accessors and loops reports this only in checked builds (-tags
// coppice_checks, or -race); in other builds, they panic with an index out of range. NumNodes and
// NumWords return 0, and String returns "nil". Strings that were read from the tree remain valid,
// unless the tree is mapped. For a mapped tree, Free does the same as Close.
func (t *Tree) Free() { t.impl().Free() }

// Close frees the tree as Free does, and unmaps the file of a tree that Open returned. After Close,
// do not use strings read from a mapped tree: reading them faults, or returns the contents of other
// memory that is then mapped at their address. A second Close does nothing.
func (t *Tree) Close() error { return t.impl().Close() }
