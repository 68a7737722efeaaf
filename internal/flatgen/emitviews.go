package flatgen

import (
	"fmt"

	"github.com/coppice-go/coppice/internal/flatlayout"
)

// views writes a view type for each variant and inline struct.
func (e *emitter) views() {
	for _, v := range e.Records[1:] {
		e.view(v, fmt.Sprintf("a node that is %s", article(v.Name)))
	}
	for _, s := range e.Structs {
		e.view(s, fmt.Sprintf("%s inside a node", article(s.Name)))
	}
}

func (e *emitter) view(s *Struct, what string) {
	e.p("")
	e.comment("%s is a view of %s, with a method for each field of %s.%s.", s.Name, what, e.Package, s.Name)
	e.nodeType(s.Name)
	if s.Kind > 0 {
		e.viewMethods(s)
	}
	for _, f := range s.Fields {
		switch {
		case f.isList():
			e.listMethods(s, f)
		case f.Type.Base == flatlayout.Optional:
			e.optionalMethods(s, f)
		default:
			e.p("// %s returns the field of that name.", f.Name)
			e.p("func (n %s) %s() %s { return %s }\n", s.Name, f.Name, f.Type.read(), e.get(f))
			e.setter(s, f)
		}
	}
}

// get is the expression that reads a field of n, which is no list.
func (e *emitter) get(f *Field) string {
	t := f.value()
	if t.isSmall() {
		if t.Base == flatlayout.Bool {
			return t.as(fmt.Sprintf("n.node.Flag(%d, %d)", f.Small.Word, f.Small.Shift))
		}
		shift := ""
		if f.Small.Shift > 0 {
			shift = fmt.Sprintf(" >> %d", f.Small.Shift)
		}
		return fmt.Sprintf("%s(n.node.Word(%d)%s)", t.Go, f.Small.Word, shift)
	}
	return e.getAt(t, "n.node", itoa(f.Word))
}

// getAt is the expression that reads a value in whole words of a node.
func (e *emitter) getAt(t *Type, node, word string) string {
	switch t.Base {
	case flatlayout.String, flatlayout.Bytes:
		return e.text(t, fmt.Sprintf("%s.Text(%s)", node, word))
	case flatlayout.Ref:
		return fmt.Sprintf("%s{node: %s.Ref(%s)}", t.Name, node, word)
	case flatlayout.Inline:
		return fmt.Sprintf("%s{node: %s.Inline(%s)}", t.Name, node, word)
	case flatlayout.Int64, flatlayout.Uint64, flatlayout.Float64:
		return e.scalar(t, fmt.Sprintf("%s.Uint64(%s)", node, word))
	default:
		return e.scalar(t, fmt.Sprintf("%s.Word(%s)", node, word))
	}
}

// text converts a string that was read.
func (e *emitter) text(t *Type, expression string) string {
	if t.Base == flatlayout.Bytes {
		return expression
	}
	return t.as(expression)
}

// scalar converts bits that were read, in an unsigned number of the size.
func (e *emitter) scalar(t *Type, bits string) string {
	switch t.Base {
	case flatlayout.Float32:
		e.needs("math")
		return t.as("math.Float32frombits(" + bits + ")")
	case flatlayout.Float64:
		e.needs("math")
		return t.as("math.Float64frombits(" + bits + ")")
	case flatlayout.Bool:
		return t.as(bits + " != 0")
	case flatlayout.Uint8, flatlayout.Uint16, flatlayout.Uint32, flatlayout.Uint64:
		return t.as(bits)
	default:
		return t.Go + "(" + bits + ")"
	}
}

// bits is the reverse: an expression of a scalar as an unsigned number of its size.
func (e *emitter) bits(t *Type, v string) string {
	switch t.Base {
	case flatlayout.Float32:
		e.needs("math")
		return "math.Float32bits(" + t.plain(v) + ")"
	case flatlayout.Float64:
		e.needs("math")
		return "math.Float64bits(" + t.plain(v) + ")"
	case flatlayout.Bool:
		return "flat.Bit(" + t.plain(v) + ")"
	case flatlayout.Int8:
		return "uint8(" + v + ")"
	case flatlayout.Int16:
		return "uint16(" + v + ")"
	case flatlayout.Int32:
		return "uint32(" + v + ")"
	case flatlayout.Int64:
		return "uint64(" + v + ")"
	default:
		return t.plain(v)
	}
}

// word is bits as a uint32.
func (e *emitter) word(t *Type, v string) string {
	switch t.Base {
	case flatlayout.Int8, flatlayout.Int16:
		return "uint32(" + e.bits(t, v) + ")"
	case flatlayout.Uint8, flatlayout.Uint16:
		return "uint32(" + v + ")"
	default:
		return e.bits(t, v)
	}
}

// setter writes the method that sets a field, if it is one that can be set.
func (e *emitter) setter(s *Struct, f *Field) {
	t := f.Type
	if t.Base == flatlayout.Inline {
		return // its own fields can be set
	}
	e.setterComment("Set"+f.Name, t)
	e.p("func (n %s) Set%s(v %s) { %s }\n", s.Name, f.Name, t.setType(), e.set(f, "v", s.Name+".Set"+f.Name))
}

// setType is the type that a setter takes.
func (t *Type) setType() string {
	if t.Base == flatlayout.Bytes {
		return "string"
	}
	return t.read()
}

func (e *emitter) setterComment(name string, t *Type) {
	if t.Base == flatlayout.Ref {
		e.comment("%s sets the field. It panics unless v is nil or a node of this tree that stands before this one%s.", name, e.parentRule())
		return
	}
	e.comment("%s sets the field. It panics if the tree is mapped or freed.", name)
}

func (e *emitter) parentRule() string {
	if e.Schema.Share {
		return ""
	}
	return " and has no parent"
}

// set is the statement that sets a field of n, in the method of that name.
func (e *emitter) set(f *Field, v, method string) string {
	t := f.value()
	if t.isSmall() {
		return fmt.Sprintf("n.node.SetBits(%d, %d, %#x, %s)", f.Small.Word, f.Small.Shift, 1<<f.Small.Width-1, e.word(t, v))
	}
	return e.setAt(t, "n.node", itoa(f.Word), v, method)
}

// setAt is the statement that sets a value in whole words.
func (e *emitter) setAt(t *Type, node, word, v, method string) string {
	switch t.Base {
	case flatlayout.String:
		return fmt.Sprintf("%s.SetText(%s, %s)", node, word, t.plain(v))
	case flatlayout.Bytes:
		return fmt.Sprintf("%s.SetText(%s, %s)", node, word, v)
	case flatlayout.Ref:
		return fmt.Sprintf("%s.SetRef(%s, %s.node, %s, %q)", node, word, v, e.kindsOf(t), method)
	case flatlayout.Int64, flatlayout.Uint64, flatlayout.Float64:
		return fmt.Sprintf("%s.SetUint64(%s, %s)", node, word, e.bits(t, v))
	default:
		return fmt.Sprintf("%s.SetWord(%s, %s)", node, word, e.word(t, v))
	}
}

// optionalMethods writes the methods of an optional field.
func (e *emitter) optionalMethods(s *Struct, f *Field) {
	t := f.Type.Elem
	e.p("// %s returns the field of that name, and whether it is there.", f.Name)
	e.p("func (n %s) %s() (%s, bool) {", s.Name, f.Name, t.Go)
	if t.Base == flatlayout.String {
		if t.Go == "string" {
			e.p("return n.node.OptionalText(%d)", f.Word)
		} else {
			e.p("v, ok := n.node.OptionalText(%d)\nreturn %s, ok", f.Word, t.as("v"))
		}
	} else {
		e.p("return %s, n.node.Flag(%d, %d)", e.get(f), f.Present.Word, f.Present.Shift)
	}
	e.p("}\n")
	e.comment("Set%s sets the field, or takes it away if v is nil. It panics if the tree is mapped or freed.", f.Name)
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
	e.p("n.node.SetBits(%d, %d, 1, flat.Bit(v != nil))", f.Present.Word, f.Present.Shift)
	e.p("%s\n}\n", e.set(f, "value", ""))
}
