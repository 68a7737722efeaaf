package flatimpl

import (
	"math"
	"slices"
)

// BuilderOptions has the fields of flat.BuilderOptions, where they are documented. The two types
// can be converted to each other.
type BuilderOptions struct {
	Nodes     int
	TextBytes int
	MaxBytes  int64
}

// wordsPerNode is the number of words that a node is assumed to have. It converts
// BuilderOptions.Nodes to words.
const wordsPerNode = 3

// A Builder adds records to a tree, children first. Only one goroutine at a time may use it.
// Generated packages have one of its methods for each kind of record.
//
// A method that panics has no effect. Add begins a record and Done completes it; if a method panics
// in between, the next call removes the incomplete record. The words of a tree that Finish returns
// therefore always follow docs/FLAT.md.
type Builder struct {
	tables  *tables
	options BuilderOptions
	tree    *Tree
	rest    *Tree // previous, empty tree, while the Builder edits a tree or rewrites one in place
	done    int   // number of words in completed records: all, except while a record is filled
	left    int64 // number of bytes until the limit
	err     error // ErrFull once the limit is reached
	strings interned
	far     farPlaces // references that Replace has found

	sharing   bool    // nodes may have several parents: the schema has flat:share, or Rewrite checks parents at the end
	rewriting string  // name of the running method, Rewrite or RewriteInPlace; otherwise empty
	counted   uint32  // Rewrite has counted the references of records before this index
	scratch   scratch // memory that Rewrite reuses
}

// NewBuilder returns a Builder with an empty tree. It panics if an option is negative.
func (s *Schema) NewBuilder(options BuilderOptions) *Builder {
	if options.Nodes < 0 || options.TextBytes < 0 || options.MaxBytes < 0 {
		panic(s.name + ".NewBuilder: an option is negative")
	}
	if options.MaxBytes == 0 {
		options.MaxBytes = defaultMaxBytes
	}
	b := &Builder{tables: s.tables(), options: options}
	b.sharing = b.tables.share
	b.start(nil, nil, nil)
	return b
}

// zero is used as the words, and as the string table, of empty trees. It has no spare capacity, so
// that append never writes to it.
var zero = []uint32{0}

// onlyZero returns a slice whose only element is 0. It uses the given memory if the capacity of the
// memory is larger than 1.
func onlyZero(memory []uint32) []uint32 {
	if cap(memory) <= len(zero) {
		return zero
	}
	return append(memory[:0], 0)
}

// start begins a tree in the memory of a tree that is no longer used. In parents, only the bits of
// records in words may be set. start allocates a new Tree value, unless the Builder still has a
// Tree value to which no handle refers.
func (b *Builder) start(words, ends []uint32, parents []uint64) {
	clear(parents[:min(len(parents), len(words)/64+1)])
	if b.tree == nil || b.tree.words == nil {
		b.tree = &Tree{tables: b.tables}
	}
	*b.tree = Tree{tables: b.tables, words: onlyZero(words), ends: onlyZero(ends), parents: parents}
	b.done = 1
	b.left = b.options.MaxBytes
	b.err = nil
	b.strings.reset()
	b.fitParents()
}

// fitParents grows the slice parents to at least one bit per word of the tree's capacity.
func (b *Builder) fitParents() {
	if t := b.tree; !b.sharing {
		if more := cap(t.words)/64 + 1 - len(t.parents); more > 0 {
			t.parents = append(t.parents, make([]uint64, more)...)
		}
	}
}

// Err returns ErrFull if the limit was reached, and nil otherwise.
func (b *Builder) Err() error { return b.err }

// Add begins a record of n words, which Done completes. It returns the record and its words, whose
// contents are undefined. If the Builder is full, Add returns the zero Node and nil.
func (b *Builder) Add(n int) (Node, []uint32) {
	t := b.tree
	if b.done != len(t.words) {
		b.undo()
	}
	at := len(t.words)
	b.left -= 4 * int64(n)
	if b.left < 0 || n > cap(t.words)-at {
		if !b.grow(n) {
			return Node{}, nil
		}
	}
	t.words = t.words[:at+n]
	t.nodes++
	return Node{t, uint32(at)}, t.words[at:]
}

// Done completes the record that Add began. All of its words must be set.
func (b *Builder) Done() { b.done = len(b.tree.words) }

// settle removes the incomplete record of a method that panicked.
func (b *Builder) settle() {
	if b.done != len(b.tree.words) {
		b.undo()
	}
}

// undo removes an incomplete record. Its children then have no parent again.
func (b *Builder) undo() {
	t := b.tree
	if t.words == nil {
		panic(b.tables.schema.name + ".Builder: the tree that it edits was freed; call Reset")
	}
	t.words = t.words[:b.done]
	t.nodes--
	b.count()
	if !b.sharing {
		clear(t.parents)
		t.markParents()
		t.filled = false
	}
}

// count sets b.left to the number of bytes that the tree may still use before it reaches the limit.
func (b *Builder) count() {
	t := b.tree
	b.left = b.options.MaxBytes - 4*int64(len(t.words)-1) - 4*int64(len(t.ends)-1) - int64(len(t.text))
}

// grow makes room for n more words. It returns false if the Builder is full.
func (b *Builder) grow(n int) bool {
	t := b.tree
	if b.left < 0 || uint64(len(t.words))+uint64(n) > maxWords {
		b.err = ErrFull
		b.left = -1 << 62 // the Builder is full until the next tree
		return false
	}
	if b.scratch.places.base != 0 && b.rest != nil && n <= cap(b.rest.words)-len(t.words) { // memory that Reuse has kept
		b.rest.words, t.words = t.words[:1], append(b.rest.words[:0], t.words...)
	}
	if n > cap(t.words)-len(t.words) {
		t.words = slices.Grow(t.words, max(n, b.more()))
		b.fitParents()
	}
	return true
}

// more returns the number of words by which the capacity is to grow. If the Builder changes an
// existing tree, the first steps are small, because most changes add only few words, and clearing
// memory takes time.
func (b *Builder) more() int {
	t, old := b.tree, b.scratch.places.base
	if t.edit != nil {
		old = t.edit.base
	}
	switch {
	case len(t.words) == 1:
		return int(min(uint64(b.options.Nodes)*wordsPerNode, uint64(b.options.MaxBytes)/4, math.MaxInt/8))
	case b.rest != nil && len(t.words)-int(old) <= int(old)/16:
		return len(t.words) / 8
	default:
		return len(t.words) / 2
	}
}

// Text adds a string and returns its index in the string table, which is 0 for the empty string.
func (b *Builder) Text(s string) uint32 {
	if s == "" {
		return 0
	}
	return b.addText(s)
}

// addText adds a string, which may be empty, and returns its index in the string table, or 0 if the
// Builder is full.
func (b *Builder) addText(s string) uint32 {
	t := b.tree
	b.left -= int64(len(s)) + 4
	if b.left < 0 || uint64(len(t.text))+uint64(len(s)) > maxWords || uint64(len(t.ends)) == maxWords {
		b.left = -1
		b.grow(0)
		return 0
	}
	if t.text == nil {
		t.text = make([]byte, 0, max(len(s), b.options.TextBytes))
	}
	t.text = append(t.text, s...)
	t.ends = append(t.ends, uint32(len(t.text)))
	return uint32(len(t.ends) - 1)
}

// Intern is like Text but stores equal strings only once.
func (b *Builder) Intern(s string) uint32 {
	if s == "" {
		return 0
	}
	if b.strings.stale {
		b.strings.index(b.tree)
	}
	slot, hash := b.strings.find(b.tree, s)
	if slot.id == 0 {
		id := b.addText(s)
		if id == 0 {
			return 0
		}
		*slot = internSlot{id, hash}
		b.strings.used++
	}
	return slot.id
}

// OptionalText is like Text for a string that may be absent. The index is 0 if the string is
// absent. If the string is present, the index is not 0, even for the empty string.
func (b *Builder) OptionalText(s *string) uint32 {
	if s == nil {
		return 0
	}
	return b.addText(*s)
}

// OptionalIntern is like OptionalText but stores equal strings only once.
func (b *Builder) OptionalIntern(s *string) uint32 {
	if s == nil {
		return 0
	}
	if *s == "" {
		return b.addText("")
	}
	return b.Intern(*s)
}

// Finish returns the tree with the given root and starts an empty tree with its own memory. It
// returns ErrFull if the limit was reached. It panics if the root belongs to a different tree, has
// a kind that the schema does not allow as root, or has a parent.
func (b *Builder) Finish(root Node) (*Tree, error) {
	b.checkIdle("Finish")
	t := b.tree
	if b.err != nil {
		err := b.err
		b.Reset()
		return nil, err
	}
	b.settle()
	b.checkRoot(root)
	if b.rest != nil {
		t.whole = t.whole && t.root == root.index
		t.root = root.index
		b.endEdit()
		return t, nil
	}
	t.root = root.index
	b.tree = nil
	b.start(nil, nil, nil)
	return t, nil
}

// discard frees the tree that is being built. If the tree has no records, discard keeps it for the
// next tree.
func (b *Builder) discard() {
	if len(b.tree.words) > 1 {
		b.tree.drop()
	}
}

// Reset discards the tree that is being built and keeps its memory. From then on, using a handle
// that the Builder returned earlier panics.
func (b *Builder) Reset() {
	b.checkIdle("Reset")
	if b.rest != nil {
		b.endEdit() // leaves the tree to its owner
	}
	words, ends, parents := b.tree.words, b.tree.ends, b.tree.parents
	b.discard()
	b.start(words, ends, parents)
}

// Reuse discards the tree that is being built, frees the tree old, and builds the next tree in the
// memory of the freed one.
func (b *Builder) Reuse(old *Tree) {
	b.checkIdle("Reuse")
	if b.rest != nil {
		b.endEdit()
	}
	words, parents := old.words, old.parents
	fixed := old.fixed()
	old.Free()
	if fixed || cap(words) < cap(b.tree.words) {
		b.Reset()
		return
	}
	if parents == nil {
		parents = b.tree.parents
		clear(parents[:min(len(parents), len(b.tree.words)/64+1)])
	}
	b.discard()
	b.start(words, nil, parents) // clones of old may share its string table
}
