package rewrite

import (
	"errors"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strconv"

	"golang.org/x/tools/go/ast/inspector"

	"github.com/coppice-go/coppice/cmd/internal/copies"
)

// fieldName is the field that an owner gets, and variable what the package gets.
const (
	fieldName = "coppice"
	variable  = "coppiceOwned"
)

// An owner has the allocators: a struct, or the package.
type owner struct {
	name       string       // of the struct; "" for the package
	object     *types.Named // nil for the package
	fields     *ast.FieldList
	allocators []*allocator
	text       bool // it takes strings too
}

// An allocator hands out values of one type.
type allocator struct {
	name    string
	plural  string // of the type, where people read the field
	typ     types.Type
	appends bool // whether there is an Append
}

// allocator returns the owner's allocator of a type.
func (o *owner) allocator(p *pass, t types.Type) *allocator {
	for _, a := range o.allocators {
		if types.Identical(a.typ, t) {
			return a
		}
	}
	if p.form == Own {
		name, plural := p.fieldNames(o, t)
		a := &allocator{name: name, plural: plural, typ: t}
		o.allocators = append(o.allocators, a)
		return a
	}
	name := field(types.TypeString(t, p.short))
	for i, base := 2, name; slices.ContainsFunc(o.allocators, func(a *allocator) bool { return a.name == name }); i++ {
		name = base + strconv.Itoa(i)
	}
	if name == "text" {
		name = "text_"
	}
	a := &allocator{name: name, typ: t}
	o.allocators = append(o.allocators, a)
	return a
}

// ownerOf returns the owner of that name. It returns an error for a struct that cannot own
// allocators: one that is copied would hand out the same memory twice.
func (p *pass) ownerOf(name string) (*owner, error) {
	if o, ok := p.owners[name]; ok {
		return o, nil
	}
	o := &owner{name: name}
	if name != "" {
		object, ok := p.Types.Scope().Lookup(name).(*types.TypeName)
		if !ok {
			return nil, fmt.Errorf("%s has no type %s", p.PkgPath, name)
		}
		o.object, _ = object.Type().(*types.Named)
		if o.object == nil || o.object.TypeParams().Len() > 0 {
			return nil, fmt.Errorf("%s is an alias or generic, and cannot own", name)
		}
		if o.fields = p.fieldsOf(object); o.fields == nil {
			return nil, fmt.Errorf("%s is no struct that this package declares, and cannot own", name)
		}
		if member, _, _ := types.LookupFieldOrMethod(o.object, true, p.Types, fieldName); member != nil && p.form != Own {
			return nil, fmt.Errorf("%s has a %s already", name, fieldName)
		}
		if err := p.notCopied(o.object); err != nil {
			return nil, err
		}
	}
	p.owners[name] = o
	return o, nil
}

// fieldsOf returns the fields in the declaration of a struct.
func (p *pass) fieldsOf(object types.Object) *ast.FieldList {
	for _, file := range p.Syntax {
		for _, d := range file.Decls {
			g, ok := d.(*ast.GenDecl)
			if !ok || g.Tok != token.TYPE {
				continue
			}
			for _, spec := range g.Specs {
				if s, ok := spec.(*ast.TypeSpec); ok && p.TypesInfo.Defs[s.Name] == object {
					if t, ok := s.Type.(*ast.StructType); ok {
						return t.Fields
					}
				}
			}
		}
	}
	return nil
}

// notCopied returns an error that names the first place where a value of the type is copied, or where
// another type contains it.
func (p *pass) notCopied(t *types.Named) (err error) {
	nodes := []ast.Node{(*ast.Ident)(nil), (*ast.StarExpr)(nil), (*ast.SelectorExpr)(nil), (*ast.IndexExpr)(nil), (*ast.CallExpr)(nil), (*ast.Field)(nil), (*ast.CompositeLit)(nil)}
	inspector.New(p.Syntax).WithStack(nodes, func(n ast.Node, push bool, stack []ast.Node) bool {
		if !push || err != nil {
			return err == nil
		}
		why := ""
		switch n := n.(type) {
		case *ast.Field:
			if types.Identical(p.TypesInfo.TypeOf(n.Type), t) {
				why = "is a field, a parameter, a result or a receiver"
			}
		case *ast.CompositeLit:
			if types.Identical(p.TypesInfo.TypeOf(n), t) && len(n.Elts) > 0 {
				if _, keyed := n.Elts[0].(*ast.KeyValueExpr); !keyed {
					why = "is written without the names of its fields"
				}
			}
		case ast.Expr:
			value := p.TypesInfo.Types[n]
			if value.IsValue() && types.Identical(value.Type, t) && copies.Value(n, stack) && !p.alwaysZero(n) {
				why = "is copied"
			}
		}
		if why != "" {
			at := p.Fset.PositionFor(n.Pos(), false)
			err = fmt.Errorf("%s cannot own: it %s in %s:%d, and two copies would hand out the same memory", t.Obj().Name(), why, at.Filename, at.Line)
		}
		return true
	})
	return err
}

// alwaysZero reports whether an expression is a variable of the package that nobody sets: its copies own
// nothing.
func (p *pass) alwaysZero(e ast.Expr) bool {
	name, ok := ast.Unparen(e).(*ast.Ident)
	if !ok {
		return false
	}
	v, ok := p.TypesInfo.Uses[name].(*types.Var)
	return ok && v.Parent() == p.Types.Scope() && !v.Exported() && !p.shared[v] && !p.set(v)
}

// set reports whether the package gives a variable a value, as a whole or in part.
func (p *pass) set(v *types.Var) (found bool) {
	for _, file := range p.Syntax {
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.ValueSpec:
				for _, name := range n.Names {
					found = found || p.TypesInfo.Defs[name] == v && len(n.Values) > 0
				}
			case *ast.AssignStmt:
				for _, left := range n.Lhs {
					found = found || p.root(left) == v
				}
			case *ast.IncDecStmt:
				found = found || p.root(n.X) == v
			case *ast.RangeStmt:
				found = found || n.Key != nil && p.root(n.Key) == v || n.Value != nil && p.root(n.Value) == v
			}
			return true
		})
	}
	return found
}

// pins returns the types whose values the package gives to what wants values that were allocated one
// by one.
func (p *pass) pins() (all []types.Type) {
	for _, file := range p.Syntax {
		ast.Inspect(file, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok || len(call.Args) == 0 {
				return true
			}
			fun := ast.Unparen(call.Fun)
			if index, ok := fun.(*ast.IndexExpr); ok {
				fun = index.X
			}
			selector, ok := fun.(*ast.SelectorExpr)
			if !ok || p.TypesInfo.Uses[selector.Sel] == nil || p.TypesInfo.Uses[selector.Sel].Pkg() == nil {
				return true
			}
			switch p.TypesInfo.Uses[selector.Sel].Pkg().Path() + "." + selector.Sel.Name {
			case "runtime.SetFinalizer", "runtime.AddCleanup", "weak.Make":
				if pointer, ok := p.TypesInfo.TypeOf(call.Args[0]).Underlying().(*types.Pointer); ok {
					all = append(all, pointer.Elem())
				}
			}
			return true
		})
	}
	return all
}

// comparedWithNil returns the variables that are compared with nil somewhere. A method whose receiver
// is among them may be called without an owner.
func (p *pass) comparedWithNil() map[types.Object]bool {
	all := map[types.Object]bool{}
	for _, file := range p.Syntax {
		ast.Inspect(file, func(n ast.Node) bool {
			if b, ok := n.(*ast.BinaryExpr); ok && (b.Op == token.EQL || b.Op == token.NEQ) {
				for _, pair := range [][2]ast.Expr{{b.X, b.Y}, {b.Y, b.X}} {
					if name, ok := ast.Unparen(pair[0]).(*ast.Ident); ok && p.TypesInfo.Types[pair[1]].IsNil() {
						all[p.TypesInfo.Uses[name]] = true
					}
				}
			}
			return true
		})
	}
	return all
}

// place returns the expression for the allocators at a site, or why there is none.
func (p *pass) place(s site, r *Rule) (where, why string) {
	o := p.owners[r.Owner]
	if o.name == "" {
		if p.form == Arena {
			return arenaVariable, ""
		}
		return variable, ""
	}
	where, why = p.placeOf(s, o)
	if p.form == Own && why == noOwner(o) && !s.inClosure() {
		return p.thread(s, o)
	}
	return where, why
}

// placeOf returns the expression for the allocators of a struct.
func (p *pass) placeOf(s site, o *owner) (where, why string) {
	for i := len(s.stack) - 1; i >= 0; i-- {
		var lists []*ast.FieldList
		switch n := s.stack[i].(type) {
		case *ast.FuncDecl:
			lists = []*ast.FieldList{n.Recv, n.Type.Params}
		case *ast.FuncLit:
			lists = []*ast.FieldList{n.Type.Params}
		}
		for _, list := range lists {
			if name := p.parameter(list, o.object); name != nil {
				return p.reach(s, name)
			}
		}
	}
	return "", noOwner(o)
}

func noOwner(o *owner) string { return "no " + o.name + " at hand" }

// parameter returns the first parameter with a name that is a pointer to the type.
func (p *pass) parameter(list *ast.FieldList, t *types.Named) *ast.Ident {
	if list == nil {
		return nil
	}
	for _, f := range list.List {
		pointer, ok := p.TypesInfo.TypeOf(f.Type).(*types.Pointer)
		if ok && types.Identical(pointer.Elem(), t) && len(f.Names) > 0 && f.Names[0].Name != "_" {
			return f.Names[0]
		}
	}
	return nil
}

// reach returns the field of the owner, if its name means the owner at the site and it cannot be nil.
func (p *pass) reach(s site, name *ast.Ident) (where, why string) {
	object := p.TypesInfo.Defs[name]
	if p.compare[object] {
		return "", "the owner may be nil"
	}
	_, seen := p.Types.Scope().Innermost(s.node.Pos()).LookupParent(name.Name, s.node.Pos())
	if seen != object {
		return "", "another variable has the name of the owner"
	}
	if p.form == Own {
		return name.Name, p.refuseReach(s, object.(*types.Var))
	}
	return name.Name + "." + fieldName, ""
}

// wire gives each owner its field, and gives the arena to owners that the package makes.
func (p *pass) wire() error {
	for _, o := range p.owners {
		if o.name == "" {
			continue
		}
		typ := ownerType(o.name)
		if p.form == Arena {
			file := p.fileOf(o.fields.Pos())
			if file == nil {
				return errors.New("an owner is in no file of the package")
			}
			typ = "*" + p.importArena(file) + ".Arena"
		}
		p.insert(o.fields.Closing, "\n\t// "+fieldName+" is where values come from.\n\t"+fieldName+" "+typ+"\n")
		if p.form == Arena && p.handOver(o) == 0 {
			return fmt.Errorf("%s is made by no composite literal that could take the arena; let the package own it", o.name)
		}
	}
	return nil
}

// fileOf returns the file that a position is in.
func (p *pass) fileOf(pos token.Pos) *ast.File {
	for _, file := range p.Syntax {
		if file.FileStart <= pos && pos < file.FileEnd {
			return file
		}
	}
	return nil
}

// handOver adds the arena to the composite literals of the owner, and returns how many there are.
func (p *pass) handOver(o *owner) (n int) {
	for _, file := range p.Syntax {
		ast.Inspect(file, func(node ast.Node) bool {
			lit, ok := node.(*ast.CompositeLit)
			if ok && types.Identical(p.TypesInfo.TypeOf(lit), o.object) {
				end := ""
				if len(lit.Elts) > 0 {
					end = ", "
				}
				p.insert(lit.Lbrace+1, fieldName+": "+arenaVariable+end)
				n++
			}
			return true
		})
	}
	return n
}
