package flatexport

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/coppice-go/coppice/internal/flatlayout"
)

// These constants limit the schemas that can be exported. The number of tables is limited because
// each table is an open file.
const (
	mostTables  = 500
	mostColumns = 5000
)

// A plan describes how to export trees of a schema. It contains the tables, and the positions of
// their columns in records.
type plan struct {
	layout       *flatlayout.Layout
	trees, nodes *table
	kinds        []*block // blocks of the records, by kind
	names        []string // names of the records, by kind
	share        bool
}

// A block describes how to create a row of a table from a record, or some columns of a row from an
// inline struct.
type block struct {
	table  *table // table of the record; not used for inline structs
	words  uint32
	inside bool // whether the block is an inline struct: a word contains the position of a slice
	fields []field
	refs   bool // whether the block refers to nodes, directly or in its lists
}

// A field describes how to export one field of a record or an inline struct.
type field struct {
	place *flatlayout.Place
	value flatlayout.Type
	inner *block // set for an inline struct
	list  *list  // set for a slice or an array
	edge  *edge  // set for a reference
}

// An edge describes how a node refers to its child: through which field, and whether the field is a
// list or is in a list.
type edge struct {
	name string
	list bool
}

// A list describes how to export a slice or an array.
type list struct {
	table *table // nil if other tables contain all of its data
	elem  flatlayout.Type
	bits  uint32 // bits per item
	step  uint32 // words per item; 0 if items share words
	item  *block // set for a list of inline structs
	inner *list  // set for a list of arrays
	edge  *edge  // set for a list of references
	refs  bool
}

// A spot is the planner's current position in a record. The names of columns at this position start
// with prefix, and the names of edges start with path.
type spot struct {
	prefix, path string
	list         bool
}

type planner struct {
	*plan
	tables  []*table
	columns int
}

var (
	int32Type = reflect.TypeFor[int32]()
	textType  = reflect.TypeFor[string]()
)

// open creates the plan of a schema, and the files of its tables.
func (e *exporter) open(layout *flatlayout.Layout) error {
	p := planner{plan: &plan{layout: layout, share: layout.Schema.Share}}
	p.trees = p.table("trees", column{name: "tree", kind: int32Type}, column{name: "file", kind: textType}, column{name: "name", kind: textType},
		column{name: "nodes", kind: int32Type}, column{name: "words", kind: reflect.TypeFor[int64]()})
	p.nodes = p.table("nodes", column{name: "tree", kind: int32Type}, column{name: "node", kind: int32Type}, column{name: "kind", kind: textType},
		column{name: "parent", kind: int32Type, optional: true}, column{name: "field", kind: textType, optional: true},
		column{name: "item", kind: int32Type, optional: true}, column{name: "depth", kind: int32Type}, column{name: "pre", kind: int32Type},
		column{name: "size", kind: int32Type})
	p.kinds, p.names = make([]*block, len(layout.Records)), make([]string, len(layout.Records))
	for kind := 1; kind < len(layout.Records); kind++ {
		b := layout.Records[kind]
		t := p.table("kinds/"+b.Name, column{name: "tree", kind: int32Type}, column{name: "node", kind: int32Type})
		p.names[kind] = b.Name
		t.keys = 2
		block, err := p.block(b, t, spot{})
		if err != nil {
			return err
		}
		p.kinds[kind] = block
	}
	e.plan = p.plan
	columns := 0
	for _, t := range p.tables {
		columns += len(t.columns)
	}
	page := pageSize(columns)
	for _, t := range p.tables {
		if err := t.open(e.folder, page); err != nil {
			return err
		}
		e.tables = append(e.tables, t)
	}
	return nil
}

func (p *planner) table(name string, columns ...column) *table {
	t := &table{name: p.free(name), columns: columns}
	p.tables = append(p.tables, t)
	return t
}

// free returns name, with underscores appended until no other table has the same name. It ignores
// case, because some file systems do.
func (p *planner) free(name string) string {
	for slices.ContainsFunc(p.tables, func(t *table) bool { return strings.EqualFold(t.name, name) }) {
		name += "_"
	}
	return name
}

// block creates the plan for the fields of a record or struct, and adds their columns to t.
func (p *planner) block(b *flatlayout.Block, t *table, at spot) (*block, error) {
	made := &block{table: t, words: uint32(b.Words), inside: b.Inside}
	for k := range b.Places {
		place := &b.Places[k]
		f := field{place: place, value: place.Value()}
		var err error
		switch f.value.Base {
		case flatlayout.Slice, flatlayout.Array:
			f.list, err = p.list(*f.value.Elem, t, at.prefix+place.Name, spot{path: at.path + place.Name, list: true})
			made.refs = made.refs || err == nil && f.list.refs
		case flatlayout.Inline:
			f.inner, err = p.block(p.layout.Structs[f.value.Name], t, spot{at.prefix + place.Name + "_", at.path + place.Name + ".", at.list})
			made.refs = made.refs || err == nil && f.inner.refs
		default:
			if f.value.Base == flatlayout.Ref {
				f.edge, made.refs = &edge{at.path + place.Name, at.list}, true
			}
			err = p.column(t, column{name: at.prefix + place.Name, optional: place.Type.Base == flatlayout.Optional}, f.value)
		}
		if err != nil {
			return nil, err
		}
		made.fields = append(made.fields, f)
	}
	return made, nil
}

// list plans the table for a list that belongs to the rows of t. The table has the key columns of
// t, which identify the row, and a column with the index of the item. If each node has only one
// parent, items that are nodes have no table, because the node table contains their positions.
func (p *planner) list(elem flatlayout.Type, t *table, name string, at spot) (made *list, err error) {
	bits, step := p.layout.Item(elem)
	made = &list{elem: elem, bits: uint32(bits), step: uint32(step)}
	keys := append(slices.Clone(t.columns[:t.keys]), column{name: itemColumn(t.keys), kind: int32Type})
	own := &table{name: t.name + "." + name, columns: keys, keys: len(keys)}
	switch elem.Base {
	case flatlayout.Array:
		made.inner, err = p.list(*elem.Elem, own, "items", at)
		if err == nil {
			made.refs = made.inner.refs
		}
		return made, err
	case flatlayout.Ref:
		made.edge, made.refs = &edge{at.path, true}, true
		if !p.share {
			return made, nil
		}
	}
	made.table, own.name = own, p.free(own.name)
	if p.tables = append(p.tables, own); len(p.tables) > mostTables {
		return nil, fmt.Errorf("the schema needs more than %d tables", mostTables)
	}
	if elem.Base == flatlayout.Inline {
		made.item, err = p.block(p.layout.Structs[elem.Name], own, spot{path: at.path + ".", list: true})
		made.refs = err == nil && made.item.refs
		return made, err
	}
	return made, p.column(own, column{name: "value"}, elem)
}

// itemColumn returns the name of the column that contains the indexes of the items: item for a
// list, item2 for a list in a list.
func itemColumn(at int) string {
	if at == 2 {
		return "item"
	}
	return fmt.Sprintf("item%d", at-1)
}

// column adds the column c to t. It chooses the column's kind for values of the type value.
func (p *planner) column(t *table, c column, value flatlayout.Type) error {
	if p.columns++; p.columns > mostColumns {
		return fmt.Errorf("the schema needs more than %d columns", mostColumns)
	}
	switch info := value.Base.Info(); {
	case value.Base == flatlayout.Ref, value.Base == flatlayout.Link:
		c.kind, c.optional = int32Type, true
	case value.Base == flatlayout.String:
		c.kind = textType
	case value.Base == flatlayout.Bytes:
		c.kind = reflect.TypeFor[[]byte]()
	case info.Class == flatlayout.Boolean:
		c.kind = reflect.TypeFor[bool]()
	case info.Class == flatlayout.Floating && info.Bits == 32:
		c.kind = reflect.TypeFor[float32]()
	case info.Class == flatlayout.Floating:
		c.kind = reflect.TypeFor[float64]()
	case info.Class == flatlayout.Signed && info.Bits <= 32:
		c.kind = int32Type
	case info.Class == flatlayout.Signed:
		c.kind = reflect.TypeFor[int64]()
	case info.Class == flatlayout.Unsigned && info.Bits <= 32:
		c.kind = reflect.TypeFor[uint32]()
	case info.Class == flatlayout.Unsigned:
		c.kind = reflect.TypeFor[uint64]()
	default:
		return fmt.Errorf("%s.%s has the type %s, which cannot be exported", t.name, c.name, value)
	}
	for t.has(c.name) {
		c.name += "_"
	}
	t.columns = append(t.columns, c)
	return nil
}
