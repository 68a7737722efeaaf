package flatlayout

import "fmt"

// A Layout describes where the fields of a schema's records and structs are located.
type Layout struct {
	Schema  *Schema
	Records []*Block // by kind, from 1; the first is nil
	Structs map[string]*Block
}

// A Block is the fixed part of a record, including its header, or an inline struct.
type Block struct {
	Name   string
	Words  int
	Places []Place     // one for each field, in order
	Small  []SmallWord // the words that hold small fields
	Lists  int         // number of slices, not counting those in structs
	Nested bool        // it is a struct with slices, or there are structs with slices in its fields or items
	Inside bool        // it is a struct: a word after each count locates the slice's items
	full   int         // how many of Small, from the first on, have no bit left
}

// A SmallWord is a word that is shared by small fields. Its bits are assigned from the low end up.
type SmallWord struct{ Word, Used int }

// Bits is a sequence of adjacent bits in one word of a block. An empty sequence has Width 0.
type Bits struct{ Word, Shift, Width int }

// A Place is the location of a field.
type Place struct {
	Field
	Word    int  // of a field that is not small
	Small   Bits // of a small scalar, optional or not
	Present Bits // of an optional scalar
	Count   Bits // of a slice
	List    int  // index of a slice among the block's slices
	Escapes bool // the count may be in the word after the fixed part
	Nested  bool // a slice of a struct: the word after its count is the distance to its items; or structs in it have such slices
}

// leastCountBits is the minimum number of free bits that a header must have for a count to be
// stored in it.
const leastCountBits = 8

// Place computes the layout of the schema.
func (s *Schema) Place() (*Layout, error) {
	if err := s.check(); err != nil {
		return nil, err
	}
	l := &Layout{Schema: s, Records: make([]*Block, 1, len(s.Records)+1), Structs: map[string]*Block{}}
	for i := range s.Structs {
		if _, err := l.structBlock(s.Structs[i].Name, nil); err != nil {
			return nil, err
		}
	}
	for i := range s.Records {
		b := &Block{Name: s.Records[i].Name, Words: 1, Small: []SmallWord{{0, 8}}}
		if err := l.fill(b, s.Records[i].Fields, nil); err != nil {
			return nil, err
		}
		l.Records = append(l.Records, b)
	}
	return l, nil
}

// structBlock places a struct, after the structs that it contains. path lists the structs that
// contain it.
func (l *Layout) structBlock(name string, path []string) (*Block, error) {
	if b := l.Structs[name]; b != nil {
		return b, nil
	}
	for _, outer := range path {
		if outer == name {
			return nil, fmt.Errorf("struct %s holds itself", name)
		}
	}
	if len(path) > maxDepth {
		return nil, fmt.Errorf("struct %s is nested in more than %d others", name, maxDepth)
	}
	b := &Block{Name: name, Inside: true}
	if err := l.fill(b, l.Schema.StructOf(name).Fields, append(path, name)); err != nil {
		return nil, err
	}
	l.Structs[name] = b
	return b, nil
}

// fill places fields. It places small fields first, because a count takes the remaining bits of the
// header.
func (l *Layout) fill(b *Block, fields []Field, path []string) error {
	b.Places = make([]Place, len(fields))
	for i, f := range fields {
		p := &b.Places[i]
		p.Field = f
		value := p.Value()
		if f.Type.Base == Optional && value.Base.IsScalar() {
			p.Present = b.small(1)
		}
		if value.Base.IsSmall() {
			p.Small = b.small(value.Base.Bits())
		}
	}
	for i := range b.Places {
		p := &b.Places[i]
		if err := l.placeWords(b, p, path); err != nil {
			return fmt.Errorf("%s.%s: %w", b.Name, p.Name, err)
		}
		if p.Nested = p.Nested || l.HasNested(p.Value()); p.Nested {
			b.Nested = true
		}
		if b.Words > MaxWords {
			return fmt.Errorf("%s has more than %d words", b.Name, MaxWords)
		}
	}
	return nil
}

// placeWords assigns whole words to a field that is not small.
func (l *Layout) placeWords(b *Block, p *Place, path []string) error {
	value := p.Value()
	if value.Base != Slice {
		if value.Base.IsSmall() {
			return nil
		}
		words, err := l.words(value, path)
		p.Word = b.Words
		b.Words += words
		return err
	}
	p.List = b.Lists
	b.Lists++
	switch {
	case b.Inside:
		p.Nested = true
		p.Count = Bits{b.Words, 0, 32}
		b.Words += 2
	case p.List == 0 && 32-b.Small[0].Used >= leastCountBits:
		header := &b.Small[0]
		p.Count = Bits{0, header.Used, 32 - header.Used}
		p.Escapes = true
		header.Used = 32
	default:
		p.Count = Bits{b.Words, 0, 32}
		b.Words++
	}
	_, _, err := l.item(*value.Elem, path)
	return err
}

// HasNested reports whether values of the type contain structs with slices.
func (l *Layout) HasNested(t Type) bool {
	for t.Base == Array || t.Base == Slice {
		t = *t.Elem
	}
	return t.Base == Inline && l.Structs[t.Name].Nested
}

// Value returns the type of the field, without Optional.
func (p *Place) Value() Type {
	if p.Type.Base == Optional {
		return *p.Type.Elem
	}
	return p.Type
}

// small assigns bits in the first small word that has enough free bits. If no small word has
// enough, small adds a word.
func (b *Block) small(width int) Bits {
	for b.full < len(b.Small) && b.Small[b.full].Used == 32 {
		b.full++
	}
	for i := b.full; i < len(b.Small); i++ {
		if w := &b.Small[i]; w.Used+width <= 32 {
			w.Used += width
			return Bits{w.Word, w.Used - width, width}
		}
	}
	b.Small = append(b.Small, SmallWord{b.Words, width})
	b.Words++
	return Bits{b.Words - 1, 0, width}
}

// words returns the size of a value that occupies whole words.
func (l *Layout) words(t Type, path []string) (int, error) {
	switch t.Base {
	case Inline:
		b, err := l.structBlock(t.Name, path)
		if err != nil {
			return 0, err
		}
		return b.Words, nil
	case Array:
		bits, _, err := l.item(*t.Elem, path)
		words := (int64(t.Len)*int64(bits) + 31) / 32
		if err == nil && words > MaxWords {
			return 0, fmt.Errorf("%s has more than %d words", t, MaxWords)
		}
		return int(words), err
	default:
		return max(1, t.Base.Bits()/32), nil // a reference is not in the table, and is one word
	}
}

// item returns the size of an item of an array or slice, in bits and in words. The size in words is
// 0 if several items share a word.
func (l *Layout) item(t Type, path []string) (bits, words int, err error) {
	if shared := t.Base.Info().Item; 0 < shared && shared < 32 {
		return shared, 0, nil
	}
	words, err = l.words(t, path)
	return 32 * words, words, err
}

// Item returns the size of an item of an array or slice, in bits and in words, in a complete
// layout. The size in words is 0 if several items share a word.
func (l *Layout) Item(elem Type) (bits, words int) {
	bits, words, _ = l.item(elem, nil)
	return bits, words
}

// HasLinks reports whether there are links in a block, or in the items of its slices.
func (l *Layout) HasLinks(b *Block) bool {
	for i := range b.Places {
		t := b.Places[i].Type
		for t.Elem != nil {
			t = *t.Elem
		}
		if t.Base == Link || t.Base == Inline && l.HasLinks(l.Structs[t.Name]) {
			return true
		}
	}
	return false
}
