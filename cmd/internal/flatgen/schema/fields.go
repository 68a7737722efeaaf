package schema

import (
	"go/types"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/coppice-go/coppice/internal/flatlayout"
)

// readFields reads the fields of a record or an inline struct into s.
func (r *reader) readFields(s *Struct) {
	object := r.object(s.Name)
	if isGeneric(object) {
		return // it is already rejected, so errors about its fields would not help
	}
	t := object.Type().Underlying().(*types.Struct)
	s.Shape = r.shapeOf(t)
	if s.Kind == 0 && t.NumFields() == 0 {
		r.problem(object.Pos(), "%s has no fields; remove it and what holds it", s.Name)
	}
	r.fieldsOf(s, s.Name, "", t)
}

// fieldsOf reads the fields of a Go struct, which is s itself or a struct embedded in s. name is
// the name of that struct, for messages, and path is the selector that leads to it from s.
func (r *reader) fieldsOf(s *Struct, name, path string, t *types.Struct) {
	for i := range t.NumFields() {
		v, tag := t.Field(i), reflect.StructTag(t.Tag(i)).Get("flat")
		switch {
		case v.Name() == "_":
			r.problem(v.Pos(), "%s has a field without a name; remove it", name)
		case !v.Exported():
			r.problem(v.Pos(), "%s.%s is not exported, so the generated package cannot read it; export it", name, v.Name())
		case v.Embedded() && r.embed(s, name, path, v, tag):
		default:
			r.field(s, name, path, v, tag)
		}
	}
}

// embed reports whether v is an embedded struct. If so, it adds the fields of that struct to s. An
// embedded number, string or sum is an ordinary field that is named after its type.
func (r *reader) embed(s *Struct, name, path string, v *types.Var, tag string) bool {
	t := types.Unalias(v.Type())
	if _, is := t.Underlying().(*types.Pointer); is {
		r.problem(v.Pos(), "%s.%s is an embedded pointer; embed the struct, or give the field a name", name, v.Name())
		return true
	}
	named, is := t.(*types.Named)
	if !is || !isStruct(t) || foreign(t, r.pkg.Types) != "" {
		return false
	}
	if r.generic(t, v.Pos(), name+"."+v.Name()) {
		return true
	}
	if tag != "" {
		r.problem(v.Pos(), "invalid tag flat:%q of the embedded struct %s.%s; put it on its fields", tag, name, v.Name())
	}
	object := named.Obj()
	if r.structs[object] == nil && !slices.ContainsFunc(r.model.Mixins, func(m *Struct) bool { return m.Name == object.Name() }) {
		r.model.Mixins = append(r.model.Mixins, &Struct{Name: object.Name(), Shape: r.shapeOf(t.Underlying().(*types.Struct))})
	}
	r.fieldsOf(s, object.Name(), path+v.Name()+".", t.Underlying().(*types.Struct))
	return true
}

// field reads one field of a struct and adds it to s.
func (r *reader) field(s *Struct, name, path string, v *types.Var, tag string) {
	full := name + "." + v.Name()
	f := &Field{Name: v.Name(), Path: path + v.Name(), Doc: r.docs[v.Pos()], Pos: r.at(v.Pos())}
	for _, other := range s.Fields {
		if other.Name == f.Name {
			r.problem(v.Pos(), "%s and %s.%s are both promoted to %s; give an embedded struct a name", s.Name+"."+f.Path, s.Name, other.Path, s.Name+"."+f.Name)
			return
		}
	}
	if f.Type = r.fieldType(v, full); f.Type == nil {
		return
	}
	r.readTag(f, v, tag)
	s.Fields = append(s.Fields, f)
}

// shapeOf returns the fields of a struct exactly as Go declares them.
func (r *reader) shapeOf(t *types.Struct) (members []Member) {
	for v := range t.Fields() {
		m := Member{v.Name(), r.goName(v.Type())}
		if v.Embedded() {
			m.Name = ""
		}
		members = append(members, m)
	}
	return members
}

// readTag parses the struct tag of a field.
func (r *reader) readTag(f *Field, v *types.Var, tag string) {
	inner := f.Type.InnermostValue()
	width, isWidth := strings.CutPrefix(tag, "bits=")
	switch {
	case tag == "":
	case tag == "intern":
		f.Intern = inner.Base == flatlayout.String || inner.Base == flatlayout.Bytes
		if !f.Intern {
			r.problem(v.Pos(), "invalid tag flat:%q of %s: must be on a string or a []byte", tag, v.Name())
		}
	case tag == "ref":
		if inner.Base != flatlayout.Ref || inner.Value {
			r.problem(v.Pos(), "invalid tag flat:%q of %s: must be on a pointer to a struct or a sum, which another field holds", tag, v.Name())
			return
		}
		inner.Base = flatlayout.Link
	case isWidth:
		r.width(f, v, tag, width)
	default:
		r.problem(v.Pos(), "invalid tag flat:%q of %s: must be flat:\"intern\", for strings and []byte, flat:\"bits=N\", for integers, and flat:\"ref\", for nodes that another field holds", tag, v.Name())
	}
}

// width parses the struct tag flat:"bits=N".
func (r *reader) width(f *Field, v *types.Var, tag, text string) {
	t := f.Value()
	info := t.Base.Info()
	n, err := strconv.Atoi(text)
	switch {
	case f.IsList():
		r.problem(v.Pos(), "invalid tag flat:%q of %s, which is a list; use a smaller item type", tag, v.Name())
	case info.Class != flatlayout.Signed && info.Class != flatlayout.Unsigned || t.Base.IsNarrow():
		r.problem(v.Pos(), "invalid tag flat:%q of %s: must be on an integer", tag, v.Name())
	case err != nil || n < 1 || n > flatlayout.MaxWidth || n > info.Bits:
		r.problem(v.Pos(), "invalid tag flat:%q of %s: must be between 1 and %d bits", tag, v.Name(), min(flatlayout.MaxWidth, info.Bits))
	default:
		t.Base, t.Size = flatlayout.OfWidth(n, info.Class == flatlayout.Signed), false
		if f.Type != t {
			f.Type.Type.Elem = &t.Type
		}
	}
}
