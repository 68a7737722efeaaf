package golang

import (
	"fmt"
	"maps"
	"slices"

	"github.com/coppice-go/coppice/cmd/internal/flatgen/schema"

	"github.com/coppice-go/coppice/internal/flatlayout"
)

// listMethods writes the methods of a view for a slice or array field.
func (e *emitter) listMethods(s *schema.Struct, f *schema.Field) {
	names := s.Methods(f)
	elem := f.Type.Elem
	list := e.list(s, f)
	if f.Type.Base == flatlayout.Slice {
		e.p("// %s returns the number of %s.", names.Num, f.Name)
		e.p("func (n %s) %s() int { return %s.Len() }\n", s.Name, names.Num, list)
	}
	e.p("// %s returns item i of %s. It panics if i is out of range.", names.One, f.Name)
	if elem.Base == flatlayout.Array {
		e.p("func (n %s) %s(i int) (v %s) {\nitem := %s\n", s.Name, names.One, elem.Read(), e.item(elem, list, "i"))
		e.readArray(elem, "item", "v", 0)
		e.p("return v\n}\n")
	} else {
		e.p("func (n %s) %s(i int) %s { return %s }\n", s.Name, names.One, elem.Read(), e.item(elem, list, "i"))
	}
	e.fieldComment(f, "%s yields all items: for x := range n.%s.", f.Name, f.Name)
	if elem.Base == flatlayout.Ref || elem.Base == flatlayout.Inline {
		items := e.unique("itemsOf" + s.Name + f.Name)
		e.p("func (n %s) %s(yield func(%s) bool) { each%s(n.node, %s, yield) }\n", s.Name, f.Name, elem.Name, elem.Name, items)
		if elem.Base == flatlayout.Ref {
			e.p("func %s(n flatimpl.Node) []uint32 { return %s.Refs() }\n", items, onNode(list))
		} else {
			e.p("func %s(n flatimpl.Node) (flatimpl.Node, uint32) { return %s.Items() }\n", items, onNode(list))
		}
		e.eachItem[elem.Name] = elem
		e.itemSetter(s, f, names, list)
		return
	}
	e.p("func (n %s) %s(yield func(%s) bool) {\nlist := %s\nfor i := range list.Len() {", s.Name, f.Name, elem.Read(), list)
	if elem.Base == flatlayout.Array {
		e.p("var v %s\nitem := %s", elem.Read(), e.item(elem, "list", "i"))
		e.readArray(elem, "item", "v", 0)
		e.p("if !yield(v) {\nreturn\n}\n}\n}\n")
	} else {
		e.p("if !yield(%s) {\nreturn\n}\n}\n}\n", e.item(elem, "list", "i"))
	}
	e.itemSetter(s, f, names, list)
}

// list returns the expression that reads the slice or array field f of n.
func (e *emitter) list(s *schema.Struct, f *schema.Field) string {
	switch {
	case f.Type.Base == flatlayout.Array:
		return fmt.Sprintf("n.node.Array(%d, %d)", f.Word, f.Type.Len)
	case s.Kind == 0:
		return fmt.Sprintf("n.node.Nested(%d)", f.Count.Word)
	case f.Escapes:
		return fmt.Sprintf("n.node.Slice(%d, %d)", s.Block.Words, f.Count.Shift)
	case f.List == 0:
		return fmt.Sprintf("n.node.SliceAt(%d, %d)", f.Count.Word, s.Block.Words)
	}
	var before *schema.Field
	for _, other := range s.Fields {
		if other.Type.Base == flatlayout.Slice && other.List == f.List-1 {
			before = other
		}
	}
	bits, _ := e.Layout.Item(*before.Type.Type.Elem)
	return fmt.Sprintf("n.node.SliceAt(%d, n.node.Rest(%s, %d))", f.Count.Word, e.list(s, before), bits)
}

// item returns the expression that reads item i of a list. For an item that is an array, the
// expression yields the node at which the array starts.
func (e *emitter) item(t *schema.Type, list, i string) string {
	_, words := e.Layout.Item(t.Type)
	switch {
	case t.Base == flatlayout.Array:
		return fmt.Sprintf("%s.Inline(%s, %d)", list, i, words)
	case t.Base == flatlayout.Inline:
		return fmt.Sprintf("%s{node: %s.Inline(%s, %d)}", t.Name, list, i, words)
	case words == 0:
		return e.scalar(t, fmt.Sprintf("%s.Uint%d(%s)", list, t.Base.Info().Item, i))
	default:
		return e.getAt(t, list, i)
	}
}

// readArray writes the nested loops that copy an array, which starts at a node, to a variable.
func (e *emitter) readArray(t *schema.Type, node, to string, depth int) {
	i := fmt.Sprintf("i%d", depth)
	list := fmt.Sprintf("%s.Array(0, %d)", node, t.Len)
	e.p("for %s := range %s {", i, to)
	if t.Elem.Base == flatlayout.Array {
		inner := fmt.Sprintf("item%d", depth)
		e.p("%s := %s", inner, e.item(t.Elem, list, i))
		e.readArray(t.Elem, inner, to+"["+i+"]", depth+1)
	} else {
		e.p("%s[%s] = %s", to, i, e.item(t.Elem, list, i))
	}
	e.p("}")
}

// itemSetter writes the method that sets one item of a list.
func (e *emitter) itemSetter(s *schema.Struct, f *schema.Field, names schema.MethodNames, list string) {
	t := f.Type.Elem
	if t.Base == flatlayout.Inline || t.Base == flatlayout.Array && t.Innermost().Base == flatlayout.Inline {
		return // the fields of the item have their own setters
	}
	e.setterComment("Set"+names.One, t.Innermost())
	e.place = e.setterPlace(s, "Set"+names.One, f)
	e.p("func (n %s) Set%s(i int, v %s) {", s.Name, names.One, t.SetType())
	if t.Base == flatlayout.Array {
		e.p("item := %s", e.item(t, list, "i"))
		e.writeItems(t, "item", "v", s.Name+".Set"+names.One, 0)
	} else {
		e.p("%s", e.setItem(t, target{list, "i", s.Name + ".Set" + names.One}, "v"))
	}
	e.p("}\n")
}

// writeItems writes the nested loops that set an array, which starts at a node.
func (e *emitter) writeItems(t *schema.Type, node, from, method string, depth int) {
	i := fmt.Sprintf("i%d", depth)
	list := fmt.Sprintf("%s.Array(0, %d)", node, t.Len)
	e.p("for %s := range %s {", i, from)
	if t.Elem.Base == flatlayout.Array {
		inner := fmt.Sprintf("item%d", depth)
		e.p("%s := %s", inner, e.item(t.Elem, list, i))
		e.writeItems(t.Elem, inner, from+"["+i+"]", method, depth+1)
	} else {
		e.p("%s", e.setItem(t.Elem, target{list, i, method}, from+"["+i+"]"))
	}
	e.p("}")
}

// setItem returns the statement that sets an item of a list to v.
func (e *emitter) setItem(t *schema.Type, to target, v string) string {
	switch {
	case t.Base == flatlayout.Bool:
		return fmt.Sprintf("%s.SetUint8(%s, uint8(%s))", to.of, to.at, e.bits(t, v))
	case t.Base.IsScalar() && t.Base.Info().Item < 32:
		return fmt.Sprintf("%s.SetUint%d(%s, %s)", to.of, t.Base.Info().Item, to.at, e.bits(t, v))
	default:
		return e.setAt(t, to, v)
	}
}

// iterators writes functions that yield the items of a list of nodes or inline structs. The
// function that finds the items is passed to them as an argument. This allows the compiler to
// inline them, together with the loop body, into the user's loop. See docs/decisions/0025.
func (e *emitter) iterators() {
	for _, name := range slices.Sorted(maps.Keys(e.eachItem)) {
		t := e.eachItem[name]
		if t.Base == flatlayout.Ref {
			e.p("func each%[1]s(n flatimpl.Node, items func(flatimpl.Node) []uint32, yield func(%[1]s) bool) {", name)
			e.p("for _, i := range items(n) {\nif !yield(%s{node: n.Child(i)}) {\nreturn\n}\nn.Touch()\n}\n}\n", name)
			continue
		}
		_, words := e.Layout.Item(t.Type)
		e.p("func each%[1]s(n flatimpl.Node, items func(flatimpl.Node) (flatimpl.Node, uint32), yield func(%[1]s) bool) {", name)
		e.p("for item, left := items(n); left > 0 && yield(%s{node: item}); left-- {\nitem = item.Inline(%d)\n}\n}\n", name, words)
	}
}
