package own

import (
	"errors"
	"go/ast"
	"go/types"
	"slices"
)

// fit returns an error if other code can reach the values of an owner.
func (p *pass) fit(o *owner) error {
	if why := p.module.Confined(p.PkgPath, o.Name); why != "" {
		return errors.New(why)
	}
	return nil
}

// outlives reports whether one owner may create the values of several results. It returns false if
// the owner dies with the call that created it, or if each operation creates an owner and no pool
// keeps the owners.
func (p *pass) outlives(o *owner, instances float64) bool {
	return p.pooled(o) || instances < 1 && p.stored(o)
}

// pooled reports whether a sync.Pool of the package contains owners, or values from which an owner
// is reachable.
func (p *pass) pooled(o *owner) (found bool) {
	for e, value := range p.TypesInfo.Types {
		switch e := e.(type) {
		case *ast.CallExpr:
			if len(e.Args) == 1 && p.poolMethod(e) == "Put" {
				found = found || reaches(p.TypesInfo.TypeOf(e.Args[0]), o.Object, nil)
			}
		case *ast.TypeAssertExpr:
			if call, ok := ast.Unparen(e.X).(*ast.CallExpr); ok && p.poolMethod(call) == "Get" {
				found = found || reaches(value.Type, o.Object, nil)
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

// reaches reports whether values of a type are owners, or refer to an owner directly or indirectly.
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

// stored reports whether an owner may outlive the call that created it, because other modules can
// create or get an owner, or because the package stores one.
func (p *pass) stored(o *owner) bool {
	leads := func(t types.Type) bool { return reaches(t, o.Object, nil) }
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
			if receiver := v.Signature().Recv(); receiver != nil && pointsTo(receiver.Type(), o.Object) && o.Object.Obj().Exported() {
				return true
			}
			for parameter := range v.Signature().Params().Variables() {
				if o.Object.Obj().Exported() && leads(parameter.Type()) {
					return true
				}
			}
		}
	}
	for _, value := range p.TypesInfo.Types { // an interface value may contain an owner
		if t, ok := value.Type.(*types.Interface); ok && !t.Empty() && value.IsType() && types.Implements(types.NewPointer(o.Object), t) {
			return true
		}
	}
	return false
}
