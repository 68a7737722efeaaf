package change

import (
	"cmp"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/coppice-go/coppice/cmd/internal/rewrite/edits"
)

// checkFileLists returns a Refused error if the package may be built from a list of its files, and
// an edited file would need another file of the package that it did not need before. That other
// file may be missing from the list.
func (w *World) checkFileLists(files map[string][]byte) error {
	all, named := w.set.BuiltByFiles(w.pkg.PkgPath, w.pkg.Name)
	if all == "" && len(named) == 0 {
		return nil
	}
	after := map[string]*ast.File{}
	for name, data := range files {
		parsed, err := parser.ParseFile(token.NewFileSet(), name, data, parser.SkipObjectResolution)
		if err != nil {
			return Refusef("%s would not compile: %v", filepath.Base(name), err)
		}
		after[name] = parsed
	}
	for _, name := range slices.Sorted(maps.Keys(after)) {
		why := cmp.Or(all, named[filepath.Base(name)])
		if why == "" {
			continue
		}
		old, err := os.ReadFile(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		before, err := parser.ParseFile(token.NewFileSet(), name, old, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		if need := w.needs(before, after[name], after); need != "" {
			return Refusef("%s would need %s, which another file declares, and %s", filepath.Base(name), need, why)
		}
	}
	return nil
}

// needs returns the first name of the package that a file uses after the edit but not before, and
// that a different file declares. It returns "" if there is none.
func (w *World) needs(before, after *ast.File, all map[string]*ast.File) string {
	had := namesIn(before)
	for _, name := range slices.Sorted(maps.Keys(namesIn(after))) {
		if had[name] || edits.FileDeclares(after, name) {
			continue
		}
		declared := w.pkg.Types.Scope().Lookup(name) != nil
		for _, file := range all {
			declared = declared || edits.FileDeclares(file, name)
		}
		if declared {
			return name
		}
	}
	return ""
}

// namesIn returns the names in a file that may refer to declarations of the package. Names of
// fields and methods are not included.
func namesIn(file *ast.File) map[string]bool {
	all := map[string]bool{}
	var visit func(n ast.Node) bool
	visit = func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			ast.Inspect(n.X, visit)
			return false
		case *ast.Field:
			ast.Inspect(n.Type, visit)
			return false
		case *ast.Ident:
			all[n.Name] = true
		}
		return true
	}
	for _, d := range file.Decls {
		ast.Inspect(d, visit)
	}
	return all
}
