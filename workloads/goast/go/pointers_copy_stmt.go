package main

import "github.com/coppice-go/coppice/workloads/goast/go/syntax"

// copyStmt copies the statements that occur in most functions; copyMoreStmt copies the rest.
func copyStmt(s syntax.Stmt) syntax.Stmt {
	switch s := s.(type) {
	case nil:
		return nil
	case *syntax.BlockStmt:
		return copyBlockStmt(s)
	case *syntax.ExprStmt:
		c := *s
		c.X = copyExpr(s.X)
		return &c
	case *syntax.AssignStmt:
		c := *s
		c.Lhs, c.Rhs = copyList(s.Lhs, copyExpr), copyList(s.Rhs, copyExpr)
		return &c
	case *syntax.IfStmt:
		c := *s
		c.Init, c.Cond, c.Body, c.Else = copyStmt(s.Init), copyExpr(s.Cond), copyBlockStmt(s.Body), copyStmt(s.Else)
		return &c
	case *syntax.ReturnStmt:
		c := *s
		c.Results = copyList(s.Results, copyExpr)
		return &c
	case *syntax.DeclStmt:
		c := *s
		c.Decl = copyDecl(s.Decl)
		return &c
	case *syntax.ForStmt:
		c := *s
		c.Init, c.Cond, c.Post, c.Body = copyStmt(s.Init), copyExpr(s.Cond), copyStmt(s.Post), copyBlockStmt(s.Body)
		return &c
	case *syntax.RangeStmt:
		c := *s
		c.Key, c.Value, c.X, c.Body = copyExpr(s.Key), copyExpr(s.Value), copyExpr(s.X), copyBlockStmt(s.Body)
		return &c
	case *syntax.IncDecStmt:
		c := *s
		c.X = copyExpr(s.X)
		return &c
	case *syntax.BranchStmt:
		c := *s
		c.Label = copyLeaf(s.Label)
		return &c
	case *syntax.DeferStmt:
		c := *s
		c.Call = copyCallExpr(s.Call)
		return &c
	case *syntax.GoStmt:
		c := *s
		c.Call = copyCallExpr(s.Call)
		return &c
	default:
		return copyMoreStmt(s)
	}
}

func copyMoreStmt(s syntax.Stmt) syntax.Stmt {
	switch s := s.(type) {
	case *syntax.EmptyStmt:
		return copyLeaf(s)
	case *syntax.LabeledStmt:
		c := *s
		c.Label, c.Stmt = copyLeaf(s.Label), copyStmt(s.Stmt)
		return &c
	case *syntax.SendStmt:
		c := *s
		c.Chan, c.Value = copyExpr(s.Chan), copyExpr(s.Value)
		return &c
	case *syntax.CaseClause:
		c := *s
		c.List, c.Body = copyList(s.List, copyExpr), copyList(s.Body, copyStmt)
		return &c
	case *syntax.SwitchStmt:
		c := *s
		c.Init, c.Tag, c.Body = copyStmt(s.Init), copyExpr(s.Tag), copyBlockStmt(s.Body)
		return &c
	case *syntax.TypeSwitchStmt:
		c := *s
		c.Init, c.Assign, c.Body = copyStmt(s.Init), copyStmt(s.Assign), copyBlockStmt(s.Body)
		return &c
	case *syntax.CommClause:
		c := *s
		c.Comm, c.Body = copyStmt(s.Comm), copyList(s.Body, copyStmt)
		return &c
	case *syntax.SelectStmt:
		c := *s
		c.Body = copyBlockStmt(s.Body)
		return &c
	default:
		return copyLeaf(s.(*syntax.BadStmt))
	}
}
