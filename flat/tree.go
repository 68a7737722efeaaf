package flat

import (
	"io"

	"github.com/coppice-go/coppice/flat/flatimpl"
)

// A Tree stores the records of a tree in one buffer, together with the strings to which they refer.
// The Tree type of each generated package embeds this type. Any number of goroutines may read a
// Tree concurrently; a change requires exclusive access.
type Tree flatimpl.Tree

// impl converts the tree to the type that generated packages use.
func (t *Tree) impl() *flatimpl.Tree { return (*flatimpl.Tree)(t) }

// Flat returns t. The Tree type of each generated package inherits this method, so that code for
// trees of any schema can accept its values.
func (t *Tree) Flat() *Tree { return t }

// NumNodes returns the number of records, including records that are not reachable from the root.
func (t *Tree) NumNodes() int { return t.impl().NumNodes() }

// NumWords returns the number of 32-bit words in the records. It does not include strings.
func (t *Tree) NumWords() int { return t.impl().NumWords() }

// NumBytes returns the size of the file that WriteTo writes, in bytes. The tree uses about the same
// amount of memory.
func (t *Tree) NumBytes() int64 { return t.impl().NumBytes() }

// String formats the tree in Go syntax. A deep or long tree is truncated.
func (t *Tree) String() string { return t.impl().String() }

// Dump writes one line per record, in the order of the buffer: the index of the record, by which
// other records refer to it, its offset in the file, its kind and its fields. A string of more than
// 64 bytes is written in full only once; after that, Dump writes its first 64 bytes and its length.
// Dump returns the first error from w.
func (t *Tree) Dump(w io.Writer) error { return t.impl().Dump(w) }

// WriteTo writes the tree as a file. It returns the number of bytes written and the first error
// from w. WriteTo panics if a Builder has edited the tree so that some children come after their
// parents. In this case, write the result of Compact.
func (t *Tree) WriteTo(w io.Writer) (int64, error) { return t.impl().WriteTo(w) }

// Clone returns a copy of the tree. Handles to nodes of t do not belong to the copy. Clone
// allocates once and copies the records. The copy shares the strings of t, which never change. The
// clone of a mapped tree is in ordinary memory and can be changed.
func (t *Tree) Clone() *Tree { return (*Tree)(t.impl().Clone()) }

// CloneInto frees the tree old and copies t into its memory. If that memory is large enough,
// CloneInto makes only one small allocation. CloneInto panics if old is t.
func (t *Tree) CloneInto(old *Tree) *Tree { return (*Tree)(t.impl().CloneInto(old.impl())) }

// Compact returns the tree in canonical form, in which equal trees have equal bytes: records
// are in post-order, each string is stored once, in the order of first use, and records that
// are not reachable from the root are dropped. Compact does not recurse. While it runs, it
// needs two additional words for each word of the tree. It does not change t.
func (t *Tree) Compact() *Tree { return (*Tree)(t.impl().Compact()) }

// Free releases the memory of the tree. From then on the tree has no nodes, and every attempt to
// read a node panics. If the panic occurs in a function or method that gets the tree as an argument
// or receiver, such as Root, Clone, Fold and the methods of a Builder, its message reports that the
// tree was freed. Accessors and loops report this only in checked builds (-tags coppice_checks, or
// -race); in other builds, they panic with an index out of range. NumNodes and NumWords return 0,
// and String returns "nil". Strings that were read from the tree remain valid, unless the tree is
// mapped. For a mapped tree, Free does the same as Close.
func (t *Tree) Free() { t.impl().Free() }

// Close frees the tree as Free does and, if Open returned the tree, unmaps its file. After Close,
// do not use strings that were read from a mapped tree: reading them faults, or returns the
// contents of other memory that has been mapped at their address. A second Close does nothing.
func (t *Tree) Close() error { return t.impl().Close() }
