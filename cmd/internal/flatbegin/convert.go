package flatbegin

import (
	"fmt"
	"go/format"
	"go/types"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// An emitter generates the package that contains the converter.
type emitter struct {
	*plan
	b       strings.Builder
	next    int                       // number of the last variable created
	imports map[*types.Package]string // names of the module's packages in the generated file
	flat    string                    // name of the package that coppice flat generates
	stacks  []stack
	linked  []*record // structs to which links point
	sumsOf  []*sum    // interfaces to which links point
	pending []*field  // links, in the order of their fields
	sorted  bool      // whether the generated code sorts map keys
}

// A stack describes a variable of the generated converter that holds the items of lists until the
// node that contains the list is created. All lists of the same type share one stack, so that the
// converter does not allocate memory for each list.
type stack struct{ name, typ string }

// converter returns the source of the converter's package, which is a single file.
func (p *plan) converter() ([]byte, error) {
	e := &emitter{plan: p, imports: map[*types.Package]string{}, flat: p.name + "flat"}
	for _, r := range p.records {
		for _, f := range r.fields {
			if f.link {
				e.target(f)
			}
		}
	}
	e.functions()
	body := e.b.String()
	e.b.Reset()
	e.head()
	return format.Source([]byte(e.b.String() + body))
}

// target records the type to which the link f points, so that functions for this type are
// generated.
func (e *emitter) target(f *field) {
	if f.of.model == nil {
		return
	}
	e.pending = append(e.pending, f)
	s := f.shape
	for s.elem != nil {
		s = s.elem
	}
	if s.kind == pointing && !slices.Contains(e.linked, s.of) {
		e.linked = append(e.linked, s.of)
	}
	if s.kind == union && !slices.Contains(e.sumsOf, s.sum) {
		e.sumsOf = append(e.sumsOf, s.sum)
		for _, v := range s.sum.variants {
			if !slices.Contains(e.linked, v.record) {
				e.linked = append(e.linked, v.record)
			}
		}
	}
}

func (e *emitter) p(format string, args ...any) { fmt.Fprintf(&e.b, format+"\n", args...) }

// variable returns a new variable name that begins with stem.
func (e *emitter) variable(stem string) string {
	e.next++
	return stem + strconv.Itoa(e.next)
}

// source returns the name by which the generated file refers to a type of the module.
func (e *emitter) source(t types.Type) string { return types.TypeString(t, e.importName) }

// importName returns the name by which the generated file refers to a package of the module, and
// adds the package to the imports.
func (e *emitter) importName(pkg *types.Package) string {
	if name, ok := e.imports[pkg]; ok {
		return name
	}
	name, taken := pkg.Name(), append(strings.Fields("b by c flat fmt from held holders i k l link made marks m ok repeat slices strings to v"), e.flat)
	for _, other := range e.imports {
		taken = append(taken, other)
	}
	for slices.Contains(taken, name) || unicode.IsDigit(rune(name[len(name)-1])) {
		name += "_"
	}
	e.imports[pkg] = name
	return name
}

// noted reports whether the converter records each value of a struct, in order to detect values
// with two parents and to find the targets of links. It does not record values of size zero,
// because several of them may have the same address.
func (e *emitter) noted(r *record) bool {
	return r.object != nil && r.node() && (r.seen || slices.Contains(e.linked, r)) && e.pkg.TypesSizes.Sizeof(r.object.Type()) > 0
}

// param returns the type of the Builder's parameter for a field with the given shape.
func (e *emitter) param(s *shape) string {
	switch s.kind {
	case scalar:
		return s.basic
	case blob:
		return "[]byte"
	case optional:
		return "*" + e.param(s.elem)
	case pointing:
		return e.flat + "." + s.of.name
	case holding:
		return e.value(s.of)
	case union:
		return e.flat + "." + s.sum.name
	case list:
		return "[]" + e.param(s.elem)
	case array:
		return fmt.Sprintf("[%d]%s", s.len, e.param(s.elem))
	default:
		return "[]" + e.value(s.of)
	}
}

// value returns the type of the Builder's parameter for a field that stores the struct r by value.
func (e *emitter) value(r *record) string {
	if r.node() {
		return e.flat + "." + r.name
	}
	return e.flat + "." + r.name + "Fields"
}

// push returns the name of the stack for items of the given type, and declares the stack if
// necessary.
func (e *emitter) push(typ string) string {
	for _, s := range e.stacks {
		if s.typ == typ {
			return "c." + s.name
		}
	}
	stem := strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return r
		}
		return -1
	}, typ[strings.LastIndexByte(typ, '.')+1:])
	name := "list" + upper(stem)
	for slices.ContainsFunc(e.stacks, func(s stack) bool { return s.name == name }) {
		name += "s"
	}
	e.stacks = append(e.stacks, stack{name, typ})
	return "c." + name
}

// functions writes the converter's methods: one for each struct, and one for each interface.
func (e *emitter) functions() {
	for _, r := range e.records {
		switch {
		case r.object == nil || r.model == nil:
		case r.node():
			e.nodeFunction(r)
		default:
			e.p("\nfunc (c *Converter) of%s(from *%s) %s.%sFields {", r.name, e.source(r.object.Type()), e.flat, r.name)
			e.p("return %s\n}", e.literal(r, e.fromFields(r)))
		}
	}
	for _, u := range e.sums {
		e.sumFunction(u)
	}
	if len(e.pending) > 0 {
		e.linkFunctions()
	}
	var children []string
	for _, r := range e.records {
		for _, f := range r.fields {
			if f.shape.kind == table && r.model != nil {
				e.lookup(f)
			}
			if f.next != "" {
				children = append(children, strconv.Itoa(f.id))
			}
		}
	}
	if len(children) > 0 {
		e.p("\n// isChild reports whether a holder is a list of children.\nfunc isChild(by int) bool {\nswitch by {\ncase %s:\nreturn true\n}\nreturn false\n}", strings.Join(children, ", "))
	}
}

// nodeFunction writes the method that converts a struct to a node.
func (e *emitter) nodeFunction(r *record) {
	to := e.flat + "." + r.name
	e.p("\nfunc (c *Converter) of%s(from *%s, by int) %s {\nif from == nil {\nreturn %s{}\n}", r.name, e.source(r.object.Type()), to, to)
	if e.noted(r) {
		e.p("if m, ok := c.made%s[from]; ok {", r.name)
		if e.o.Share {
			e.p("if m.done {\nreturn m.to\n}")
		}
		e.p("c.again(by, m.by, m.done, from)\nreturn %s{}\n}", to)
		e.p("c.made%s[from] = made[%s]{by: by}\nc.held[by]++", r.name, to)
	}
	for _, f := range r.fields {
		if f.next != "" {
			e.p("if !isChild(by) && from%s != nil {\nc.fail(fmt.Errorf(\"%s: a %%T at %%s has siblings, but is not in a list of children; convert their parent\", from, holders[by]))\n}", f.next, e.fromName())
		}
	}
	before := e.b.String()
	e.b.Reset()
	node := e.call(r, e.fromFields(r))
	body := e.b.String()
	e.b.Reset()
	e.b.WriteString(before)
	lists := strings.Contains(body, "append(c.list") || slices.ContainsFunc(r.fields, func(f *field) bool {
		of := f.shape.inner()
		return of != nil && !of.node()
	})
	if lists {
		e.p("marks := c.marks()")
	}
	e.b.WriteString(body)
	if r.links == 0 && !lists && !e.noted(r) {
		e.p("return %s\n}", node)
		return
	}
	e.p("to := %s", node)
	if lists {
		e.p("c.back(marks)")
	}
	if e.noted(r) {
		e.p("c.made%s[from] = made[%s]{to, by, true}", r.name, to)
	}
	for _, f := range r.fields {
		if f.link {
			e.note(f, "to", "from"+f.path)
		}
	}
	e.p("return to\n}")
}

// call returns an expression that calls the Builder's method for a struct and converts the result
// to a handle for the struct.
func (e *emitter) call(r *record, arguments []string) string {
	call := fmt.Sprintf("c.b.%s(%s)", r.name, strings.Join(arguments, ", "))
	if r.model.ByName() {
		call = fmt.Sprintf("c.b.%s(%s)", r.name, e.literal(r, arguments))
	}
	if r.model.Home() != r.name {
		call += ".As" + r.name + "()"
	}
	return call
}

// literal returns a composite literal that is passed to the Builder, and that sets all fields of a
// struct.
func (e *emitter) literal(r *record, arguments []string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s.%sFields{\n", e.flat, r.name)
	for i, f := range r.fields {
		fmt.Fprintf(&b, "%s: %s,\n", f.name, arguments[i])
	}
	return b.String() + "}"
}

// fromFields writes the statements that convert the fields of one of the module's structs, and
// returns an expression for each converted field.
func (e *emitter) fromFields(r *record) []string {
	return e.arguments(r, func(f *field) string { return "from" + f.path })
}

// arguments writes the statements that convert the fields of a struct, and returns an expression
// for each converted field. The function from returns the expression for the original field.
func (e *emitter) arguments(r *record, from func(*field) string) (all []string) {
	for _, f := range r.fields {
		x := from(f)
		if strings.HasSuffix(x, ")") && f.shape.kind != scalar && !f.link && f.next == "" {
			v := e.variable("v")
			e.p("%s := %s", v, x)
			x = v
		}
		switch {
		case f.link:
			all = append(all, e.nils(f.shape, x))
		case f.next != "":
			all = append(all, e.children(f, x))
		default:
			all = append(all, e.convert(f.shape, x, f))
		}
	}
	return all
}

// sumFunction writes the method that converts the value of an interface.
func (e *emitter) sumFunction(u *sum) {
	to := e.flat + "." + u.name
	e.p("\nfunc (c *Converter) of%s(from %s, by int) %s {\nswitch from := from.(type) {\ncase nil:", u.name, e.source(u.object.Type()), to)
	for _, v := range u.variants {
		typ := e.source(v.object.Type())
		e.p("case *%s:\nreturn c.of%s(from, by).As%s()", typ, v.name, u.name)
		if v.value {
			e.p("case %s:\nreturn c.of%s(&from, by).As%s()", typ, v.name, u.name)
		}
	}
	e.p("default:\nc.fail(fmt.Errorf(\"%s: a %%T at %%s has no place in the schema; add a variant, or leave the field out with -leave\", from, holders[by]))\n}\nreturn %s{}\n}", e.fromName(), to)
}

// fromName returns the name of the converter's package.
func (p *plan) fromName() string { return p.name + "from" }
