package flatimpl

import "github.com/coppice-go/coppice/internal/flatlayout"

// An Inspector gives tools access to the words of a tree with any schema, and to the layout that is
// needed to read its records.
type Inspector struct{ t *Tree }

// Inspect returns an Inspector of the tree.
func (t *Tree) Inspect() Inspector { return Inspector{t} }

// Layout returns the positions of fields in the tree's records.
func (n Inspector) Layout() *flatlayout.Layout { return n.t.tables.layout }

// SchemaText returns the text of the tree's schema.
func (n Inspector) SchemaText() string { return n.t.tables.text }

// Words returns the words of the records. Do not change them.
func (n Inspector) Words() []uint32 { return n.t.words }

// Root returns the index of the root, or 0 if there is none.
func (n Inspector) Root() uint32 { return n.t.root }

// Text returns the string with index i in the string table.
func (n Inspector) Text(i uint32) string { return n.t.string(i) }

// Size returns the number of words of the record at i.
func (n Inspector) Size(i uint32) uint32 { return n.t.size(i) }

// Nested returns the number of items in a slice that is a field of the struct at i, and the index
// of the first item.
func (n Inspector) Nested(p *flatlayout.Place, i uint32) (count, first uint32) {
	return n.t.nested(i, &slot{off: uint32(p.Count.Word) + 1})
}

// Slice returns the number of items in a slice that belongs to the record at i, and the index of
// the first item. The parameter end is the end of the previous slice, or of the fixed part.
func (n Inspector) Slice(p *flatlayout.Place, i, end uint32) (count, first uint32) {
	return n.t.list(i, &slot{count: uint32(p.Count.Word), shift: uint8(p.Count.Shift), esc: p.Escapes}, end)
}
