package golang

import (
	"fmt"

	"github.com/coppice-go/coppice/cmd/internal/flatgen/schema"

	"github.com/coppice-go/coppice/internal/flatlayout"
)

// strings writes the type StringNumbers, if a field of the schema has the tag flat:"intern".
func (e *emitter) strings() {
	for _, s := range append(append([]*schema.Struct{}, e.Records[1:]...), e.Structs...) {
		for _, f := range s.Fields {
			if f.Intern {
				e.p(stringsText)
				return
			}
		}
	}
}

const stringsText = `
// StringNumbers maps the strings of a tree to numbers. Comparing numbers is faster than comparing
// strings, and a slice can be indexed by them. Two strings have equal numbers if and only if they
// are equal. It does not change, and any number of goroutines may use it. A string that is set
// later has no number in it: methods that would return one panic.
type StringNumbers struct{ core *flatimpl.Strings }

// Strings returns the numbers of the tree's strings. It reads each string of the tree once. Keep
// the result: each call computes it again.
func (t Tree) Strings() StringNumbers { return StringNumbers{t.impl().Strings()} }

// Len returns an upper bound: every number is at least 0 and less than Len.
func (s StringNumbers) Len() int { return s.core.Len() }

// Of returns the number of a string, and whether the tree contains the string. The empty string
// has number 0.
func (s StringNumbers) Of(text string) (number int, ok bool) { return s.core.Number(text) }

// Text returns the string with that number. It panics if no string has it.
func (s StringNumbers) Text(number int) string { return s.core.Text(number) }
`

// numberMethod writes the method that returns the number of an interned string in a field.
func (e *emitter) numberMethod(s *schema.Struct, f *schema.Field) {
	name := s.NumberName(f)
	t := f.Value()
	switch {
	case f.Type.Base == flatlayout.Optional:
		e.comment("%s returns the number of %s, and whether it is present. It panics if strings belong to another tree.", name, f.Name)
		e.p("func (n %s) %s(strings StringNumbers) (int, bool) { return n.node.OptionalTextNumber(%d, strings.core) }\n", s.Name, name, f.Word)
	case !f.IsList():
		e.comment("%s returns the number of %s. It panics if strings belong to another tree.", name, f.Name)
		e.p("func (n %s) %s(strings StringNumbers) int { return n.node.TextNumber(%d, strings.core) }\n", s.Name, name, f.Word)
	case t.Elem.Base != flatlayout.Array:
		e.comment("%s returns the number of item i of %s. It panics if strings belong to another tree.", name, f.Name)
		e.p("func (n %s) %s(i int, strings StringNumbers) int { return %s.TextNumber(i, strings.core) }\n", s.Name, name, e.list(s, f))
	default:
		e.numbersMethod(s, f, name)
	}
}

// numbersMethod is like numberMethod, but for a list whose items are arrays.
func (e *emitter) numbersMethod(s *schema.Struct, f *schema.Field, name string) {
	elem, dims := f.Type.Elem, ""
	for t := elem; t.Base == flatlayout.Array; t = t.Elem {
		dims += fmt.Sprintf("[%d]", t.Len)
	}
	e.comment("%s returns the numbers of the strings in item i of %s. It panics if strings belong to another tree.", name, f.Name)
	e.p("func (n %s) %s(i int, strings StringNumbers) (v %sint) {\nitem := %s", s.Name, name, dims, e.item(elem, e.list(s, f), "i"))
	e.readNumbers(elem, "item", "v", 0)
	e.p("return v\n}\n")
}

// readNumbers writes the nested loops that copy the string numbers of an array, which starts at a
// node, to a variable.
func (e *emitter) readNumbers(t *schema.Type, node, to string, depth int) {
	i := fmt.Sprintf("i%d", depth)
	list := fmt.Sprintf("%s.Array(0, %d)", node, t.Len)
	e.p("for %s := range %s {", i, to)
	if t.Elem.Base == flatlayout.Array {
		inner := fmt.Sprintf("item%d", depth)
		e.p("%s := %s", inner, e.item(t.Elem, list, i))
		e.readNumbers(t.Elem, inner, to+"["+i+"]", depth+1)
	} else {
		e.p("%s[%s] = %s.TextNumber(%s, strings.core)", to, i, list, i)
	}
	e.p("}")
}
