package rewrite

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/packages"
)

// Mode is the mode in which rewriters must load packages.
const Mode = packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles | packages.NeedImports |
	packages.NeedTypes | packages.NeedTypesInfo | packages.NeedSyntax | packages.NeedTypesSizes

// Code is a loaded package with the facts that both engines need.
type Code struct {
	Locals
	pinned   []types.Type          // types whose values have finalizers, cleanups or weak pointers
	compared map[types.Object]bool // variables that are compared with nil
}

// CodeOf determines the facts about a package. The package must compile: see Compiles.
func CodeOf(pkg *packages.Package) *Code {
	c := &Code{Locals: LocalsOf(pkg)}
	c.pinned, c.compared = c.findPinned(), c.findCompared()
	return c
}

// Compiles returns an error if the package does not compile.
func Compiles(pkg *packages.Package) error {
	if len(pkg.Errors) > 0 {
		return fmt.Errorf("%s does not compile: %v", pkg.PkgPath, pkg.Errors[0])
	}
	return nil
}

// NoCgo returns an error if the package uses cgo.
func NoCgo(pkg *packages.Package) error {
	for _, name := range pkg.CompiledGoFiles {
		if !slices.Contains(pkg.GoFiles, name) {
			return fmt.Errorf("%s uses cgo, whose files cannot be changed", pkg.PkgPath)
		}
	}
	return nil
}

// FileOf returns the file of the package that contains a position, or nil if no file does.
func (l Locals) FileOf(pos token.Pos) *ast.File {
	for _, file := range l.Syntax {
		if file.FileStart <= pos && pos < file.FileEnd {
			return file
		}
	}
	return nil
}

// findPinned returns the types whose values must be allocated separately, because the package gives
// them finalizers or cleanups, or makes weak pointers to them.
func (c *Code) findPinned() (all []types.Type) {
	for _, file := range c.Syntax {
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
			if !ok || c.TypesInfo.Uses[selector.Sel] == nil || c.TypesInfo.Uses[selector.Sel].Pkg() == nil {
				return true
			}
			switch c.TypesInfo.Uses[selector.Sel].Pkg().Path() + "." + selector.Sel.Name {
			case "runtime.SetFinalizer", "runtime.AddCleanup", "weak.Make":
				if pointer, ok := c.TypesInfo.TypeOf(call.Args[0]).Underlying().(*types.Pointer); ok {
					all = append(all, pointer.Elem())
				}
			}
			return true
		})
	}
	return all
}

// findCompared returns the variables that the package compares with nil. If the receiver of a
// method is one of them, the method may be called with a nil receiver.
func (c *Code) findCompared() map[types.Object]bool {
	all := map[types.Object]bool{}
	for _, file := range c.Syntax {
		ast.Inspect(file, func(n ast.Node) bool {
			if b, ok := n.(*ast.BinaryExpr); ok && (b.Op == token.EQL || b.Op == token.NEQ) {
				for _, pair := range [][2]ast.Expr{{b.X, b.Y}, {b.Y, b.X}} {
					if name, ok := ast.Unparen(pair[0]).(*ast.Ident); ok && c.TypesInfo.Types[pair[1]].IsNil() {
						all[c.TypesInfo.Uses[name]] = true
					}
				}
			}
			return true
		})
	}
	return all
}
