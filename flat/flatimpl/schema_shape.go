package flatimpl

import (
	"fmt"

	"github.com/coppice-go/coppice/internal/flatlayout"
)

// A shape describes the records of a kind for traversals and for the validator: which words are
// references, which words are strings, and which bits must be 0.
type shape struct {
	words  uint32 // number of words in the fixed part
	unused uint32 // header bits that must be 0
	lists  bool   // lists may follow the fixed part
	nested bool   // there are slices of structs
	linked bool   // there are links
	slots  []slot // in the order of the fields
}

// slotOp identifies the kind of a slot.
type slotOp uint8

const (
	opRef          slotOp = iota // a reference
	opText                       // the number of a string
	opOptionalText               // the number of a string, or 0 for none
	opMask                       // a word in which only the bits of mask may be set
	opOptional                   // a value that must be 0 if its presence bit is 0
	opList                       // the items of a slice
	opNested                     // the items of a slice in a struct
	opLink                       // a link: a reference to a record anywhere, which is not a child
)

// A slot is a part of a record that traversals or the validator use.
type slot struct {
	op     slotOp
	shift  uint8  // opList: first bit of the count; opOptional: presence bit
	esc    bool   // opList: the count may be after the fixed part
	wide   bool   // opOptional: the value has two words
	far    bool   // opList, opNested: items have slices in structs, which are among slots
	tells  bool   // opList, opNested: items have references or strings, possibly in their own slices
	linked bool   // opList, opNested: items contain links
	off    uint32 // offset of the word in the block; opNested: the word after the count, with the distance to the first item
	count  uint32 // opList: the word with the count; opOptional: the word with the presence bit
	mask   uint32 // opMask: the bits that may be set; opOptional: the bits of the value

	set   *Kinds // opRef, opLink: kinds of the target
	item  uint32 // opList, opNested: size of an item in bits
	ones  uint32 // opList, opNested: bits that may be set in a word of bool items; otherwise all
	slots []slot // opList, opNested: slots of an item
}

// A setCache contains one set of kinds for each sum or record to which references of the schema
// refer.
type setCache struct {
	schema *flatlayout.Schema
	sets   map[string]*Kinds
	slots  int // total number of slots of all shapes so far
	visits int // number of visits to parts of types to find the slots
}

func (c *setCache) get(name string) *Kinds {
	s := c.sets[name]
	if s == nil {
		s = &Kinds{}
		for _, kind := range c.schema.KindsOf(name) {
			s[kind>>5] |= 1 << (kind & 31)
		}
		c.sets[name] = s
	}
	return s
}

const (
	maxSlots  = 1 << 16    // per schema; a hostile schema must not exhaust memory
	maxVisits = 1 << 22    // per schema; limits the time for nested types that have no slots
	boolBits  = 0x01010101 // the bits that four packed bools may set
	allBits   = ^uint32(0)
)

// A shaper collects the slots of one kind of record.
type shaper struct {
	header bool // the slots begin with the header of a record; false for items of its lists
	layout *flatlayout.Layout
	sets   *setCache
	slots  []slot
}

func newShape(l *flatlayout.Layout, b *flatlayout.Block, sets *setCache) (shape, error) {
	s := shaper{header: true, layout: l, sets: sets}
	if err := s.block(b, 0); err != nil {
		return shape{}, fmt.Errorf("%s: %w", b.Name, err)
	}
	unused := uint32(0)
	if used := b.Small[0].Used; used < 32 {
		unused = allBits << used
	}
	return shape{words: uint32(b.Words), unused: unused, lists: b.Lists > 0 || b.Nested, nested: b.Nested, linked: haveLinks(s.slots), slots: s.slots}, nil
}

// add appends a slot. It returns an error if there are too many slots.
func (s *shaper) add(new slot) error {
	s.sets.slots++
	if s.sets.slots > maxSlots {
		return fmt.Errorf("more than %d references, strings and the like", maxSlots)
	}
	s.slots = append(s.slots, new)
	return nil
}

// visit counts the visited parts of types. It returns an error if there are too many.
func (s *shaper) visit(parts int) error {
	s.sets.visits += parts
	if s.sets.visits > maxVisits {
		return fmt.Errorf("types with more than %d parts in them", maxVisits)
	}
	return nil
}

// block adds the slots of a record or struct that starts at word off.
func (s *shaper) block(b *flatlayout.Block, off uint32) error {
	if err := s.visit(1 + len(b.Small) + len(b.Places)); err != nil {
		return err
	}
	for _, w := range b.Small {
		if at := off + uint32(w.Word); w.Used < 32 && (at > 0 || !s.header) { // newShape handles the header
			if err := s.add(slot{op: opMask, off: at, mask: 1<<w.Used - 1}); err != nil {
				return err
			}
		}
	}
	for i := range b.Places {
		if err := s.place(b, &b.Places[i], off); err != nil {
			return err
		}
	}
	return nil
}

func (s *shaper) place(b *flatlayout.Block, p *flatlayout.Place, off uint32) error {
	value := p.Value()
	switch {
	case value.Base == flatlayout.Slice:
		bits, _ := s.layout.Item(*value.Elem)
		item := shaper{layout: s.layout, sets: s.sets}
		if bits >= 32 {
			if err := item.value(*value.Elem, 0); err != nil {
				return err
			}
		}
		list := slot{op: opList, off: uint32(b.Words), count: uint32(p.Count.Word), shift: uint8(p.Count.Shift), esc: p.Escapes,
			far: s.layout.HasNested(*value.Elem), item: uint32(bits), ones: onesOf(*value.Elem), tells: haveMentions(item.slots), linked: haveLinks(item.slots), slots: item.slots}
		if b.Inside {
			list.op, list.off = opNested, off+uint32(p.Count.Word)+1
		}
		return s.add(list)
	case p.Present.Width > 0:
		optional := slot{op: opOptional, count: off + uint32(p.Present.Word), shift: uint8(p.Present.Shift),
			off: off + uint32(p.Word), mask: allBits, wide: value.Base.Bits() == 64}
		if p.Small.Width > 0 {
			optional.off = off + uint32(p.Small.Word)
			optional.mask = (1<<p.Small.Width - 1) << p.Small.Shift
		}
		return s.add(optional)
	case p.Small.Width > 0:
		return nil
	case p.Type.Base == flatlayout.Optional:
		return s.add(slot{op: opOptionalText, off: off + uint32(p.Word)})
	default:
		return s.value(value, off+uint32(p.Word))
	}
}

// onesOf returns the bits that may be set in a word that contains packed items.
func onesOf(elem flatlayout.Type) uint32 {
	if elem.Base == flatlayout.Bool {
		return boolBits
	}
	return allBits
}

// value adds the slots of a value that occupies whole words.
func (s *shaper) value(t flatlayout.Type, off uint32) error {
	switch t.Base {
	case flatlayout.Ref:
		return s.add(slot{op: opRef, off: off, set: s.sets.get(t.Name)})
	case flatlayout.Link:
		return s.add(slot{op: opLink, off: off, set: s.sets.get(t.Name)})
	case flatlayout.String, flatlayout.Bytes:
		return s.add(slot{op: opText, off: off})
	case flatlayout.Inline:
		return s.block(s.layout.Structs[t.Name], off)
	case flatlayout.Array:
		return s.array(t, off)
	default:
		if t.Base.IsSmall() { // an item that occupies a whole word
			return s.add(slot{op: opMask, off: off, mask: 1<<t.Base.Bits() - 1})
		}
		return nil
	}
}

func (s *shaper) array(t flatlayout.Type, off uint32) error {
	bits, words := s.layout.Item(*t.Elem)
	if err := s.visit(t.Len); err != nil {
		return err
	}
	if words > 0 {
		for i := range t.Len {
			if err := s.value(*t.Elem, off+uint32(i*words)); err != nil {
				return err
			}
		}
		return nil
	}
	used := t.Len * bits
	for at := 0; at < used; at += 32 {
		mask := onesOf(*t.Elem)
		if left := used - at; left < 32 {
			mask &= 1<<left - 1
		}
		if mask == allBits {
			continue
		}
		if err := s.add(slot{op: opMask, off: off + uint32(at/32), mask: mask}); err != nil {
			return err
		}
	}
	return nil
}
