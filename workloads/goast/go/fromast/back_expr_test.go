package fromast

import (
	"go/ast"
	"go/token"

	"github.com/coppice-go/coppice/workloads/goast/go/syntax"
)

func (b *back) expr(e syntax.Expr) ast.Expr {
	switch e := e.(type) {
	case nil:
		return nil
	case *syntax.Ident:
		return b.ident(e)
	case *syntax.IntLit:
		return literal(b.pos(uint32(e.At)), token.INT, e.Value)
	case *syntax.FloatLit:
		return literal(b.pos(uint32(e.At)), token.FLOAT, e.Value)
	case *syntax.ImagLit:
		return literal(b.pos(uint32(e.At)), token.IMAG, e.Value)
	case *syntax.CharLit:
		return literal(b.pos(uint32(e.At)), token.CHAR, e.Value)
	case *syntax.StringLit:
		return b.str(e)
	case *syntax.SelectorExpr:
		return &ast.SelectorExpr{X: b.expr(e.X), Sel: &ast.Ident{NamePos: b.pos(uint32(e.At)), Name: e.Sel}}
	case *syntax.CallExpr:
		return b.call(e)
	case *syntax.CompositeLit:
		return &ast.CompositeLit{Type: b.expr(e.Type), Lbrace: b.pos(e.Lbrace), Rbrace: b.pos(e.Rbrace), Incomplete: e.Incomplete, Elts: list(e.Elts, b.expr)}
	case *syntax.KeyValueExpr:
		return &ast.KeyValueExpr{Key: b.expr(e.Key), Colon: b.pos(uint32(e.At)), Value: b.expr(e.Value)}
	case *syntax.BinaryExpr:
		return &ast.BinaryExpr{X: b.expr(e.X), OpPos: b.pos(e.OpPos), Op: token.Token(e.Op), Y: b.expr(e.Y)}
	case *syntax.UnaryExpr:
		return &ast.UnaryExpr{OpPos: b.pos(e.OpPos), Op: token.Token(e.Op), X: b.expr(e.X)}
	case *syntax.StarExpr:
		return &ast.StarExpr{Star: b.pos(uint32(e.At)), X: b.expr(e.X)}
	case *syntax.IndexExpr:
		return &ast.IndexExpr{X: b.expr(e.X), Lbrack: b.pos(uint32(e.At)), Index: b.expr(e.Index), Rbrack: b.pos(e.Rbrack)}
	case *syntax.ParenExpr:
		return &ast.ParenExpr{Lparen: b.pos(uint32(e.At)), X: b.expr(e.X), Rparen: b.pos(e.Rparen)}
	default:
		return b.more(e)
	}
}

func (b *back) call(n *syntax.CallExpr) *ast.CallExpr {
	call := &ast.CallExpr{Fun: b.expr(n.Fun), Lparen: b.pos(n.Lparen), Rparen: b.pos(n.Rparen)}
	for _, arg := range n.Args {
		if s, ok := arg.(*syntax.Spread); ok {
			call.Ellipsis, arg = b.pos(uint32(s.At)), s.X
		}
		call.Args = append(call.Args, b.expr(arg))
	}
	return call
}

func (b *back) signature(n *syntax.FuncType) *ast.FuncType {
	return &ast.FuncType{Func: b.pos(uint32(n.At)), TypeParams: b.fields(n.TypeParams), Params: b.fields(n.Params), Results: b.fields(n.Results)}
}

func (b *back) more(e syntax.Expr) ast.Expr {
	switch e := e.(type) {
	case *syntax.FuncLit:
		return &ast.FuncLit{Type: b.signature(e.Type), Body: b.block(e.Body)}
	case *syntax.SliceExpr:
		return &ast.SliceExpr{X: b.expr(e.X), Lbrack: b.pos(e.Lbrack), Low: b.expr(e.Low), High: b.expr(e.High), Max: b.expr(e.Max),
			Slice3: e.Slice3, Rbrack: b.pos(e.Rbrack)}
	case *syntax.TypeAssertExpr:
		return &ast.TypeAssertExpr{X: b.expr(e.X), Lparen: b.pos(uint32(e.At)), Type: b.expr(e.Type), Rparen: b.pos(e.Rparen)}
	case *syntax.IndexListExpr:
		return &ast.IndexListExpr{X: b.expr(e.X), Lbrack: b.pos(e.Lbrack), Indices: list(e.Indices, b.expr), Rbrack: b.pos(e.Rbrack)}
	case *syntax.Ellipsis:
		return &ast.Ellipsis{Ellipsis: b.pos(uint32(e.At)), Elt: b.expr(e.Elt)}
	case *syntax.ArrayType:
		return &ast.ArrayType{Lbrack: b.pos(uint32(e.At)), Len: b.expr(e.Len), Elt: b.expr(e.Elt)}
	case *syntax.StructType:
		return &ast.StructType{Struct: b.pos(e.Struct), Fields: b.fields(e.Fields), Incomplete: e.Incomplete}
	case *syntax.FuncType:
		return b.signature(e)
	case *syntax.InterfaceType:
		return &ast.InterfaceType{Interface: b.pos(e.Interface), Methods: b.fields(e.Methods), Incomplete: e.Incomplete}
	case *syntax.MapType:
		return &ast.MapType{Map: b.pos(uint32(e.At)), Key: b.expr(e.Key), Value: b.expr(e.Value)}
	case *syntax.ChanType:
		return &ast.ChanType{Begin: b.pos(e.Begin), Arrow: b.pos(e.Arrow), Dir: ast.ChanDir(e.Dir), Value: b.expr(e.Value)}
	default:
		bad := e.(*syntax.BadExpr)
		return &ast.BadExpr{From: b.pos(bad.From), To: b.pos(bad.To)}
	}
}
