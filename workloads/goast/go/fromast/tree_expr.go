package fromast

import (
	"go/ast"
	"go/token"

	"github.com/coppice-go/coppice/workloads/goast/go/syntax"
)

func (t *trees) ident(n *ast.Ident) *syntax.Ident {
	if n == nil {
		return nil
	}
	return &syntax.Ident{At: t.short(n.NamePos), Name: t.intern(n.Name)}
}

func (t *trees) str(n *ast.BasicLit) *syntax.StringLit {
	if n == nil {
		return nil
	}
	return &syntax.StringLit{At: t.short(n.ValuePos), Value: t.intern(n.Value)}
}

func (t *trees) literal(n *ast.BasicLit) syntax.Expr {
	at := t.short(n.ValuePos)
	value := t.intern(n.Value)
	switch n.Kind {
	case token.INT:
		return &syntax.IntLit{At: at, Value: value}
	case token.FLOAT:
		return &syntax.FloatLit{At: at, Value: value}
	case token.IMAG:
		return &syntax.ImagLit{At: at, Value: value}
	case token.CHAR:
		return &syntax.CharLit{At: at, Value: value}
	default:
		return &syntax.StringLit{At: at, Value: value}
	}
}

// expr converts the expressions that occur in most programs; more converts the rest.
func (t *trees) expr(e ast.Expr) syntax.Expr {
	switch e := e.(type) {
	case nil:
		return nil
	case *ast.Ident:
		return t.ident(e)
	case *ast.BasicLit:
		return t.literal(e)
	case *ast.SelectorExpr:
		return &syntax.SelectorExpr{At: t.short(e.Sel.NamePos), Sel: t.intern(e.Sel.Name), X: t.expr(e.X)}
	case *ast.CallExpr:
		return t.call(e)
	case *ast.CompositeLit:
		return &syntax.CompositeLit{Incomplete: e.Incomplete, Type: t.expr(e.Type), Lbrace: t.at(e.Lbrace), Rbrace: t.at(e.Rbrace),
			Elts: list(e.Elts, t.expr)}
	case *ast.KeyValueExpr:
		return &syntax.KeyValueExpr{At: t.short(e.Colon), Key: t.expr(e.Key), Value: t.expr(e.Value)}
	case *ast.BinaryExpr:
		return &syntax.BinaryExpr{Op: syntax.Token(e.Op), OpPos: t.at(e.OpPos), X: t.expr(e.X), Y: t.expr(e.Y)}
	case *ast.UnaryExpr:
		return &syntax.UnaryExpr{Op: syntax.Token(e.Op), OpPos: t.at(e.OpPos), X: t.expr(e.X)}
	case *ast.StarExpr:
		return &syntax.StarExpr{At: t.short(e.Star), X: t.expr(e.X)}
	case *ast.IndexExpr:
		return &syntax.IndexExpr{At: t.short(e.Lbrack), Rbrack: t.at(e.Rbrack), X: t.expr(e.X), Index: t.expr(e.Index)}
	case *ast.ParenExpr:
		return &syntax.ParenExpr{At: t.short(e.Lparen), Rparen: t.at(e.Rparen), X: t.expr(e.X)}
	default:
		return t.more(e)
	}
}

func (t *trees) call(n *ast.CallExpr) *syntax.CallExpr {
	args := list(n.Args, t.expr)
	if n.Ellipsis.IsValid() {
		last := len(args) - 1
		args[last] = &syntax.Spread{At: t.short(n.Ellipsis), X: args[last]}
	}
	return &syntax.CallExpr{Fun: t.expr(n.Fun), Lparen: t.at(n.Lparen), Rparen: t.at(n.Rparen), Args: args}
}

func (t *trees) signature(n *ast.FuncType) *syntax.FuncType {
	return &syntax.FuncType{At: t.short(n.Func), TypeParams: t.fields(n.TypeParams), Params: t.fields(n.Params), Results: t.fields(n.Results)}
}

func (t *trees) more(e ast.Expr) syntax.Expr {
	switch e := e.(type) {
	case *ast.FuncLit:
		return &syntax.FuncLit{Type: t.signature(e.Type), Body: t.block(e.Body)}
	case *ast.SliceExpr:
		return &syntax.SliceExpr{Slice3: e.Slice3, Lbrack: t.at(e.Lbrack), Rbrack: t.at(e.Rbrack),
			X: t.expr(e.X), Low: t.expr(e.Low), High: t.expr(e.High), Max: t.expr(e.Max)}
	case *ast.TypeAssertExpr:
		return &syntax.TypeAssertExpr{At: t.short(e.Lparen), Rparen: t.at(e.Rparen), X: t.expr(e.X), Type: t.expr(e.Type)}
	case *ast.IndexListExpr:
		return &syntax.IndexListExpr{X: t.expr(e.X), Lbrack: t.at(e.Lbrack), Rbrack: t.at(e.Rbrack), Indices: list(e.Indices, t.expr)}
	case *ast.Ellipsis:
		return &syntax.Ellipsis{At: t.short(e.Ellipsis), Elt: t.expr(e.Elt)}
	case *ast.ArrayType:
		return &syntax.ArrayType{At: t.short(e.Lbrack), Len: t.expr(e.Len), Elt: t.expr(e.Elt)}
	case *ast.StructType:
		return &syntax.StructType{Incomplete: e.Incomplete, Struct: t.at(e.Struct), Fields: t.fields(e.Fields)}
	case *ast.FuncType:
		return t.signature(e)
	case *ast.InterfaceType:
		return &syntax.InterfaceType{Incomplete: e.Incomplete, Interface: t.at(e.Interface), Methods: t.fields(e.Methods)}
	case *ast.MapType:
		return &syntax.MapType{At: t.short(e.Map), Key: t.expr(e.Key), Value: t.expr(e.Value)}
	case *ast.ChanType:
		return &syntax.ChanType{Dir: uint8(e.Dir), Begin: t.at(e.Begin), Arrow: t.at(e.Arrow), Value: t.expr(e.Value)}
	default:
		bad := e.(*ast.BadExpr)
		return &syntax.BadExpr{From: t.at(bad.From), To: t.at(bad.To)}
	}
}
