package flatbegin

import (
	"fmt"
	"go/types"
)

// convert writes the statements that convert a value, and returns the expression for the converted
// value, which is passed to the Builder. x is the expression for the original value; the statements
// may contain it several times.
func (e *emitter) convert(s *shape, x string, f *field) string {
	switch s.kind {
	case scalar:
		if f.bits > 0 {
			return fmt.Sprintf("fit(c, %s, %d, %q)", e.plain(s, x), f.bits, f.full)
		}
		return e.plain(s, x)
	case blob:
		if types.Identical(s.typ, types.NewSlice(types.Typ[types.Byte])) {
			return x
		}
		return "[]byte(" + x + ")"
	case optional:
		return e.optional(s, x)
	case pointing:
		return fmt.Sprintf("c.of%s(%s, %d)", s.of.name, x, f.id)
	case holding:
		if s.of.node() {
			return fmt.Sprintf("c.of%s(&%s, %d)", s.of.name, x, f.id)
		}
		return fmt.Sprintf("c.of%s(&%s)", s.of.name, x)
	case union:
		return fmt.Sprintf("c.of%s(%s, %d)", s.sum.name, x, f.id)
	case list:
		return e.list(s, x, f)
	case array:
		return e.array(s, x, f)
	case rows:
		return e.rowsOf(s, x)
	default:
		return e.entries(s, x)
	}
}

// plain returns an expression that converts the scalar x to its predeclared type. If x already has
// this type, plain returns x.
func (e *emitter) plain(s *shape, x string) string {
	if s.isPlain() {
		return x
	}
	return s.basic + "(" + x + ")"
}

// optional returns an expression that converts a pointer to a scalar. The Builder reads the scalar,
// but does not keep the pointer.
func (e *emitter) optional(s *shape, x string) string {
	if s.elem.isPlain() {
		return x
	}
	v, p := e.variable("v"), e.variable("p")
	e.p("var %s %s\nvar %s *%s\nif %s != nil {\n%s = %s\n%s = &%s\n}", v, s.elem.basic, p, s.elem.basic, x, v, e.plain(s.elem, "*"+x), p, v)
	return p
}

// list returns an expression for a converted slice. If the items need no conversion, the expression
// is the slice itself. Otherwise, list writes a loop that pushes the converted items onto a stack.
func (e *emitter) list(s *shape, x string, f *field) string {
	if s.elem.kind == scalar && s.elem.isPlain() {
		return x
	}
	stack, at, i, v := e.push(e.param(s.elem)), e.variable("at"), e.variable("i"), e.variable("v")
	e.p("%s := len(%s)\nfor %s := range %s {", at, stack, i, x)
	e.p("%s := %s", v, e.convert(s.elem, x+"["+i+"]", f))
	return e.pushed(stack, at, v)
}

// pushed writes the end of a loop that pushes items onto a stack, and returns an expression for the
// list of these items.
func (e *emitter) pushed(stack, at, v string) string {
	all := e.variable("all")
	e.p("%s = append(%s, %s)\n}\n%s := %s[%s:]", stack, stack, v, all, stack, at)
	return all
}

// array writes the code that converts an array item by item.
func (e *emitter) array(s *shape, x string, f *field) string {
	v, i := e.variable("v"), e.variable("i")
	e.p("var %s %s\nfor %s := range %s {", v, e.param(s), i, x)
	e.p("%s[%s] = %s\n}", v, i, e.convert(s.elem, x+"["+i+"]", f))
	return v
}

// children writes a loop that converts a linked list of siblings. The generated variable slow moves
// through the list at half the speed of the loop, to detect cycles.
func (e *emitter) children(f *field, x string) string {
	stack, at, k, slow, n, v := e.push(e.param(f.shape.elem)), e.variable("at"), e.variable("k"), e.variable("slow"), e.variable("n"), e.variable("v")
	e.p("%s := len(%s)\n%s, %s := %s, 0\nfor %s := %s; %s != nil; %s = %s%s {", at, stack, slow, n, x, k, slow, k, k, k, f.next)
	e.p("if %s > 0 && %s == %s {\nc.fail(fmt.Errorf(\"%s: the siblings of %s are a ring; leave it out with -leave %s\"))\nbreak\n}", n, k, slow, e.fromName(), f.full, f.full)
	e.p("if %s%%2 == 1 {\n%s = %s%s\n}\n%s++", n, slow, slow, f.next, n)
	e.p("%s := %s", v, e.convert(f.shape.elem, k, f))
	return e.pushed(stack, at, v)
}

// rowsOf writes the code that converts a list of lists.
func (e *emitter) rowsOf(s *shape, x string) string {
	stack, at, i, v := e.push(e.value(s.of)), e.variable("at"), e.variable("i"), e.variable("v")
	items := s.of.fields[0]
	e.p("%s := len(%s)\nfor %s := range %s {", at, stack, i, x)
	e.p("%s := %s", v, e.construct(s.of, []string{e.convert(items.shape, x+"["+i+"]", items)}))
	return e.pushed(stack, at, v)
}

// construct returns an expression that creates a value of a struct that was added to the schema for
// map entries or for the rows of a list of lists.
func (e *emitter) construct(r *record, arguments []string) string {
	if r.node() {
		return e.call(r, arguments)
	}
	return e.literal(r, arguments)
}

// entries writes the code that converts a map, in the order of its keys.
func (e *emitter) entries(s *shape, x string) string {
	key, value := s.of.fields[0], s.of.fields[1]
	sorted := e.keys(key, x)
	stack, at, k, v := e.push(e.value(s.of)), e.variable("at"), e.variable("k"), e.variable("v")
	e.p("%s := len(%s)\nfor _, %s := range %s {", at, stack, k, sorted)
	item := e.variable("v")
	e.p("%s := %s[%s]", item, x, k)
	var argument string
	if value.link {
		argument = e.nils(value.shape, item)
	} else {
		argument = e.convert(value.shape, item, value)
	}
	e.p("%s := %s", v, e.construct(s.of, []string{e.plain(key.shape, k), argument}))
	if value.link {
		e.note(value, v, item)
	}
	return e.pushed(stack, at, v)
}

// keys writes the statements that push the keys of a map onto a stack and sort them there.
func (e *emitter) keys(key *field, x string) string {
	stack, at, k, all := e.push(e.source(key.shape.typ)), e.variable("at"), e.variable("k"), e.variable("keys")
	e.sorted = true
	e.p("%s := len(%s)\nfor %s := range %s {\n%s = append(%s, %s)\n}", at, stack, k, x, stack, stack, k)
	e.p("%s := %s[%s:]\nslices.Sort(%s)", all, stack, at, all)
	return all
}

// nils returns an expression for the nil value that a link has until the tree is complete.
func (e *emitter) nils(s *shape, x string) string {
	switch s.kind {
	case list:
		stack, at, all := e.push(e.param(s.elem)), e.variable("at"), e.variable("all")
		e.p("%s := len(%s)\nfor range %s {\n%s = append(%s, %s{})\n}\n%s := %s[%s:]", at, stack, x, stack, stack, e.param(s.elem), all, stack, at)
		return all
	default:
		return e.param(s) + "{}"
	}
}

// note writes the statements that record the links of a node, to be set later.
func (e *emitter) note(f *field, node, x string) {
	name := "c.links" + f.of.name + f.name
	if f.shape.kind == list || f.shape.kind == array {
		i, v := e.variable("i"), e.variable("v")
		e.p("for %s, %s := range %s {\nif %s != nil {\n%s = append(%s, %s{%s, %s, %s})\n}\n}", i, v, x, v, name, name, e.linkType(f), node, i, v)
		return
	}
	e.p("if v := %s; v != nil {\n%s = append(%s, %s{%s, 0, v})\n}", x, name, name, e.linkType(f), node)
}

// linkType returns the type of a recorded link.
func (e *emitter) linkType(f *field) string {
	return fmt.Sprintf("link[%s.%s, %s]", e.flat, f.of.name, e.source(f.shape.text()))
}

// linkFunctions writes the method that sets the links, and the methods that find the targets of
// links.
func (e *emitter) linkFunctions() {
	e.p("\n// setLinks sets the links to their nodes.\nfunc (c *Converter) setLinks() {")
	for _, f := range e.pending {
		target, set := f.shape, "Set"+f.name+"("
		if target.elem != nil {
			target, set = target.elem, "Set"+f.accessor()+"(l.i, "
		}
		found := ""
		if target.kind == union {
			found = target.sum.name
		} else {
			found = target.of.name
		}
		e.p("for _, l := range c.links%s%s {\nif to, ok := c.find%s(l.to); ok {\nl.at.%sto)\n} else {", f.of.name, f.name, found, set)
		e.p("c.fail(fmt.Errorf(\"%s: %s leads to a %%T that is not in the tree; leave it out with -leave %s\", l.to))\n}\n}", e.fromName(), f.full, f.full)
	}
	e.p("}")
	for _, r := range e.linked {
		to := e.flat + "." + r.name
		e.p("\nfunc (c *Converter) find%s(from *%s) (%s, bool) {\nif from == nil {\nreturn %s{}, true\n}", r.name, e.source(r.object.Type()), to, to)
		if e.noted(r) {
			e.p("m := c.made%s[from]\nreturn m.to, m.done\n}", r.name)
		} else {
			e.p("return %s{}, false\n}", to)
		}
	}
	for _, u := range e.sumsOf {
		to := e.flat + "." + u.name
		e.p("\nfunc (c *Converter) find%s(from %s) (%s, bool) {\nswitch from := from.(type) {\ncase nil:\nreturn %s{}, true", u.name, e.source(u.object.Type()), to, to)
		for _, v := range u.variants {
			e.p("case *%s:\nto, ok := c.find%s(from)\nreturn to.As%s(), ok", e.source(v.object.Type()), v.name, u.name)
		}
		e.p("}\nreturn %s{}, false\n}", to)
	}
}
