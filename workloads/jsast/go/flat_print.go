package main

import (
	"slices"
	"strings"

	"github.com/tdewolff/parse/v2/js"

	"github.com/coppice-go/coppice/workloads/jsast/syntax"
	"github.com/coppice-go/coppice/workloads/jsast/syntaxflat"
)

// A printer writes the same text as the parser's own printer.
type printer struct {
	out    []byte
	indent int
}

const indentStep = 4

// printFlat appends the source of a tree.
func printFlat(out []byte, t syntaxflat.Tree) []byte {
	p := printer{out: out}
	for i := range t.Root().NumList() {
		if i > 0 {
			p.text("\n")
		}
		p.ended(t.Root().ListAt(i))
	}
	return p.out
}

func (p *printer) text(s string) { p.out = append(p.out, s...) }

func (p *printer) token(t syntax.TokenType) { p.out = append(p.out, js.TokenType(t).Bytes()...) }

var spaces = strings.Repeat(" ", 256)

func (p *printer) line() {
	p.text("\n")
	for n := p.indent; n > 0; n -= len(spaces) {
		p.text(spaces[:min(n, len(spaces))])
	}
}

// ended writes a statement, with a semicolon after a declaration of variables.
func (p *printer) ended(n syntaxflat.IStmt) {
	p.stmt(n)
	if n.Kind() == syntaxflat.KindVarDecl {
		p.text(";")
	}
}

// list writes statements, each on its own line.
func (p *printer) list(n int, at func(int) syntaxflat.IStmt) {
	p.indent += indentStep
	for i := range n {
		p.line()
		p.ended(at(i))
	}
	p.indent -= indentStep
}

func (p *printer) block(n syntaxflat.BlockStmt) {
	if n.NumList() == 0 {
		p.text("{}")
		return
	}
	p.text("{")
	p.list(n.NumList(), n.ListAt)
	p.line()
	p.text("}")
}

func (p *printer) stmt(n syntaxflat.IStmt) {
	switch n.Kind() {
	case syntaxflat.KindExprStmt:
		p.exprStmt(n.AsExprStmt())
	case syntaxflat.KindBlockStmt:
		p.block(n.AsBlockStmt())
	case syntaxflat.KindVarDecl:
		p.varDecl(n.AsVarDecl())
	case syntaxflat.KindReturnStmt:
		p.text("return")
		if v := n.AsReturnStmt().Value(); !v.IsNil() {
			p.text(" ")
			p.expr(v)
		}
		p.text(";")
	case syntaxflat.KindIfStmt:
		p.ifStmt(n.AsIfStmt())
	case syntaxflat.KindFuncDecl:
		p.funcDecl(n.AsFuncDecl())
	case syntaxflat.KindClassDecl:
		p.classDecl(n.AsClassDecl())
	case syntaxflat.KindThrowStmt:
		p.text("throw ")
		p.expr(n.AsThrowStmt().Value())
		p.text(";")
	case syntaxflat.KindBranchStmt:
		p.token(n.AsBranchStmt().Type())
		if label := n.AsBranchStmt().Label(); label != "" {
			p.text(" ")
			p.text(label)
		}
		p.text(";")
	case syntaxflat.KindTryStmt:
		p.tryStmt(n.AsTryStmt())
	case syntaxflat.KindSwitchStmt:
		p.switchStmt(n.AsSwitchStmt())
	case syntaxflat.KindLabelledStmt:
		p.text(n.AsLabelledStmt().Label())
		p.text(":")
		p.inner(n.AsLabelledStmt().Value())
	case syntaxflat.KindEmptyStmt:
		p.text(";")
	case syntaxflat.KindDebuggerStmt:
		p.text("debugger;")
	case syntaxflat.KindComment:
		p.text(n.AsComment().Value())
	case syntaxflat.KindDirectivePrologueStmt:
		p.text(n.AsDirectivePrologueStmt().Value())
		p.text(";")
	case syntaxflat.KindImportStmt:
		p.importStmt(n.AsImportStmt())
	case syntaxflat.KindExportStmt:
		p.exportStmt(n.AsExportStmt())
	default:
		p.loop(n)
	}
}

// exprStmt puts parentheses around an expression that would be read as a declaration.
func (p *printer) exprStmt(n syntaxflat.ExprStmt) {
	start := len(p.out)
	p.expr(n.Value())
	if strings.HasPrefix(string(p.out[start:min(start+4, len(p.out))]), "let ") {
		p.out = slices.Insert(p.out, start, '(')
		p.text(")")
	}
	p.text(";")
}

// inner writes a statement that is the body of another one.
func (p *printer) inner(n syntaxflat.IStmt) {
	if n.Kind() != syntaxflat.KindEmptyStmt {
		p.text(" ")
	}
	p.ended(n)
}

func (p *printer) ifStmt(n syntaxflat.IfStmt) {
	p.text("if (")
	p.expr(n.Cond())
	p.text(")")
	p.inner(n.Body())
	if !n.Else().IsNil() {
		p.text(" else")
		p.inner(n.Else())
	}
}

func (p *printer) loop(n syntaxflat.IStmt) {
	switch n.Kind() {
	case syntaxflat.KindForStmt:
		p.forStmt(n.AsForStmt())
	case syntaxflat.KindForOfStmt:
		n := n.AsForOfStmt()
		p.text("for")
		if n.Await() {
			p.text(" await")
		}
		p.each(n.Init(), " of ", n.Value(), n.Body())
	case syntaxflat.KindForInStmt:
		n := n.AsForInStmt()
		p.text("for")
		p.each(n.Init(), " in ", n.Value(), n.Body())
	case syntaxflat.KindWhileStmt:
		p.text("while (")
		p.expr(n.AsWhileStmt().Cond())
		p.text(")")
		p.inner(n.AsWhileStmt().Body())
	case syntaxflat.KindWithStmt:
		p.text("with (")
		p.expr(n.AsWithStmt().Cond())
		p.text(")")
		p.inner(n.AsWithStmt().Body())
	case syntaxflat.KindDoWhileStmt:
		n := n.AsDoWhileStmt()
		p.text("do")
		p.inner(n.Body())
		if n.Body().Kind() != syntaxflat.KindComment {
			p.text(" ")
		}
		p.text("while (")
		p.expr(n.Cond())
		p.text(");")
	default:
		panic("print: a statement of kind " + n.Kind().String())
	}
}

func (p *printer) each(init syntaxflat.IExpr, word string, value syntaxflat.IExpr, body syntaxflat.BlockStmt) {
	p.text(" (")
	p.expr(init)
	p.text(word)
	p.expr(value)
	p.text(") ")
	p.block(body)
}

func (p *printer) forStmt(n syntaxflat.ForStmt) {
	p.text("for (")
	if init := n.Init(); init.IsNil() || init.Kind() == syntaxflat.KindVarDecl && init.AsVarDecl().NumList() == 0 {
		p.text(" ")
	} else {
		p.expr(init)
	}
	p.text("; ")
	p.optional("", n.Cond())
	p.text("; ")
	p.optional("", n.Post())
	p.text(") ")
	p.block(n.Body())
}

// optional writes a string and an expression, or nothing if the expression is nil.
func (p *printer) optional(before string, n syntaxflat.IExpr) {
	if !n.IsNil() {
		p.text(before)
		p.expr(n)
	}
}

func (p *printer) tryStmt(n syntaxflat.TryStmt) {
	p.text("try ")
	p.block(n.Body())
	if !n.Catch().IsNil() {
		p.text(" catch")
		if !n.Binding().IsNil() {
			p.text("(")
			p.binding(n.Binding())
			p.text(")")
		}
		p.text(" ")
		p.block(n.Catch())
	}
	if !n.Finally().IsNil() {
		p.text(" finally ")
		p.block(n.Finally())
	}
}

func (p *printer) switchStmt(n syntaxflat.SwitchStmt) {
	p.text("switch (")
	p.expr(n.Init())
	if n.NumList() == 0 {
		p.text(") {}")
		return
	}
	p.text(") {")
	for clause := range n.List {
		p.line()
		if clause.Cond().IsNil() {
			p.text("default")
		}
		p.optional("case ", clause.Cond())
		p.text(":")
		p.list(clause.NumList(), clause.ListAt)
	}
	p.line()
	p.text("}")
}
