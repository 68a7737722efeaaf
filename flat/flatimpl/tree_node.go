package flatimpl

import "github.com/coppice-go/coppice/internal/checks"

// A Node identifies a record of a tree, or an inline struct in a record, by the tree and the index
// of the first word. The zero Node represents nil. Handles and views of generated packages contain
// only a Node.
//
// A Node contains an index instead of a pointer, so that each access is subject to the bounds check
// of the tree's slice; see docs/decisions/0009. Methods that read fields panic if the Node is nil
// or its tree was freed: a freed tree has no words, so that any index is out of range. In checked
// builds, the panic message reports that the tree was freed; see TestNodesOfFreedTrees of package
// flat.
type Node struct {
	tree  *Tree
	index uint32
}

// IsNil reports whether n is nil.
func (n Node) IsNil() bool { return n.index == 0 }

// Kind returns the kind of a record, and 0 for nil.
func (n Node) Kind() uint8 {
	if n.tree == nil {
		return 0
	}
	if checks.Enabled {
		n.tree.checkFreed(reading)
	}
	return uint8(n.tree.words[n.index])
}

// As returns n, and panics if n is a record of a different kind. It accepts nil, because a Builder
// that is full returns nil, and accessors panic for nil.
func (n Node) As(kind uint8) Node {
	if checks.Enabled && n.tree != nil {
		n.tree.checkFreed(reading)
	}
	if n.tree != nil && uint8(n.tree.words[n.index]) != kind {
		panic(otherKind{n, kind})
	}
	return n
}

// An otherKind is the panic value of As. The message is formatted in Error and not in As, so that
// As stays small enough to inline.
type otherKind struct {
	node Node
	want uint8
}

// Error describes the expected kind, and the actual node.
func (o otherKind) Error() string {
	t := o.node.tree.tables
	want := t.kindName(o.want)
	return t.misuse("As"+want, "nil or a "+want+"; use Kind first", o.node.describe())
}

// Word returns the word at the given offset.
func (n Node) Word(word uint32) uint32 {
	if checks.Enabled {
		n.tree.checkFreed(reading)
	}
	return n.tree.words[n.index+word]
}

// Uint64 returns the two words at the given offset as one number.
func (n Node) Uint64(word uint32) uint64 {
	if checks.Enabled {
		n.tree.checkFreed(reading)
	}
	w := n.tree.words
	return uint64(w[n.index+word]) | uint64(w[n.index+word+1])<<32
}

// Flag reports whether the given bit of a word is set.
func (n Node) Flag(word, bit uint32) bool {
	if checks.Enabled {
		n.tree.checkFreed(reading)
	}
	return n.tree.words[n.index+word]>>bit&1 != 0
}

// Ref returns the record to which the reference in the given word refers, or the zero Node if the
// reference is nil.
func (n Node) Ref(word uint32) Node {
	if checks.Enabled {
		n.tree.checkFreed(reading)
	}
	return n.tree.node(n.tree.words[n.index+word])
}

// Inline returns the struct at the given offset.
func (n Node) Inline(word uint32) Node { return Node{n.tree, n.index + word} }

// Text returns the string whose index in the string table is in the given word, without copying the
// string.
func (n Node) Text(word uint32) string {
	if checks.Enabled {
		n.tree.checkFreed(reading)
	}
	return n.tree.string(n.tree.words[n.index+word])
}

// OptionalText is like Text for an optional string. It also reports whether the string is present.
func (n Node) OptionalText(word uint32) (string, bool) {
	if checks.Enabled {
		n.tree.checkFreed(reading)
	}
	i := n.tree.words[n.index+word]
	return n.tree.string(i), i != 0
}

// A List gives access to the items of a slice or an array.
type List struct {
	tree  *Tree
	first uint32
	count uint32
}

// Slice returns the first slice of a record. The parameter fixed is the number of words of the
// record's fixed part. The count of the slice is in the header, starting at bit shift, or in the
// word after the fixed part.
func (n Node) Slice(fixed, shift uint32) List {
	if checks.Enabled {
		n.tree.checkFreed(reading)
	}
	l := List{n.tree, n.index + fixed, n.tree.words[n.index] >> shift}
	if l.count == allBits>>shift { // the count does not fit into the header
		l.count = n.tree.words[l.first]
		l.first++
	}
	return l
}

// SliceAt returns the slice whose count is the word at offset countWord and whose items start
// at offset first.
func (n Node) SliceAt(countWord, first uint32) List {
	if checks.Enabled {
		n.tree.checkFreed(reading)
	}
	return List{n.tree, n.index + first, n.tree.words[n.index+countWord]}
}

// Nested returns a slice of a struct. The word with its count is followed by a word with the
// distance to the first item.
func (n Node) Nested(countWord uint32) List {
	if checks.Enabled {
		n.tree.checkFreed(reading)
	}
	at := n.index + countWord
	w := n.tree.words
	return List{n.tree, at + 1 + w[at+1], w[at]}
}

// Array returns the array with the given number of items at the given offset.
func (n Node) Array(word, count uint32) List { return List{n.tree, n.index + word, count} }

// Rest returns the offset in n at which the list l ends. The parameter bits is the size of an item
// in bits.
func (n Node) Rest(l List, bits uint32) uint32 {
	return l.first + uint32(words(uint64(l.count), bits)) - n.index
}

// Len returns the number of items.
func (l List) Len() int { return int(l.count) }

// Unlike setters, the methods below check i themselves instead of calling List.check. The call
// would use 6 of the inliner's budget of 80, and accessors of items such as strings and structs
// would no longer be inlined.

// Word returns item i, which must have one word.
func (l List) Word(i int) uint32 {
	if checks.Enabled {
		l.tree.checkFreed(reading)
	}
	if uint(i) >= uint(l.count) {
		panic("flatimpl.List.Word: index out of range")
	}
	return l.tree.words[l.first+uint32(i)]
}

// Uint64 returns item i, which must have two words.
func (l List) Uint64(i int) uint64 {
	if uint(i) >= uint(l.count) {
		panic("flatimpl.List.Uint64: index out of range")
	}
	return Node{l.tree, l.first}.Uint64(2 * uint32(i))
}

// Uint8 returns item i, which must have 8 bits.
func (l List) Uint8(i int) uint8 {
	if checks.Enabled {
		l.tree.checkFreed(reading)
	}
	if uint(i) >= uint(l.count) {
		panic("flatimpl.List.Uint8: index out of range")
	}
	return uint8(l.tree.words[l.first+uint32(i)/4] >> (uint32(i) % 4 * 8))
}

// Uint16 returns item i, which must have 16 bits.
func (l List) Uint16(i int) uint16 {
	if checks.Enabled {
		l.tree.checkFreed(reading)
	}
	if uint(i) >= uint(l.count) {
		panic("flatimpl.List.Uint16: index out of range")
	}
	return uint16(l.tree.words[l.first+uint32(i)/2] >> (uint32(i) % 2 * 16))
}

// Ref returns the record to which item i refers, or the zero Node if the item is nil. The slice
// expressions check i; they use less of the inlining budget than a comparison and a panic.
func (l List) Ref(i int) (n Node) {
	if checks.Enabled {
		l.tree.checkFreed(reading)
	}
	if n.index = l.tree.words[l.first:][:l.count][i]; n.index != 0 {
		n.tree = l.tree
	}
	return n
}

// Items returns the first item and the number of items, for use in loops that advance with Inline.
func (l List) Items() (Node, uint32) { return Node{l.tree, l.first}, l.count }

// Refs returns the items, which must be references. The tree may be unmapped between two items:
// call Node.Touch before reading the next item.
func (l List) Refs() []uint32 {
	if checks.Enabled {
		l.tree.checkFreed(reading)
	}
	return l.tree.words[l.first:][:l.count]
}

// Child returns the record at index i of n's tree, or the zero Node if i is 0.
func (n Node) Child(i uint32) Node {
	if i == 0 {
		return Node{}
	}
	n.index = i
	return n
}

// Touch panics if the tree was freed.
func (n Node) Touch() {
	if checks.Enabled {
		n.tree.checkFreed(reading)
	}
	_ = n.tree.words[0]
}

// Text returns the string whose index in the string table is item i.
func (l List) Text(i int) string { return l.tree.string(l.Word(i)) }

// Inline returns item i, a struct or array with the given number of words.
func (l List) Inline(i int, words uint32) Node {
	if uint(i) >= uint(l.count) {
		panic("flatimpl.List.Inline: index out of range")
	}
	return Node{l.tree, l.first + uint32(i)*words}
}
