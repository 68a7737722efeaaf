package golang

import (
	"fmt"
	"strings"

	"github.com/coppice-go/coppice/cmd/internal/flatgen/schema"

	"github.com/coppice-go/coppice/internal/flatlayout"
)

// walks writes the traversals, with a case for each kind, so that each step costs one branch that
// the processor predicts. The loops are functions of their own, which call what they get as an
// argument: so the compiler inlines them into the user's loop, with its body. See
// docs/decisions/0025.
func (e *emitter) walks() {
	e.p(walkText)
	e.following()
	e.nextPreorder()
	e.postorder()
}

const walkText = `
// All yields every node in buffer order, children before their parents. It panics after the first
// node if Builder.Edit has left children after their parents.
func (t Tree) All(yield func(Any) bool) { forward(t.impl().First(), following, yield) }

func forward(n flatimpl.Node, following func(flatimpl.Node) flatimpl.Node, yield func(Any) bool) {
	for !n.IsNil() && yield(Any{node: n}) {
		n = following(n)
	}
}

// preorder yields the node and its descendants, parents before children.
func preorder(n flatimpl.Node, next func(*flatimpl.Stack, flatimpl.Node, uint) (flatimpl.Node, uint), yield func(Any) bool) {
	var todo flatimpl.Stack
	for top := uint(0); !n.IsNil() && yield(Any{node: n}); {
		n, top = next(&todo, n, top)
	}
}
`

// A refPlace is where references of a record are: a word, or the items of a list.
type refPlace struct {
	word  int
	list  string // the expression of the list, or ""
	words int    // of an item
	refs  []int  // the offsets of references in an item
}

// refPlaces returns the places of a record's references, in the order of its fields, and whether
// generated code can visit them.
func (e *emitter) refPlaces(s *schema.Struct) (places []refPlace, ok bool) {
	for _, f := range s.Fields {
		if t := f.Type.Type; f.IsList() {
			if f.List >= mostLists {
				return nil, false
			}
			refs, ok := e.refsIn(*t.Elem, 0)
			if !ok {
				return nil, false
			}
			if len(refs) > 0 {
				_, words := e.Layout.Item(*t.Elem)
				places = append(places, refPlace{list: e.list(s, f), words: words, refs: refs})
			}
			continue
		}
		refs, ok := e.refsIn(f.Type.Type, f.Word)
		if !ok {
			return nil, false
		}
		for _, word := range refs {
			places = append(places, refPlace{word: word})
		}
	}
	return places, true
}

// These bound the generated code of one kind. Records with more are traversed by the tables of the
// schema.
const (
	mostRefs  = 16
	mostLists = 3 // each looks at all before it
)

// refsIn returns the offsets of the references in a value of fixed size that starts at the word
// off, and whether they are few.
func (e *emitter) refsIn(t flatlayout.Type, off int) (refs []int, ok bool) {
	switch {
	case t.Base == flatlayout.Ref:
		return []int{off}, true
	case t.Base == flatlayout.Link: // leads to no child
		return nil, true
	case t.Base == flatlayout.Inline:
		for _, p := range e.Layout.Structs[t.Name].Places {
			inner, ok := e.refsIn(p.Type, off+p.Word)
			if !ok {
				return nil, false
			}
			refs = append(refs, inner...)
		}
	case t.Base == flatlayout.Array:
		inner, ok := e.refsIn(*t.Elem, off)
		if !ok || len(inner)*t.Len > mostRefs {
			return nil, false
		}
		_, words := e.Layout.Item(*t.Elem)
		for i := range t.Len {
			for _, at := range inner {
				refs = append(refs, at+i*words)
			}
		}
	case t.Base == flatlayout.Optional:
		inner, ok := e.refsIn(*t.Elem, off)
		return nil, ok && len(inner) == 0
	default:
		return nil, t.Base.IsScalar() || t.Base == flatlayout.String || t.Base == flatlayout.Bytes
	}
	return refs, len(refs) <= mostRefs
}

// cases writes the cases of a switch.
func (e *emitter) cases(c schema.Cases) {
	for _, code := range c.Code {
		e.p("case %s:", strings.Join(c.Kinds[code], ", "))
		e.p("%s", code)
	}
}

// following writes the function that finds the next record of the buffer. It calls nothing that is
// not inlined, unless a kind has several slices: so it is inlined itself if there are few kinds.
func (e *emitter) following() {
	e.p("// following returns the next node in buffer order, or nil after the last.")
	e.p("func following(n flatimpl.Node) flatimpl.Node {")
	e.p("if n.Unordered() {\nreturn n.RefuseOrder()\n}")
	e.p("var words uint64")
	var all schema.Cases
	for _, v := range e.Records[1:] {
		all.Add(v, e.sizeOf(v))
	}
	h := ""
	if strings.Contains(strings.Join(all.Code, " "), "h >> ") {
		h = "h := n.Word(0); "
	}
	e.p("switch %sKind(%s) {", h, schema.Pick(h == "", "n.Kind()", "uint8(h)"))
	e.cases(all)
	e.p("default:\npanic(flatimpl.NoRecord)\n}\nreturn n.Skip(words)\n}\n")
}

// sizeOf returns the statements that compute the number of words of a record.
func (e *emitter) sizeOf(v *schema.Struct) string {
	switch {
	case v.Block.Nested:
		return "words = n.Size()"
	case v.Block.Lists == 0:
		return fmt.Sprintf("words = %d", v.Block.Words)
	}
	for _, f := range v.Fields {
		if f.Type.Base != flatlayout.Slice || !f.Escapes || v.Block.Lists > 1 {
			continue
		}
		bits, words := e.Layout.Item(*f.Type.Type.Elem)
		size := func(fixed int, count string) string {
			switch words {
			case 0:
				return fmt.Sprintf("%d + (uint64(%s)*%d+31)/32", fixed, count, bits)
			case 1:
				return fmt.Sprintf("%d + uint64(%s)", fixed, count)
			default:
				return fmt.Sprintf("%d + uint64(%s)*%d", fixed, count, words)
			}
		}
		header, fixed := fmt.Sprintf("h >> %d", f.Count.Shift), v.Block.Words
		return fmt.Sprintf("words = %s\nif %s == %#x { // too many for the header\nwords = %s\n}",
			size(fixed, header), header, ^uint32(0)>>f.Count.Shift, size(fixed+1, fmt.Sprintf("n.Word(%d)", fixed)))
	}
	return "words = n.Size()"
}

// nextPreorder writes the function that takes a step of a preorder traversal. It calls functions
// only as the last thing that it does, so that no step saves registers for calls that it does not
// make.
func (e *emitter) nextPreorder() {
	e.p("// nextPreorder returns the node that a preorder traversal visits after n, or nil, and the number of nodes in todo.")
	e.p("func nextPreorder(todo *flatimpl.Stack, n flatimpl.Node, top uint) (flatimpl.Node, uint) {\nw, i := n.Words()")
	var all, others schema.Cases
	for _, v := range e.Records[1:] {
		places, ok := e.refPlaces(v)
		lists := 0
		for _, p := range places {
			if p.list != "" {
				lists++
			}
		}
		switch {
		case !ok:
			all.Add(v, "return todo.Step(n, top)")
		case lists == 0 && len(places) > 0:
			all.Add(v, puts(places))
		case lists == 1 && isItems(places):
			all.Add(v, items(places))
		case lists > 0:
			all.Add(v, "return nextOfLists(todo, n, top)")
			others.Add(v, pushes(places))
		}
	}
	if len(all.Code) > 0 {
		e.p("switch Kind(uint8(w[i])) {")
		e.cases(all)
		e.p("}")
	}
	e.p("todo.Read(w, i)\nif top-1 < flatimpl.StackRoom {\nreturn n.At(todo.Top(top)), top - 1\n}\nreturn todo.Pop(n, top)\n}\n")
	if len(others.Code) > 0 {
		e.p("// nextOfLists is nextPreorder for nodes with lists.")
		e.p("func nextOfLists(todo *flatimpl.Stack, n flatimpl.Node, top uint) (flatimpl.Node, uint) {")
		e.p("switch Kind(n.Kind()) {")
		e.cases(others)
		e.p("}\nreturn todo.Pop(n, top)\n}\n")
	}
}

// isItems reports whether places are at most one word, and then a list of references. It means that
// there is one list.
func isItems(places []refPlace) bool {
	last := places[len(places)-1]
	return len(places) <= 2 && last.list != "" && last.words == 1
}

// items returns the statement that puts the items of such a list on the stack, and takes the step.
func items(places []refPlace) string {
	first := "0"
	if len(places) == 2 {
		first = fmt.Sprintf("n.Word(%d)", places[0].word)
	}
	return fmt.Sprintf("return todo.Items(n, top, %s, %s)", onNode(places[len(places)-1].list), first)
}

// puts returns the statements that put the children in words on the stack, and return the first
// one.
func puts(places []refPlace) string {
	var b strings.Builder
	if more := len(places) - 1; more > 0 {
		fmt.Fprintf(&b, "if top > flatimpl.StackRoom-%d {\nreturn todo.Step(n, top)\n}\n", more)
	}
	for i := len(places) - 1; i > 0; i-- {
		fmt.Fprintf(&b, "if r := w[i+%d]; r != 0 {\ntop = todo.Put(top, r)\n}\n", places[i].word)
	}
	fmt.Fprintf(&b, "if r := w[i+%d]; r != 0 {\nreturn n.At(r), top\n}", places[0].word)
	return b.String()
}

// pushes returns the statements that push the children, the first one on top, or return it.
func pushes(places []refPlace) string {
	var b strings.Builder
	for i := len(places) - 1; i >= 0; i-- {
		switch p := places[i]; {
		case p.list != "":
			fmt.Fprintf(&b, "top = todo.PushItems(top, %s, %d", onNode(p.list), p.words)
			for _, ref := range p.refs {
				fmt.Fprintf(&b, ", %d", ref)
			}
			b.WriteString(")\n")
		case i == 0:
			fmt.Fprintf(&b, "if i := n.Word(%d); i != 0 {\nreturn n.At(i), top\n}\n", p.word)
		default:
			fmt.Fprintf(&b, "if i := n.Word(%d); i != 0 {\ntop = todo.Push(top, i)\n}\n", p.word)
		}
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// onNode turns the expression of a list of a view n into that of a node n.
func onNode(list string) string { return strings.ReplaceAll(list, "n.node.", "n.") }

// postorder writes the function that visits a node and its descendants, children first.
func (e *emitter) postorder() {
	e.p("// postorder yields the node and its descendants, children before their parents. It returns false if yield did.")
	e.p("func postorder(n flatimpl.Node, levels int, ahead *flatimpl.Ahead, yield func(Any) bool) bool {")
	e.p("if n.IsNil() {\nreturn true\n}")
	var all schema.Cases
	for _, v := range e.Records[1:] {
		places, ok := e.refPlaces(v)
		switch {
		case !ok:
			all.Add(v, "levels = 0")
		case len(places) > 0:
			all.Add(v, visits(places))
		}
	}
	if len(all.Code) > 0 {
		e.p("if levels--; levels > 0 {\nswitch w, i := n.Words(); Kind(uint8(w[i])) {")
		e.cases(all)
		e.p("default:\nahead.Read(w, i)\n}\n}")
		e.p("if levels <= 0 {\nreturn n.Postorder(func(n flatimpl.Node) bool { return yield(Any{node: n}) })\n}")
	}
	e.p("return yield(Any{node: n})\n}")
}

// visits returns the statements that visit the children. They read each reference when it is its
// turn: yield may have freed the tree.
func visits(places []refPlace) string {
	var b strings.Builder
	for i := 0; i < len(places); {
		if p := places[i]; p.list != "" {
			fmt.Fprintf(&b, "for list, i := %s, 0; i < list.Len(); i++ {\n%s\n}\n", onNode(p.list), visit(p.items()))
			i++
			continue
		}
		var children []string
		for ; i < len(places) && places[i].list == ""; i++ {
			children = append(children, fmt.Sprintf("n.At(n.Word(%d))", places[i].word))
		}
		b.WriteString(visit(children) + "\n")
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// items returns the expressions of the children that item i of a list has.
func (p *refPlace) items() (children []string) {
	for _, ref := range p.refs {
		if p.words == 1 {
			children = append(children, "n.At(list.Word(i))")
		} else {
			children = append(children, fmt.Sprintf("n.At(list.Inline(i, %d).Word(%d))", p.words, ref))
		}
	}
	return children
}

// visit returns the statement that visits children in order.
func visit(children []string) string {
	for i, child := range children {
		children[i] = "!postorder(" + child + ", levels, ahead, yield)"
	}
	return "if " + strings.Join(children, " ||\n") + " {\nreturn false\n}"
}
