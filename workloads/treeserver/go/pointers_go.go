package main

import (
	"go/ast"
	"go/token"
	"slices"
)

// A goWalk visits each node of go/ast trees, by a recursion that knows the fields of each type:
// ast.Inspect would take twice as long. With a name it looks for references; without one it
// applies the rules.
type goWalk struct {
	name   string
	found  []place
	file   uint32
	base   token.Pos    // position at which the file starts
	params []*ast.Ident // parameters of the enclosing function that its body has not named so far
}

func (w *goWalk) references(file uint32, f *ast.File) {
	w.file, w.base = file, f.FileStart
	w.ident(f.Name)
	for _, d := range f.Decls {
		w.decl(d)
	}
}

// lint visits declarations. Within a function, it visits only the body.
func (w *goWalk) lint(file uint32, f *ast.File) {
	w.file, w.base = file, f.FileStart
	for _, d := range f.Decls {
		if n, ok := d.(*ast.FuncDecl); ok {
			w.enter(n)
			w.block(n.Body)
			w.leave()
		} else {
			w.decl(d)
		}
	}
}

// enter remembers the parameters of a function that has a body.
func (w *goWalk) enter(n *ast.FuncDecl) {
	if n.Body == nil {
		return
	}
	for _, field := range n.Type.Params.List {
		for _, name := range field.Names {
			if name.Name != "_" {
				w.params = append(w.params, name)
			}
		}
	}
}

// leave ends a function, and reports the parameters that its body has not named.
func (w *goWalk) leave() {
	for _, name := range w.params {
		w.add(name.NamePos, unusedParameter)
	}
	w.params = w.params[:0]
}

func (w *goWalk) add(at token.Pos, why rule) {
	w.found = append(w.found, place{w.file, uint32(at-w.base) + 1, why})
}

func (w *goWalk) ident(n *ast.Ident) {
	switch {
	case n == nil:
	case w.name != "":
		if n.Name == w.name {
			w.add(n.NamePos, reference)
		}
	default:
		for i, p := range w.params {
			if p.Name == n.Name {
				w.params = slices.Delete(w.params, i, i+1)
				return
			}
		}
	}
}

// field does the same as ident for a name after a dot, which cannot be a parameter.
func (w *goWalk) field(n *ast.Ident) {
	if n.Name == w.name {
		w.add(n.NamePos, reference)
	}
}

func (w *goWalk) branch(n *ast.IfStmt) {
	if _, ok := n.Else.(*ast.BlockStmt); !ok || w.name != "" || len(n.Body.List) == 0 {
		return
	}
	if _, ok := n.Body.List[len(n.Body.List)-1].(*ast.ReturnStmt); ok {
		w.add(n.If, elseAfterReturn)
	}
}

func (w *goWalk) compared(n *ast.BinaryExpr) {
	if (n.Op == token.EQL || n.Op == token.NEQ) && w.name == "" && (isBool(n.X) || isBool(n.Y)) {
		w.add(n.OpPos, boolCompared)
	}
}

func isBool(e ast.Expr) bool {
	n, ok := e.(*ast.Ident)
	return ok && (n.Name == "true" || n.Name == "false")
}

func (w *goWalk) idents(list []*ast.Ident) {
	for _, n := range list {
		w.ident(n)
	}
}

func (w *goWalk) exprs(list []ast.Expr) {
	for _, e := range list {
		w.expr(e)
	}
}

func (w *goWalk) stmts(list []ast.Stmt) {
	for _, s := range list {
		w.stmt(s)
	}
}

func (w *goWalk) block(n *ast.BlockStmt) {
	if n != nil {
		w.stmts(n.List)
	}
}

func (w *goWalk) fields(l *ast.FieldList) {
	if l == nil {
		return
	}
	for _, f := range l.List {
		w.idents(f.Names)
		w.expr(f.Type)
	}
}

func (w *goWalk) signature(n *ast.FuncType) {
	w.fields(n.TypeParams)
	w.fields(n.Params)
	w.fields(n.Results)
}

func (w *goWalk) decl(d ast.Decl) {
	switch d := d.(type) {
	case *ast.GenDecl:
		for _, s := range d.Specs {
			w.spec(s)
		}
	case *ast.FuncDecl:
		w.fields(d.Recv)
		w.ident(d.Name)
		w.signature(d.Type)
		w.block(d.Body)
	}
}

func (w *goWalk) spec(s ast.Spec) {
	switch s := s.(type) {
	case *ast.ImportSpec:
		w.ident(s.Name)
	case *ast.ValueSpec:
		w.idents(s.Names)
		w.expr(s.Type)
		w.exprs(s.Values)
	case *ast.TypeSpec:
		w.ident(s.Name)
		w.fields(s.TypeParams)
		w.expr(s.Type)
	}
}
