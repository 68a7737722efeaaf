package reach

import (
	"fmt"
	"go/ast"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/coppice-go/coppice/cmd/internal/reach/typekey"
)

// mentions reports whether code that inspects type t can find the owner's type in it. Such code
// uses reflection, or receives t as a type argument. Unlike Carries, mentions also inspects
// parameters of functions and of exported methods.
func (c *confinement) mentions(t types.Type) bool {
	known, ok := c.mention[t]
	if !ok {
		w := walk{Module: c.Module, hidden: true, found: c.IsOwner, seen: map[string]bool{}}
		known = w.finds(t)
		c.mention[t] = known
	}
	return known
}

// shown inspects the conversion of a value that does not contain an owner to an interface. If the
// value's type mentions the owner's type, reflection can create an owner and inspect its fields.
func (c *confinement) shown(i ssa.Instruction, t types.Type) {
	s, function := t.Underlying().(*types.Signature)
	if function && c.inSignature(s) || c.reflects && c.mentions(t) {
		c.recordEscape(i, "reflection may see the owner in %s", typekey.Short(t))
	}
}

// reflecting lists packages that call methods by name, or create values of types that they find by
// reflection.
var reflecting = []string{"reflect", "testing/quick", "net/rpc", "text/template", "html/template"}

// sizes searches for constants whose values depend on the size of an owner.
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

// derived returns the keys of the owner type and of the types that are declared from it, as in type
// mark parser. All of these types have the same fields.
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

// A definition records a type declaration. name is the key of the declared type, and by is the key
// of the type on its right-hand side.
type definition struct{ name, by string }

// findDefined collects the declarations of types from other types.
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
