package golang

import (
	"fmt"
	"maps"
	"slices"

	"github.com/coppice-go/coppice/cmd/internal/flatgen/schema"

	"github.com/coppice-go/coppice/internal/flatlayout"
)

// fromTree writes FromTree, which converts pointer trees to flat trees.
func (e *emitter) fromTree() {
	s := e.fromSharing()
	links, keep, doc := "", "", ""
	if e.hasLinks() {
		links, keep = "flatimpl.FromLinks\n", "if err := c.Keep(c.b.core); err != nil {\nreturn Tree{}, err\n}\n"
		doc = ", and flat.ErrInvalid if\n// a link leads outside the tree"
	}
	e.p(fromTreeText, e.Root.Go, e.Root.Name, s.doc, s.converter, s.made, s.finish, e.outOfRange()+doc, links, keep, e.declareStacks())
	for _, sum := range e.Sums {
		e.p("func (c *fromTree) from%[1]s(x %[2]s.%[1]s, depth int) %[1]s {\nswitch x := x.(type) {\ncase nil:\nreturn %[1]s{}", sum.Name, e.Import)
		for _, v := range sum.Variants {
			e.p("case *%s.%s:\nreturn c.from%s(x, depth).As%s()", e.Import, v.Name, v.Name, sum.Name)
			if v.Value {
				e.p("case %s.%s:\nreturn c.from%s(&x, depth).As%s()", e.Import, v.Name, v.Name, sum.Name)
			}
		}
		e.p("default:\nc.Unknown(x)\nreturn %s{}\n}\n}\n", sum.Name)
	}
	for _, v := range e.Records[1:] {
		e.p("func (c *fromTree) from%s(x *%s.%s, depth int) %s {", v.Name, e.Import, v.Name, v.Name)
		e.fromEnter(v)
		e.fromNarrow(v, v.Name+"{}")
		stacks := slices.Sorted(maps.Keys(e.listStacks(v)))
		e.markStacks(stacks)
		made := fmt.Sprintf("%s{node: c.b.%s(%s).node}", v.Name, v.Name, e.fromArguments(v))
		if e.Schema.Share || e.isLinked(v) || len(stacks) > 0 {
			e.p("n := %s", made)
			made = "n"
		}
		if e.Schema.Share {
			e.p("c.Made(x, n.node)")
		}
		if e.isLinked(v) {
			e.p("c.Placed(x, n.node)")
		}
		e.cutStacks(stacks)
		e.p("return %s\n}\n", made)
	}
	e.fromLinks()
	for _, s := range e.Structs {
		e.p("func (c *fromTree) from%s(x %s.%s, depth int) %sFields {", s.Name, e.Import, s.Name, s.Name)
		e.fromNarrow(s, s.Name+"Fields{}")
		e.p("return %s\n}\n", e.fromFields(s))
	}
}

// fromArguments writes the statements that convert the fields of x, and returns the argument list
// for the Builder's method.
func (e *emitter) fromArguments(v *schema.Struct) string {
	if v.ByName() {
		return e.fromFields(v)
	}
	arguments := ""
	for _, f := range v.Fields {
		arguments += e.fromField(f, e.Local(v, f.Name, schema.OwnConverter)) + ", "
	}
	return arguments
}

// fromFields writes the statements that convert the fields of x, and returns a composite literal
// that contains the results.
func (e *emitter) fromFields(s *schema.Struct) string {
	fields := ""
	for _, f := range s.Fields {
		fields += f.Name + ": " + e.fromField(f, e.Local(s, f.Name, schema.OwnConverter)) + ",\n"
	}
	return s.Name + "Fields{\n" + fields + "}"
}

// A sharing contains the parts of the generated conversion that depend on the directive flat:share.
type sharing struct{ doc, converter, made, finish string }

func (e *emitter) fromSharing() sharing {
	if e.Schema.Share {
		return sharing{"A pointer that occurs twice becomes one node with two parents", "FromShared", "NewFromShared(flatimpl.LoadLimits(limits))",
			"t, err := c.b.Finish(n)\nif err == nil {\nerr = c.Finished(t.impl())\n}\nif err != nil {\nreturn Tree{}, err\n}\nreturn t, nil"}
	}
	return sharing{"A node with several parents is copied for each of them", "Converter", "NewConverter(flatimpl.LoadLimits(limits))", "return c.b.Finish(n)"}
}

// outOfRange returns the part of FromTree's doc comment that explains when numbers are out of
// range, or "" if the schema has no narrow numbers.
func (e *emitter) outOfRange() string {
	for _, s := range append(slices.Clone(e.Records[1:]), e.Structs...) {
		if slices.ContainsFunc(s.Fields, func(f *schema.Field) bool { return f.Type.InnermostValue().Base.IsNarrow() }) {
			return ", and flat.ErrRange\n// if a number is too large for its field"
		}
	}
	return ""
}

const fromTreeText = `
// FromTree converts a tree of pointers into a flat tree. %[3]s.
// The error wraps flat.ErrLimit if the tree has more levels, nodes or bytes than the limits allow (a cycle does)%[7]s.
func FromTree(root %[1]s, limits flat.LoadLimits) (Tree, error) {
	c := fromTree{%[4]s: flatimpl.%[5]s, b: NewBuilder(flat.BuilderOptions{MaxBytes: limits.MaxBytes})}
	n := c.from%[2]s(root, 1)
	if err := c.Err(); err != nil {
		return Tree{}, err
	}
	%[9]s%[6]s
}

type fromTree struct {
	*flatimpl.%[4]s
	%[8]sb *Builder
%[10]s}
`

// fromEnter writes the first statements of the function that converts a variant.
func (e *emitter) fromEnter(v *schema.Struct) {
	if e.Schema.Share {
		e.p("if x == nil {\nreturn %s{}\n}", v.Name)
		e.p("if made, ok := c.EnterShared(x, depth); !ok {\nreturn %s{node: made}\n}", v.Name)
		return
	}
	e.p("if x == nil || !c.Enter(depth) {\nreturn %s{}\n}", v.Name)
}

// fromNarrow writes statements that check whether the narrow numbers in x are in range. If a number
// is out of range, the generated code returns the expression in zero.
func (e *emitter) fromNarrow(s *schema.Struct, zero string) {
	for _, f := range s.Fields {
		t := f.Type.InnermostValue()
		if !t.Base.IsNarrow() {
			continue
		}
		x, present, loops := "x."+f.Path, "", 0
		if f.Type.Base == flatlayout.Optional {
			x, present = "*"+x, x+" != nil && "
		}
		for list := f.Type; list.Base == flatlayout.Array || list.Base == flatlayout.Slice; list = list.Elem {
			e.p("for i%d := range %s {", loops, x)
			x += fmt.Sprintf("[i%d]", loops)
			loops++
		}
		check := schema.Pick(t.Base.Info().Class == flatlayout.Signed, "Signed", "Unsigned")
		e.p("if %s!c.%s(%s, %d, %q) {\nreturn %s\n}", present, check+t.WideSuffix(), t.Whole(x), t.Base.Bits(), s.Name+"."+f.Name, zero)
		for range loops {
			e.p("}")
		}
	}
}

// fromField writes the statements that convert a field of x, and returns the expression for the
// converted field.
func (e *emitter) fromField(f *schema.Field, local string) string {
	x := "x." + f.Path
	t := f.Type
	if t.WritesAsIs() || !f.IsList() {
		return e.fromValue(t, x)
	}
	if t.Base == flatlayout.Slice {
		e.p("%s := flatimpl.Items(&c.of%s, len(%s))", local, listStack(t), x)
	} else {
		e.p("var %s %s", local, t.Write())
	}
	e.fromItems(t.Elem, local, x, 0)
	return local
}

// fromItems writes the nested loops that convert the items of a list.
func (e *emitter) fromItems(elem *schema.Type, to, from string, depth int) {
	i := fmt.Sprintf("i%d", depth)
	e.p("for %s := range %s {", i, from)
	to, from = to+"["+i+"]", from+"["+i+"]"
	if elem.Base == flatlayout.Array && !elem.WritesAsIs() {
		e.fromItems(elem.Elem, to, from, depth+1)
	} else {
		e.p("%s = %s", to, e.fromValue(elem, from))
	}
	e.p("}")
}

// fromValue returns the expression that converts the value x.
func (e *emitter) fromValue(t *schema.Type, x string) string {
	switch t.Base {
	case flatlayout.Ref:
		return fmt.Sprintf("c.from%s(%s%s, depth+1)", t.Name, schema.Pick(t.Value, "&", ""), x)
	case flatlayout.Link:
		return fmt.Sprintf("c.link%s(%s)", t.Name, x)
	case flatlayout.Inline:
		return fmt.Sprintf("c.from%s(%s, depth)", t.Name, x)
	default:
		return x
	}
}

// toTree writes ToTree, which converts flat trees to pointer trees.
func (e *emitter) toTree() {
	converter, made, doc := "Converter", "NewToConverter(t.impl(), flatimpl.LoadLimits(limits))", ""
	if e.Schema.Share {
		converter, made, doc = "ToShared", "NewToShared(t.impl(), flatimpl.LoadLimits(limits))", " A node with several parents becomes one pointer."
	}
	links, keep := "", ""
	if e.hasLinks() {
		links, keep = "flatimpl.ToLinks\n", "c.Keep()\n"
	}
	e.p(toTreeText, e.Root.Go, e.Root.Name, converter, made, doc, e.catch(), links, keep)
	for _, sum := range e.Sums {
		e.p("func (c *toTree) to%[1]s(n %[1]s, depth int) %[2]s.%[1]s {\nswitch n.Kind() {", sum.Name, e.Import)
		for _, v := range sum.Variants {
			e.p("case Kind%s:\nreturn c.to%s(n.As%s(), depth)", v.Name, v.Name, v.Name)
		}
		e.p("default:\nreturn nil\n}\n}\n")
	}
	for _, v := range e.Records[1:] {
		e.p("func (c *toTree) to%s(n %s, depth int) *%s.%s {", v.Name, v.Name, e.Import, v.Name)
		if e.Schema.Share {
			e.p("if made, ok := c.Made(n.node).(*%s.%s); ok {\nreturn made\n}", e.Import, v.Name)
		}
		e.p("if n.node.IsNil() || !c.Enter(depth) {\nreturn nil\n}")
		e.p("x := &%s.%s{}\nc.fill%s(x, n, depth)", e.Import, v.Name, v.Name)
		if e.Schema.Share {
			e.p("c.Make(n.node, x)")
		}
		e.p("return x\n}\n")
	}
	for _, s := range slices.Concat(e.Records[1:], e.Structs) {
		e.p("func (c *toTree) fill%s(x *%s.%s, n %s, depth int) {", s.Name, e.Import, s.Name, s.Name)
		if e.isLinked(s) {
			e.p("c.Placed(n.node, x)")
		}
		e.toFields(s)
		e.p("}\n")
	}
}

const toTreeText = `
// ToTree converts the tree into a tree of pointers.%[5]s
// The error wraps flat.ErrLimit if there are more levels, nodes or copied bytes than the limits allow%[6]s
	c := toTree{%[3]s: flatimpl.%[4]s}
	x := c.to%[2]s(t.Root(), 1)
	if err := c.Err(); err != nil {
		return nil, err
	}
	%[8]sreturn x, nil
}

type toTree struct {
	*flatimpl.%[3]s
	%[7]s}
`

// catch returns the end of ToTree's doc comment, and its signature. If the schema has fields of
// type int or uint, catch adds the first statement, which handles 64-bit numbers that do not fit in
// a 32-bit int.
func (e *emitter) catch() string {
	for _, s := range slices.Concat(e.Records[1:], e.Structs) {
		if slices.ContainsFunc(s.Fields, func(f *schema.Field) bool { return f.Type.InnermostValue().Size }) {
			return ", and flat.ErrRange if an int or\n// uint of this machine cannot hold a number.\n" +
				fmt.Sprintf("func ToTree(t Tree, limits flat.LoadLimits) (root %s, err error) {\ndefer flatimpl.CatchRange(&err)", e.Root.Go)
		}
	}
	return fmt.Sprintf(".\nfunc ToTree(t Tree, limits flat.LoadLimits) (%s, error) {", e.Root.Go)
}

// toFields writes the statements that copy the fields of n to x.
func (e *emitter) toFields(s *schema.Struct) {
	for _, f := range s.Fields {
		x := "x." + f.Path
		switch {
		case f.Type.Base == flatlayout.Optional:
			e.p("if v, ok := n.%s(); ok {\n%s = &v\n}", f.Name, x)
		case f.IsList():
			names := s.Methods(f)
			if f.Type.Base == flatlayout.Slice {
				e.p("if k := n.%s(); k > 0 {\n%s = make(%s, k)\n}", names.Num, x, f.Type.Go)
			}
			e.p("for i := range %s {", x)
			e.toItem(f.Type.Elem, x+"[i]", fmt.Sprintf("n.%s(i)", names.One), 0)
			e.p("}")
		default:
			e.toItem(f.Type, x, "n."+f.Name+"()", 0)
		}
	}
}

// toItem writes the statements that convert an item of a list.
func (e *emitter) toItem(t *schema.Type, to, from string, depth int) {
	switch {
	case t.Value:
		e.p("if v := %s; !%s && c.Enter(depth+1) {\nc.fill%s(&%s, v, depth+1)\n}", from, e.isNil(t), t.Name, to)
		return
	case t.Base == flatlayout.Inline:
		e.p("c.fill%s(&%s, %s, depth)", t.Name, to, from)
		return
	case t.Base == flatlayout.Link:
		e.p("if v := %s; !%s {\nc.Later(v.node, func(made any) { %s = made.(%s) })\n}", from, e.isNil(t), to, t.Go)
		return
	case t.Base != flatlayout.Array || t.ReadsAsIs():
		e.p("%s = %s", to, e.toValue(t, from))
		return
	}
	v, i := fmt.Sprintf("v%d", depth), fmt.Sprintf("i%d", depth)
	e.p("%s := %s\nfor %s := range %s {", v, from, i, v)
	e.toItem(t.Elem, to+"["+i+"]", v+"["+i+"]", depth+1)
	e.p("}")
}

// isNil returns the expression that reports whether the node v of type t is nil. It does not always
// call the method IsNil, because a field may have that name.
func (e *emitter) isNil(t *schema.Type) string {
	if slices.ContainsFunc(e.Records[1:], func(s *schema.Struct) bool { return s.Name == t.Name && s.HasMethod("IsNil") }) {
		return "v.node.IsNil()"
	}
	return "v.IsNil()"
}

// toValue returns the expression that converts the value n.
func (e *emitter) toValue(t *schema.Type, n string) string {
	switch t.Base {
	case flatlayout.Ref:
		return fmt.Sprintf("c.to%s(%s, depth+1)", t.Name, n)
	case flatlayout.Bytes:
		return fmt.Sprintf("c.BytesOf(%s)", n)
	default:
		return n
	}
}

// test writes the test that converts random trees to flat trees and back.
func (e *emitter) test() {
	e.needs("testing")
	e.comment("Random trees are equal after conversion to flat trees, writing, loading, compaction, and conversion back.")
	e.p("func TestRoundTrip(t *testing.T) {")
	e.p("flatimpl.RoundTrip(t, flatimpl.RoundTripper[%s, Tree, flat.LoadLimits]{", e.Root.Go)
	e.p("Variants: []any{")
	for _, v := range e.Records[1:] {
		e.p("(*%s.%s)(nil),", e.Import, v.Name)
	}
	e.p("},")
	e.p(testText)
}

const testText = `FromTree: FromTree, ToTree: ToTree, Load: Load,
		Walks: func(t Tree, most int) flatimpl.Walks {
			nodes := func(walk func(func(Any) bool)) (nodes []flatimpl.Node) {
				for n := range walk {
					if nodes = append(nodes, n.node); len(nodes) == most {
						break
					}
				}
				return nodes
			}
			return flatimpl.Walks{Tree: t.impl(), All: nodes(t.All), Preorder: nodes(t.Root().AsAny().Preorder), Postorder: nodes(t.Root().AsAny().Postorder)}
		},
	})
}`
