package reach

import (
	"fmt"
	"go/types"

	"golang.org/x/tools/go/packages"

	"github.com/coppice-go/coppice/cmd/internal/goroot"
	"github.com/coppice-go/coppice/cmd/internal/reach/typekey"
	"github.com/coppice-go/coppice/cmd/internal/typeset"
)

// elsewhere contains the types of the functions that other modules may create: the functions that
// they export, and the function types that are reachable from the types of exported names. The
// standard library is ignored.
type elsewhere struct {
	functions map[string]bool     // by type text; generic ones by numbers of parameters and results
	methods   map[string]bool     // the same, with their names
	seen      map[types.Type]bool // declared types, and type parameters
}

// findElsewhere inspects the direct imports of the given packages.
func (m *Module) findElsewhere(all []*packages.Package) *elsewhere {
	e := &elsewhere{map[string]bool{}, map[string]bool{}, map[types.Type]bool{}}
	for _, p := range all {
		for _, i := range p.Types.Imports() {
			if !m.isElsewhere(i.Path()) {
				continue
			}
			for _, name := range i.Scope().Names() {
				if o := i.Scope().Lookup(name); o.Exported() {
					e.add(o.Type())
				}
			}
		}
	}
	return e
}

// makes reports whether another module may create a function with the signature s.
func (e *elsewhere) makes(s *types.Signature) bool {
	return e.functions[typekey.OfSignature(s)] || e.functions[numbers(s)]
}

// mayBe reports whether a value of type t may be a function that another module created. t is a
// function type, or the constraint of a type parameter.
func (e *elsewhere) mayBe(t types.Type) bool {
	switch t := t.(type) {
	case *types.Signature:
		return e.makes(t)
	case *types.Interface:
		return len(e.functions) > 0
	}
	return false
}

// makesMethod reports whether another module may declare a method with the name and signature of
// fn.
func (e *elsewhere) makesMethod(fn *types.Func) bool {
	return e.methods[fn.Name()+" "+typekey.OfSignature(fn.Signature())] || e.methods[fn.Name()+" "+numbers(fn.Signature())]
}

// numbers returns the key that stands for the signature of a generic function. It depends only on
// the number of parameters and results.
func numbers(s *types.Signature) string {
	return fmt.Sprint("generic ", s.Params().Len(), " ", s.Results().Len())
}

// add adds the function types that are reachable from t.
func (e *elsewhere) add(t types.Type) {
	switch t := types.Unalias(t).(type) {
	case *types.Named:
		e.named(t)
	case *types.TypeParam:
		if !e.seen[t] {
			e.seen[t] = true
			for _, below := range typeset.Below(t) {
				e.add(below)
			}
		}
	case *types.Pointer:
		e.add(t.Elem())
	case *types.Slice:
		e.add(t.Elem())
	case *types.Array:
		e.add(t.Elem())
	case *types.Chan:
		e.add(t.Elem())
	case *types.Map:
		e.add(t.Key())
		e.add(t.Elem())
	case *types.Struct:
		for f := range t.Fields() {
			if f.Exported() || f.Embedded() {
				e.add(f.Type())
			}
		}
	case *types.Interface:
		for f := range t.Methods() {
			e.method(f)
		}
	case *types.Signature:
		e.function(t)
	}
}

// named adds the function types that are reachable from a declared type, unless the type was
// already visited. For types of the standard library, only type arguments and function types are
// considered.
func (e *elsewhere) named(t *types.Named) {
	if e.seen[t] {
		return
	}
	e.seen[t] = true
	for arg := range t.TypeArgs().Types() {
		e.add(arg)
	}
	_, isFunction := t.Underlying().(*types.Signature)
	if goroot.Has(pathOf(t.Obj())) && !isFunction {
		return
	}
	e.add(t.Underlying())
	for method := range t.Methods() {
		if method.Exported() {
			e.method(method)
		}
	}
}

// method adds a method and its function type.
func (e *elsewhere) method(fn *types.Func) {
	e.methods[fn.Name()+" "+keyOfFunction(fn.Signature())] = true
	e.function(fn.Signature())
}

// keyOfFunction returns the key of a function type. Function types that contain type parameters
// share the keys that numbers returns.
func keyOfFunction(s *types.Signature) string {
	if typekey.HasParameter(s) {
		return numbers(s)
	}
	return typekey.OfSignature(s)
}

// function adds a function type, and the function types that are reachable from its parameters and
// results.
func (e *elsewhere) function(s *types.Signature) {
	e.functions[keyOfFunction(s)] = true
	for _, all := range []*types.Tuple{s.Params(), s.Results()} {
		for v := range all.Variables() {
			e.add(v.Type())
		}
	}
}
