package edits

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
)

// Declares reports whether any Go file in a folder declares a name in the scope of package pkg. It
// considers the files of all builds, including tests. Files that cannot be parsed are ignored.
func Declares(folder, pkg, name string) bool {
	files, _ := filepath.Glob(filepath.Join(folder, "*.go"))
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil || !bytes.Contains(data, []byte(name)) {
			continue
		}
		if parsed, err := parser.ParseFile(token.NewFileSet(), file, data, parser.SkipObjectResolution); err == nil && parsed.Name.Name == pkg && FileDeclares(parsed, name) {
			return true
		}
	}
	return false
}

// FileDeclares reports whether a file declares a name in the scope of its package.
func FileDeclares(file *ast.File, name string) bool {
	for _, d := range file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Recv == nil && d.Name.Name == name {
				return true
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				if t, ok := spec.(*ast.TypeSpec); ok && t.Name.Name == name {
					return true
				}
				if v, ok := spec.(*ast.ValueSpec); ok {
					for _, declared := range v.Names {
						if declared.Name == name {
							return true
						}
					}
				}
			}
		}
	}
	return false
}
