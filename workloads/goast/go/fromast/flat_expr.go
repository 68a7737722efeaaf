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
	return m.b.Ident(m.short(n.NamePos), n.Name).AsIdent()
}

func (m *flats) str(n *ast.BasicLit) syntaxflat.StringLit {
	if n == nil {
		return syntaxflat.StringLit{}
	}
	return m.b.StringLit(m.short(n.ValuePos), n.Value).AsStringLit()
}

func (m *flats) literal(n *ast.BasicLit) syntaxflat.Expr {
	at := m.short(n.ValuePos)
	switch n.Kind {
	case token.INT:
		return m.b.IntLit(at, n.Value)
	case token.FLOAT:
		return m.b.FloatLit(at, n.Value)
	case token.IMAG:
		return m.b.ImagLit(at, n.Value)
	case token.CHAR:
		return m.b.CharLit(at, n.Value)
	default:
		return m.b.StringLit(at, n.Value)
	}
}

// expr converts the expressions that occur in most programs; more converts the rest.
func (m *flats) expr(e ast.Expr) syntaxflat.Expr {
	switch e := e.(type) {
	case nil:
		return syntaxflat.Expr{}
	case *ast.Ident:
		return m.ident(e).AsExpr()
	case *ast.BasicLit:
		return m.literal(e)
	case *ast.SelectorExpr:
		return m.b.SelectorExpr(m.short(e.Sel.NamePos), e.Sel.Name, m.expr(e.X))
	case *ast.CallExpr:
		return m.call(e).AsExpr()
	case *ast.CompositeLit:
		return m.b.CompositeLit(syntaxflat.CompositeLitFields{Incomplete: e.Incomplete, Type: m.expr(e.Type), Lbrace: m.at(e.Lbrace), Rbrace: m.at(e.Rbrace), Elts: m.exprList(e.Elts)})
	case *ast.KeyValueExpr:
		return m.b.KeyValueExpr(m.short(e.Colon), m.expr(e.Key), m.expr(e.Value))
	case *ast.BinaryExpr:
		return m.b.BinaryExpr(syntax.Token(e.Op), m.at(e.OpPos), m.expr(e.X), m.expr(e.Y))
	case *ast.UnaryExpr:
		return m.b.UnaryExpr(syntax.Token(e.Op), m.at(e.OpPos), m.expr(e.X))
	case *ast.StarExpr:
		return m.b.StarExpr(m.short(e.Star), m.expr(e.X))
	case *ast.IndexExpr:
		return m.b.IndexExpr(m.short(e.Lbrack), m.at(e.Rbrack), m.expr(e.X), m.expr(e.Index))
	case *ast.ParenExpr:
		return m.b.ParenExpr(m.short(e.Lparen), m.at(e.Rparen), m.expr(e.X))
	default:
		return m.more(e)
	}
}

func (m *flats) call(n *ast.CallExpr) syntaxflat.CallExpr {
	args := m.exprList(n.Args)
	if n.Ellipsis.IsValid() {
		last := len(args) - 1
		args[last] = m.b.Spread(m.short(n.Ellipsis), args[last])
	}
	return m.b.CallExpr(m.expr(n.Fun), m.at(n.Lparen), m.at(n.Rparen), args).AsCallExpr()
}

func (m *flats) signature(n *ast.FuncType) syntaxflat.FuncType {
	return m.b.FuncType(m.short(n.Func), m.fields(n.TypeParams), m.fields(n.Params), m.fields(n.Results)).AsFuncType()
}

func (m *flats) more(e ast.Expr) syntaxflat.Expr {
	switch e := e.(type) {
	case *ast.FuncLit:
		return m.b.FuncLit(m.signature(e.Type), m.block(e.Body))
	case *ast.SliceExpr:
		return m.b.SliceExpr(syntaxflat.SliceExprFields{Slice3: e.Slice3, Lbrack: m.at(e.Lbrack), Rbrack: m.at(e.Rbrack), X: m.expr(e.X), Low: m.expr(e.Low), High: m.expr(e.High), Max: m.expr(e.Max)})
	case *ast.TypeAssertExpr:
		return m.b.TypeAssertExpr(m.short(e.Lparen), m.at(e.Rparen), m.expr(e.X), m.expr(e.Type))
	case *ast.IndexListExpr:
		return m.b.IndexListExpr(m.expr(e.X), m.at(e.Lbrack), m.at(e.Rbrack), m.exprList(e.Indices))
	case *ast.Ellipsis:
		return m.b.Ellipsis(m.short(e.Ellipsis), m.expr(e.Elt))
	case *ast.ArrayType:
		return m.b.ArrayType(m.short(e.Lbrack), m.expr(e.Len), m.expr(e.Elt))
	case *ast.StructType:
		return m.b.StructType(e.Incomplete, m.at(e.Struct), m.fields(e.Fields))
	case *ast.FuncType:
		return m.signature(e).AsExpr()
	case *ast.InterfaceType:
		return m.b.InterfaceType(e.Incomplete, m.at(e.Interface), m.fields(e.Methods))
	case *ast.MapType:
		return m.b.MapType(m.short(e.Map), m.expr(e.Key), m.expr(e.Value))
	case *ast.ChanType:
		return m.b.ChanType(uint8(e.Dir), m.at(e.Begin), m.at(e.Arrow), m.expr(e.Value))
	default:
		bad := e.(*ast.BadExpr)
		return m.b.BadExpr(m.at(bad.From), m.at(bad.To))
	}
}
