package main

import "github.com/coppice-go/coppice/workloads/goast/go/syntax"

// countPointers traverses the pointer form by recursion, with a type switch for each sum.
func countPointers(p *syntax.Program) (c counts) {
	for _, f := range p.Files {
		c.files++
		c.nodes++
		c.ident(f.Name)
		for _, d := range f.Decls {
			c.decl(d)
		}
		for _, g := range f.Comments {
			c.nodes += 1 + uint64(len(g.List))
		}
	}
	return c
}

func (c *counts) ident(n *syntax.Ident) {
	if n != nil {
		c.nodes++
		c.identifier(n.Name)
	}
}

func (c *counts) idents(list []*syntax.Ident) {
	for _, n := range list {
		c.ident(n)
	}
}

// leaf counts an optional string.
func (c *counts) leaf(n *syntax.StringLit) {
	if n != nil {
		c.nodes++
	}
}

func (c *counts) fields(l *syntax.FieldList) {
	if l == nil {
		return
	}
	c.nodes++
	for _, f := range l.List {
		c.field(f)
	}
}

func (c *counts) signature(n *syntax.FuncType) {
	c.nodes++
	c.fields(n.TypeParams)
	c.fields(n.Params)
	c.fields(n.Results)
}

func (c *counts) block(n *syntax.BlockStmt) {
	if n != nil {
		c.nodes++
		c.stmts(n.List)
	}
}

func (c *counts) callTree(n *syntax.CallExpr) {
	c.nodes++
	c.call(n.Lparen)
	c.expr(n.Fun)
	c.exprs(n.Args)
}

func (c *counts) exprs(list []syntax.Expr) {
	for _, e := range list {
		c.expr(e)
	}
}

func (c *counts) stmts(list []syntax.Stmt) {
	for _, s := range list {
		c.stmt(s)
	}
}

func (c *counts) specs(list []syntax.Spec) {
	for _, s := range list {
		c.spec(s)
	}
}

func (c *counts) field(f syntax.FieldNode) {
	c.nodes++
	switch f := f.(type) {
	case *syntax.Param:
		c.expr(f.Type)
		c.idents(f.Names)
	case *syntax.Field:
		c.expr(f.Type)
		c.leaf(f.Tag)
		c.idents(f.Names)
	}
}

func (c *counts) decl(d syntax.Decl) {
	c.nodes++
	switch d := d.(type) {
	case *syntax.GenDecl:
		c.specs(d.Specs)
	case *syntax.FuncDecl:
		c.fields(d.Recv)
		c.ident(d.Name)
		c.signature(d.Type)
		c.block(d.Body)
	}
}

func (c *counts) spec(s syntax.Spec) {
	c.nodes++
	switch s := s.(type) {
	case *syntax.ImportSpec:
		c.ident(s.Name)
		c.leaf(s.Path)
	case *syntax.ValueSpec:
		c.expr(s.Type)
		c.idents(s.Names)
		c.exprs(s.Values)
	case *syntax.TypeSpec:
		c.ident(s.Name)
		c.fields(s.TypeParams)
		c.expr(s.Type)
	}
}

func (c *counts) expr(e syntax.Expr) {
	switch e := e.(type) {
	case nil:
		return
	case *syntax.Ident:
		c.ident(e)
		return
	case *syntax.SelectorExpr:
		c.nodes++ // the name
		c.identifier(e.Sel)
		c.expr(e.X)
	case *syntax.CallExpr:
		c.callTree(e)
		return
	case *syntax.FuncType:
		c.signature(e)
		return
	case *syntax.Spread: // not a node of go/ast
		c.expr(e.X)
		return
	case *syntax.CompositeLit:
		c.expr(e.Type)
		c.exprs(e.Elts)
	case *syntax.KeyValueExpr:
		c.expr(e.Key)
		c.expr(e.Value)
	case *syntax.BinaryExpr:
		c.expr(e.X)
		c.expr(e.Y)
	case *syntax.UnaryExpr:
		c.expr(e.X)
	case *syntax.StarExpr:
		c.expr(e.X)
	case *syntax.IndexExpr:
		c.expr(e.X)
		c.expr(e.Index)
	case *syntax.ParenExpr:
		c.expr(e.X)
	default:
		c.moreExpr(e)
	}
	c.nodes++
}

func (c *counts) moreExpr(e syntax.Expr) {
	switch e := e.(type) {
	case *syntax.Ellipsis:
		c.expr(e.Elt)
	case *syntax.FuncLit:
		c.signature(e.Type)
		c.block(e.Body)
	case *syntax.IndexListExpr:
		c.expr(e.X)
		c.exprs(e.Indices)
	case *syntax.SliceExpr:
		c.expr(e.X)
		c.expr(e.Low)
		c.expr(e.High)
		c.expr(e.Max)
	case *syntax.TypeAssertExpr:
		c.expr(e.X)
		c.expr(e.Type)
	case *syntax.ArrayType:
		c.expr(e.Len)
		c.expr(e.Elt)
	case *syntax.StructType:
		c.fields(e.Fields)
	case *syntax.InterfaceType:
		c.fields(e.Methods)
	case *syntax.MapType:
		c.expr(e.Key)
		c.expr(e.Value)
	case *syntax.ChanType:
		c.expr(e.Value)
	}
}

func (c *counts) stmt(s syntax.Stmt) {
	switch s := s.(type) {
	case nil:
		return
	case *syntax.BlockStmt:
		c.block(s)
		return
	case *syntax.ExprStmt:
		c.expr(s.X)
	case *syntax.AssignStmt:
		c.exprs(s.Lhs)
		c.exprs(s.Rhs)
	case *syntax.IfStmt:
		c.stmt(s.Init)
		c.expr(s.Cond)
		c.block(s.Body)
		c.stmt(s.Else)
	case *syntax.ReturnStmt:
		c.exprs(s.Results)
	case *syntax.DeclStmt:
		c.decl(s.Decl)
	case *syntax.ForStmt:
		c.stmt(s.Init)
		c.expr(s.Cond)
		c.stmt(s.Post)
		c.block(s.Body)
	case *syntax.RangeStmt:
		c.expr(s.Key)
		c.expr(s.Value)
		c.expr(s.X)
		c.block(s.Body)
	case *syntax.IncDecStmt:
		c.expr(s.X)
	case *syntax.BranchStmt:
		c.ident(s.Label)
	case *syntax.DeferStmt:
		c.callTree(s.Call)
	case *syntax.GoStmt:
		c.callTree(s.Call)
	default:
		c.moreStmt(s)
	}
	c.nodes++
}

func (c *counts) moreStmt(s syntax.Stmt) {
	switch s := s.(type) {
	case *syntax.LabeledStmt:
		c.ident(s.Label)
		c.stmt(s.Stmt)
	case *syntax.SendStmt:
		c.expr(s.Chan)
		c.expr(s.Value)
	case *syntax.CaseClause:
		c.exprs(s.List)
		c.stmts(s.Body)
	case *syntax.SwitchStmt:
		c.stmt(s.Init)
		c.expr(s.Tag)
		c.block(s.Body)
	case *syntax.TypeSwitchStmt:
		c.stmt(s.Init)
		c.stmt(s.Assign)
		c.block(s.Body)
	case *syntax.CommClause:
		c.stmt(s.Comm)
		c.stmts(s.Body)
	case *syntax.SelectStmt:
		c.block(s.Body)
	}
}
