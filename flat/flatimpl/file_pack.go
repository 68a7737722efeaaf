package flatimpl

// A Packer collects trees that share a string table. Package forest writes the contents of a Packer
// as one segment.
type Packer struct {
	c      compacter
	words  int      // number of words in complete trees
	copied []uint32 // indexes of the last tree's strings that are in the Packer
	shared *Texts   // shared strings of the last tree
}

// NewPacker returns a Packer for trees of the schema's newest version.
func (s *Schema) NewPacker() *Packer {
	p := &Packer{}
	p.c.to = &Tree{tables: s.tables(), ends: []uint32{0}}
	return p
}

// Fits reports whether the tree can be added. Any tree fits in an empty Packer.
func (p *Packer) Fits(t *Tree) bool {
	to := p.c.to
	return uint64(len(to.ends))+uint64(len(t.ends)) < maxWords && uint64(len(to.text))+uint64(len(t.text)) <= maxWords
}

// Add appends a copy of a tree. It returns the index of the tree's root, the number of records, and
// the number of words. If Add panics, because a mapped file was changed, the Packer is unchanged
// except that it may contain unused strings.
func (p *Packer) Add(t *Tree) (root, nodes uint32, words int) {
	if t == nil || t.words == nil {
		panic("flatimpl.Packer.Add: the tree was freed")
	}
	t.checkOrder("flatimpl.Packer.Add")
	if t.tables.text != p.c.to.tables.text {
		panic("flatimpl.Packer.Add: a tree of another schema")
	}
	to := p.c.to
	p.remember(t)
	to.words = append(to.words[:p.words], t.words...)
	p.takeStrings()
	p.words = len(to.words)
	return t.root, uint32(t.nodes), len(t.words)
}

// remember prepares the table that translates string indexes of t to indexes of the Packer. It
// keeps the table if t shares its strings with the previous tree, and otherwise clears it.
func (p *Packer) remember(t *Tree) {
	c := &p.c
	c.from = t
	if t.shared != nil && t.shared == p.shared {
		return
	}
	p.forget()
	p.shared = t.shared
	if len(t.ends) > cap(c.strings) {
		c.strings = make([]uint32, len(t.ends)+len(t.ends)/4)
	}
	c.strings = c.strings[:len(t.ends)]
}

func (p *Packer) forget() {
	for _, i := range p.copied {
		p.c.strings[i] = 0
	}
	p.copied, p.shared = p.copied[:0], nil
}

// takeStrings replaces the string indexes in the words of the last tree with indexes into the
// Packer's string table. It adds strings that the Packer does not have yet.
func (p *Packer) takeStrings() {
	c, t := &p.c, p.c.from
	added := c.to.words[p.words:]
	for n := t.First(); n.index != 0; n = n.Next() { // panics if a mapped file was changed
		t.mentions(n.index, func(at uint32, op slotOp) {
			if op == opRef || t.words[at] == 0 {
				return
			}
			from := t.words[at]
			if c.strings[from] == 0 {
				p.copied = append(p.copied, from)
			}
			added[at] = c.moveString(from, op == opOptionalText)
		})
	}
}

// Words returns the words of all trees, concatenated.
func (p *Packer) Words() []uint32 { return p.c.to.words[:p.words] }

// Texts returns the string table.
func (p *Packer) Texts() (ends []uint32, text []byte) { return p.c.to.ends, p.c.to.text }

// Bytes returns the size of the words and strings in bytes.
func (p *Packer) Bytes() int { return 4*(p.words+len(p.c.to.ends)) + len(p.c.to.text) }

// Reset removes all trees and strings, and keeps the memory.
func (p *Packer) Reset() {
	p.forget()
	to := p.c.to
	to.words, to.ends, to.text = to.words[:0], append(to.ends[:0], 0), to.text[:0]
	p.c.known.reset()
	p.c.empty, p.words, p.c.from = 0, 0, nil
}

// PutWords writes words in the byte order of files, little-endian, to the start of b.
func PutWords(b []byte, words []uint32) {
	copy(b, bytesOf(words))
	if bigEndian {
		for i := 0; i < 4*len(words); i += 4 {
			b[i], b[i+1], b[i+2], b[i+3] = b[i+3], b[i+2], b[i+1], b[i]
		}
	}
}

// FileWords returns the bytes of a file as words. The words share memory with b if the machine has
// the byte order of files and the bytes are aligned. Otherwise, they are a copy.
func FileWords(b []byte) []uint32 {
	if !bigEndian && aligned(b) {
		return wordsOf(b, "flatimpl.FileWords")
	}
	words := make([]uint32, len(b)/4)
	copy(bytesOf(words), b)
	swap(words)
	return words
}
