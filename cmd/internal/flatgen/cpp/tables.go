package cpp

import (
	"fmt"
	"slices"
	"strings"

	"github.com/coppice-go/coppice/cmd/internal/flatgen/schema"

	"github.com/coppice-go/coppice/internal/flatlayout"
)

// tables writes the tables that the validator and the traversals use. They contain the slots of
// each record kind, in the order in which the slots are checked. For earlier versions, they also
// contain the moves that convert records to the newest version.
func (e *emitter) tables() {
	e.p("\nnamespace tables {\n\nnamespace f = coppice::flat::detail;")
	var earlier []string
	earlier = slices.Grow(earlier, len(e.Earlier))
	for _, text := range e.Earlier {
		old := e.earlier(text)
		prefix := fmt.Sprintf("v%d_", old.Schema.Version)
		e.shapes(old, prefix)
		e.conversions(old, prefix)
		earlier = append(earlier, fmt.Sprintf("    {%s, .conversions = %sconversions},", e.schemaFields(old, text, prefix), prefix))
	}
	e.shapes(e.Layout, "")
	more := ""
	if len(earlier) > 0 {
		e.p("\ninline constexpr f::schema earlier[] = {\n%s\n};", strings.Join(earlier, "\n"))
		more = ", .earlier = earlier"
	}
	e.p("\ninline constexpr f::schema newest{%s%s};", e.schemaFields(e.Layout, e.Schema.Text(), ""), more)
	e.p("\n}  // namespace tables")
}

// earlier returns the layout of an earlier version. It panics if the text is invalid, which cannot
// happen because readLock has already parsed it.
func (e *emitter) earlier(text string) *flatlayout.Layout {
	schema, err := flatlayout.Parse(text)
	if err != nil {
		panic("flatgen: an earlier version: " + err.Error())
	}
	layout, err := schema.Place()
	if err != nil {
		panic("flatgen: an earlier version: " + err.Error())
	}
	return layout
}

func (e *emitter) schemaFields(l *flatlayout.Layout, text, prefix string) string {
	return fmt.Sprintf(".text =%s,\n    .hash = %s, .version = %d, .share = %t, .root = %s, .shapes = %sshapes",
		textLiteral(text), hashText(text), l.Schema.Version, l.Schema.Share, kindsLiteral(l.Schema, l.Schema.Root), prefix)
}

// kindsLiteral returns the kinds of a sum or record as a C++ literal.
func kindsLiteral(s *flatlayout.Schema, name string) string {
	return "{" + strings.Trim(strings.Join(strings.Fields(fmt.Sprint(s.KindsOf(name))), ", "), "[]") + "}"
}

// A slots generates the slots of one layout. A slot describes a value in a record. The slots of
// list items are in separate arrays, which are written first.
type slots struct {
	*emitter
	layout *flatlayout.Layout
	prefix string
	arrays int
}

// shapes writes the slots of all record kinds, followed by the table of these kinds.
func (e *emitter) shapes(l *flatlayout.Layout, prefix string) {
	c := &slots{emitter: e, layout: l, prefix: prefix}
	rows := []string{"    {},"}
	for _, b := range l.Records[1:] {
		slots := c.array(c.record(b))
		unused := uint32(0)
		if used := b.Small[0].Used; used < 32 {
			unused = ^uint32(0) << used
		}
		rows = append(rows, fmt.Sprintf("    {.name = %q, .words = %d, .unused = %#x, .parts = %s%s},", b.Name, b.Words, unused, slots, schema.Pick(b.Nested, ", .nested = true", "")+schema.Pick(l.HasLinks(b), ", .linked = true", "")))
	}
	e.p("\ninline constexpr f::shape %sshapes[] = {\n%s\n};", prefix, strings.Join(rows, "\n"))
}

// array writes a C++ array of slots, and returns its name, or {} if there are no slots.
func (c *slots) array(slots []string) string {
	if len(slots) == 0 {
		return "{}"
	}
	name := fmt.Sprintf("%sslots%d", c.prefix, c.arrays)
	c.arrays++
	c.p("inline constexpr f::slot %s[] = {\n    %s,\n};", name, strings.Join(slots, ",\n    "))
	return name
}

// record returns the slots of a record. The first word is omitted, because it is the header, which
// the record's shape describes.
func (c *slots) record(b *flatlayout.Block) []string { return c.block(b, 1) }

// inline returns the slots of a struct that is part of a record.
func (c *slots) inline(b *flatlayout.Block) []string { return c.block(b, 0) }

// block returns the slots of a record or struct. Word indexes count from its start. A word that
// contains several small values is omitted if its index is less than from.
func (c *slots) block(b *flatlayout.Block, from int) (slots []string) {
	for _, w := range b.Small {
		if w.Used < 32 && w.Word >= from {
			slots = append(slots, fmt.Sprintf("f::mask_slot(%d, %#x)", w.Word, uint32(1)<<w.Used-1))
		}
	}
	for i := range b.Places {
		slots = append(slots, c.place(b, &b.Places[i])...)
	}
	return slots
}

func (c *slots) place(b *flatlayout.Block, p *flatlayout.Place) []string {
	value := p.Value()
	switch {
	case value.Base == flatlayout.Slice:
		bits, words := c.layout.Item(*value.Elem)
		items := "{}"
		if words > 0 {
			items = c.array(c.value(*value.Elem, 0))
		}
		if b.Inside {
			return []string{fmt.Sprintf("f::nested_slot(%d, %d, %#x, %s)", p.Count.Word+1, bits, packedMask(*value.Elem), items)}
		}
		return []string{fmt.Sprintf("f::list_slot(%d, %d, %d, %#x, %s)", p.Count.Word, p.Count.Shift, bits, packedMask(*value.Elem), items)}
	case p.Present.Width > 0:
		word, mask := p.Word, ^uint32(0)
		if p.Small.Width > 0 {
			word, mask = p.Small.Word, (uint32(1)<<p.Small.Width-1)<<p.Small.Shift
		}
		return []string{fmt.Sprintf("f::optional_slot(%d, %#x, %t, %d, %d)", word, mask, value.Base.Bits() == 64, p.Present.Word, p.Present.Shift)}
	case p.Small.Width > 0:
		return nil
	case p.Type.Base == flatlayout.Optional:
		return []string{fmt.Sprintf("f::optional_text_slot(%d)", p.Word)}
	default:
		return c.value(value, p.Word)
	}
}

// packedMask returns the mask of the bits that may be set in a word of packed items.
func packedMask(elem flatlayout.Type) uint32 {
	if elem.Base == flatlayout.Bool {
		return 0x01010101
	}
	return ^uint32(0)
}

// value returns the slots of a value that occupies whole words.
func (c *slots) value(t flatlayout.Type, word int) []string {
	switch t.Base {
	case flatlayout.Ref:
		return []string{fmt.Sprintf("f::ref_slot(%d, %s)", word, kindsLiteral(c.layout.Schema, t.Name))}
	case flatlayout.Link:
		return []string{fmt.Sprintf("f::link_slot(%d, %s)", word, kindsLiteral(c.layout.Schema, t.Name))}
	case flatlayout.String, flatlayout.Bytes:
		return []string{fmt.Sprintf("f::text_slot(%d)", word)}
	case flatlayout.Inline:
		return c.repeat(word, 1, c.layout.Structs[t.Name].Words*32, c.inline(c.layout.Structs[t.Name]))
	case flatlayout.Array:
		bits, words := c.layout.Item(*t.Elem)
		if words > 0 {
			return c.repeat(word, t.Len, bits, c.value(*t.Elem, 0))
		}
		return c.packedArray(t, word, bits)
	default:
		if t.Base.IsSmall() { // the item has a word of its own
			return []string{fmt.Sprintf("f::mask_slot(%d, %#x)", word, uint32(1)<<t.Base.Bits()-1)}
		}
		return nil
	}
}

// repeat returns one slot for n consecutive items, each with the given slots.
func (c *slots) repeat(word, n, bits int, slots []string) []string {
	if len(slots) == 0 {
		return nil
	}
	return []string{fmt.Sprintf("f::array_slot(%d, %d, %d, %s)", word, n, bits, c.array(slots))}
}

// packedArray returns the slots of an array of packed items: one for the full words, and one for
// the last word if it is not full.
func (c *slots) packedArray(t flatlayout.Type, word, bits int) (slots []string) {
	mask := packedMask(*t.Elem)
	full := t.Len * bits / 32
	if mask != ^uint32(0) && full > 0 {
		slots = c.repeat(word, full, 32, []string{fmt.Sprintf("f::mask_slot(0, %#x)", mask)})
	}
	if left := t.Len * bits % 32; left > 0 {
		slots = append(slots, fmt.Sprintf("f::mask_slot(%d, %#x)", word+full, mask&(1<<left-1)))
	}
	return slots
}
