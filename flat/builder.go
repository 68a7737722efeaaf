package flat

import (
	"math"
	"slices"
)

// BuilderOptions say how large a tree will be, and how large it may be. Fields that are 0 have defaults.
type BuilderOptions struct {
	Nodes     int   // about how many there will be: room for them is made at once
	TextBytes int   // about how long all strings will be together
	MaxBytes  int64 // of records and strings, as in the file; about 16 GiB by default
}

// wordsPerNode turns the hint Nodes into words.
const wordsPerNode = 3

// A Builder adds records to a tree, children first. One goroutine may use it at a time. For generated
// packages, which have a method for each kind of record.
//
// A method that panics leaves no trace: its record is in the tree from Add on and counts from Done on, and what
// comes next takes back a record that does not count. So the words of a tree that Finish returns are always what
// docs/FLAT.md says.
type Builder struct {
	tables  *tables
	options BuilderOptions
	tree    *Tree
	done    int   // words of the records that count; all of them, but while a record is being filled
	left    int64 // bytes until the limit
	err     error // ErrFull, once that was reached
	strings interned
}

// NewBuilder returns a Builder of an empty tree. It panics if an option is negative. For generated packages.
func (s *Schema) NewBuilder(options BuilderOptions) *Builder {
	if options.Nodes < 0 || options.TextBytes < 0 || options.MaxBytes < 0 {
		panic("flat.Schema.NewBuilder: an option is negative")
	}
	if options.MaxBytes == 0 {
		options.MaxBytes = defaultMaxBytes
	}
	b := &Builder{tables: s.tables(), options: options}
	b.start(nil, nil, nil)
	return b
}

// start begins a tree in memory that another does not need any more. That one's records have all the bits of
// parents that are set.
func (b *Builder) start(words, ends []uint32, parents []uint64) {
	clear(parents[:min(len(parents), len(words)/64+1)])
	b.tree = &Tree{tables: b.tables, words: append(words[:0], 0), ends: append(ends[:0], 0), parents: parents}
	b.done = 1
	b.left = b.options.MaxBytes
	b.err = nil
	b.strings.reset()
	b.fitParents()
}

// fitParents gives each word of the tree's memory a bit.
func (b *Builder) fitParents() {
	if t := b.tree; !b.tables.share {
		if more := cap(t.words)/64 + 1 - len(t.parents); more > 0 {
			t.parents = append(t.parents, make([]uint64, more)...)
		}
	}
}

// Err returns ErrFull if the limit was reached, otherwise nil. For generated packages.
func (b *Builder) Err() error { return b.err }

// Add returns a new record of that many words, and the words, which have any content. The record counts once Done was
// called. Once the builder is full Add returns neither. For generated packages.
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

// Done says that all words of the record that was added last are filled. For generated packages.
func (b *Builder) Done() { b.done = len(b.tree.words) }

// undo takes back the record that a panic kept from being filled: its children have no parent again.
func (b *Builder) undo() {
	t := b.tree
	t.words = t.words[:b.done]
	t.nodes--
	b.left = b.options.MaxBytes - 4*int64(len(t.words)-1) - 4*int64(len(t.ends)-1) - int64(len(t.text))
	if !b.tables.share {
		clear(t.parents)
		t.markParents()
	}
}

// grow makes room for n words.
func (b *Builder) grow(n int) bool {
	t := b.tree
	if b.left < 0 || uint64(len(t.words))+uint64(n) > maxWords {
		b.err = ErrFull
		b.left = -1 << 62 // full for good, until the next tree
		return false
	}
	if n > cap(t.words)-len(t.words) {
		hint := min(uint64(b.options.Nodes)*wordsPerNode, uint64(b.options.MaxBytes)/4)
		more := max(n, len(t.words)/2)
		if len(t.words) == 1 {
			more = max(n, int(min(hint, math.MaxInt/8)))
		}
		t.words = slices.Grow(t.words, more)
		b.fitParents()
	}
	return true
}

// Text adds a string and returns its number, 0 for the empty one. For generated packages.
func (b *Builder) Text(s string) uint32 {
	if s == "" {
		return 0
	}
	return b.addText(s)
}

// addText adds a string, which may be empty.
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

// Intern is Text that has equal strings once. For generated packages.
func (b *Builder) Intern(s string) uint32 {
	if s == "" {
		return 0
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

// OptionalText is Text for a string that may be absent, which is number 0; the empty string has
// a number then. For generated packages.
func (b *Builder) OptionalText(s *string) uint32 {
	if s == nil {
		return 0
	}
	return b.addText(*s)
}

// OptionalIntern is OptionalText that has equal strings once. For generated packages.
func (b *Builder) OptionalIntern(s *string) uint32 {
	if s == nil {
		return 0
	}
	if *s == "" {
		return b.addText("")
	}
	return b.Intern(*s)
}

// Finish returns the tree with that root, and starts a new one in memory of its own. It fails with ErrFull
// if the limit was reached. It panics if the root is not of this tree, is of a kind that the schema has not as root,
// or has a parent. For generated packages.
func (b *Builder) Finish(root Node) (*Tree, error) {
	t := b.tree
	if b.err != nil {
		err := b.err
		b.Reset()
		return nil, err
	}
	if b.done != len(t.words) {
		b.undo()
	}
	b.checkRoot(root)
	t.root = root.index
	b.start(nil, nil, nil)
	return t, nil
}

// Reset forgets what was built and keeps the memory. Handles that the builder returned panic from
// then on. For generated packages.
func (b *Builder) Reset() {
	words, ends, parents := b.tree.words, b.tree.ends, b.tree.parents
	b.tree.drop()
	b.start(words, ends, parents)
}

// Reuse frees old, and builds the next tree in its memory. What was built so far is forgotten. For generated packages.
func (b *Builder) Reuse(old *Tree) {
	words, parents := old.words, old.parents
	mapped := old.mapped != nil
	old.Free()
	if mapped || cap(words) < cap(b.tree.words) {
		b.Reset()
		return
	}
	b.tree.drop()
	b.start(words, nil, parents) // clones of old may have its table of strings
}
