package fromast

import (
	"go/ast"
	"go/token"

	"github.com/coppice-go/coppice/workloads/goast/go/syntax"
)

func (b *back) block(n *syntax.BlockStmt) *ast.BlockStmt {
	if n == nil {
		return nil
	}
	return &ast.BlockStmt{Lbrace: b.pos(n.Lbrace), Rbrace: b.pos(n.Rbrace), List: list(n.List, b.stmt)}
}

func (b *back) stmt(s syntax.Stmt) ast.Stmt {
	switch s := s.(type) {
	case nil:
		return nil
	case *syntax.ExprStmt:
		return &ast.ExprStmt{X: b.expr(s.X)}
	case *syntax.AssignStmt:
		return &ast.AssignStmt{Lhs: list(s.Lhs, b.expr), TokPos: b.pos(s.TokPos), Tok: token.Token(s.Tok), Rhs: list(s.Rhs, b.expr)}
	case *syntax.ReturnStmt:
		return &ast.ReturnStmt{Return: b.pos(s.Return), Results: list(s.Results, b.expr)}
	case *syntax.DeclStmt:
		return &ast.DeclStmt{Decl: b.decl(s.Decl)}
	case *syntax.IncDecStmt:
		return &ast.IncDecStmt{X: b.expr(s.X), TokPos: b.pos(s.TokPos), Tok: token.Token(s.Tok)}
	case *syntax.BranchStmt:
		return &ast.BranchStmt{TokPos: b.pos(s.TokPos), Tok: token.Token(s.Tok), Label: b.ident(s.Label)}
	case *syntax.GoStmt:
		return &ast.GoStmt{Go: b.pos(uint32(s.At)), Call: b.call(s.Call)}
	case *syntax.DeferStmt:
		return &ast.DeferStmt{Defer: b.pos(uint32(s.At)), Call: b.call(s.Call)}
	case *syntax.SendStmt:
		return &ast.SendStmt{Chan: b.expr(s.Chan), Arrow: b.pos(uint32(s.At)), Value: b.expr(s.Value)}
	case *syntax.EmptyStmt:
		return &ast.EmptyStmt{Semicolon: b.pos(s.Semicolon), Implicit: s.Implicit}
	default:
		return b.control(s)
	}
}

func (b *back) control(s syntax.Stmt) ast.Stmt {
	switch s := s.(type) {
	case *syntax.BlockStmt:
		return b.block(s)
	case *syntax.IfStmt:
		return &ast.IfStmt{If: b.pos(uint32(s.At)), Init: b.stmt(s.Init), Cond: b.expr(s.Cond), Body: b.block(s.Body), Else: b.stmt(s.Else)}
	case *syntax.ForStmt:
		return &ast.ForStmt{For: b.pos(uint32(s.At)), Init: b.stmt(s.Init), Cond: b.expr(s.Cond), Post: b.stmt(s.Post), Body: b.block(s.Body)}
	case *syntax.RangeStmt:
		return &ast.RangeStmt{For: b.pos(s.For), Key: b.expr(s.Key), Value: b.expr(s.Value), TokPos: b.pos(s.TokPos), Tok: token.Token(s.Tok),
			Range: b.pos(s.Range), X: b.expr(s.X), Body: b.block(s.Body)}
	case *syntax.SwitchStmt:
		return &ast.SwitchStmt{Switch: b.pos(uint32(s.At)), Init: b.stmt(s.Init), Tag: b.expr(s.Tag), Body: b.block(s.Body)}
	case *syntax.TypeSwitchStmt:
		return &ast.TypeSwitchStmt{Switch: b.pos(uint32(s.At)), Init: b.stmt(s.Init), Assign: b.stmt(s.Assign), Body: b.block(s.Body)}
	case *syntax.SelectStmt:
		return &ast.SelectStmt{Select: b.pos(uint32(s.At)), Body: b.block(s.Body)}
	case *syntax.CaseClause:
		return &ast.CaseClause{Case: b.pos(s.Case), List: list(s.List, b.expr), Colon: b.pos(s.Colon), Body: list(s.Body, b.stmt)}
	case *syntax.CommClause:
		return &ast.CommClause{Case: b.pos(s.Case), Comm: b.stmt(s.Comm), Colon: b.pos(s.Colon), Body: list(s.Body, b.stmt)}
	case *syntax.LabeledStmt:
		return &ast.LabeledStmt{Label: b.ident(s.Label), Colon: b.pos(uint32(s.At)), Stmt: b.stmt(s.Stmt)}
	default:
		bad := s.(*syntax.BadStmt)
		return &ast.BadStmt{From: b.pos(bad.From), To: b.pos(bad.To)}
	}
}
