package flatimpl

// A Format is one version of a schema, as recorded in a file that contains many trees. Package
// forest reads such files.
type Format struct{ tables, newest *tables }

// Text returns the text of the schema's newest version, and the number of that version.
func (s *Schema) Text() (text string, version uint32) {
	return s.text, uint32(s.tables().layout.Schema.Version)
}

// Hash returns the layout hash of the schema's text, as in the header of a file.
func (s *Schema) Hash() uint64 { return s.tables().hash }

// Format returns the format of files whose schema has the given text, version and hash. It returns
// an error if s has no such version.
func (s *Schema) Format(text string, version uint32, hash uint64) (*Format, error) {
	h, data := formatHeader(text, version, hash)
	t, err := s.tablesFor(h, data)
	if err != nil {
		return nil, err
	}
	return &Format{t, s.tables()}, nil
}

// AnyFormat is like Schema.Format but accepts any schema.
func AnyFormat(text string, version uint32, hash uint64) (*Format, error) {
	h, data := formatHeader(text, version, hash)
	t, err := anyTables(h, data)
	if err != nil {
		return nil, err
	}
	return &Format{t, t}, nil
}

// formatHeader returns the header of a file with the given schema text, and the first bytes of the
// file.
func formatHeader(text string, version uint32, hash uint64) (*header, []byte) {
	data := make([]byte, headerBytes+padded(len(text)))
	copy(data[headerBytes:], text)
	return &header{version: version, hash: hash, textBytes: uint32(len(text))}, data
}

// Texts is a string table that several trees share.
type Texts struct {
	ends []uint32
	text []byte
}

// NewTexts validates a string table and returns it as a Texts. The caller must not change the
// slices afterwards.
func NewTexts(ends []uint32, text []byte) (*Texts, error) {
	if len(ends) == 0 {
		return nil, invalid("no string 0")
	}
	t := Tree{ends: ends, text: text}
	if err := t.validateStrings(); err != nil {
		return nil, err
	}
	return &Texts{ends[:len(ends):len(ends)], text[:len(text):len(text)]}, nil
}

// Stored is a tree in the representation that a forest stores.
type Stored struct {
	Texts       *Texts
	Words       []uint32 // in the machine's byte order
	Root, Nodes uint32
	Checked     bool // the tree was validated before, with the same limits
}

// Stored calls f.Tree for a generated package. The format f must belong to the schema s.
func (s *Schema) Stored(f *Format, stored Stored, limits LoadLimits) (*Tree, error) {
	if f.newest != s.tables() {
		panic("flatimpl.Schema.Stored: a tree of another schema")
	}
	return f.Tree(stored, limits)
}

// Tree validates a tree and returns it. The tree uses the memory of s, and cannot be changed. A
// tree of an earlier version is converted to the newest version.
func (f *Format) Tree(s Stored, limits LoadLimits) (*Tree, error) {
	limits = limits.withDefaults("forest.Reader.At")
	if len(s.Words) == 0 {
		return nil, invalid("no word 0")
	}
	t := &Tree{words: s.Words[:len(s.Words):len(s.Words)], ends: s.Texts.ends, text: s.Texts.text,
		root: s.Root, nodes: int(s.Nodes), tables: f.tables, shared: s.Texts}
	if bytes := 4*(int64(len(t.words))+int64(len(t.ends))) + int64(len(t.text)); bytes > limits.MaxBytes {
		return nil, beyond("%d bytes with the strings of its segment, more than LoadLimits.MaxBytes, %d", bytes, limits.MaxBytes)
	}
	if !s.Checked {
		if err := t.validateRecords(s.Nodes, limits); err != nil {
			return nil, err
		}
	}
	t, err := t.upgraded(f.newest, limits)
	if err == nil {
		t.shared = s.Texts
	}
	return t, err
}

// fixed reports whether the tree uses memory that it does not own, so that it cannot be changed.
func (t *Tree) fixed() bool { return t.mapped != nil || t.shared != nil }

// cloneShared implements cloneWith for a tree of a forest. The copy contains only the strings that
// its records use.
func (t *Tree) cloneShared(words []uint32) *Tree {
	c := compacter{from: t, strings: make([]uint32, len(t.ends))}
	c.to = &Tree{root: t.root, tables: t.tables, whole: t.whole, ends: []uint32{0}}
	c.to.words = append(words, t.words...)
	c.to.nodes = t.nodes
	for n := t.First(); n.index != 0; n = n.Next() { // panics if a mapped file was changed
		t.mentions(n.index, func(at uint32, op slotOp) {
			if op != opRef {
				c.to.words[at] = c.moveString(t.words[at], op == opOptionalText)
			}
		})
	}
	return c.to
}
