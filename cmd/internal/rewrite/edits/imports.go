package edits

import (
	"go/ast"
	"go/token"
	"go/types"
	"path"
	"path/filepath"
	"strconv"
)

// Import ensures that a file imports a package, and returns the name by which the file refers to
// the package. The name of a new import gets the prefix coppice if the package's own name is
// already declared: in the file, by the language, or in any file of the importing package in any
// build.
func (s *Set) Import(fset *token.FileSet, pkg *types.Package, file *ast.File, importPath string) string {
	for _, spec := range file.Imports {
		if p, _ := strconv.Unquote(spec.Path.Value); p == importPath && (spec.Name == nil || spec.Name.Name != "_" && spec.Name.Name != ".") {
			if spec.Name != nil {
				return spec.Name.Name
			}
			return path.Base(importPath)
		}
	}
	fileName := fset.File(file.FileStart).Name()
	if name, ok := s.imports[fileName][importPath]; ok {
		if name == "" {
			return path.Base(importPath)
		}
		return name
	}
	used := map[string]bool{}
	ast.Inspect(file, func(n ast.Node) bool {
		if name, ok := n.(*ast.Ident); ok {
			used[name.Name] = true
		}
		return true
	})
	name, written := path.Base(importPath), ""
	for used[name] || types.Universe.Lookup(name) != nil || pkg.Scope().Lookup(name) != nil || Declares(filepath.Dir(fileName), file.Name.Name, name) {
		name = "coppice" + name
		written = name
	}
	s.need(fileName, importPath, written)
	return name
}

func (s *Set) need(file, importPath, name string) {
	if s.imports == nil {
		s.imports = map[string]map[string]string{}
	}
	if s.imports[file] == nil {
		s.imports[file] = map[string]string{}
	}
	s.imports[file][importPath] = name
}
