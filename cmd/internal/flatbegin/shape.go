package flatbegin

import (
	"fmt"
	"go/types"
)

// A kind determines how the schema represents the values of a field.
type kind int

const (
	scalar   kind = iota
	blob          // []byte
	optional      // a pointer to a scalar
	pointing      // a pointer to a struct
	holding       // a struct by value
	union         // an interface
	list          // a slice, or a list of siblings
	array
	table // a map, as a list of entries in the order of their keys
	rows  // a list of lists, as a list of structs that contain a list
)

// A shape describes the type of a field in the module, and how the schema represents that type.
type shape struct {
	kind  kind
	typ   types.Type // type in the module
	basic string     // predeclared type of a scalar in the schema
	elem  *shape     // element of a list, an array or an optional value
	of    *record    // struct of a pointing or holding shape; element struct of a table or rows
	sum   *sum
	len   int64
}

// inner returns the struct that values of the shape contain by value, or nil if there is none.
func (s *shape) inner() *record {
	for s.elem != nil {
		s = s.elem
	}
	if s.kind == holding || s.kind == table || s.kind == rows {
		return s.of
	}
	return nil
}

// refersToStructs reports whether the values of the shape are structs of the module, or refer to
// such structs.
func (s *shape) refersToStructs() bool {
	for s.elem != nil {
		s = s.elem
	}
	return s.kind == pointing || s.kind == holding || s.kind == union
}

// text returns the type of the shape's innermost items, such as string for a list of strings.
func (s *shape) text() types.Type {
	for s.elem != nil {
		s = s.elem
	}
	return s.typ
}

// isPlain reports whether a scalar has its predeclared type.
func (s *shape) isPlain() bool {
	return types.Identical(s.typ, types.Universe.Lookup(s.basic).Type())
}

// schemaType returns the source of the type in the schema.
func (s *shape) schemaType() string {
	switch s.kind {
	case scalar:
		return s.basic
	case blob:
		return "[]byte"
	case pointing:
		return "*" + s.of.name
	case holding:
		return s.of.byValue()
	case union:
		return s.sum.name
	case array:
		return fmt.Sprintf("[%d]%s", s.len, s.elem.schemaType())
	case table, rows:
		return "[]" + s.of.byValue()
	case optional:
		return "*" + s.elem.schemaType()
	default:
		return "[]" + s.elem.schemaType()
	}
}

// byValue returns the source of the schema's type for a field that stores the struct r by value. If
// the struct has links, it becomes a separate node, because links are set when the tree is
// complete, and only nodes have handles with which their links can be set.
func (r *record) byValue() string {
	if r.links > 0 {
		return "*" + r.name
	}
	return r.name
}

// shape returns the shape of a field's type, or the reason why the field cannot be in the schema.
func (p *plan) shape(t types.Type, f *field) (*shape, string) {
	switch u := t.Underlying().(type) {
	case *types.Slice:
		if types.Identical(u.Elem(), types.Typ[types.Byte]) {
			return &shape{kind: blob, typ: t}, ""
		}
		if inner, ok := u.Elem().Underlying().(*types.Slice); ok && !types.Identical(inner.Elem(), types.Typ[types.Byte]) {
			return p.rows(t, u.Elem(), f)
		}
		elem, why := p.item(u.Elem())
		return &shape{kind: list, typ: t, elem: elem}, why
	case *types.Map:
		return p.table(u, f)
	case *types.Pointer:
		if b, ok := u.Elem().Underlying().(*types.Basic); ok {
			elem, why := p.basic(u.Elem(), b)
			return &shape{kind: optional, typ: t, elem: elem}, why
		}
	}
	return p.item(t)
}

// item returns the shape of a type that is allowed both for fields and for items of lists. If the
// type is not allowed, item returns the reason.
func (p *plan) item(t types.Type) (*shape, string) {
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return p.basic(t, u)
	case *types.Interface:
		if u.Empty() {
			return nil, "the contents of the interface " + p.short(t) + " are unknown"
		}
		object, why := p.own(t)
		if object == nil {
			return nil, "the interface " + p.short(t) + ": " + why
		}
		if s := p.sumOf(object); s != nil {
			return &shape{kind: union, typ: t, sum: s}, ""
		}
		return nil, "no exported struct is known to implement the interface " + p.short(t)
	case *types.Struct:
		object, why := p.own(t)
		if object == nil {
			return nil, "the struct " + p.short(t) + ": " + why
		}
		return &shape{kind: holding, typ: t, of: p.record(object)}, ""
	case *types.Pointer:
		if _, ok := u.Elem().Underlying().(*types.Struct); !ok {
			return nil, "a schema cannot contain " + p.short(t)
		}
		object, why := p.own(u.Elem())
		if object == nil {
			return nil, "the struct " + p.short(u.Elem()) + ": " + why
		}
		r := p.record(object)
		r.seen = true
		return &shape{kind: pointing, typ: t, of: r}, ""
	case *types.Array:
		elem, why := p.item(u.Elem())
		return &shape{kind: array, typ: t, elem: elem, len: u.Len()}, why
	case *types.Slice:
		if types.Identical(u.Elem(), types.Typ[types.Byte]) {
			return &shape{kind: blob, typ: t}, ""
		}
	case *types.Signature:
		return nil, "a function is not data; keep a number or a name that stands for it"
	case *types.Chan:
		return nil, "a channel is not data"
	}
	return nil, "a schema cannot contain " + p.short(t) + " there"
}

// basic returns the shape of a number, a string or a bool. The schema uses the predeclared type,
// because it does not import the module.
func (p *plan) basic(t types.Type, b *types.Basic) (*shape, string) {
	if b.Kind() == types.Uintptr || b.Info()&types.IsComplex != 0 || b.Kind() == types.UnsafePointer {
		return nil, "a schema cannot contain " + b.Name()
	}
	return &shape{kind: scalar, typ: t, basic: types.Typ[b.Kind()].Name()}, ""
}

// noKey is the reason that is reported if a map is left out because of its keys.
const noKey = "the keys of a map must be strings or integers, of an exported type"

// mapKey returns the shape of a map's keys, or nil if such keys are not allowed.
func (p *plan) mapKey(m *types.Map) *shape {
	b, ok := m.Key().Underlying().(*types.Basic)
	if _, isBasic := types.Unalias(m.Key()).(*types.Basic); !isBasic {
		if object, _ := p.own(m.Key()); object == nil {
			return nil // the converter cannot name the key type
		}
	}
	if !ok || b.Info()&(types.IsString|types.IsInteger) == 0 || b.Kind() == types.Uintptr {
		return nil
	}
	return &shape{kind: scalar, typ: m.Key(), basic: types.Typ[b.Kind()].Name()}
}

// table returns the shape of a map, or the reason why the map cannot be in the schema.
func (p *plan) table(m *types.Map, f *field) (*shape, string) {
	key := p.mapKey(m)
	if key == nil {
		return nil, noKey
	}
	value := &field{name: "Value", full: f.full}
	var why string
	if slice, ok := m.Elem().Underlying().(*types.Slice); ok && !types.Identical(slice.Elem(), types.Typ[types.Byte]) {
		var elem *shape
		elem, why = p.item(slice.Elem())
		value.shape = &shape{kind: list, typ: m.Elem(), elem: elem}
	} else {
		value.shape, why = p.item(m.Elem())
	}
	if why != "" {
		return nil, "the values of the map: " + why
	}
	return &shape{kind: table, typ: f.object.Type(), of: p.entry(f, key, value)}, ""
}

// entry creates the record for the entries of a map.
func (p *plan) entry(f *field, key *shape, value *field) *record {
	r := &record{name: p.export(f.of.name + f.name + "Entry")}
	value.of = r
	if !value.link && value.shape.refersToStructs() {
		value.id = p.holder(value)
	}
	first := &field{of: r, name: "Key", full: f.full, shape: key}
	first.intern = key.basic == "string"
	r.fields = []*field{first, value}
	p.records = append(p.records, r)
	return r
}

// rows returns the shape of a list of lists, or the reason why the list cannot be in the schema.
func (p *plan) rows(t, row types.Type, f *field) (*shape, string) {
	inner := row.Underlying().(*types.Slice)
	elem, why := p.item(inner.Elem())
	if why != "" {
		return nil, why
	}
	r := &record{name: p.export(f.of.name + f.name + "Row")}
	items := &field{of: r, name: "Items", full: f.full, shape: &shape{kind: list, typ: row, elem: elem}}
	if elem.refersToStructs() {
		items.id = p.holder(items)
	}
	r.fields = []*field{items}
	p.records = append(p.records, r)
	return &shape{kind: rows, typ: t, of: r}, ""
}
