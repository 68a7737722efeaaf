package main

import "github.com/tdewolff/parse/v2/js"

// A folder folds the constants in a tree of the parser in place, up to a limit.
type folder struct{ folds, most int }

// expr folds the constants in an expression, and returns its replacement.
func (f *folder) expr(n js.IExpr) js.IExpr {
	switch n := n.(type) {
	case *js.BinaryExpr:
		n.X, n.Y = f.expr(n.X), f.expr(n.Y)
		return f.binary(n)
	case *js.DotExpr:
		n.X = f.expr(n.X)
	case *js.CallExpr:
		n.X = f.expr(n.X)
		f.args(&n.Args)
	case *js.GroupExpr:
		n.X = f.expr(n.X)
	case *js.IndexExpr:
		n.X, n.Y = f.expr(n.X), f.expr(n.Y)
	case *js.UnaryExpr:
		n.X = f.expr(n.X)
	case *js.CondExpr:
		n.Cond, n.X, n.Y = f.expr(n.Cond), f.expr(n.X), f.expr(n.Y)
	case *js.NewExpr:
		n.X = f.expr(n.X)
		f.args(n.Args)
	case *js.YieldExpr:
		n.X = f.expr(n.X)
	case *js.CommaExpr:
		for i := range n.List {
			n.List[i] = f.expr(n.List[i])
		}
	case *js.VarDecl, *js.FuncDecl, *js.ClassDecl:
		f.stmt(n.(js.IStmt))
	case *js.MethodDecl:
		f.method(n)
	default:
		f.composite(n)
	}
	return n
}

func (f *folder) composite(n js.IExpr) {
	switch n := n.(type) {
	case *js.ArrayExpr:
		for i := range n.List {
			n.List[i].Value = f.expr(n.List[i].Value)
		}
	case *js.ObjectExpr:
		for i := range n.List {
			p := &n.List[i]
			f.name(p.Name)
			p.Value, p.Init = f.expr(p.Value), f.expr(p.Init)
		}
	case *js.TemplateExpr:
		n.Tag = f.expr(n.Tag)
		for i := range n.List {
			n.List[i].Expr = f.expr(n.List[i].Expr)
		}
	case *js.ArrowFunc:
		f.params(&n.Params)
		f.block(&n.Body)
	}
}

func (f *folder) binary(n *js.BinaryExpr) js.IExpr {
	x, y := literalOf(n.X), literalOf(n.Y)
	if x == nil || y == nil {
		return n
	}
	text, ok := fold(n.Op, x.TokenType, y.TokenType, string(x.Data), string(y.Data))
	if !ok || f.folds == f.most {
		return n
	}
	f.folds++
	return &js.LiteralExpr{TokenType: x.TokenType, Data: []byte(text)}
}

// literalOf returns an expression as a literal, without parentheses, or nil if it is not a
// literal.
func literalOf(n js.IExpr) *js.LiteralExpr {
	if group, ok := n.(*js.GroupExpr); ok {
		n = group.X
	}
	literal, _ := n.(*js.LiteralExpr)
	return literal
}

func (f *folder) stmt(n js.IStmt) {
	switch n := n.(type) {
	case *js.BlockStmt:
		f.block(n)
	case *js.ExprStmt:
		n.Value = f.expr(n.Value)
	case *js.VarDecl:
		f.elements(n.List)
	case *js.ReturnStmt:
		n.Value = f.expr(n.Value)
	case *js.IfStmt:
		n.Cond = f.expr(n.Cond)
		f.stmt(n.Body)
		f.stmt(n.Else)
	case *js.FuncDecl:
		f.params(&n.Params)
		f.block(&n.Body)
	case *js.ClassDecl:
		f.class(n)
	case *js.ThrowStmt:
		n.Value = f.expr(n.Value)
	case *js.LabelledStmt:
		f.stmt(n.Value)
	case *js.ExportStmt:
		n.Decl = f.expr(n.Decl)
	case *js.SwitchStmt:
		n.Init = f.expr(n.Init)
		for i := range n.List {
			n.List[i].Cond = f.expr(n.List[i].Cond)
			f.list(n.List[i].List)
		}
	case *js.TryStmt:
		f.block(n.Body)
		f.binding(n.Binding)
		f.block(n.Catch)
		f.block(n.Finally)
	default:
		f.loop(n)
	}
}

func (f *folder) loop(n js.IStmt) {
	switch n := n.(type) {
	case *js.DoWhileStmt:
		f.stmt(n.Body)
		n.Cond = f.expr(n.Cond)
	case *js.WhileStmt:
		n.Cond = f.expr(n.Cond)
		f.stmt(n.Body)
	case *js.WithStmt:
		n.Cond = f.expr(n.Cond)
		f.stmt(n.Body)
	case *js.ForStmt:
		n.Init, n.Cond, n.Post = f.expr(n.Init), f.expr(n.Cond), f.expr(n.Post)
		f.block(n.Body)
	case *js.ForInStmt:
		n.Init, n.Value = f.expr(n.Init), f.expr(n.Value)
		f.block(n.Body)
	case *js.ForOfStmt:
		n.Init, n.Value = f.expr(n.Init), f.expr(n.Value)
		f.block(n.Body)
	}
}

func (f *folder) list(list []js.IStmt) {
	for _, n := range list {
		f.stmt(n)
	}
}

func (f *folder) block(n *js.BlockStmt) {
	if n != nil {
		f.list(n.List)
	}
}

func (f *folder) class(n *js.ClassDecl) {
	n.Extends = f.expr(n.Extends)
	for i := range n.List {
		e := &n.List[i]
		f.block(e.StaticBlock)
		f.method(e.Method)
		f.name(&e.Name.PropertyName)
		e.Init = f.expr(e.Init)
	}
}

func (f *folder) method(n *js.MethodDecl) {
	if n != nil {
		f.name(&n.Name.PropertyName)
		f.params(&n.Params)
		f.block(&n.Body)
	}
}

func (f *folder) name(n *js.PropertyName) {
	if n != nil {
		n.Computed = f.expr(n.Computed)
	}
}

func (f *folder) args(n *js.Args) {
	if n != nil {
		for i := range n.List {
			n.List[i].Value = f.expr(n.List[i].Value)
		}
	}
}

func (f *folder) params(n *js.Params) {
	f.elements(n.List)
	f.binding(n.Rest)
}

func (f *folder) elements(list []js.BindingElement) {
	for i := range list {
		f.binding(list[i].Binding)
		list[i].Default = f.expr(list[i].Default)
	}
}

func (f *folder) binding(n js.IBinding) {
	switch n := n.(type) {
	case *js.BindingArray:
		f.elements(n.List)
		f.binding(n.Rest)
	case *js.BindingObject:
		for i := range n.List {
			f.name(n.List[i].Key)
			f.binding(n.List[i].Value.Binding)
			n.List[i].Value.Default = f.expr(n.List[i].Value.Default)
		}
	}
}
