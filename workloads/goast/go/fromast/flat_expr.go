package fromast

import (
	"go/ast"
	"go/token"

	"github.com/coppice-go/coppice/workloads/goast/go/syntax"
	"github.com/coppice-go/coppice/workloads/goast/go/syntaxflat"
)

func (m *flats) ident(n *ast.Ident) syntaxflat.Ident {
	if n == nil {
		return syntaxflat.Ident{}
	}
	low, high := m.split(n.NamePos)
	return m.b.Ident(low, high, n.Name).AsIdent()
}

func (m *flats) str(n *ast.BasicLit) syntaxflat.StringLit {
	if n == nil {
		return syntaxflat.StringLit{}
	}
	low, high := m.split(n.ValuePos)
	return m.b.StringLit(low, high, n.Value).AsStringLit()
}

func (m *flats) literal(n *ast.BasicLit) syntaxflat.Expr {
	low, high := m.split(n.ValuePos)
	switch n.Kind {
	case token.INT:
		return m.b.IntLit(low, high, n.Value)
	case token.FLOAT:
		return m.b.FloatLit(low, high, n.Value)
	case token.IMAG:
		return m.b.ImagLit(low, high, n.Value)
	case token.CHAR:
		return m.b.CharLit(low, high, n.Value)
	default:
		return m.b.StringLit(low, high, n.Value)
	}
}

// expr converts what is in most programs; more converts the rest.
func (m *flats) expr(e ast.Expr) syntaxflat.Expr {
	switch e := e.(type) {
	case nil:
		return syntaxflat.Expr{}
	case *ast.Ident:
		return m.ident(e).AsExpr()
	case *ast.BasicLit:
		return m.literal(e)
	case *ast.SelectorExpr:
		low, high := m.split(e.Sel.NamePos)
		return m.b.SelectorExpr(low, high, e.Sel.Name, m.expr(e.X))
	case *ast.CallExpr:
		return m.call(e).AsExpr()
	case *ast.CompositeLit:
		return m.b.CompositeLit(e.Incomplete, m.expr(e.Type), m.at(e.Lbrace), m.at(e.Rbrace), m.exprList(e.Elts))
	case *ast.KeyValueExpr:
		low, high := m.split(e.Colon)
		return m.b.KeyValueExpr(low, high, m.expr(e.Key), m.expr(e.Value))
	case *ast.BinaryExpr:
		return m.b.BinaryExpr(syntax.Token(e.Op), m.at(e.OpPos), m.expr(e.X), m.expr(e.Y))
	case *ast.UnaryExpr:
		return m.b.UnaryExpr(syntax.Token(e.Op), m.at(e.OpPos), m.expr(e.X))
	case *ast.StarExpr:
		low, high := m.split(e.Star)
		return m.b.StarExpr(low, high, m.expr(e.X))
	case *ast.IndexExpr:
		low, high := m.split(e.Lbrack)
		return m.b.IndexExpr(low, high, m.at(e.Rbrack), m.expr(e.X), m.expr(e.Index))
	case *ast.ParenExpr:
		low, high := m.split(e.Lparen)
		return m.b.ParenExpr(low, high, m.at(e.Rparen), m.expr(e.X))
	default:
		return m.more(e)
	}
}

func (m *flats) call(n *ast.CallExpr) syntaxflat.CallExpr {
	args := m.exprList(n.Args)
	if n.Ellipsis.IsValid() {
		low, high := m.split(n.Ellipsis)
		last := len(args) - 1
		args[last] = m.b.Spread(low, high, args[last])
	}
	return m.b.CallExpr(m.expr(n.Fun), m.at(n.Lparen), m.at(n.Rparen), args).AsCallExpr()
}

func (m *flats) signature(n *ast.FuncType) syntaxflat.FuncType {
	low, high := m.split(n.Func)
	return m.b.FuncType(low, high, m.fields(n.TypeParams), m.fields(n.Params), m.fields(n.Results)).AsFuncType()
}

func (m *flats) more(e ast.Expr) syntaxflat.Expr {
	switch e := e.(type) {
	case *ast.FuncLit:
		return m.b.FuncLit(m.signature(e.Type), m.block(e.Body))
	case *ast.SliceExpr:
		return m.b.SliceExpr(e.Slice3, m.at(e.Lbrack), m.at(e.Rbrack), m.expr(e.X), m.expr(e.Low), m.expr(e.High), m.expr(e.Max))
	case *ast.TypeAssertExpr:
		low, high := m.split(e.Lparen)
		return m.b.TypeAssertExpr(low, high, m.at(e.Rparen), m.expr(e.X), m.expr(e.Type))
	case *ast.IndexListExpr:
		return m.b.IndexListExpr(m.expr(e.X), m.at(e.Lbrack), m.at(e.Rbrack), m.exprList(e.Indices))
	case *ast.Ellipsis:
		low, high := m.split(e.Ellipsis)
		return m.b.Ellipsis(low, high, m.expr(e.Elt))
	case *ast.ArrayType:
		low, high := m.split(e.Lbrack)
		return m.b.ArrayType(low, high, m.expr(e.Len), m.expr(e.Elt))
	case *ast.StructType:
		return m.b.StructType(e.Incomplete, m.at(e.Struct), m.fields(e.Fields))
	case *ast.FuncType:
		return m.signature(e).AsExpr()
	case *ast.InterfaceType:
		return m.b.InterfaceType(e.Incomplete, m.at(e.Interface), m.fields(e.Methods))
	case *ast.MapType:
		low, high := m.split(e.Map)
		return m.b.MapType(low, high, m.expr(e.Key), m.expr(e.Value))
	case *ast.ChanType:
		return m.b.ChanType(uint8(e.Dir), m.at(e.Begin), m.at(e.Arrow), m.expr(e.Value))
	default:
		bad := e.(*ast.BadExpr)
		return m.b.BadExpr(m.at(bad.From), m.at(bad.To))
	}
}
