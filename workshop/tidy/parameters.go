package tidy

import (
	"fmt"
	"go/ast"
	"go/types"
	"path"
	"strconv"
	"strings"
)

// These are the limits for parameter lists. A reader of a call cannot distinguish more arguments by
// their positions.
const (
	maxParameters = 7
	maxAlike      = 3 // parameters of the same basic type in a row
)

// A parameter is one name in a parameter list, with its type.
type parameter struct {
	name string
	kind string // type as written in the source
}

// parametersOf returns the parameters of a function. Parameters without names are called "_".
func parametersOf(fn *ast.FuncDecl) (all []parameter) {
	for _, field := range fn.Type.Params.List {
		kind := types.ExprString(field.Type)
		for _, name := range field.Names {
			all = append(all, parameter{name.Name, kind})
		}
		if len(field.Names) == 0 {
			all = append(all, parameter{"_", kind})
		}
	}
	return all
}

// written calls visit with each function that is neither generated nor in a test file.
func (t *Tree) written(visit func(*GoFile, *ast.FuncDecl)) {
	t.functions(func(f *GoFile, fn *ast.FuncDecl) {
		if !f.Test && !ast.IsGenerated(f.File) {
			visit(f, fn)
		}
	})
}

// fullName returns the name by which allowances refer to a function: folder.Function or
// folder.Type.Method.
func fullName(f *GoFile, fn *ast.FuncDecl) string {
	name := fn.Name.Name
	if r := receiver(fn); r != "" {
		name = r + "." + name
	}
	return strings.TrimPrefix(f.Package+"."+name, ".")
}

// longLists complains about functions with too many parameters, or with too many consecutive
// parameters that a caller may confuse.
func longLists(t *Tree) (all []Complaint) {
	allowed := t.allow(longListsAllowed)
	t.written(func(f *GoFile, fn *ast.FuncDecl) {
		list := parametersOf(fn)
		if len(list) > maxParameters && !allowed.takes(f, fn) {
			all = append(all, t.complain(f, fn.Pos(), "%s has %d parameters, more than %d; give those that belong together a struct", fn.Name.Name, len(list), maxParameters))
		}
		row := 0
		for i, p := range list {
			if i > 0 && p.kind != list[i-1].kind {
				row = 0
			}
			if row++; row == maxAlike+1 && isBasic(p.kind) && !allowed.takes(f, fn) {
				all = append(all, t.complain(f, fn.Pos(), "%s has more than %d parameters of type %s in a row; give those that belong together a struct", fn.Name.Name, maxAlike, p.kind))
			}
		}
	})
	return append(all, allowed.unneeded()...)
}

// isBasic reports whether a type is predeclared, such as string, except for any and error.
func isBasic(kind string) bool {
	object, ok := types.Universe.Lookup(kind).(*types.TypeName)
	return ok && kind != "any" && kind != "error" && object != nil
}

// choices complains about functions with a bool parameter for which a caller writes true or false,
// because such a call does not show what the value means. Setters may have such a parameter,
// because their names show the meaning, as in SetQuiet(true). Tests of the function's own package
// are ignored.
func choices(t *Tree) (all []Complaint) {
	allowed, constant := t.allow(choicesAllowed), t.constants()
	t.written(func(f *GoFile, fn *ast.FuncDecl) {
		list := parametersOf(fn)
		if len(list) == 1 && strings.HasPrefix(fn.Name.Name, "Set") {
			return
		}
		for i, p := range list {
			if at := constant[argument{f.Package, receiver(fn) != "", fn.Name.Name, len(list), i}]; p.kind == "bool" && at != "" && !allowed.takes(f, fn) {
				all = append(all, t.complain(f, fn.Pos(), "%s has a bool %s, and %s writes true or false for it; write two functions, or a type with named values", fn.Name.Name, p.name, at))
			}
		}
	})
	return append(all, allowed.unneeded()...)
}

// An argument identifies a position in the argument list of a function. Methods with the same name
// are not distinguished.
type argument struct {
	folder   string
	method   bool
	function string
	of       int // number of arguments
	index    int
}

// constants finds the arguments for which a call contains the word true or false, and maps each of
// them to the position of one such call. Tests of the function's own package are ignored.
func (t *Tree) constants() map[argument]string {
	found := map[argument]string{}
	for _, f := range t.Go {
		if ast.IsGenerated(f.File) {
			continue
		}
		imports := f.ownImports()
		ast.Inspect(f.File, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			for i, arg := range call.Args {
				if name, ok := arg.(*ast.Ident); !ok || name.Name != "true" && name.Name != "false" {
					continue
				}
				for _, a := range called(f, call, imports) {
					if f.Test && a.folder == f.Package {
						continue
					}
					a.of, a.index = len(call.Args), i
					found[a] = fmt.Sprintf("%s:%d", f.Path, t.line(call.Pos()))
				}
			}
			return true
		})
	}
	return found
}

// ownImports returns the folders of this repository's packages that a file imports. The keys of the
// map are the names by which the file refers to the packages.
func (f *GoFile) ownImports() map[string]string {
	folders := map[string]string{}
	for _, i := range f.Imports {
		whole, _ := strconv.Unquote(i.Path.Value)
		if folder, ok := strings.CutPrefix(whole, ours+"/"); ok {
			folders[importName(i, path.Base(folder))] = folder
		}
	}
	return folders
}

// called returns the functions to which a call may refer. It compares only names.
func called(f *GoFile, call *ast.CallExpr, imports map[string]string) (all []argument) {
	fun := call.Fun
	switch generic := fun.(type) {
	case *ast.IndexExpr:
		fun = generic.X
	case *ast.IndexListExpr:
		fun = generic.X
	}
	switch fun := fun.(type) {
	case *ast.Ident:
		return []argument{{folder: f.Package, function: fun.Name}}
	case *ast.SelectorExpr:
		if x, ok := fun.X.(*ast.Ident); ok && imports[x.Name] != "" {
			return []argument{{folder: imports[x.Name], function: fun.Sel.Name}}
		}
		all = append(all, argument{folder: f.Package, method: true, function: fun.Sel.Name})
		for _, folder := range imports {
			if ast.IsExported(fun.Sel.Name) {
				all = append(all, argument{folder: folder, method: true, function: fun.Sel.Name})
			}
		}
	}
	return all
}
