package golang

import (
	"fmt"
	"strconv"

	"github.com/coppice-go/coppice/cmd/internal/flatgen/schema"

	"github.com/coppice-go/coppice/internal/flatlayout"
)

// views writes a view type for each variant and inline struct.
func (e *emitter) views() {
	for _, v := range e.Records[1:] {
		e.view(v, fmt.Sprintf("a node that is %s", schema.Article(v.Name)))
	}
	for _, s := range e.Structs {
		e.view(s, fmt.Sprintf("%s inside a node", schema.Article(s.Name)))
	}
	e.iterators()
}

func (e *emitter) view(s *schema.Struct, what string) {
	e.p("")
	e.comment("%s is a view of %s, with a method for each field of %s.%s.", s.Name, what, e.Package, s.Name)
	e.nodeType(s.Name)
	if s.Kind > 0 {
		e.viewMethods(s)
	}
	for _, f := range s.Fields {
		if f.Intern {
			e.numberMethod(s, f)
		}
		switch {
		case f.IsList():
			e.listMethods(s, f)
		case f.Type.Base == flatlayout.Optional:
			e.optionalMethods(s, f)
		default:
			e.fieldComment(f, "%s returns the %s field.", f.Name, f.Name)
			e.p("func (n %s) %s() %s { return %s }\n", s.Name, f.Name, f.Type.Read(), e.get(f))
			e.setter(s, f)
		}
	}
}

// get returns the expression that reads a field of n. The field must not be a list.
func (e *emitter) get(f *schema.Field) string {
	t := f.Value()
	if t.Base.IsSmall() {
		return e.small(t, f.Small)
	}
	return e.getAt(t, "n.node", strconv.Itoa(f.Word))
}

// getAt returns the expression that reads a value at the given word of a node. The value occupies
// whole words.
func (e *emitter) getAt(t *schema.Type, node, word string) string {
	switch t.Base {
	case flatlayout.String, flatlayout.Bytes:
		return e.text(t, fmt.Sprintf("%s.Text(%s)", node, word))
	case flatlayout.Ref:
		return fmt.Sprintf("%s{node: %s.Ref(%s)}", t.Name, node, word)
	case flatlayout.Link:
		return fmt.Sprintf("%s{node: %s.Link(%s)}", t.Name, node, word)
	case flatlayout.Inline:
		return fmt.Sprintf("%s{node: %s.Inline(%s)}", t.Name, node, word)
	default:
		return e.scalar(t, fmt.Sprintf("%s.%s(%s)", node, schema.Pick(t.Base.Bits() == 64, "Uint64", "Word"), word))
	}
}

// text returns the expression that converts a string to the string type of the schema.
func (e *emitter) text(t *schema.Type, expression string) string {
	if t.Base == flatlayout.Bytes {
		return expression
	}
	return t.As(expression)
}

// setter writes the setter of a field. It writes nothing for an inline struct, whose fields have
// setters of their own.
func (e *emitter) setter(s *schema.Struct, f *schema.Field) {
	t := f.Type
	if t.Base == flatlayout.Inline {
		return // its fields have their own setters
	}
	e.setterComment("Set"+f.Name, t)
	e.place = e.setterPlace(s, "Set"+f.Name, f)
	e.p("func (n %s) Set%s(v %s) { %s }\n", s.Name, f.Name, t.SetType(), e.set(f, "v", s.Name+".Set"+f.Name))
}

// setterPlace returns the prefix of the panic message of a setter whose argument is out of range.
func (e *emitter) setterPlace(s *schema.Struct, method string, f *schema.Field) string {
	return e.name + "." + s.Name + "." + method + ": " + f.Name
}

func (e *emitter) setterComment(name string, t *schema.Type) {
	if t.Base == flatlayout.Link {
		e.comment("%s sets the field. It panics unless v is nil or a node of the same tree, before or after this one.", name)
		return
	}
	if t.Base == flatlayout.Ref {
		e.comment("%s sets the field. It panics unless v is nil or an earlier node of the same tree%s. Builder.Edit allows later nodes too.", name, e.parentRule())
		return
	}
	e.comment("%s sets the field. It panics if the tree is mapped or freed.", name)
}

func (e *emitter) parentRule() string {
	if e.Schema.Share {
		return ""
	}
	return " without a parent"
}

// set returns the statement that sets a field of n to v. method is the name of the setter, for
// panic messages.
func (e *emitter) set(f *schema.Field, v, method string) string {
	t := f.Value()
	if t.Base.IsSmall() {
		return fmt.Sprintf("n.node.SetBits(%d, %d, %#x, %s)", f.Small.Word, f.Small.Shift, 1<<f.Small.Width-1, e.toUint32(t, v))
	}
	return e.setAt(t, target{"n.node", strconv.Itoa(f.Word), method}, v)
}

// A target is the word or item that generated code sets. of and at contain Go expressions.
type target struct {
	of, at string // node and word index, or list and item index
	method string // name of the setter, for panic messages
}

// setAt returns the statement that sets a value that occupies whole words.
func (e *emitter) setAt(t *schema.Type, to target, v string) string {
	node, word, method := to.of, to.at, to.method
	switch t.Base {
	case flatlayout.String:
		return fmt.Sprintf("%s.SetText(%s, %s)", node, word, t.Plain(v))
	case flatlayout.Bytes:
		return fmt.Sprintf("%s.SetBytes(%s, %s)", node, word, v)
	case flatlayout.Ref:
		return fmt.Sprintf("%s.SetRef(%s, %s.node, %s, %q)", node, word, v, e.kindsOf(t), method)
	case flatlayout.Link:
		return fmt.Sprintf("%s.SetLink(%s, %s.node, %s, %q)", node, word, v, e.kindsOf(t), method)
	default:
		if t.Base.Bits() == 64 {
			return fmt.Sprintf("%s.SetUint64(%s, %s)", node, word, e.bits(t, v))
		}
		return fmt.Sprintf("%s.SetWord(%s, %s)", node, word, e.toUint32(t, v))
	}
}

// optionalMethods writes the accessors and setters of an optional field.
func (e *emitter) optionalMethods(s *schema.Struct, f *schema.Field) {
	t := f.Type.Elem
	e.fieldComment(f, "%s returns the %s field, and whether it is present.", f.Name, f.Name)
	e.p("func (n %s) %s() (%s, bool) {", s.Name, f.Name, t.Go)
	if t.Base == flatlayout.String {
		if t.Go == "string" {
			e.p("return n.node.OptionalText(%d)", f.Word)
		} else {
			e.p("v, ok := n.node.OptionalText(%d)\nreturn %s, ok", f.Word, t.As("v"))
		}
	} else {
		e.p("return %s, n.node.Flag(%d, %d)", e.get(f), f.Present.Word, f.Present.Shift)
	}
	e.p("}\n")
	e.comment("Set%s sets the field, or clears it if v is nil. It panics if the tree is mapped or freed.", f.Name)
	e.p("func (n %s) Set%s(v *%s) {", s.Name, f.Name, t.Go)
	if t.Base == flatlayout.String {
		v := "v"
		if t.Go != "string" {
			v = "(*string)(v)"
		}
		e.p("n.node.SetOptionalText(%d, %s)\n}\n", f.Word, v)
		return
	}
	e.p("var value %s\nif v != nil {\nvalue = *v\n}", t.Go)
	e.place = e.setterPlace(s, "Set"+f.Name, f)
	e.p("%s", e.set(f, "value", ""))
	e.p("n.node.SetBits(%d, %d, 1, flatimpl.Bit(v != nil))\n}\n", f.Present.Word, f.Present.Shift)
}
