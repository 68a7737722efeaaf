// Package recordpointers finds stores of types that contain pointers:
//
//	type city struct {
//		name string
//		next *city
//	}
//
//	cities, err := store.New[city](store.Options{}) // reported
//
// The correct form is
//
//	type city struct {
//		name store.Text
//		next store.Ref[city]
//	}
//
// Why: the garbage collector does not scan a store, so it would free a value that only a record
// points to. store.New rejects such a type, but only at run time. The rule assumes that a type
// parameter contains no pointers.
package recordpointers

import (
	_ "embed"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/analysis"

	"github.com/coppice-go/coppice/cmd/vet/internal/document"
	"github.com/coppice-go/coppice/cmd/vet/internal/finding"
)

//go:embed rule.toml
var data []byte

// Document describes the rule.
var Document = document.MustParse(data)

// Analyzer is the rule.
var Analyzer = &analysis.Analyzer{
	Name: Document.Name,
	Doc:  Document.Doc(),
	Run:  run,
}

const storePath = "github.com/coppice-go/coppice/store"

// run reports each call to store.New and store.NewHandles with a type that the call rejects. If
// this package contains no such call for a rejected type, run reports the first mention of a store
// of that type.
func run(pass *analysis.Pass) (any, error) {
	var calls, mentions []*ast.Ident
	for ident, instance := range pass.TypesInfo.Instances {
		obj := pass.TypesInfo.Uses[ident]
		if obj == nil || obj.Pkg() == nil || obj.Pkg().Path() != storePath || obj.Parent() != obj.Pkg().Scope() {
			continue
		}
		if refusal(pass, instance.TypeArgs.At(0)) == "" {
			continue
		}
		switch obj.Name() {
		case "New", "NewHandles":
			calls = append(calls, ident)
		case "Store", "Handles":
			mentions = append(mentions, ident)
		}
	}
	byPosition := func(a, b *ast.Ident) int { return int(a.Pos() - b.Pos()) }
	slices.SortFunc(calls, byPosition)
	slices.SortFunc(mentions, byPosition)
	known := map[string]bool{}
	report := func(ident *ast.Ident) {
		t := pass.TypesInfo.Instances[ident].TypeArgs.At(0)
		known[t.String()] = true
		finding.Reportf(pass, start(pass, ident), "store.%s: %s", creator(ident.Name), refusal(pass, t))
	}
	for _, ident := range calls {
		report(ident)
	}
	for _, ident := range mentions {
		if !known[pass.TypesInfo.Instances[ident].TypeArgs.At(0).String()] {
			report(ident)
		}
	}
	return nil, nil
}

// creator returns the name of the function that creates a store of the named type, and that rejects
// the record type.
func creator(name string) string {
	if name == "Handles" || name == "NewHandles" {
		return "NewHandles"
	}
	return "New"
}

// start returns the position at which the qualified name of an identifier begins.
func start(pass *analysis.Pass, ident *ast.Ident) token.Pos {
	pos := ident.Pos()
	ast.Inspect(finding.File(pass, pos), func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok && s.Sel == ident {
			pos = s.Pos()
		}
		return true
	})
	return pos
}

// refusal returns the reason why values of a type cannot be records, in the words of package store,
// or "" if they can.
func refusal(pass *analysis.Pass, t types.Type) string {
	name := func(t types.Type) string {
		return types.TypeString(t, (*types.Package).Name)
	}
	path, found := findPointer(t, name(t))
	switch {
	case found != nil:
		return fmt.Sprintf("%s is a %s, a pointer that the collector would not see; %s", path, name(found), insteadOf(found))
	case !depends(t) && pass.TypesSizes.Sizeof(t) == 0:
		return fmt.Sprintf("%s has no size, so there is nothing to store; count such values instead", name(t))
	}
	return ""
}

// findPointer returns the path and type of the first pointer in a type, or a nil type if there is
// none. It uses the definition of a pointer that store.New uses at run time; TestSameAsAtRunTime
// compares the two.
func findPointer(t types.Type, path string) (string, types.Type) {
	if _, ok := types.Unalias(t).(*types.TypeParam); ok {
		return "", nil
	}
	switch u := t.Underlying().(type) {
	case *types.Array:
		if u.Len() > 0 {
			return findPointer(u.Elem(), path+"[0]")
		}
	case *types.Struct:
		for field := range u.Fields() {
			if p, found := findPointer(field.Type(), path+"."+field.Name()); found != nil {
				return p, found
			}
		}
	case *types.Basic:
		if u.Info()&types.IsString != 0 || u.Kind() == types.UnsafePointer {
			return path, t
		}
	default:
		return path, t
	}
	return "", nil
}

// insteadOf returns advice for replacing a pointer of a type in a record.
func insteadOf(t types.Type) string {
	switch u := t.Underlying().(type) {
	case *types.Basic:
		if u.Info()&types.IsString != 0 {
			return "use a store.Text, or an array of bytes"
		}
	case *types.Pointer:
		return "use a store.Ref"
	case *types.Slice:
		return "use an array, or a store.Ref and a count for records from Make"
	}
	return "keep such values in a slice of your own and their index in the record"
}

// depends reports whether the size of a type depends on a type parameter.
func depends(t types.Type) bool {
	if _, ok := types.Unalias(t).(*types.TypeParam); ok {
		return true
	}
	switch u := t.Underlying().(type) {
	case *types.Array:
		return depends(u.Elem())
	case *types.Struct:
		for field := range u.Fields() {
			if depends(field.Type()) {
				return true
			}
		}
	}
	return false
}
