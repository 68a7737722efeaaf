// Package walkjs traverses the trees of github.com/tdewolff/parse/v2/js by recursion over all kinds
// of nodes. The module's own Walk does not distinguish uses of variables from declarations, and
// visits the contents of a scope in several places.
package walkjs

import "github.com/tdewolff/parse/v2/js"

// A Walker calls functions for the scopes, the uses of variables, and some other nodes of a
// tree. Binary and Dot are called before the functions for their operands, and may be nil.
type Walker struct {
	Enter, Leave func(*js.Scope)
	Use          func(*js.Var)
	Binary       func(*js.BinaryExpr)
	Dot          func(*js.DotExpr)
	Depth        int // number of enclosing functions
}

// Module traverses a module.
func (w *Walker) Module(n *js.AST) {
	w.Enter(&n.Scope)
	w.list(n.List)
	w.Leave(&n.Scope)
}

func (w *Walker) expr(n js.IExpr) {
	switch n := n.(type) {
	case *js.Var:
		w.Use(n)
	case *js.BinaryExpr:
		if w.Binary != nil {
			w.Binary(n)
		}
		w.expr(n.X)
		w.expr(n.Y)
	case *js.DotExpr:
		if w.Dot != nil {
			w.Dot(n)
		}
		w.expr(n.X)
		w.expr(n.Y)
	case *js.CallExpr:
		w.expr(n.X)
		w.args(&n.Args)
	case *js.GroupExpr:
		w.expr(n.X)
	case *js.IndexExpr:
		w.expr(n.X)
		w.expr(n.Y)
	case *js.UnaryExpr:
		w.expr(n.X)
	case *js.CondExpr:
		w.expr(n.Cond)
		w.expr(n.X)
		w.expr(n.Y)
	case *js.NewExpr:
		w.expr(n.X)
		w.args(n.Args)
	case *js.YieldExpr:
		w.expr(n.X)
	case *js.CommaExpr:
		for i := range n.List {
			w.expr(n.List[i])
		}
	case *js.VarDecl, *js.FuncDecl, *js.ClassDecl:
		w.stmt(n.(js.IStmt))
	case *js.MethodDecl:
		w.method(n)
	default:
		w.composite(n)
	}
}

func (w *Walker) composite(n js.IExpr) {
	switch n := n.(type) {
	case *js.ArrayExpr:
		for i := range n.List {
			w.expr(n.List[i].Value)
		}
	case *js.ObjectExpr:
		for i := range n.List {
			p := &n.List[i]
			w.name(p.Name)
			w.expr(p.Value)
			w.expr(p.Init)
		}
	case *js.TemplateExpr:
		w.expr(n.Tag)
		for i := range n.List {
			w.expr(n.List[i].Expr)
		}
	case *js.ArrowFunc:
		w.function(&n.Params, &n.Body)
	}
}

func (w *Walker) stmt(n js.IStmt) {
	switch n := n.(type) {
	case *js.BlockStmt:
		w.block(n)
	case *js.ExprStmt:
		w.expr(n.Value)
	case *js.VarDecl:
		w.elements(n.List)
	case *js.ReturnStmt:
		w.expr(n.Value)
	case *js.IfStmt:
		w.expr(n.Cond)
		w.stmt(n.Body)
		w.stmt(n.Else)
	case *js.FuncDecl:
		w.function(&n.Params, &n.Body)
	case *js.ClassDecl:
		w.class(n)
	case *js.ThrowStmt:
		w.expr(n.Value)
	case *js.LabelledStmt:
		w.stmt(n.Value)
	case *js.ExportStmt:
		w.expr(n.Decl)
	case *js.SwitchStmt:
		w.expr(n.Init)
		w.Enter(&n.Scope)
		for i := range n.List {
			w.expr(n.List[i].Cond)
			w.list(n.List[i].List)
		}
		w.Leave(&n.Scope)
	case *js.TryStmt:
		w.block(n.Body)
		if n.Catch != nil {
			w.Enter(&n.Catch.Scope)
			w.binding(n.Binding)
			w.list(n.Catch.List)
			w.Leave(&n.Catch.Scope)
		}
		w.block(n.Finally)
	default:
		w.loop(n)
	}
}

func (w *Walker) loop(n js.IStmt) {
	switch n := n.(type) {
	case *js.DoWhileStmt:
		w.stmt(n.Body)
		w.expr(n.Cond)
	case *js.WhileStmt:
		w.expr(n.Cond)
		w.stmt(n.Body)
	case *js.WithStmt:
		w.expr(n.Cond)
		w.stmt(n.Body)
	case *js.ForStmt:
		w.Enter(&n.Body.Scope)
		w.expr(n.Init)
		w.expr(n.Cond)
		w.expr(n.Post)
		w.list(n.Body.List)
		w.Leave(&n.Body.Scope)
	case *js.ForInStmt:
		w.Enter(&n.Body.Scope)
		w.expr(n.Init)
		w.expr(n.Value)
		w.list(n.Body.List)
		w.Leave(&n.Body.Scope)
	case *js.ForOfStmt:
		w.Enter(&n.Body.Scope)
		w.expr(n.Init)
		w.expr(n.Value)
		w.list(n.Body.List)
		w.Leave(&n.Body.Scope)
	}
}

func (w *Walker) list(list []js.IStmt) {
	for _, n := range list {
		w.stmt(n)
	}
}

func (w *Walker) block(n *js.BlockStmt) {
	if n != nil {
		w.Enter(&n.Scope)
		w.list(n.List)
		w.Leave(&n.Scope)
	}
}

// function traverses a function, whose parameters are in the scope of its body.
func (w *Walker) function(params *js.Params, body *js.BlockStmt) {
	w.Depth++
	w.Enter(&body.Scope)
	w.params(params)
	w.list(body.List)
	w.Leave(&body.Scope)
	w.Depth--
}

func (w *Walker) class(n *js.ClassDecl) {
	w.expr(n.Extends)
	w.Enter(&n.Scope)
	for i := range n.List {
		e := &n.List[i]
		w.block(e.StaticBlock)
		w.method(e.Method)
		w.name(&e.Name.PropertyName)
		w.expr(e.Init)
	}
	w.Leave(&n.Scope)
}

func (w *Walker) method(n *js.MethodDecl) {
	if n != nil {
		w.name(&n.Name.PropertyName)
		w.function(&n.Params, &n.Body)
	}
}

func (w *Walker) name(n *js.PropertyName) {
	if n != nil {
		w.expr(n.Computed)
	}
}

func (w *Walker) args(n *js.Args) {
	if n != nil {
		for i := range n.List {
			w.expr(n.List[i].Value)
		}
	}
}

func (w *Walker) params(n *js.Params) {
	w.elements(n.List)
	w.binding(n.Rest)
}

func (w *Walker) elements(list []js.BindingElement) {
	for i := range list {
		w.binding(list[i].Binding)
		w.expr(list[i].Default)
	}
}

func (w *Walker) binding(n js.IBinding) {
	switch n := n.(type) {
	case *js.Var:
		w.Use(n)
	case *js.BindingArray:
		w.elements(n.List)
		w.binding(n.Rest)
	case *js.BindingObject:
		for i := range n.List {
			w.name(n.List[i].Key)
			w.binding(n.List[i].Value.Binding)
			w.expr(n.List[i].Value.Default)
		}
	}
}
