package golang

import (
	"fmt"
	"strings"

	"github.com/coppice-go/coppice/cmd/internal/flatgen/schema"

	"github.com/coppice-go/coppice/internal/flatlayout"
)

// walks writes the traversals. They have a case for each kind, so a step costs one branch, which
// the processor can predict. Each loop is in a separate function, and the functions that it calls
// are passed as arguments. This allows the compiler to inline the loop, together with the loop
// body, into the user's loop. See docs/decisions/0025.
func (e *emitter) walks() {
	e.p(walkText)
	e.following()
	e.nextPreorder()
	e.nextPostorder()
}

const walkText = `
// All yields every node in buffer order, children before their parents. It panics if Builder.Edit
// has left children after their parents.
func (t Tree) All(yield func(Any) bool) { forward((*flatimpl.Tree)(t.core), following, yield) }

func forward(t *flatimpl.Tree, following func(*flatimpl.Tree, uint64) uint64, yield func(Any) bool) {
	for i := uint64(0); ; {
		if i = following(t, i); i >= t.End() || !yield(Any{node: t.At(i)}) {
			return
		}
	}
}

// preorder yields the node and its descendants, parents before children. Kinds in leaves have no
// children.
func preorder(n flatimpl.Node, leaves uint64, step flatimpl.PreorderStep, next flatimpl.PreorderNext, yield func(Any) bool) {
	var todo flatimpl.Stack
	for top := uint(0); !n.IsNil() && yield(Any{node: n}); {
		n, top = step(&todo, n, top, leaves, next)
	}
}

// postorder yields the node and its descendants, children before their parents.
func postorder(n flatimpl.Node, step flatimpl.PostorderStep, next flatimpl.PostorderNext, yield func(Any) bool) {
	var todo flatimpl.Path
	for top := uint(0); ; {
		if n, top = step(&todo, n, top, next); n.IsNil() || !yield(Any{node: n}) {
			return
		}
	}
}
`

// A refPlace describes a position at which a record contains references: a single word, or the
// items of a list.
type refPlace struct {
	word  int
	list  string // the expression of the list, or ""
	words int    // number of words per item
	refs  []int  // word offsets of the references in an item
}

// refPlaces returns the positions of the references in a record, in field order. ok is false if the
// generated code does not visit them itself.
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

// These constants limit the size of the generated code for one kind. If a record has more lists, or
// more references in one field or list item, the traversal uses the tables of the schema instead.
const (
	mostRefs  = 16
	mostLists = 3 // small, because finding a list requires reading all lists before it
)

// refsIn returns the offsets of the references in a fixed-size value that starts at word off. ok is
// false if there are more than mostRefs.
func (e *emitter) refsIn(t flatlayout.Type, off int) (refs []int, ok bool) {
	switch {
	case t.Base == flatlayout.Ref:
		return []int{off}, true
	case t.Base == flatlayout.Link: // a link does not point to a child
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

// cases writes the cases of a switch on the kind.
func (e *emitter) cases(c schema.Cases) {
	for _, code := range c.Code {
		e.p("case %s:", strings.Join(c.Kinds[code], ", "))
		e.p("%s", code)
	}
}

// following writes two functions. The generated function following returns the index of the next
// record in the buffer. The generated function further does this for those kinds of records that
// flatimpl.Forward does not handle itself.
func (e *emitter) following() {
	e.p("// following returns the index of the record after the one at i, or of the first record if i is 0.")
	e.p("func following(t *flatimpl.Tree, i uint64) uint64 { return flatimpl.Forward(t, i, further) }\n")
	e.p("// further is following for kinds with lists, and for the first record.")
	e.p("func further(t *flatimpl.Tree, i uint64) uint64 {")
	var all schema.Cases
	for _, v := range e.Records[1:] {
		all.Add(v, e.sizeOf(v))
	}
	e.p("switch h := t.Word(i); Kind(uint8(h)) {")
	e.cases(all)
	e.p("}\nreturn t.Start(i)\n}\n")
}

// sizeOf returns the statements that compute and return the index at which the record at i ends.
func (e *emitter) sizeOf(v *schema.Struct) string {
	switch {
	case v.Block.Nested:
		return "return t.After(i)"
	case v.Block.Lists == 0:
		return fmt.Sprintf("return i + %d", v.Block.Words)
	}
	for _, f := range v.Fields {
		if f.Type.Base != flatlayout.Slice || !f.Escapes || v.Block.Lists > 1 {
			continue
		}
		bits, words := e.Layout.Item(*f.Type.Type.Elem)
		size := func(count string) string {
			switch words {
			case 0:
				return fmt.Sprintf("(uint64(%s)*%d+31)/32", count, bits)
			case 1:
				return fmt.Sprintf("uint64(%s)", count)
			default:
				return fmt.Sprintf("uint64(%s)*%d", count, words)
			}
		}
		header := fmt.Sprintf("h>>%d", f.Count.Shift)
		return fmt.Sprintf("if %s == %#x { // too many for the header\nreturn t.After(i)\n}\nreturn i + %d + %s",
			header, ^uint32(0)>>f.Count.Shift, v.Block.Words, size(header))
	}
	return "return t.After(i)"
}

// nextPreorder writes the function that performs one step of a preorder traversal. All calls in
// this function are tail calls, so that a step does not save registers for a call that it does not
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

// leaves returns a bit set of the kinds without children. The set is empty if there are more kinds
// than bits. This is safe, because the set is used only to skip work.
func (e *emitter) leaves() (kinds uint64) {
	if len(e.Records) > 64 {
		return 0
	}
	for i, v := range e.Records[1:] {
		if places, ok := e.refPlaces(v); ok && len(places) == 0 {
			kinds |= 1 << (i + 1)
		}
	}
	return kinds
}

// isItems reports whether places consists of exactly one list of single references, optionally
// preceded by one word.
func isItems(places []refPlace) bool {
	last := places[len(places)-1]
	return len(places) <= 2 && last.list != "" && last.words == 1
}

// items returns the statement that pushes the items of the list onto the stack and completes the
// step.
func items(places []refPlace) string {
	first := "0"
	if len(places) == 2 {
		first = fmt.Sprintf("n.Word(%d)", places[0].word)
	}
	return fmt.Sprintf("return todo.Items(n, top, %s, %s)", onNode(places[len(places)-1].list), first)
}

// puts returns the statements that push all children except the first onto the stack, and return
// the first child. All references must be in single words, not in lists.
func puts(places []refPlace) string {
	var b strings.Builder
	if more := len(places) - 1; more > 0 {
		fmt.Fprintf(&b, "if top > flatimpl.StackRoom-%d {\nreturn todo.Step(n, top)\n}\n", more)
	}
	for i := len(places) - 1; i > 0; i-- {
		fmt.Fprintf(&b, "if r := w[i+%d]; r != 0 {\ntop = todo.Put(top, r)\n}\n", places[i].word)
	}
	fmt.Fprintf(&b, "if r := w[i+%d]; r != 0 {\ntodo.Read(w, uint(r))\nreturn n.At(r), top\n}", places[0].word)
	return b.String()
}

// pushes returns the statements that push the children onto the stack, the first child last. If the
// first position is a single word, they return the child there instead of pushing it.
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

// onNode converts an expression that reads a list through the view n to one that reads it through
// the node n.
func onNode(list string) string { return strings.ReplaceAll(list, "n.node.", "n.") }

// nextPostorder writes the function that performs one step of a postorder traversal. A step
// descends from the last node of the path to the first leaf below that node.
func (e *emitter) nextPostorder() {
	e.p("// nextPostorder returns the node that a postorder traversal visits after n, or nil, and the new top of the path.")
	e.p("func nextPostorder(todo *flatimpl.Path, n flatimpl.Node, top uint) (flatimpl.Node, uint) {")
	e.p("i := todo.Take(top)\nif i == 0 {")
	e.p("if top = todo.Resume(n, top); top == 0 || todo.IsReady(top) {\nreturn n.At(todo.Ready(top)), top - 1\n}\ni = todo.Take(top)\n}\nw, _ := n.Words()")
	e.p("for top--; ; {\nswitch Kind(uint8(w[i])) {")
	var all schema.Cases
	for _, v := range e.Records[1:] {
		places, ok := e.refPlaces(v)
		switch {
		case !ok:
			all.Add(v, "top = todo.PutChildren(top, n.At(uint32(i)))")
		case len(places) > 0:
			all.Add(v, e.descend(places))
		}
	}
	e.cases(all)
	e.p("default:\ntodo.Read(w, i)\nreturn n.At(uint32(i)), top\n}")
	e.p("if todo.IsReady(top) {\nreturn n.At(todo.Ready(top)), top - 1\n}\ni, top = todo.Take(top), top-1\n}\n}\n")
}

// descend returns the statements that add a node and its children to the path. They either add the
// first child last, or continue with it immediately.
func (e *emitter) descend(places []refPlace) string {
	put, room := "Put", len(places)
	for _, p := range places {
		if p.list != "" {
			put, room = "Push", 1
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "if top > flatimpl.StackRoom-%d {\ntop = todo.Spill(top)\n}\ntop = todo.PutReady(top, uint32(i))\n", room+1)
	for i := len(places) - 1; i >= 0; i-- {
		switch p := places[i]; {
		case p.list != "":
			fmt.Fprintf(&b, "top = todo.PutItems(top, %s, %#x, %d", strings.ReplaceAll(onNode(p.list), "n.", "n.At(uint32(i))."), e.leaves(), p.words)
			for _, ref := range p.refs {
				fmt.Fprintf(&b, ", %d", ref)
			}
			b.WriteString(")\n")
		case i == 0:
			fmt.Fprintf(&b, "if r := w[i+%d]; r != 0 {\ni = uint(r)\ncontinue\n}\n", p.word)
		default:
			fmt.Fprintf(&b, "if r := w[i+%d]; r != 0 {\ntop = todo.%s(top, r, w[r], %#x)\n}\n", p.word, put, e.leaves())
		}
	}
	return strings.TrimSuffix(b.String(), "\n")
}
