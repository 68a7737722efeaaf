package reach

import (
	"fmt"
	"go/ast"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/coppice-go/coppice/cmd/internal/reach/typekey"
)

// mentions reports whether code that inspects a type, by reflection or as a type argument of
// generic code, can find the owner's type in it. Unlike Carries, mentions also inspects the
// parameters of functions and of exported methods.
func (c *confinement) mentions(t types.Type) bool {
	known, ok := c.mention[t]
	if !ok {
		w := walk{Module: c.Module, hidden: true, found: c.IsOwner, seen: map[string]bool{}}
		known = w.in(t)
		c.mention[t] = known
	}
	return known
}

// shown inspects a value that is converted to an interface and does not contain an owner. Its type
// may still mention the owner's type. Then reflection can create an owner and inspect its fields.
func (c *confinement) shown(i ssa.Instruction, t types.Type) {
	s, function := t.Underlying().(*types.Signature)
	if function && c.inSignature(s) || c.reflects && c.mentions(t) {
		c.out(i, "reflection may see the owner in %s", typekey.Short(t))
	}
}

// reflecting lists packages that call methods by name, or create values of types that they find by
// reflection.
var reflecting = []string{"reflect", "testing/quick", "net/rpc", "text/template", "html/template"}

// sizes searches for constants that depend on the size of an owner.
func (c *confinement) sizes(files []*ast.File, info *types.Info) {
	for _, file := range files {
		ast.Inspect(file, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok || len(call.Args) != 1 {
				return true
			}
			var name *ast.Ident
			switch fun := ast.Unparen(call.Fun).(type) {
			case *ast.SelectorExpr:
				name = fun.Sel
			case *ast.Ident: // by a dot import
				name = fun
			}
			if name == nil || info.Uses[name] == nil || info.Uses[name].Pkg() != types.Unsafe {
				return true
			}
			arg := ast.Unparen(call.Args[0])
			if field, ok := arg.(*ast.SelectorExpr); ok && name.Name == "Offsetof" {
				arg = field.X
			}
			if t := info.TypeOf(arg); t != nil && c.Holds(t) && c.why == "" {
				c.why = fmt.Sprintf("unsafe.%s inspects the owner at %s", name.Name, c.place(call.Pos()))
			}
			return true
		})
	}
}

// derived returns the keys of a type and of the types that are declared from it, as in type mark
// parser. Such types have the same fields.
func (m *Module) derived(owner string) map[string]bool {
	if m.defined == nil {
		m.findDefined()
	}
	all := map[string]bool{owner: true}
	for more := true; more; {
		more = false
		for _, d := range m.defined {
			more = more || all[d.by] && !all[d.name]
			all[d.name] = all[d.name] || all[d.by]
		}
	}
	return all
}

// A definition contains the keys of a declared type and of the type that its declaration names.
type definition struct{ name, by string }

// findDefined collects the types that are declared from other types.
func (m *Module) findDefined() {
	m.defined = []definition{}
	for _, p := range m.loaded {
		for _, file := range p.Syntax {
			ast.Inspect(file, func(n ast.Node) bool {
				spec, ok := n.(*ast.TypeSpec)
				if !ok || spec.Assign.IsValid() {
					return true
				}
				o, ok := p.TypesInfo.Defs[spec.Name].(*types.TypeName)
				by, named := types.Unalias(p.TypesInfo.TypeOf(spec.Type)).(*types.Named)
				if ok && named {
					m.defined = append(m.defined, definition{typekey.OfName(m.fset, o), typekey.OfName(m.fset, by.Origin().Obj())})
				}
				return true
			})
		}
	}
}
