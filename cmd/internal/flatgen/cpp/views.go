package cpp

import (
	"fmt"
	"slices"
	"strings"

	"github.com/coppice-go/coppice/cmd/internal/flatgen/schema"

	"github.com/coppice-go/coppice/internal/flatlayout"
)

// handles writes a handle class for each sum, and one for nodes of any kind.
func (e *emitter) handles() {
	e.handle("any", "a node of any kind", e.Records[1:])
	for _, sum := range e.Sums {
		e.handle(safe(sum.Name), schema.Article(sum.Name), sum.Variants)
	}
}

// handle writes a handle class. Template parameters have names like aVisitor and aMaker, which
// cannot conflict with names from the schema: type names begin with a capital letter, and member
// names contain no capital letters.
func (e *emitter) handle(name, what string, variants []*schema.Struct) {
	e.p("")
	e.comment("A handle of %s, or nil, which is false. as_... throws std::logic_error if the node is another variant, and visit throws it for nil.", what)
	e.p("class %s : public coppice::flat::node {\npublic:", name)
	e.p("    %s() = default;", name)
	e.p("    template <coppice::flat::part_of<%s> Part>\n    %s(Part n) noexcept : node(n) {}\n", name, name)
	e.p("    %s::kind kind() const { return static_cast<%s::kind>(coppice::flat::detail::access::kind(*this)); }", e.namespace, e.namespace)
	as := e.asNames(variants)
	for i, v := range variants {
		e.p("    %s %s() const;", safe(v.Name), as[i])
	}
	e.commonDeclarations(variants)
	e.p("\n    // Calls f with the view of the node's variant.")
	e.p("    template <class aVisitor>\n    decltype(auto) visit(aVisitor&& f) const;")
	e.p("    // The node and its descendants, parents before children, without recursion.")
	e.p("    coppice::flat::detail::preorder_nodes<any> preorder() const noexcept;\n};")
}

func (e *emitter) asNames(variants []*schema.Struct) []string {
	var names []string
	names = slices.Grow(names, len(variants))
	for _, v := range variants {
		names = append(names, "As"+v.Name)
	}
	return snakes(names, "kind", "visit", "preorder")
}

// views writes a struct for each variant and inline struct. The member functions of handles that
// need these structs follow.
func (e *emitter) views() {
	for _, s := range e.structs() {
		e.view(s)
	}
	for _, s := range e.structs() {
		e.viewBodies(s)
	}
	e.handleBodies("any", e.Records[1:])
	for _, sum := range e.Sums {
		e.handleBodies(safe(sum.Name), sum.Variants)
	}
}

func (e *emitter) view(s *schema.Struct) {
	what := "A node that is " + schema.Article(s.Name)
	if s.Kind == 0 {
		what = schema.Article(s.Name) + " inside a node"
	}
	e.p("\n// %s.\nstruct %s : coppice::flat::node {\n    %s() = default;", strings.ToUpper(what[:1])+what[1:], safe(s.Name), safe(s.Name))
	for i, name := range memberNames(s) {
		for _, line := range s.Fields[i].Doc {
			e.p("%s", strings.TrimRight("    // "+strings.TrimRight(line, "\\ "), " "))
		}
		note := ""
		if inner := s.Fields[i].Type.InnermostValue(); inner.Base.IsScalar() && inner.Go != inner.Basic() {
			note = "  // " + inner.Go
		}
		e.p("    %s %s() const;%s", e.reads(s.Fields[i].Type), name, note)
	}
	e.setterDeclarations(s)
	e.p("\n    // Calls f with the name, as in the schema, and the value of each field.")
	e.p("    template <class aVisitor>\n    void fields(aVisitor&& f) const;\n};")
}

func (e *emitter) viewBodies(s *schema.Struct) {
	name, names := safe(s.Name), memberNames(s)
	e.p("")
	for i := range s.Fields {
		e.p("inline %s %s::%s() const {\n    return %s;\n}", e.reads(s.Fields[i].Type), name, names[i], e.getCpp(s, i))
	}
	e.setterBodies(s)
	e.p("template <class aVisitor>\nvoid %s::fields([[maybe_unused]] aVisitor&& f) const {", name)
	for i := range s.Fields {
		e.p("    f(std::string_view(%q), this->%s());", s.Fields[i].Name, names[i])
	}
	e.p("}")
}

// narrow returns the C++ type for values of a narrow base type, which checks that assigned values
// fit.
func narrow(b flatlayout.Base) string {
	return fmt.Sprintf("coppice::flat::narrow<%s, %d>", b.Info().Cpp, b.Bits())
}

// reads returns the C++ return type of the accessor of a field of type t.
func (e *emitter) reads(t *schema.Type) string {
	switch t.Base {
	case flatlayout.Ref, flatlayout.Link, flatlayout.Inline:
		return safe(t.Name)
	case flatlayout.Array, flatlayout.Slice:
		return "coppice::flat::list<" + e.item(t.Elem) + ">"
	case flatlayout.Optional:
		return "std::optional<" + t.Elem.Base.Info().Cpp + ">"
	default:
		return t.Base.Info().Cpp
	}
}

// item returns the C++ type that describes how the items of a list are read.
func (e *emitter) item(t *schema.Type) string {
	switch t.Base {
	case flatlayout.Link:
		return "coppice::flat::link_item<" + safe(t.Name) + ">"
	case flatlayout.Ref:
		return "coppice::flat::ref_item<" + safe(t.Name) + ">"
	case flatlayout.Inline:
		return fmt.Sprintf("coppice::flat::struct_item<%s, %d>", safe(t.Name), e.Layout.Structs[t.Name].Words)
	case flatlayout.Array:
		return fmt.Sprintf("coppice::flat::array_item<%s, %d>", e.item(t.Elem), t.Len)
	case flatlayout.String, flatlayout.Bytes:
		return "coppice::flat::text_item"
	default:
		if t.Base.IsNarrow() {
			return "coppice::flat::narrow_item<" + narrow(t.Base) + ">"
		}
		return "coppice::flat::scalar_item<" + t.Base.Info().Cpp + ">"
	}
}

// getCpp returns the C++ expression that reads field i of s.
func (e *emitter) getCpp(s *schema.Struct, i int) string {
	f := s.Fields[i]
	switch {
	case f.Type.Base == flatlayout.Array:
		return e.access("array<%s>(*this, %d, %d)", e.item(f.Type.Elem), f.Word, f.Type.Len)
	case f.Type.Base == flatlayout.Slice:
		return e.sliceCpp(s, f)
	case f.Type.Base == flatlayout.Optional && f.Type.Elem.Base == flatlayout.String:
		return e.access("optional_text(*this, %d)", f.Word)
	case f.Type.Base == flatlayout.Optional:
		return e.access("flag(*this, %d, %d)", f.Present.Word, f.Present.Shift) + " ? std::optional(" + e.value(f) + ") : std::nullopt"
	default:
		return e.value(f)
	}
}

func (e *emitter) access(format string, args ...any) string {
	return "coppice::flat::detail::access::" + fmt.Sprintf(format, args...)
}

// value returns the C++ expression that reads the value of a field. The expression does not check
// whether an optional value is present.
func (e *emitter) value(f *schema.Field) string {
	t := f.Value()
	switch {
	case t.Base == flatlayout.Bool:
		return e.access("flag(*this, %d, %d)", f.Small.Word, f.Small.Shift)
	case t.Base.IsNarrow():
		return e.access("narrow<%s>(*this, %d, %d)", narrow(t.Base), f.Small.Word, f.Small.Shift)
	case t.Base.IsSmall():
		return e.access("packed<%s>(*this, %d, %d)", t.Base.Info().Cpp, f.Small.Word, f.Small.Shift)
	case t.Base == flatlayout.String || t.Base == flatlayout.Bytes:
		return e.access("text(*this, %d)", f.Word)
	case t.Base == flatlayout.Link:
		return e.access("link<%s>(*this, %d)", safe(t.Name), f.Word)
	case t.Base == flatlayout.Ref:
		return e.access("ref<%s>(*this, %d)", safe(t.Name), f.Word)
	case t.Base == flatlayout.Inline:
		return e.access("part<%s>(*this, %d)", safe(t.Name), f.Word)
	default:
		return e.access("scalar<%s>(*this, %d)", t.Base.Info().Cpp, f.Word)
	}
}

// sliceCpp returns the C++ expression that reads a slice field.
func (e *emitter) sliceCpp(s *schema.Struct, f *schema.Field) string {
	item := e.item(f.Type.Elem)
	switch {
	case s.Kind == 0:
		return e.access("nested<%s>(*this, %d)", item, f.Count.Word)
	case f.Escapes:
		return e.access("slice<%s>(*this, %d, %d)", item, s.Block.Words, f.Count.Shift)
	case f.List == 0:
		return e.access("slice_at<%s>(*this, %d, %d)", item, s.Block.Words, f.Count.Word)
	}
	for k, other := range s.Fields {
		if other.Type.Base == flatlayout.Slice && other.List == f.List-1 {
			return e.access("slice_after<%s>(*this, %s(), %d)", item, memberNames(s)[k], f.Count.Word)
		}
	}
	panic("flatgen: a slice without the one before it")
}

// handleBodies writes the definitions of those member functions of a handle that need the views.
func (e *emitter) handleBodies(name string, variants []*schema.Struct) {
	as := e.asNames(variants)
	e.p("")
	for i, v := range variants {
		e.p("inline %s %s::%s() const { return coppice::flat::detail::access::cast<%s>(*this, %d); }", safe(v.Name), name, as[i], safe(v.Name), v.Kind)
	}
	e.commonBodies(name, variants)
	e.p("\ntemplate <class aVisitor>\ndecltype(auto) %s::visit(aVisitor&& f) const {\n    switch (kind()) {", name)
	for i, v := range variants {
		e.p("        case %s::kind::%s: return std::forward<aVisitor>(f)(%s());", e.namespace, safe(v.Name), as[i])
	}
	e.p("        default: coppice::flat::detail::raise<std::logic_error>(\"%s::%s::visit: the handle is nil\");\n    }\n}\n", e.namespace, name)
	e.p("inline coppice::flat::detail::preorder_nodes<any> %s::preorder() const noexcept {", name)
	e.p("    return coppice::flat::detail::preorder_nodes<any>(*this);\n}")
}
