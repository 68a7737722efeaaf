package golang

import (
	"fmt"
	"strconv"

	"github.com/coppice-go/coppice/cmd/internal/flatgen/schema"

	"github.com/coppice-go/coppice/internal/flatlayout"
)

// In a record, the items of the record's own slices come first, followed by the items of slices in
// its inline structs. An inline struct stores the number of items and the offset of the first item.
// docs/decisions/0026 explains this layout.

// room returns the expression for the number of words that the slices inside v need. v is a struct,
// or an array or slice that contains structs.
func (e *emitter) room(t *schema.Type, v string) string {
	switch {
	case t.Base == flatlayout.Inline:
		return fmt.Sprintf("%s.room()", v)
	case t.Elem.Base == flatlayout.Inline:
		return fmt.Sprintf("flatimpl.Room(%s, %s.room)", sliced(t, v), t.Elem.Write())
	default: // arrays in an array or a slice
		x := fmt.Sprintf("v%d", t.Depth())
		return fmt.Sprintf("flatimpl.Room(%s, func(%s %s) int { return %s })", sliced(t, v), x, t.Elem.Write(), e.room(t.Elem, x))
	}
}

// sliced returns the expression that converts v, which is an array or a slice, to a slice.
func sliced(t *schema.Type, v string) string {
	if t.Base == flatlayout.Array {
		return v + "[:]"
	}
	return v
}

// putTails writes the statements that store the slices of a record's inline structs after the
// record's own slices.
func (e *emitter) putTails(s *schema.Struct) {
	value := e.argument(s)
	from := strconv.Itoa(s.Block.Words)
	if s.Block.Lists > 0 {
		from = "len(w) - len(rest)"
	}
	e.p("at := %s", from)
	for _, f := range s.Fields {
		switch {
		case !f.Nested:
		case f.Type.Base == flatlayout.Slice:
			e.tailsOf(f.Type, "first"+f.Name, value(f.Name))
		default:
			e.tailsOf(f.Type, strconv.Itoa(f.Word), value(f.Name))
		}
	}
	e.p("_ = at")
}

// tailsOf writes the statements that store the slices inside v, which starts at word off. v is a
// struct, or an array or slice that contains structs.
func (e *emitter) tailsOf(t *schema.Type, off, v string) {
	if t.Base == flatlayout.Inline {
		e.p("at = b.tail%s(w, %s, at, %s)", t.Name, off, v)
		return
	}
	_, words := e.Layout.Item(*t.Type.Elem)
	k, x := fmt.Sprintf("k%d", t.Depth()), fmt.Sprintf("v%d", t.Depth())
	e.p("for %s, %s := range %s {", k, x, v)
	e.tailsOf(t.Elem, fmt.Sprintf("%s+%d*%s", off, words, k), x)
	e.p("}")
}

// tail writes two methods for an inline struct that contains slices: one returns the number of
// words that the slices need, and the other stores them.
func (e *emitter) tail(s *schema.Struct) {
	e.p("\n// room returns the number of words that slices need.")
	e.p("func (v %sFields) room() int {", s.Name)
	terms := ""
	for _, f := range s.Fields {
		if f.Type.Base == flatlayout.Slice {
			terms += " + " + e.itemWords(f, "len(v."+f.Name+")")
		}
		if f.Nested && e.Layout.HasNested(f.Type.Type) {
			terms += " + " + e.room(f.Type, "v."+f.Name)
		}
	}
	e.p("return %s\n}\n", terms[len(" + "):])
	e.comment("tail%s stores the slices of v from word at on, and returns where they end. The struct starts at word off.", s.Name)
	e.p("func (b *Builder) tail%s(w []uint32, off, at int, v %sFields) int {", s.Name, s.Name)
	for _, f := range s.Fields {
		e.place = e.name + "." + s.Name + "Fields: " + f.Name
		switch {
		case f.Type.Base == flatlayout.Slice:
			name := "v." + f.Name
			n := "len(" + name + ")"
			e.p("flatimpl.PutNested(w, off+%d, at, %s)", f.Count.Word, n)
			e.p("{\nitems := w[at:]")
			e.putItems(f.Type.Elem, stored{words: "items", at: "0", value: name, intern: f.Intern}, "flatimpl.PackedWords("+n+", %d)")
			if e.Layout.HasNested(f.Type.Type) {
				e.p("first := at\nat += %s", e.itemWords(f, n))
				e.tailsOf(f.Type, "first", name)
			} else {
				e.p("at += %s", e.itemWords(f, n))
			}
			e.p("}")
		case f.Nested:
			e.tailsOf(f.Type, fmt.Sprintf("off+%d", f.Word), "v."+f.Name)
		}
	}
	e.p("return at\n}")
}
