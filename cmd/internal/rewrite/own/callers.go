package own

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/ast/inspector"
	"golang.org/x/tools/go/packages"

	"github.com/coppice-go/coppice/cmd/internal/rewrite"
)

// callers records the callers of each function in a package, and determines which functions can get
// an additional parameter.
type callers struct {
	*packages.Package
	module   Reach
	reassign map[types.Object]bool // variables that are reassigned, or whose address is taken
	calls    map[*types.Func][]*ast.CallExpr
	values   map[*types.Func]bool // functions that are not only called directly
	decls    map[*types.Func]*ast.FuncDecl
	others   []*ast.File // files in the folder that were not loaded with the package
}

// callersOf finds the callers of the functions in a package.
func callersOf(pkg *packages.Package, module Reach) *callers {
	c := &callers{
		Package: pkg, module: module, reassign: map[types.Object]bool{}, values: map[*types.Func]bool{},
		calls: map[*types.Func][]*ast.CallExpr{}, decls: map[*types.Func]*ast.FuncDecl{}, others: otherFiles(pkg),
	}
	c.survey()
	return c
}

// survey inspects all functions and variables of the package.
func (c *callers) survey() {
	variable := func(e ast.Expr) {
		if name, ok := ast.Unparen(e).(*ast.Ident); ok {
			c.reassign[c.TypesInfo.Uses[name]] = true
		}
	}
	called := map[*ast.Ident]*ast.CallExpr{}
	nodes := []ast.Node{(*ast.AssignStmt)(nil), (*ast.RangeStmt)(nil), (*ast.UnaryExpr)(nil), (*ast.CallExpr)(nil), (*ast.FuncDecl)(nil), (*ast.Ident)(nil)}
	inspector.New(c.Syntax).Preorder(nodes, func(n ast.Node) {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for _, left := range n.Lhs {
				variable(left)
			}
		case *ast.RangeStmt:
			if n.Tok == token.ASSIGN {
				variable(n.Key)
				variable(n.Value)
			}
		case *ast.UnaryExpr:
			if n.Op == token.AND {
				variable(n.X)
			}
		case *ast.CallExpr:
			if name := calleeName(n); name != nil {
				called[name] = n
			}
		case *ast.FuncDecl:
			if fn, ok := c.TypesInfo.Defs[n.Name].(*types.Func); ok {
				c.decls[fn] = n
			}
		case *ast.Ident:
			fn, ok := c.TypesInfo.Uses[n].(*types.Func)
			if !ok {
				return
			}
			if call := called[n]; call != nil {
				c.calls[fn.Origin()] = append(c.calls[fn.Origin()], call)
			} else {
				c.values[fn.Origin()] = true
			}
		}
	})
}

// refuseThread returns the reason why a function cannot get an additional parameter, or "" if it
// can. It does not check whether each caller has a value to pass.
func (c *callers) refuseThread(decl *ast.FuncDecl) string {
	fn, ok := c.TypesInfo.Defs[decl.Name].(*types.Func)
	name := decl.Name.Name
	switch {
	case !ok || decl.Body == nil || name == "main" || name == "init":
		return name + " cannot get a parameter for the owner"
	case decl.Recv != nil:
		return name + " is a method without an owner, and an interface may have it"
	case fn.Exported():
		why := name + " is exported and has no owner, so other packages may call it"
		if places := c.placesOf(decl); places != "" {
			why += ", as does " + places
		}
		return why
	case c.values[fn]:
		return name + " is used as a value, so it cannot get a parameter for the owner"
	case c.mentioned(name):
		return name + " may be called in a file that was not built: a test, or a file for another system"
	case len(c.calls[fn]) == 0:
		return "nothing calls " + name
	case rewrite.Generic(fn):
		return "in a generic function"
	}
	if where := c.module.Linked(c.PkgPath, name); where != "" {
		return name + " is called in a way that no parameter can follow, at " + where
	}
	for _, field := range decl.Type.Params.List {
		if len(field.Names) == 0 {
			return "the parameters of " + name + " have no names"
		}
	}
	return ""
}

// callsOf returns the calls to a function, each with its enclosing nodes.
func (c *callers) callsOf(decl *ast.FuncDecl) (all []rewrite.Site) {
	fn := c.TypesInfo.Defs[decl.Name]
	inspector.New(c.Syntax).WithStack([]ast.Node{(*ast.CallExpr)(nil)}, func(n ast.Node, push bool, stack []ast.Node) bool {
		call := n.(*ast.CallExpr)
		if name := calleeName(call); push && name != nil && c.TypesInfo.Uses[name] == fn {
			all = append(all, rewrite.Site{Node: call, Stack: slices.Clone(stack)})
		}
		return true
	})
	return all
}

// placesOf returns the positions of the first calls to a function, and the number of further calls,
// as a string.
func (c *callers) placesOf(decl *ast.FuncDecl) string {
	const most = 3
	var places []string
	calls := c.callsOf(decl)
	for i, call := range calls {
		if i == most {
			places = append(places, fmt.Sprintf("%d more", len(calls)-most))
			break
		}
		places = append(places, c.at(call.Node))
	}
	return strings.Join(places, ", ")
}

// at formats the position of a node, as in parse.go:12.
func (c *callers) at(n ast.Node) string {
	at := c.Fset.PositionFor(n.Pos(), false)
	return fmt.Sprintf("%s:%d", baseName(at.Filename), at.Line)
}

func (c *callers) withoutOwner(decl *ast.FuncDecl, call rewrite.Site) string {
	return fmt.Sprintf("%s has no owner at hand, and neither has its caller in %s", decl.Name.Name, c.at(call.Node))
}

// pointers returns the names of the structs to which a function that encloses a site has a pointer,
// as its receiver or as a parameter.
func (c *callers) pointers(s rewrite.Site) (names []string) {
	for _, n := range s.Stack {
		var lists []*ast.FieldList
		switch n := n.(type) {
		case *ast.FuncDecl:
			lists = []*ast.FieldList{n.Recv, n.Type.Params}
		case *ast.FuncLit:
			lists = []*ast.FieldList{n.Type.Params}
		}
		for _, list := range lists {
			if list == nil {
				continue
			}
			for _, field := range list.List {
				pointer, ok := types.Unalias(c.TypesInfo.TypeOf(field.Type)).(*types.Pointer)
				if !ok || len(field.Names) == 0 {
					continue
				}
				named, ok := types.Unalias(pointer.Elem()).(*types.Named)
				if !ok || named.Obj().Pkg() != c.Types || named.Obj().Parent() != c.Types.Scope() {
					continue
				}
				if _, ok := named.Underlying().(*types.Struct); ok {
					names = append(names, named.Obj().Name())
				}
			}
		}
	}
	return names
}

// otherFiles parses the Go files in the folder that were not loaded with the package: tests, and
// files for other systems. Files that cannot be parsed are ignored.
func otherFiles(pkg *packages.Package) (all []*ast.File) {
	if len(pkg.GoFiles) == 0 {
		return nil
	}
	names, _ := filepath.Glob(filepath.Join(filepath.Dir(pkg.GoFiles[0]), "*.go"))
	for _, name := range names {
		if slices.Contains(pkg.GoFiles, name) {
			continue
		}
		if file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution); err == nil && strings.TrimSuffix(file.Name.Name, "_test") == pkg.Name {
			all = append(all, file)
		}
	}
	return all
}

// mentioned reports whether a name occurs in a file that was not loaded.
func (c *callers) mentioned(name string) (found bool) {
	for _, file := range c.others {
		ast.Inspect(file, func(n ast.Node) bool {
			id, ok := n.(*ast.Ident)
			found = found || ok && id.Name == name
			return !found
		})
	}
	return found
}

// calleeName returns the identifier of the called function.
func calleeName(call *ast.CallExpr) *ast.Ident {
	switch fun := ast.Unparen(call.Fun).(type) {
	case *ast.Ident:
		return fun
	case *ast.SelectorExpr:
		return fun.Sel
	}
	return nil
}

func baseName(file string) string { return file[strings.LastIndexAny(file, `/\`)+1:] }

func pointsTo(t types.Type, owner *types.Named) bool {
	if pointer, ok := types.Unalias(t).(*types.Pointer); ok {
		t = pointer.Elem()
	}
	return types.Identical(t, owner)
}

// generatedAt returns the reason why generated code between two positions must be left unchanged.
// It returns "" if the code may be changed or is not generated.
func generatedAt(pkg *packages.Package, module Reach, from, to token.Pos) (why string) {
	name := pkg.Fset.File(from).Name()
	if i := slices.IndexFunc(pkg.Syntax, func(f *ast.File) bool { return f.FileStart <= from && from < f.FileEnd }); i < 0 || pkg.Fset.PositionFor(from, true).Filename == name && !ast.IsGenerated(pkg.Syntax[i]) {
		return ""
	}
	return module.Generated(pkg.Fset.PositionFor(from, false), pkg.Fset.PositionFor(to, false))
}

// Declared returns the reason why the declaration of a type in a generated file cannot be changed.
// It returns "" if the declaration can be changed, or if the file is not generated.
func Declared(pkg *packages.Package, t types.Object, module Reach) (why string) {
	return generatedAt(pkg, module, t.Pos(), t.Pos()+token.Pos(len(t.Name())))
}
