package fromjs

import (
	"fmt"

	"github.com/tdewolff/parse/v2/js"

	"github.com/coppice-go/coppice/workloads/jsast/syntax"
	"github.com/coppice-go/coppice/workloads/jsast/syntaxflat"
)

func prec(p js.OpPrec) syntax.OpPrec { return syntax.OpPrec(p) }

func (c *converter) expr(n js.IExpr) syntaxflat.IExpr {
	b := c.b
	switch n := n.(type) {
	case nil:
		return syntaxflat.IExpr{}
	case *js.Var:
		return b.Ident(c.variable(n)).AsIdent().AsIExpr()
	case *js.LiteralExpr:
		return c.literal(n).AsIExpr()
	case js.LiteralExpr: // the parser creates both types
		return c.literal(&n).AsIExpr()
	case *js.DotExpr:
		return b.DotExpr(c.expr(n.X), c.expr(n.Y), prec(n.Prec), n.Optional)
	case *js.CallExpr:
		return b.CallExpr(c.expr(n.X), c.args(&n.Args), prec(n.Prec), n.Optional)
	case *js.BinaryExpr:
		return b.BinaryExpr(token(n.Op), c.expr(n.X), c.expr(n.Y))
	case *js.UnaryExpr:
		return b.UnaryExpr(token(n.Op), c.expr(n.X))
	case *js.GroupExpr:
		return b.GroupExpr(c.expr(n.X))
	case *js.IndexExpr:
		return b.IndexExpr(c.expr(n.X), c.expr(n.Y), prec(n.Prec), n.Optional)
	case *js.CondExpr:
		return b.CondExpr(c.expr(n.Cond), c.expr(n.X), c.expr(n.Y))
	case *js.NewExpr:
		return b.NewExpr(c.expr(n.X), c.args(n.Args))
	case *js.CommaExpr:
		return b.CommaExpr(convertList(c, n.List, c.expr))
	case *js.YieldExpr:
		return b.YieldExpr(n.Generator, c.expr(n.X))
	case *js.NewTargetExpr:
		return b.NewTargetExpr()
	case *js.ImportMetaExpr:
		return b.ImportMetaExpr()
	case *js.VarDecl:
		return c.varDecl(n).AsIExpr()
	case *js.FuncDecl:
		return c.funcDecl(n).AsIExpr()
	case *js.ClassDecl:
		return c.classDecl(n).AsIExpr()
	case *js.MethodDecl:
		return c.method(n).AsIExpr()
	default:
		return c.composite(n)
	}
}

// composite converts the literals with parts, and arrow functions.
func (c *converter) composite(n js.IExpr) syntaxflat.IExpr {
	b := c.b
	switch n := n.(type) {
	case *js.ArrayExpr:
		return b.ArrayExpr(convertList(c, n.List, func(e js.Element) syntaxflat.ElementFields {
			return syntaxflat.ElementFields{Value: c.expr(e.Value), Spread: e.Spread}
		}))
	case *js.ObjectExpr:
		return b.ObjectExpr(convertList(c, n.List, func(p js.Property) syntaxflat.PropertyFields {
			return syntaxflat.PropertyFields{Name: c.name(p.Name), Spread: p.Spread, Value: c.expr(p.Value), Init: c.expr(p.Init)}
		}))
	case *js.TemplateExpr:
		return b.TemplateExpr(syntaxflat.TemplateExprFields{
			Tag: c.expr(n.Tag), Tail: n.Tail, Prec: prec(n.Prec), Optional: n.Optional,
			List: convertList(c, n.List, func(p js.TemplatePart) syntaxflat.TemplatePartFields {
				return syntaxflat.TemplatePartFields{Value: p.Value, Expr: c.expr(p.Expr)}
			}),
		})
	case *js.ArrowFunc:
		c.enter(&n.Body.Scope)
		defer c.leave()
		return b.ArrowFunc(n.Async, c.params(n.Params), c.body(&n.Body))
	default:
		panic(fmt.Sprintf("convert: an expression of type %T", n))
	}
}

func (c *converter) literal(n *js.LiteralExpr) syntaxflat.LiteralExpr {
	return c.b.LiteralExpr(token(n.TokenType), n.Data).AsLiteralExpr()
}

func (c *converter) name(n *js.PropertyName) syntaxflat.PropertyName {
	if n == nil {
		return syntaxflat.PropertyName{}
	}
	return c.b.PropertyName(c.literal(&n.Literal), c.expr(n.Computed))
}

func (c *converter) args(n *js.Args) syntaxflat.Args {
	if n == nil {
		return syntaxflat.Args{}
	}
	return c.b.Args(convertList(c, n.List, func(a js.Arg) syntaxflat.ArgFields {
		return syntaxflat.ArgFields{Value: c.expr(a.Value), Rest: a.Rest}
	}))
}
