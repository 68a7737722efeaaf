package cpp

import (
	"fmt"
	"slices"

	"github.com/coppice-go/coppice/cmd/internal/flatgen/schema"

	"github.com/coppice-go/coppice/internal/flatlayout"
)

// setterNames returns the names of a struct's setters. A field's setter is named set_NAME, unless
// another field has that name.
func setterNames(s *schema.Struct) []string {
	var names []string
	names = slices.Grow(names, len(s.Fields))
	for _, f := range s.Fields {
		names = append(names, "Set"+f.Name)
	}
	return snakes(names, append(memberNames(s), "record", "fields")...)
}

// hasSetter reports whether a field has a setter. A field that contains inline structs has none,
// because the fields of these structs are set one by one.
func hasSetter(f *schema.Field) bool {
	t := f.Type
	if t.Base == flatlayout.Slice {
		t = t.Elem
	}
	return t.Innermost().Base != flatlayout.Inline
}

// setterHead returns the declarator of a setter: its name and parameters.
func (e *emitter) setterHead(f *schema.Field, name string) string {
	if f.IsList() {
		return fmt.Sprintf("%s(std::size_t i, %s v) const", name, e.takes(f.Type.Elem))
	}
	return fmt.Sprintf("%s(%s v) const", name, e.takes(f.Type))
}

// setterDeclarations writes the declarations of a struct's setters.
func (e *emitter) setterDeclarations(s *schema.Struct) {
	first := true
	for i, name := range setterNames(s) {
		if f := s.Fields[i]; hasSetter(f) {
			if first {
				e.p("\n    // While a builder edits the tree, set_... sets a field, or item i of one; otherwise it throws\n    // std::logic_error. A child must not be above the node, nor have a parent unless the schema has\n    // flat:share.")
				first = false
			}
			e.p("    void %s;", e.setterHead(f, name))
		}
	}
}

// setterBodies writes the definitions of a struct's setters.
func (e *emitter) setterBodies(s *schema.Struct) {
	members := memberNames(s)
	for i, name := range setterNames(s) {
		f := s.Fields[i]
		if !hasSetter(f) {
			continue
		}
		e.p("inline void %s::%s {", safe(s.Name), e.setterHead(f, name))
		switch {
		case f.IsList():
			e.p("    %s", edit("item(*this, this->%s(), i, v)", members[i]))
		case f.Type.Base == flatlayout.Optional && f.Type.Elem.Base == flatlayout.String:
			e.p("    %s", edit("optional_text(*this, %d, v)", f.Word))
		case f.Type.Base == flatlayout.Optional:
			e.p("    %s", edit("packed(*this, %d, %d, 1, v.has_value())", f.Present.Word, f.Present.Shift))
			e.p("    %s", setField(f, fmt.Sprintf("v.value_or(%s{})", e.takes(f.Type.Elem))))
		default:
			e.p("    %s", setField(f, "v"))
		}
		e.p("}")
	}
}

// setField returns the statement that sets a field to v. The field must be present.
func setField(f *schema.Field, v string) string {
	if f.Small.Width > 0 {
		return edit("packed(*this, %d, %d, %d, %s)", f.Small.Word, f.Small.Shift, f.Small.Width, v)
	}
	return edit("value(*this, %d, %s)", f.Word, v)
}

// edit returns the statement that calls one of the runtime's functions that modify a tree.
func edit(format string, args ...any) string {
	return "coppice::flat::detail::edits::" + fmt.Sprintf(format, args...) + ";"
}
