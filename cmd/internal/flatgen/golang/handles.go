package golang

import (
	"fmt"
	"slices"
	"strings"

	"github.com/coppice-go/coppice/cmd/internal/flatgen/schema"
)

// sums writes the handle type of each sum.
func (e *emitter) sums() {
	for _, sum := range e.Sums {
		e.handle(sum, schema.Article(sum.Name))
	}
	e.kindSets()
}

// nodeType writes a struct type that contains a node. Its first field has size zero, and a
// different type in each of these structs, so that users cannot convert one of them to another; see
// docs/decisions/0011.
func (e *emitter) nodeType(name string) {
	e.p("type %s struct {\n_ [0]*%s // prevents conversions from other types\nnode flatimpl.Node\n}\n", name, name)
}

// handle writes the handle type of a sum, and its methods.
func (e *emitter) handle(sum *schema.Sum, what string) {
	name := sum.Name
	e.p("")
	e.comment("%s is a handle of %s: a tree and the index of a record. The zero %s is nil.", name, what, name)
	e.nodeType(name)
	e.comment("%sView is a pointer to one of the views of %s, for type switches.", name, schema.Article(name))
	e.p("type %sView interface{ is%s() }\n", name, name)
	e.p("// Kind returns the variant of the node, or KindNil for nil.")
	e.p("func (n %s) Kind() Kind { return Kind(n.node.Kind()) }\n", name)
	e.p("// IsNil reports whether the handle is nil.")
	e.p("func (n %s) IsNil() bool { return n.node.IsNil() }\n", name)
	e.p("// String formats the node and its descendants. Deep or long results are truncated.")
	e.p("func (n %s) String() string { return n.node.String() }\n", name)
	e.comment("View returns a pointer to the view of the node's variant, or nil, for type switches. It points to a copy of n and does not allocate if it does not escape.")
	e.p("func (n %s) View() %sView { return n.view() }\n", name, name)
	e.p("// Preorder yields the node and its descendants, parents before children, without recursion.")
	e.p("func (n %s) Preorder(yield func(Any) bool) { preorder(n.node, %#x, flatimpl.Preorder, nextPreorder, yield) }\n", name, e.leaves())
	e.p("// Postorder yields the node and its descendants, children before their parents.")
	e.p("func (n %s) Postorder(yield func(Any) bool) { postorder(n.node, flatimpl.Postorder, nextPostorder, yield) }\n", name)
	for _, v := range sum.Variants {
		e.comment("As%s returns the node as %s; nil stays nil. It panics if the node is another variant.", v.Name, schema.Article(v.Name))
		e.p("func (n %s) As%s() %s { return %s{node: n.node.As(uint8(Kind%s))} }\n", name, v.Name, v.Name, v.Name, v.Name)
	}
	for _, other := range e.Sums {
		e.across(sum, other)
	}
	if name != "Any" {
		e.widen(name, "Any")
	}
	e.common(sum)
	for _, v := range sum.Variants {
		e.p("func (*%s) is%s() {}", v.Name, name)
	}
}

// widen writes the method that converts a handle to a handle type that allows more kinds. This
// conversion cannot fail.
func (e *emitter) widen(from, to string) {
	e.comment("As%s returns the node as %s.", to, schema.Article(to))
	e.p("func (n %s) As%s() %s { return %s{node: n.node} }\n", from, to, to, to)
}

// across writes the method that converts a handle of one sum to a handle of another sum with common
// variants.
func (e *emitter) across(from, to *schema.Sum) {
	common := 0
	for _, v := range from.Variants {
		if slices.Contains(to.Variants, v) {
			common++
		}
	}
	switch common {
	case 0:
		return
	case len(from.Variants):
		if from.Name != to.Name {
			e.widen(from.Name, to.Name)
		}
	default:
		e.comment("As%s returns the node as %s; nil stays nil. It panics if the node is not one of its variants.", to.Name, schema.Article(to.Name))
		e.p("func (n %s) As%s() %s { return %s{node: n.node.To(%s, %q)} }\n",
			from.Name, to.Name, to.Name, to.Name, "&"+kindSetName(to.Name), from.Name+".As"+to.Name)
	}
}

// viewMethods writes those methods of a view that are the same for all structs.
func (e *emitter) viewMethods(s *schema.Struct) {
	if !s.HasMethod("String") {
		e.p("// String formats the node and its descendants. Deep or long results are truncated.")
		e.p("func (n %s) String() string { return n.node.String() }\n", s.Name)
	}
	if !s.HasMethod("IsNil") {
		e.p("// IsNil reports whether the handle is nil.")
		e.p("func (n %s) IsNil() bool { return n.node.IsNil() }\n", s.Name)
	}
	for _, sum := range s.Sums {
		e.widen(s.Name, sum.Name)
	}
	e.widen(s.Name, "Any")
}

func kindSetName(name string) string { return "kindsOf" + name }

// kindsOf returns the expression for the set of kinds that a reference allows, or the expression
// nil if it allows all kinds.
func (e *emitter) kindsOf(t *schema.Type) string {
	if len(e.Schema.KindsOf(t.Name)) == len(e.Records)-1 {
		return "nil"
	}
	return "&" + kindSetName(t.Name)
}

// kindSets writes a variable for the kind set of each sum and variant. Sets that contain all kinds
// are omitted.
func (e *emitter) kindSets() {
	var names []string
	for _, sum := range e.Sums {
		names = append(names, sum.Name)
	}
	for _, v := range e.Records[1:] {
		if e.isReferred(v) {
			names = append(names, v.Name)
		}
	}
	e.p("")
	for _, name := range names {
		kinds := e.Schema.KindsOf(name)
		if len(kinds) == len(e.Records)-1 {
			continue
		}
		var words [8]uint32
		for _, kind := range kinds {
			words[kind/32] |= 1 << (kind % 32)
		}
		var all [len(words)]string
		for i, w := range words {
			all[i] = fmt.Sprintf("%#x", w)
		}
		e.p("// %s is the set of kinds that are %s.", kindSetName(name), schema.Article(name))
		e.p("var %s = flatimpl.Kinds{%s}\n", kindSetName(name), strings.Join(all[:], ", "))
	}
}

// isReferred reports whether a field of the schema is a pointer to v.
func (e *emitter) isReferred(v *schema.Struct) bool {
	for _, s := range append(slices.Clone(e.Records[1:]), e.Structs...) {
		for _, f := range s.Fields {
			if f.Type.InnermostValue().Name == v.Name {
				return true
			}
		}
	}
	return false
}

// switches writes the view methods, which implement View. They are in a separate file because they
// import unsafe. Without unsafe, returning a pointer to one of several types would allocate; see
// docs/decisions/0009 and 0011.
func (e *emitter) switches() {
	e.needs("unsafe")
	for _, sum := range append([]*schema.Sum{{Name: "Any", Variants: e.Records[1:]}}, e.Sums...) {
		e.p("\nfunc (n *%s) view() %sView {", sum.Name, sum.Name)
		e.p("// Safety: handles and views contain a flatimpl.Node and nothing else, and n is a copy that View made.")
		e.p("// TestViewsAreHandles.\nswitch n.Kind() {")
		for _, v := range sum.Variants {
			e.p("case Kind%s:\nreturn (*%s)(unsafe.Pointer(n))", v.Name, v.Name)
		}
		e.p("default:\nreturn nil\n}\n}")
	}
	e.p("\n// These do not compile, with an index out of range, if handles and views differ in size.")
	e.p("var (")
	for _, s := range append(slices.Clone(e.Records[1:]), e.Structs...) {
		e.p("_ = [1]int{}[unsafe.Sizeof(%s{})-unsafe.Sizeof(flatimpl.Node{})]", s.Name)
	}
	for _, sum := range append([]*schema.Sum{{Name: "Any"}}, e.Sums...) {
		e.p("_ = [1]int{}[unsafe.Sizeof(%s{})-unsafe.Sizeof(flatimpl.Node{})]", sum.Name)
	}
	e.p(")")
}
