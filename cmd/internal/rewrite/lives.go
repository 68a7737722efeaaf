package rewrite

import (
	"fmt"
	"go/ast"
	"go/types"
	"slices"
)

// fit returns an error for an owner that a field of the form Own would not suit.
func (p *pass) fit(o *owner) error {
	if where := p.elsewhere(o); where != "" {
		return fmt.Errorf("%s is in a function value at %s, which another goroutine may run", o.name, where)
	}
	if where := p.byValue(o); where != "" {
		return fmt.Errorf("%s is kept by value in %s, whose copies would hand out the same memory", o.name, where)
	}
	for _, file := range p.own.others {
		unkeyed := false
		ast.Inspect(file, func(n ast.Node) bool {
			lit, ok := n.(*ast.CompositeLit)
			if ok && len(lit.Elts) > 0 {
				name, named := lit.Type.(*ast.Ident)
				_, keyed := lit.Elts[0].(*ast.KeyValueExpr)
				unkeyed = unkeyed || named && name.Name == o.name && !keyed
			}
			return !unkeyed
		})
		if unkeyed {
			return fmt.Errorf("%s is written without the names of its fields, in a file that was not built", o.name)
		}
	}
	return p.lookedAt(o)
}

// byValue returns a type of the package that has owners as elements or type arguments, the first by its name, or "".
func (p *pass) byValue(o *owner) (first string) {
	note := func(name string) {
		if first == "" || name < first {
			first = name
		}
	}
	for _, value := range p.TypesInfo.Types {
		if !value.IsType() && !value.IsValue() {
			continue
		}
		var element types.Type
		switch t := types.Unalias(value.Type).Underlying().(type) {
		case *types.Slice:
			element = t.Elem()
		case *types.Array:
			element = t.Elem()
		case *types.Chan:
			element = t.Elem()
		case *types.Map:
			element = t.Elem()
			if types.Identical(t.Key(), o.object) {
				element = t.Key()
			}
		}
		if element != nil && types.Identical(element, o.object) {
			note(types.TypeString(value.Type, p.short))
		}
	}
	for name, instance := range p.TypesInfo.Instances {
		for arg := range instance.TypeArgs.Types() {
			if types.Identical(arg, o.object) {
				note(name.Name)
			}
		}
	}
	return first
}

// reflecting are packages that look at all fields of what they get.
var reflecting = []string{"fmt", "log", "log/slog", "reflect", "encoding/gob", "encoding/json", "encoding/xml", "encoding/binary"}

// lookedAt returns an error if the package looks at an owner in a way that tells one field more, or locks what it leads to.
func (p *pass) lookedAt(o *owner) (err error) {
	for _, file := range p.Syntax {
		ast.Inspect(file, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok || err != nil {
				return err == nil
			}
			if p.locks(call, o) {
				err = fmt.Errorf("%s leads to a lock that %s takes: goroutines share it, and a slab is for one", o.name, p.at(call))
			}
			name, conversion := calleeName(call), p.TypesInfo.Types[call.Fun].IsType()
			for _, arg := range call.Args {
				given := pointsTo(p.TypesInfo.TypeOf(arg), o.object)
				switch {
				case conversion && given != pointsTo(p.TypesInfo.TypeOf(call), o.object) && !types.IsInterface(p.TypesInfo.TypeOf(call)) && !p.TypesInfo.Types[arg].IsNil():
					err = fmt.Errorf("%s is converted in %s, where its fields matter", o.name, p.at(call))
				case given && name != nil && p.TypesInfo.Uses[name] != nil && p.TypesInfo.Uses[name].Pkg() != nil && slices.Contains(reflecting, p.TypesInfo.Uses[name].Pkg().Path()):
					err = fmt.Errorf("%s is printed or looked at in %s, with all its fields", o.name, p.at(call))
				}
			}
			return err == nil
		})
	}
	return err
}

// locks reports whether a call takes a lock that an owner leads to.
func (p *pass) locks(call *ast.CallExpr, o *owner) bool {
	selector, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	if !ok || !slices.Contains(locking, selector.Sel.Name) {
		return false
	}
	for e := selector.X; ; {
		if pointsTo(p.TypesInfo.TypeOf(e), o.object) {
			return true
		}
		if inner, ok := ast.Unparen(e).(*ast.SelectorExpr); ok {
			e = inner.X
			continue
		}
		return false
	}
}

// outlives reports whether an owner may make the values of several results. One that dies with the call that made it does
// not, and neither does one that each operation makes, unless a pool keeps it.
func (p *pass) outlives(o *owner, instances float64) bool {
	return p.pooled(o) || instances < 1 && p.stored(o)
}

// pooled reports whether a sync.Pool of the package has owners, or values that lead to one.
func (p *pass) pooled(o *owner) (found bool) {
	for e, value := range p.TypesInfo.Types {
		switch e := e.(type) {
		case *ast.CallExpr:
			if len(e.Args) == 1 && p.poolMethod(e) == "Put" {
				found = found || reaches(p.TypesInfo.TypeOf(e.Args[0]), o.object, nil)
			}
		case *ast.TypeAssertExpr:
			if call, ok := ast.Unparen(e.X).(*ast.CallExpr); ok && p.poolMethod(call) == "Get" {
				found = found || reaches(value.Type, o.object, nil)
			}
		}
	}
	return found
}

func (p *pass) poolMethod(call *ast.CallExpr) string {
	name := calleeName(call)
	if name == nil {
		return ""
	}
	fn, ok := p.TypesInfo.Uses[name].(*types.Func)
	if !ok || fn.Pkg() == nil || fn.Pkg().Path() != "sync" {
		return ""
	}
	return fn.Name()
}

// reaches reports whether the fields of a type lead to an owner.
func reaches(t types.Type, owner *types.Named, above []types.Type) bool {
	if t == nil || slices.ContainsFunc(above, func(other types.Type) bool { return types.Identical(t, other) }) {
		return false
	}
	above = append(above, t)
	if types.Identical(t, owner) {
		return true
	}
	switch t := t.Underlying().(type) {
	case *types.Pointer:
		return reaches(t.Elem(), owner, above)
	case *types.Slice:
		return reaches(t.Elem(), owner, above)
	case *types.Array:
		return reaches(t.Elem(), owner, above)
	case *types.Map:
		return reaches(t.Elem(), owner, above)
	case *types.Struct:
		for field := range t.Fields() {
			if reaches(field.Type(), owner, above) {
				return true
			}
		}
	}
	return false
}

// stored reports whether an owner may outlive the call that made it: others can make one or get one, or the package keeps it
// somewhere.
func (p *pass) stored(o *owner) bool {
	leads := func(t types.Type) bool { return reaches(t, o.object, nil) }
	for _, object := range p.TypesInfo.Defs {
		switch v := object.(type) {
		case *types.Var:
			if (v.IsField() || v.Parent() == p.Types.Scope()) && leads(v.Type()) {
				return true
			}
		case *types.Func:
			if !v.Exported() {
				continue
			}
			for result := range v.Signature().Results().Variables() {
				if leads(result.Type()) {
					return true
				}
			}
			if receiver := v.Signature().Recv(); receiver != nil && pointsTo(receiver.Type(), o.object) && o.object.Obj().Exported() {
				return true
			}
			for parameter := range v.Signature().Params().Variables() {
				if o.object.Obj().Exported() && leads(parameter.Type()) {
					return true
				}
			}
		}
	}
	for _, value := range p.TypesInfo.Types { // an interface keeps anything
		if t, ok := value.Type.(*types.Interface); ok && !t.Empty() && value.IsType() && types.Implements(types.NewPointer(o.object), t) {
			return true
		}
	}
	return false
}
