package change

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strconv"
)

// everywhere calls the function ask for each Go file that can be in the same program as the
// package, in any build and with any imports, until one answer is not empty. It returns that
// answer, or "" if there is none, and caches it under the question.
func (w *World) everywhere(question string, ask func(file string) string) (where string) {
	where, known := w.places[question]
	if known {
		return where
	}
	others := slices.DeleteFunc(w.present.Files(), w.set.Has) // in other modules of the workspace
	for _, name := range slices.Concat(w.set.Files(), others, w.set.Unlisted.Files(), w.set.Unlisted.Dark) {
		if where = ask(name); where != "" {
			break
		}
	}
	w.remember(question, where)
	return where
}

// imports returns the first path that a file imports and for which the predicate returns true, or
// "" if there is none.
func imports(file string, is func(path string) bool) string {
	parsed, _ := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly|parser.SkipObjectResolution) // as much as can be parsed
	if parsed == nil {
		return ""
	}
	for _, spec := range parsed.Imports {
		if path, _ := strconv.Unquote(spec.Path.Value); is(path) {
			return path
		}
	}
	return ""
}

// Unsafe reports whether a file of the module imports unsafe.
func (w *World) Unsafe() bool {
	return w.everywhere("unsafe", func(file string) string {
		return imports(file, func(path string) bool { return path == "unsafe" })
	}) != ""
}

// Selects returns a file of the module that contains a selector with the given name, such as
// x.name, for a value of any type. It returns "" if there is none.
func (w *World) Selects(name string) (where string) {
	return w.everywhere("selects "+name, func(file string) string {
		parsed, _ := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution) // as much as can be parsed
		if parsed != nil && selects(parsed, name) {
			return w.set.Short(file)
		}
		return ""
	})
}

func selects(file *ast.File, name string) (found bool) {
	ast.Inspect(file, func(n ast.Node) bool {
		s, ok := n.(*ast.SelectorExpr)
		found = found || ok && s.Sel.Name == name
		return !found
	})
	return found
}

// Beside returns a file of the module that may compute the address of a value's neighbor in memory,
// or "" if there is none. Such a file imports unsafe, gets an address by reflection, or declares a
// function without a body.
func (w *World) Beside() (where string) {
	return w.everywhere("beside", func(file string) string {
		parsed, _ := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution) // as much as can be parsed
		if parsed != nil && looksBeside(parsed) {
			return w.set.Short(file)
		}
		return ""
	})
}

func looksBeside(file *ast.File) (found bool) {
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ImportSpec:
			found = found || n.Path.Value == `"unsafe"`
		case *ast.FuncDecl:
			found = found || n.Body == nil
		case *ast.SelectorExpr:
			found = found || n.Sel.Name == "UnsafePointer" || n.Sel.Name == "UnsafeAddr"
		}
		return !found
	})
	return found
}
