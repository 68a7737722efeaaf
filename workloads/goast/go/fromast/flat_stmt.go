package fromast

import (
	"go/ast"

	"github.com/coppice-go/coppice/workloads/goast/go/syntax"
	"github.com/coppice-go/coppice/workloads/goast/go/syntaxflat"
)

func (m *flats) block(n *ast.BlockStmt) syntaxflat.BlockStmt {
	if n == nil {
		return syntaxflat.BlockStmt{}
	}
	return m.b.BlockStmt(m.at(n.Lbrace), m.at(n.Rbrace), m.stmtList(n.List)).AsBlockStmt()
}

// stmt converts simple statements; control converts statements that contain others.
func (m *flats) stmt(s ast.Stmt) syntaxflat.Stmt {
	switch s := s.(type) {
	case nil:
		return syntaxflat.Stmt{}
	case *ast.ExprStmt:
		return m.b.ExprStmt(m.expr(s.X))
	case *ast.AssignStmt:
		return m.b.AssignStmt(syntax.Token(s.Tok), m.at(s.TokPos), m.exprList(s.Lhs), m.exprList(s.Rhs))
	case *ast.ReturnStmt:
		return m.b.ReturnStmt(m.at(s.Return), m.exprList(s.Results))
	case *ast.DeclStmt:
		return m.b.DeclStmt(m.decl(s.Decl))
	case *ast.IncDecStmt:
		return m.b.IncDecStmt(syntax.Token(s.Tok), m.at(s.TokPos), m.expr(s.X))
	case *ast.BranchStmt:
		return m.b.BranchStmt(syntax.Token(s.Tok), m.at(s.TokPos), m.ident(s.Label))
	case *ast.GoStmt:
		return m.b.GoStmt(m.short(s.Go), m.call(s.Call))
	case *ast.DeferStmt:
		return m.b.DeferStmt(m.short(s.Defer), m.call(s.Call))
	case *ast.SendStmt:
		return m.b.SendStmt(m.short(s.Arrow), m.expr(s.Chan), m.expr(s.Value))
	case *ast.EmptyStmt:
		return m.b.EmptyStmt(s.Implicit, m.at(s.Semicolon))
	default:
		return m.control(s)
	}
}

func (m *flats) control(s ast.Stmt) syntaxflat.Stmt {
	switch s := s.(type) {
	case *ast.BlockStmt:
		return m.block(s).AsStmt()
	case *ast.IfStmt:
		return m.b.IfStmt(syntaxflat.IfStmtFields{At: m.short(s.If), Init: m.stmt(s.Init), Cond: m.expr(s.Cond), Body: m.block(s.Body), Else: m.stmt(s.Else)})
	case *ast.ForStmt:
		return m.b.ForStmt(syntaxflat.ForStmtFields{At: m.short(s.For), Init: m.stmt(s.Init), Cond: m.expr(s.Cond), Post: m.stmt(s.Post), Body: m.block(s.Body)})
	case *ast.RangeStmt:
		return m.b.RangeStmt(syntaxflat.RangeStmtFields{Tok: syntax.Token(s.Tok), For: m.at(s.For), TokPos: m.at(s.TokPos), Range: m.at(s.Range), Key: m.expr(s.Key), Value: m.expr(s.Value), X: m.expr(s.X), Body: m.block(s.Body)})
	case *ast.SwitchStmt:
		return m.b.SwitchStmt(m.short(s.Switch), m.stmt(s.Init), m.expr(s.Tag), m.block(s.Body))
	case *ast.TypeSwitchStmt:
		return m.b.TypeSwitchStmt(m.short(s.Switch), m.stmt(s.Init), m.stmt(s.Assign), m.block(s.Body))
	case *ast.SelectStmt:
		return m.b.SelectStmt(m.short(s.Select), m.block(s.Body))
	case *ast.CaseClause:
		return m.b.CaseClause(m.at(s.Case), m.at(s.Colon), m.exprList(s.List), m.stmtList(s.Body))
	case *ast.CommClause:
		return m.b.CommClause(m.at(s.Case), m.at(s.Colon), m.stmt(s.Comm), m.stmtList(s.Body))
	case *ast.LabeledStmt:
		return m.b.LabeledStmt(m.short(s.Colon), m.ident(s.Label), m.stmt(s.Stmt))
	default:
		bad := s.(*ast.BadStmt)
		return m.b.BadStmt(m.at(bad.From), m.at(bad.To))
	}
}
