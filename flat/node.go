package flat

// A Node is a record of a tree, or an inline struct in one: the tree and the index of its first word. The zero
// Node is nil. The handles and views of generated packages are Nodes by another name.
type Node struct {
	tree  *Tree
	index uint32
}

// IsNil tells whether it is no node. For generated packages.
func (n Node) IsNil() bool { return n.index == 0 }

// Kind returns the kind of a record, 0 for nil. For generated packages.
func (n Node) Kind() uint8 {
	if n.tree == nil {
		return 0
	}
	return uint8(n.tree.words[n.index])
}

// As returns the node, and panics if it is a record of another kind. Nil is of every kind: a Builder that is full returns
// it, and accessors refuse it. For generated packages.
func (n Node) As(kind uint8) Node {
	if n.tree != nil && uint8(n.tree.words[n.index]) != kind {
		panic("flat.Node.As: the node is of another kind")
	}
	return n
}

// Word returns a word. For generated packages.
func (n Node) Word(word uint32) uint32 { return n.tree.words[n.index+word] }

// Uint64 returns two words as one number. For generated packages.
func (n Node) Uint64(word uint32) uint64 {
	w := n.tree.words
	return uint64(w[n.index+word]) | uint64(w[n.index+word+1])<<32
}

// Flag returns a bit of a word. For generated packages.
func (n Node) Flag(word, bit uint32) bool { return n.tree.words[n.index+word]>>bit&1 != 0 }

// Ref returns the record that a word refers to, the zero Node for nil. For generated packages.
func (n Node) Ref(word uint32) Node { return n.tree.node(n.tree.words[n.index+word]) }

// Inline returns the struct that starts at a word. For generated packages.
func (n Node) Inline(word uint32) Node { return Node{n.tree, n.index + word} }

// Text returns the string that a word mentions, without a copy. For generated packages.
func (n Node) Text(word uint32) string { return n.tree.string(n.tree.words[n.index+word]) }

// OptionalText is Text and whether it is there. For generated packages.
func (n Node) OptionalText(word uint32) (string, bool) {
	i := n.tree.words[n.index+word]
	return n.tree.string(i), i != 0
}

// A List is the items of a slice or an array. For generated packages.
type List struct {
	tree  *Tree
	first uint32
	count uint32
}

// Slice returns the first slice of a record whose fixed part has that many words and whose header has
// the count from bit shift on. For generated packages.
func (n Node) Slice(fixed, shift uint32) List {
	l := List{n.tree, n.index + fixed, n.tree.words[n.index] >> shift}
	if l.count == allBits>>shift { // too many for the header
		l.count = n.tree.words[l.first]
		l.first++
	}
	return l
}

// SliceAt returns the slice whose count is a word and whose items start at the word first of the
// tree, or after the fixed part if that is 0. For generated packages.
func (n Node) SliceAt(countWord, first uint32) List {
	return List{n.tree, n.index + first, n.tree.words[n.index+countWord]}
}

// Array returns the array of that many items which starts at a word. For generated packages.
func (n Node) Array(word, count uint32) List { return List{n.tree, n.index + word, count} }

// Rest returns how many words of the record stand before the end of a list whose items have that many bits.
// For generated packages.
func (n Node) Rest(l List, bits uint32) uint32 {
	return l.first + uint32(words(uint64(l.count), bits)) - n.index
}

// Len returns how many items there are. For generated packages.
func (l List) Len() int { return int(l.count) }

// Word returns an item of one word. For generated packages.
func (l List) Word(i int) uint32 {
	if uint(i) >= uint(l.count) {
		panic("flat.List.Word: index out of range")
	}
	return l.tree.words[l.first+uint32(i)]
}

// Uint64 returns an item of two words. For generated packages.
func (l List) Uint64(i int) uint64 {
	if uint(i) >= uint(l.count) {
		panic("flat.List.Uint64: index out of range")
	}
	return Node{l.tree, l.first}.Uint64(2 * uint32(i))
}

// Uint8 returns an item of 8 bits. For generated packages.
func (l List) Uint8(i int) uint8 {
	if uint(i) >= uint(l.count) {
		panic("flat.List.Uint8: index out of range")
	}
	return uint8(l.tree.words[l.first+uint32(i)/4] >> (uint32(i) % 4 * 8))
}

// Uint16 returns an item of 16 bits. For generated packages.
func (l List) Uint16(i int) uint16 {
	if uint(i) >= uint(l.count) {
		panic("flat.List.Uint16: index out of range")
	}
	return uint16(l.tree.words[l.first+uint32(i)/2] >> (uint32(i) % 2 * 16))
}

// Ref returns the record that an item refers to, the zero Node for nil. The slices check i, and leave a generated Arg(i)
// cheap enough to inline. For generated packages.
func (l List) Ref(i int) (n Node) {
	if n.index = l.tree.words[l.first:][:l.count][i]; n.index != 0 {
		n.tree = l.tree
	}
	return n
}

// Text returns the string that an item mentions. For generated packages.
func (l List) Text(i int) string { return l.tree.string(l.Word(i)) }

// Inline returns an item that has that many words. For generated packages.
func (l List) Inline(i int, words uint32) Node {
	if uint(i) >= uint(l.count) {
		panic("flat.List.Inline: index out of range")
	}
	return Node{l.tree, l.first + uint32(i)*words}
}
