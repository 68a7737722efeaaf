package main

import (
	"github.com/tdewolff/parse/v2/js"

	"github.com/coppice-go/coppice/workloads/jsast/syntaxflat"
)

func (p *printer) expr(n syntaxflat.IExpr) {
	switch n.Kind() {
	case syntaxflat.KindIdent:
		p.text(n.AsIdent().Var().Data())
	case syntaxflat.KindLiteralExpr:
		p.text(n.AsLiteralExpr().Data())
	case syntaxflat.KindDotExpr:
		p.dot(n.AsDotExpr())
	case syntaxflat.KindCallExpr:
		n := n.AsCallExpr()
		p.expr(n.X())
		p.chain(n.Optional())
		p.text("(")
		p.args(n.Args())
		p.text(")")
	case syntaxflat.KindBinaryExpr:
		n := n.AsBinaryExpr()
		p.expr(n.X())
		p.text(" ")
		p.token(n.Op())
		p.text(" ")
		p.expr(n.Y())
	case syntaxflat.KindUnaryExpr:
		p.unary(n.AsUnaryExpr())
	case syntaxflat.KindGroupExpr:
		p.text("(")
		p.expr(n.AsGroupExpr().X())
		p.text(")")
	case syntaxflat.KindIndexExpr:
		n := n.AsIndexExpr()
		p.expr(n.X())
		p.chain(n.Optional())
		p.text("[")
		p.expr(n.Y())
		p.text("]")
	case syntaxflat.KindCondExpr:
		n := n.AsCondExpr()
		p.expr(n.Cond())
		p.text(" ? ")
		p.expr(n.X())
		p.text(" : ")
		p.expr(n.Y())
	case syntaxflat.KindNewExpr:
		p.text("new ")
		p.expr(n.AsNewExpr().X())
		p.text("(")
		p.args(n.AsNewExpr().Args())
		p.text(")")
	default:
		p.rare(n)
	}
}

// chain writes the mark of an optional chain.
func (p *printer) chain(optional bool) {
	if optional {
		p.text("?.")
	}
}

func (p *printer) rare(n syntaxflat.IExpr) {
	switch n.Kind() {
	case syntaxflat.KindArrayExpr:
		p.array(n.AsArrayExpr())
	case syntaxflat.KindObjectExpr:
		p.object(n.AsObjectExpr())
	case syntaxflat.KindTemplateExpr:
		p.template(n.AsTemplateExpr())
	case syntaxflat.KindArrowFunc:
		n := n.AsArrowFunc()
		if n.Async() {
			p.text("async ")
		}
		p.params(n.Params())
		p.text(" => ")
		p.block(n.Body())
	case syntaxflat.KindFuncDecl:
		p.funcDecl(n.AsFuncDecl())
	case syntaxflat.KindClassDecl:
		p.classDecl(n.AsClassDecl())
	case syntaxflat.KindMethodDecl:
		p.method(n.AsMethodDecl())
	case syntaxflat.KindVarDecl:
		p.varDecl(n.AsVarDecl())
	case syntaxflat.KindYieldExpr:
		n := n.AsYieldExpr()
		p.text("yield")
		if n.Generator() && !n.X().IsNil() {
			p.text("*")
		}
		p.optional(" ", n.X())
	case syntaxflat.KindCommaExpr:
		for i := range n.AsCommaExpr().NumList() {
			if i > 0 {
				p.text(",")
			}
			p.expr(n.AsCommaExpr().ListAt(i))
		}
	case syntaxflat.KindNewTargetExpr:
		p.text("new.target")
	case syntaxflat.KindImportMetaExpr:
		p.text("import.meta")
	default:
		panic("print: an expression of kind " + n.Kind().String())
	}
}

func (p *printer) dot(n syntaxflat.DotExpr) {
	group := false
	if x := n.X(); x.Kind() == syntaxflat.KindLiteralExpr && !n.Optional() {
		token := js.TokenType(x.AsLiteralExpr().TokenType())
		group = token == js.DecimalToken || token == js.IntegerToken
	}
	if group {
		p.text("(")
	}
	p.expr(n.X())
	switch {
	case n.Optional():
		p.text("?.")
	case group:
		p.text(").")
	default:
		p.text(".")
	}
	p.expr(n.Y())
}

func (p *printer) unary(n syntaxflat.UnaryExpr) {
	op := js.TokenType(n.Op())
	if op == js.PostIncrToken || op == js.PostDecrToken {
		p.expr(n.X())
		p.token(n.Op())
		return
	}
	p.token(n.Op())
	if js.IsIdentifierName(op) || n.X().Kind() == syntaxflat.KindUnaryExpr && joins(op, js.TokenType(n.X().AsUnaryExpr().Op())) {
		p.text(" ")
	}
	p.expr(n.X())
}

// joins reports whether two operators without a space between them would form a different operator.
func joins(first, second js.TokenType) bool {
	return first == js.PosToken && (second == js.PreIncrToken || second == js.PosToken) ||
		first == js.NegToken && (second == js.PreDecrToken || second == js.NegToken)
}

func (p *printer) array(n syntaxflat.ArrayExpr) {
	p.text("[")
	for i := range n.NumList() {
		p.comma(i)
		item := n.ListAt(i)
		if item.Spread() && !item.Value().IsNil() {
			p.text("...")
		}
		p.optional("", item.Value())
	}
	if n.NumList() > 0 && n.ListAt(n.NumList()-1).Value().IsNil() {
		p.text(",")
	}
	p.text("]")
}

func (p *printer) object(n syntaxflat.ObjectExpr) {
	p.text("{")
	for i := range n.NumList() {
		p.comma(i)
		p.property(n.ListAt(i))
	}
	p.text("}")
}

func (p *printer) property(n syntaxflat.Property) {
	switch {
	case !n.Name().IsNil():
		if v := n.Value(); !(v.Kind() == syntaxflat.KindIdent && isNamed(n.Name(), v.AsIdent())) {
			p.name(n.Name().Literal(), n.Name().Computed())
			p.text(": ")
		}
	case n.Spread():
		p.text("...")
	}
	p.expr(n.Value())
	p.optional(" = ", n.Init())
}

// isNamed reports whether a property has the name of a variable.
func isNamed(name syntaxflat.PropertyName, n syntaxflat.Ident) bool {
	literal := name.Literal()
	return name.Computed().IsNil() && js.TokenType(literal.TokenType()) == js.IdentifierToken && literal.Data() == n.Var().Data()
}

// template writes a template literal without indentation, because its white space is
// significant.
func (p *printer) template(n syntaxflat.TemplateExpr) {
	indent := p.indent
	p.indent = 0
	if !n.Tag().IsNil() {
		p.expr(n.Tag())
		p.chain(n.Optional())
	}
	for i := range n.NumList() {
		p.text(n.ListAt(i).Value())
		p.expr(n.ListAt(i).Expr())
	}
	p.text(n.Tail())
	p.indent = indent
}

func (p *printer) args(n syntaxflat.Args) {
	if n.IsNil() {
		return
	}
	for i := range n.NumList() {
		p.comma(i)
		if n.ListAt(i).Rest() {
			p.text("...")
		}
		p.expr(n.ListAt(i).Value())
	}
}
