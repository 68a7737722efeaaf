package tidy

import (
	"go/ast"
	"go/token"
	"slices"
	"strings"
)

// receiver returns the name of a method's receiver type, or "" for a function.
func receiver(fn *ast.FuncDecl) string {
	if fn.Recv == nil {
		return ""
	}
	expr := fn.Recv.List[0].Type
	for {
		switch x := expr.(type) {
		case *ast.StarExpr:
			expr = x.X
		case *ast.IndexExpr:
			expr = x.X
		case *ast.IndexListExpr:
			expr = x.X
		case *ast.Ident:
			return x.Name
		default:
			return ""
		}
	}
}

// public reports whether users can call a function. This is the case if the function and, for a
// method, the type of its receiver are exported.
func public(fn *ast.FuncDecl) bool {
	r := receiver(fn)
	return fn.Name.IsExported() && (r == "" || ast.IsExported(r))
}

// undocumented requires a comment on every exported name and every package.
func undocumented(t *Tree) (all []Complaint) {
	packageComment := map[string]bool{}
	for _, f := range t.Go {
		if f.Doc != nil && !f.Test {
			packageComment[f.Package] = true
		}
	}
	for _, f := range t.Go {
		if f.Test {
			continue
		}
		if !packageComment[f.Package] {
			all = append(all, Complaint{f.Path, 0, "package " + f.Name.Name + " has no package comment; say in one sentence what it is"})
			packageComment[f.Package] = true // one complaint per package is enough
		}
		for _, d := range f.Decls {
			all = append(all, undocumentedNames(t, f, d)...)
		}
	}
	return all
}

func undocumentedNames(t *Tree, f *GoFile, d ast.Decl) (all []Complaint) {
	missing := func(name *ast.Ident, docs ...*ast.CommentGroup) {
		for _, doc := range docs {
			if doc != nil {
				return
			}
		}
		if name.IsExported() {
			all = append(all, t.complain(f, name.Pos(), "%s is exported and has no comment; say what it is, what it costs and when it fails", name.Name))
		}
	}
	switch d := d.(type) {
	case *ast.FuncDecl:
		if public(d) {
			missing(d.Name, d.Doc)
		}
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			switch s := spec.(type) {
			case *ast.TypeSpec:
				missing(s.Name, s.Doc, d.Doc)
			case *ast.ValueSpec:
				for _, name := range s.Names {
					missing(name, s.Doc, s.Comment, d.Doc)
				}
			}
		}
	}
	return all
}

// withoutExample requires an Example for every exported function of the library.
func withoutExample(t *Tree) (all []Complaint) {
	examples := map[string]bool{} // "slab ExampleSlab_New"
	t.functions(func(f *GoFile, fn *ast.FuncDecl) {
		if f.Test {
			name, _, _ := strings.Cut(strings.TrimPrefix(fn.Name.Name, "Example"), "__")
			examples[f.Package+" "+name] = strings.HasPrefix(fn.Name.Name, "Example") || examples[f.Package+" "+name]
		}
	})
	t.functions(func(f *GoFile, fn *ast.FuncDecl) {
		if f.Test || !t.forUsers(f.Package) || !public(fn) || fn.Name.Pos() == token.NoPos || notForPeople(f) || takesInternal(f, fn) {
			return
		}
		name := fn.Name.Name
		if r := receiver(fn); r != "" {
			name = r + "_" + name
		}
		if !examples[f.Package+" "+name] {
			all = append(all, t.complain(f, fn.Pos(), "%s has no Example; add func Example%s to example_test.go", fn.Name.Name, name))
		}
	})
	return all
}

// takesInternal reports whether a parameter's type is declared in an internal package. Users cannot
// call such a function.
func takesInternal(f *GoFile, fn *ast.FuncDecl) (takes bool) {
	for _, parameter := range fn.Type.Params.List {
		selector, ok := parameter.Type.(*ast.SelectorExpr)
		if !ok {
			continue
		}
		from, _ := selector.X.(*ast.Ident)
		takes = takes || from != nil && slices.ContainsFunc(f.File.Imports, func(i *ast.ImportSpec) bool {
			return strings.HasSuffix(strings.Trim(i.Path.Value, `"`), "/internal/"+from.Name)
		})
	}
	return takes
}

// notForPeople reports whether a file is generated, or belongs to a package that only generated
// files use. Its functions need no Example, which would suggest that users call them.
func notForPeople(f *GoFile) bool { return ast.IsGenerated(f.File) || f.Package == engine }
