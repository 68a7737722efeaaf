package fromast

import (
	"go/ast"

	"github.com/coppice-go/coppice/workloads/goast/go/syntax"
)

func (t *trees) block(n *ast.BlockStmt) *syntax.BlockStmt {
	if n == nil {
		return nil
	}
	return &syntax.BlockStmt{Lbrace: t.at(n.Lbrace), Rbrace: t.at(n.Rbrace), List: list(n.List, t.stmt)}
}

// stmt converts simple statements; control converts statements that contain others.
func (t *trees) stmt(s ast.Stmt) syntax.Stmt {
	switch s := s.(type) {
	case nil:
		return nil
	case *ast.ExprStmt:
		return &syntax.ExprStmt{X: t.expr(s.X)}
	case *ast.AssignStmt:
		return &syntax.AssignStmt{Tok: syntax.Token(s.Tok), TokPos: t.at(s.TokPos), Lhs: list(s.Lhs, t.expr), Rhs: list(s.Rhs, t.expr)}
	case *ast.ReturnStmt:
		return &syntax.ReturnStmt{Return: t.at(s.Return), Results: list(s.Results, t.expr)}
	case *ast.DeclStmt:
		return &syntax.DeclStmt{Decl: t.decl(s.Decl)}
	case *ast.IncDecStmt:
		return &syntax.IncDecStmt{Tok: syntax.Token(s.Tok), TokPos: t.at(s.TokPos), X: t.expr(s.X)}
	case *ast.BranchStmt:
		return &syntax.BranchStmt{Tok: syntax.Token(s.Tok), TokPos: t.at(s.TokPos), Label: t.ident(s.Label)}
	case *ast.GoStmt:
		return &syntax.GoStmt{At: t.short(s.Go), Call: t.call(s.Call)}
	case *ast.DeferStmt:
		return &syntax.DeferStmt{At: t.short(s.Defer), Call: t.call(s.Call)}
	case *ast.SendStmt:
		return &syntax.SendStmt{At: t.short(s.Arrow), Chan: t.expr(s.Chan), Value: t.expr(s.Value)}
	case *ast.EmptyStmt:
		return &syntax.EmptyStmt{Implicit: s.Implicit, Semicolon: t.at(s.Semicolon)}
	default:
		return t.control(s)
	}
}

func (t *trees) control(s ast.Stmt) syntax.Stmt {
	switch s := s.(type) {
	case *ast.BlockStmt:
		return t.block(s)
	case *ast.IfStmt:
		return &syntax.IfStmt{At: t.short(s.If), Init: t.stmt(s.Init), Cond: t.expr(s.Cond), Body: t.block(s.Body), Else: t.stmt(s.Else)}
	case *ast.ForStmt:
		return &syntax.ForStmt{At: t.short(s.For), Init: t.stmt(s.Init), Cond: t.expr(s.Cond), Post: t.stmt(s.Post), Body: t.block(s.Body)}
	case *ast.RangeStmt:
		return &syntax.RangeStmt{Tok: syntax.Token(s.Tok), For: t.at(s.For), TokPos: t.at(s.TokPos), Range: t.at(s.Range),
			Key: t.expr(s.Key), Value: t.expr(s.Value), X: t.expr(s.X), Body: t.block(s.Body)}
	case *ast.SwitchStmt:
		return &syntax.SwitchStmt{At: t.short(s.Switch), Init: t.stmt(s.Init), Tag: t.expr(s.Tag), Body: t.block(s.Body)}
	case *ast.TypeSwitchStmt:
		return &syntax.TypeSwitchStmt{At: t.short(s.Switch), Init: t.stmt(s.Init), Assign: t.stmt(s.Assign), Body: t.block(s.Body)}
	case *ast.SelectStmt:
		return &syntax.SelectStmt{At: t.short(s.Select), Body: t.block(s.Body)}
	case *ast.CaseClause:
		return &syntax.CaseClause{Case: t.at(s.Case), Colon: t.at(s.Colon), List: list(s.List, t.expr), Body: list(s.Body, t.stmt)}
	case *ast.CommClause:
		return &syntax.CommClause{Case: t.at(s.Case), Colon: t.at(s.Colon), Comm: t.stmt(s.Comm), Body: list(s.Body, t.stmt)}
	case *ast.LabeledStmt:
		return &syntax.LabeledStmt{At: t.short(s.Colon), Label: t.ident(s.Label), Stmt: t.stmt(s.Stmt)}
	default:
		bad := s.(*ast.BadStmt)
		return &syntax.BadStmt{From: t.at(bad.From), To: t.at(bad.To)}
	}
}
