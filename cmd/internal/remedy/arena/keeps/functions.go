package keeps

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/types"
	"slices"

	"golang.org/x/tools/go/packages"
	"golang.org/x/tools/go/ssa"
	"golang.org/x/tools/go/ssa/ssautil"

	"github.com/coppice-go/coppice/cmd/internal/reach/typekey"
)

// Functions contains the functions of all packages of a module that may be in the same program.
type Functions struct {
	root *packages.Package // package of the analyzed function
	prog *ssa.Program
	own  map[string]bool // set of the packages' import paths

	bySignature map[string][]*ssa.Function // filled in on demand
	foreign     map[string]bool            // signatures that occur in the signature of a function without a known body
}

// Look collects the functions of a package, of the packages that it imports, and of the packages
// that import it.
func Look(root *packages.Package, others []*packages.Package) (f *Functions, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the functions cannot be analyzed: %v", p)
		}
	}()
	f = &Functions{root: root, own: map[string]bool{}}
	all := append([]*packages.Package{root}, others...)
	for _, p := range all {
		if usesC(p) {
			return nil, fmt.Errorf("%s, in a program with the package, uses cgo, and what its functions keep is unknown", p.PkgPath)
		}
		f.own[p.PkgPath] = true
	}
	f.prog, _ = ssautil.Packages(all, ssa.InstantiateGenerics|ssa.BuildSerially)
	f.prog.Build()
	return f, nil
}

// usesC reports whether a file of a package imports "C".
func usesC(p *packages.Package) bool {
	return slices.ContainsFunc(p.Syntax, func(file *ast.File) bool {
		return slices.ContainsFunc(file.Imports, func(spec *ast.ImportSpec) bool { return spec.Path.Value == `"C"` })
	})
}

// hasBody reports whether the body of a function is known and the function has no type parameters.
// This is true of the functions of the loaded packages and of method wrappers.
func (f *Functions) hasBody(fn *ssa.Function) bool {
	if fn.Blocks == nil {
		return false
	}
	for ; fn != nil; fn = fn.Parent() {
		if fn.TypeParams().Len() > 0 && len(fn.TypeArgs()) == 0 {
			return false
		}
	}
	return true
}

// functionsOf returns the functions with a given signature whose bodies are known, including
// function literals, in source order.
func (f *Functions) functionsOf(s *types.Signature) []*ssa.Function {
	if f.bySignature == nil {
		f.bySignature, f.foreign = map[string][]*ssa.Function{}, map[string]bool{}
		for fn := range ssautil.AllFunctions(f.prog) {
			name := typekey.OfSignature(fn.Signature)
			switch {
			case f.hasBody(fn) && fn.Signature.Recv() == nil:
				f.bySignature[name] = append(f.bySignature[name], fn)
			case !f.hasBody(fn):
				f.returned(fn.Signature, 0)
			}
		}
		for _, all := range f.bySignature {
			sortByPlace(all)
		}
	}
	return f.bySignature[typekey.OfSignature(s)]
}

func sortByPlace(all []*ssa.Function) {
	slices.SortFunc(all, func(a, b *ssa.Function) int {
		return cmp.Or(cmp.Compare(a.Pos(), b.Pos()), cmp.Compare(a.String(), b.String()))
	})
}

// returned records the function types that occur in a signature, including the types of struct
// fields. A different module may return a function of such a type, and the function may have
// captured any values.
func (f *Functions) returned(t types.Type, depth int) {
	if depth > 4 {
		return
	}
	switch u := t.Underlying().(type) {
	case *types.Signature:
		if depth > 0 {
			f.foreign[typekey.OfSignature(u)] = true
		}
		f.returned(u.Params(), depth+1)
		f.returned(u.Results(), depth+1)
	case *types.Tuple:
		for v := range u.Variables() {
			f.returned(v.Type(), depth)
		}
	case *types.Pointer:
		f.returned(u.Elem(), depth)
	case *types.Slice:
		f.returned(u.Elem(), depth)
	case *types.Struct:
		for field := range u.Fields() {
			f.returned(field.Type(), depth+1)
		}
	}
}

// writtenHere reports whether all functions with a given signature belong to the module. This is
// the case if the signature contains a type that other modules cannot name, and if other modules do
// not get such a function through a type parameter.
func (f *Functions) writtenHere(s *types.Signature) bool {
	if !hidden(s, nil) {
		return false
	}
	f.functionsOf(s)
	return !f.foreign[typekey.OfSignature(s)]
}

// aliased reports whether a type has an exported alias.
func aliased(t *types.Named) bool {
	scope := t.Obj().Pkg().Scope()
	return slices.ContainsFunc(scope.Names(), func(name string) bool {
		o, ok := scope.Lookup(name).(*types.TypeName)
		return ok && o.IsAlias() && o.Exported() && types.Identical(o.Type(), t)
	})
}

// hidden reports whether a type contains a type that only its own package can name.
func hidden(t types.Type, seen []types.Type) bool {
	if slices.Contains(seen, t) {
		return false
	}
	seen = append(seen, t)
	switch t := types.Unalias(t).(type) {
	case *types.Named:
		return t.Obj().Pkg() != nil && !t.Obj().Exported() && !aliased(t)
	case *types.Pointer:
		return hidden(t.Elem(), seen)
	case *types.Slice:
		return hidden(t.Elem(), seen)
	case *types.Signature:
		return hidden(t.Params(), seen) || hidden(t.Results(), seen)
	case *types.Tuple:
		for v := range t.Variables() {
			if hidden(v.Type(), seen) {
				return true
			}
		}
	}
	return false
}
