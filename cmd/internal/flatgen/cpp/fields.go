package cpp

import (
	"strconv"

	"github.com/coppice-go/coppice/cmd/internal/flatgen/schema"

	"github.com/coppice-go/coppice/internal/flatlayout"
)

// fields writes, for each struct, the C++ struct of its fields, from which a builder creates a
// record, and the functions that store these fields in words.
func (e *emitter) fields() {
	for _, s := range e.structs() {
		e.fieldsOf(s)
	}
}

// structsInside returns the inline structs, each after the structs that it contains.
func (e *emitter) structsInside() (sorted []*schema.Struct) {
	done := map[string]bool{}
	var visit func(s *schema.Struct)
	visit = func(s *schema.Struct) {
		if done[s.Name] {
			return
		}
		done[s.Name] = true
		for _, f := range s.Fields {
			for _, other := range e.Structs {
				if t := f.Type.InnermostValue(); t.Base == flatlayout.Inline && t.Name == other.Name {
					visit(other)
				}
			}
		}
		sorted = append(sorted, s)
	}
	for _, s := range e.Structs {
		visit(s)
	}
	return sorted
}

func (e *emitter) fieldsOf(s *schema.Struct) {
	name := s.Name + "Fields"
	names := memberNames(s)
	e.p("\n// The fields of %s, for the builder; and a function that makes them from a view, whose children child(handle) converts.", schema.Article(s.Name))
	e.p("struct %s {", name)
	if s.Kind > 0 {
		e.p("    using record = %s;", safe(s.Name))
	}
	for i, f := range s.Fields {
		e.p("    %s %s{};", e.takes(f.Type), names[i])
	}
	e.p("};")
	if s.Block.Nested {
		e.putTails(s, names)
	}
	if s.Kind > 0 {
		e.p("inline std::uint32_t put_record(coppice::flat::detail_draft& d, [[maybe_unused]] const %s& v) {", name)
		e.p("    const std::uint32_t at = d.extend(%d);\n    d.words[at] = %d;", s.Block.Words, s.Kind)
		e.puts(s, names)
		if s.Block.Nested {
			e.p("    put_tails(d, at, v);")
		}
		e.p("    return at;\n}")
		e.copied(s, names)
		return
	}
	e.p("constexpr std::uint64_t words_in(std::type_identity<%s>) { return %d; }", name, s.Block.Words)
	e.p("inline void put_fields([[maybe_unused]] coppice::flat::detail_draft& d, [[maybe_unused]] std::uint32_t at, [[maybe_unused]] const %s& v) {", name)
	e.puts(s, names)
	e.p("}")
	e.copied(s, names)
}

// copied writes the function that copies a view's fields to a fields struct.
func (e *emitter) copied(s *schema.Struct, names []string) {
	e.p("template <class aMaker>")
	e.p("%sFields fields_of([[maybe_unused]] const %s& v, [[maybe_unused]] aMaker&& child) {\n    return {", s.Name, safe(s.Name))
	for i, f := range s.Fields {
		e.p("        .%s = coppice::flat::copied<%s>(v.%s(), child),", names[i], e.takes(f.Type), names[i])
	}
	e.p("    };\n}")
}

// takes returns the C++ type with which a fields struct stores a field of type t.
func (e *emitter) takes(t *schema.Type) string {
	switch t.Base {
	case flatlayout.Link:
		return "coppice::flat::link<" + safe(t.Name) + ">"
	case flatlayout.Ref:
		return "coppice::flat::made<" + safe(t.Name) + ">"
	case flatlayout.Inline:
		return t.Name + "Fields"
	case flatlayout.Array:
		return "std::array<" + e.takes(t.Elem) + ", " + strconv.Itoa(t.Len) + ">"
	case flatlayout.Slice:
		return "std::vector<" + e.takes(t.Elem) + ">"
	case flatlayout.Optional:
		return "std::optional<" + e.takes(t.Elem) + ">"
	default:
		if t.Base.IsNarrow() {
			return narrow(t.Base)
		}
		return t.Base.Info().Cpp
	}
}

// puts writes the statements that store the fields of v, except slices, which are stored last.
func (e *emitter) puts(s *schema.Struct, names []string) {
	for i, f := range s.Fields {
		name := names[i]
		switch {
		case f.Type.Base == flatlayout.Slice:
		case f.Type.Base == flatlayout.Optional && f.Type.Elem.Base == flatlayout.String:
			e.p("    d.put_optional(at + %d, v.%s);", f.Word, name)
		case f.Type.Base == flatlayout.Optional:
			e.p("    if (v.%s) {\n        d.packed(at + %d, %d, true);", name, f.Present.Word, f.Present.Shift)
			if f.Small.Width > 0 {
				e.p("        d.packed(at + %d, %d, *v.%s);\n    }", f.Small.Word, f.Small.Shift, name)
			} else {
				e.p("        d.put(at + %d, *v.%s);\n    }", f.Word, name)
			}
		case f.Small.Width > 0:
			e.p("    d.packed(at + %d, %d, v.%s);", f.Small.Word, f.Small.Shift, name)
		default:
			e.p("    d.put(at + %d, v.%s);", f.Word, name)
		}
	}
	if s.Kind == 0 {
		return
	}
	for i, f := range s.Fields {
		switch {
		case f.Type.Base != flatlayout.Slice:
		case f.Escapes:
			e.p("    d.slice(at, %d, v.%s);", f.Count.Shift, names[i])
		default:
			e.p("    d.slice_at(at, %d, v.%s);", f.Count.Word, names[i])
		}
	}
}

// putTails writes the function put_tails, which stores the slices inside the structs of v after the
// end of the draft. If v is itself a struct in a record, its own slices are included. The argument
// at is the word at which v starts.
func (e *emitter) putTails(s *schema.Struct, names []string) {
	e.p("inline void put_tails([[maybe_unused]] coppice::flat::detail_draft& d, [[maybe_unused]] std::uint32_t at, [[maybe_unused]] const %sFields& v) {", s.Name)
	last := -1 // list index of the record's last own slice whose items have slices
	for _, f := range s.Fields {
		if s.Kind > 0 && f.Type.Base == flatlayout.Slice && f.Nested {
			last = f.List
		}
	}
	if last >= 0 {
		e.p("    std::uint32_t list = at + %d;", s.Block.Words)
	}
	for i, f := range s.Fields {
		switch {
		case f.Type.Base == flatlayout.Slice && s.Kind == 0:
			e.p("    d.nested(at + %d, v.%s);", f.Count.Word, names[i])
		case f.Type.Base == flatlayout.Slice && f.List > last:
		case f.Type.Base == flatlayout.Slice:
			if f.Escapes {
				e.p("    list += coppice::flat::detail_draft::escape_words(%d, v.%s.size());", f.Count.Shift, names[i])
			}
			if f.Nested {
				e.p("    d.tails(list, v.%s);", names[i])
			}
			if f.List < last {
				e.p("    list += coppice::flat::detail_draft::item_words(v.%s);", names[i])
			}
		case f.Nested:
			e.p("    d.tails(at + %d, v.%s);", f.Word, names[i])
		}
	}
	e.p("}")
}
