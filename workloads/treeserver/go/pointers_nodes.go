package main

import "go/ast"

// expr visits the expressions that occur in most programs; moreExpr visits the rest.
func (w *goWalk) expr(e ast.Expr) {
	switch e := e.(type) {
	case nil, *ast.BasicLit:
	case *ast.Ident:
		w.ident(e)
	case *ast.SelectorExpr:
		w.expr(e.X)
		w.field(e.Sel)
	case *ast.CallExpr:
		w.call(e)
	case *ast.CompositeLit:
		w.expr(e.Type)
		w.exprs(e.Elts)
	case *ast.KeyValueExpr:
		w.expr(e.Key)
		w.expr(e.Value)
	case *ast.BinaryExpr:
		w.compared(e)
		w.expr(e.X)
		w.expr(e.Y)
	case *ast.UnaryExpr:
		w.expr(e.X)
	case *ast.StarExpr:
		w.expr(e.X)
	case *ast.IndexExpr:
		w.expr(e.X)
		w.expr(e.Index)
	case *ast.ParenExpr:
		w.expr(e.X)
	default:
		w.moreExpr(e)
	}
}

func (w *goWalk) call(n *ast.CallExpr) {
	w.expr(n.Fun)
	w.exprs(n.Args)
}

func (w *goWalk) moreExpr(e ast.Expr) {
	switch e := e.(type) {
	case *ast.FuncLit:
		w.signature(e.Type)
		w.block(e.Body)
	case *ast.SliceExpr:
		w.expr(e.X)
		w.expr(e.Low)
		w.expr(e.High)
		w.expr(e.Max)
	case *ast.TypeAssertExpr:
		w.expr(e.X)
		w.expr(e.Type)
	case *ast.IndexListExpr:
		w.expr(e.X)
		w.exprs(e.Indices)
	case *ast.Ellipsis:
		w.expr(e.Elt)
	case *ast.ArrayType:
		w.expr(e.Len)
		w.expr(e.Elt)
	case *ast.StructType:
		w.fields(e.Fields)
	case *ast.FuncType:
		w.signature(e)
	case *ast.InterfaceType:
		w.fields(e.Methods)
	case *ast.MapType:
		w.expr(e.Key)
		w.expr(e.Value)
	case *ast.ChanType:
		w.expr(e.Value)
	}
}

// stmt visits simple statements; control visits statements that contain others.
func (w *goWalk) stmt(s ast.Stmt) {
	switch s := s.(type) {
	case nil, *ast.EmptyStmt:
	case *ast.ExprStmt:
		w.expr(s.X)
	case *ast.AssignStmt:
		w.exprs(s.Lhs)
		w.exprs(s.Rhs)
	case *ast.ReturnStmt:
		w.exprs(s.Results)
	case *ast.DeclStmt:
		w.decl(s.Decl)
	case *ast.IncDecStmt:
		w.expr(s.X)
	case *ast.BranchStmt:
		w.ident(s.Label)
	case *ast.GoStmt:
		w.call(s.Call)
	case *ast.DeferStmt:
		w.call(s.Call)
	case *ast.SendStmt:
		w.expr(s.Chan)
		w.expr(s.Value)
	default:
		w.control(s)
	}
}

func (w *goWalk) control(s ast.Stmt) {
	switch s := s.(type) {
	case *ast.BlockStmt:
		w.block(s)
	case *ast.IfStmt:
		w.branch(s)
		w.stmt(s.Init)
		w.expr(s.Cond)
		w.block(s.Body)
		w.stmt(s.Else)
	case *ast.ForStmt:
		w.stmt(s.Init)
		w.expr(s.Cond)
		w.stmt(s.Post)
		w.block(s.Body)
	case *ast.RangeStmt:
		w.expr(s.Key)
		w.expr(s.Value)
		w.expr(s.X)
		w.block(s.Body)
	case *ast.SwitchStmt:
		w.stmt(s.Init)
		w.expr(s.Tag)
		w.block(s.Body)
	case *ast.TypeSwitchStmt:
		w.stmt(s.Init)
		w.stmt(s.Assign)
		w.block(s.Body)
	case *ast.SelectStmt:
		w.block(s.Body)
	case *ast.CaseClause:
		w.exprs(s.List)
		w.stmts(s.Body)
	case *ast.CommClause:
		w.stmt(s.Comm)
		w.stmts(s.Body)
	case *ast.LabeledStmt:
		w.ident(s.Label)
		w.stmt(s.Stmt)
	}
}
