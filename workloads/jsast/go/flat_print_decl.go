package main

import "github.com/coppice-go/coppice/workloads/jsast/syntaxflat"

func (p *printer) varDecl(n syntaxflat.VarDecl) {
	p.token(n.TokenType())
	for i := range n.NumList() {
		if i > 0 {
			p.text(",")
		}
		p.text(" ")
		p.element(n.ListAt(i))
	}
}

func (p *printer) element(n syntaxflat.BindingElement) {
	if !n.Binding().IsNil() {
		p.binding(n.Binding())
		p.optional(" = ", n.Default())
	}
}

func (p *printer) binding(n syntaxflat.IBinding) {
	switch n.Kind() {
	case syntaxflat.KindIdent:
		p.text(n.AsIdent().Var().Data())
	case syntaxflat.KindBindingArray:
		p.bindingArray(n.AsBindingArray())
	default:
		p.bindingObject(n.AsBindingObject())
	}
}

func (p *printer) bindingArray(n syntaxflat.BindingArray) {
	p.text("[")
	for i := range n.NumList() {
		item := n.ListAt(i)
		if i > 0 {
			p.text(",")
		}
		if !item.Binding().IsNil() {
			if i > 0 {
				p.text(" ")
			}
			p.element(item)
		}
	}
	if !n.Rest().IsNil() {
		if n.NumList() > 0 {
			p.text(", ")
		}
		p.text("...")
		p.binding(n.Rest())
	} else if n.NumList() > 0 && n.ListAt(n.NumList()-1).Binding().IsNil() {
		p.text(",")
	}
	p.text("]")
}

func (p *printer) bindingObject(n syntaxflat.BindingObject) {
	p.text("{")
	for i := range n.NumList() {
		item := n.ListAt(i)
		p.comma(i)
		if bound := item.Value().Binding(); !item.Key().IsNil() && !(bound.Kind() == syntaxflat.KindIdent && isNamed(item.Key(), bound.AsIdent())) {
			p.name(item.Key().Literal(), item.Key().Computed())
			p.text(": ")
		}
		p.element(item.Value())
	}
	if !n.Rest().IsNil() {
		p.comma(n.NumList())
		p.text("...")
		p.text(n.Rest().Data())
	}
	p.text("}")
}

// comma writes the separator before the item with index i.
func (p *printer) comma(i int) {
	if i > 0 {
		p.text(", ")
	}
}

func (p *printer) params(n syntaxflat.Params) {
	p.text("(")
	for i := range n.NumList() {
		p.comma(i)
		p.element(n.ListAt(i))
	}
	if !n.Rest().IsNil() {
		p.comma(n.NumList())
		p.text("...")
		p.binding(n.Rest())
	}
	p.text(")")
}

func (p *printer) funcDecl(n syntaxflat.FuncDecl) {
	if n.Async() {
		p.text("async ")
	}
	p.text("function")
	if n.Generator() {
		p.text("*")
	}
	if !n.Name().IsNil() {
		p.text(" ")
		p.text(n.Name().Data())
	}
	p.params(n.Params())
	p.text(" ")
	p.block(n.Body())
}

func (p *printer) classDecl(n syntaxflat.ClassDecl) {
	p.text("class")
	if !n.Name().IsNil() {
		p.text(" ")
		p.text(n.Name().Data())
	}
	p.optional(" extends ", n.Extends())
	if n.NumList() == 0 {
		p.text(" {}")
		return
	}
	p.text(" {")
	p.indent += indentStep
	for i := range n.NumList() {
		p.line()
		p.classElement(n.ListAt(i))
	}
	p.indent -= indentStep
	p.line()
	p.text("}")
}

func (p *printer) classElement(n syntaxflat.ClassElement) {
	switch {
	case !n.StaticBlock().IsNil():
		p.text("static ")
		p.block(n.StaticBlock())
	case !n.Method().IsNil():
		p.method(n.Method())
	default:
		if n.Static() {
			p.text("static ")
		}
		p.elementName(n.Name())
		p.optional(" = ", n.Init())
		p.text(";")
	}
}

func (p *printer) method(n syntaxflat.MethodDecl) {
	for _, word := range []struct {
		is   bool
		text string
	}{{n.Static(), "static "}, {n.Async(), "async "}, {n.Generator(), "* "}, {n.Get(), "get "}, {n.Set(), "set "}} {
		if word.is {
			p.text(word.text)
		}
	}
	p.elementName(n.Name())
	p.text(" ")
	p.params(n.Params())
	p.text(" ")
	p.block(n.Body())
}

func (p *printer) elementName(n syntaxflat.ClassElementName) {
	if !n.Private().IsNil() {
		p.text(n.Private().Data())
		return
	}
	p.name(n.Literal(), n.Computed())
}

func (p *printer) name(literal syntaxflat.LiteralExpr, computed syntaxflat.IExpr) {
	if computed.IsNil() {
		if !literal.IsNil() {
			p.text(literal.Data())
		}
		return
	}
	p.text("[")
	p.expr(computed)
	p.text("]")
}

func (p *printer) importStmt(n syntaxflat.ImportStmt) {
	p.text("import")
	if n.Default() != "" {
		p.text(" ")
		p.text(n.Default())
		if n.HasList() {
			p.text(",")
		}
	}
	if n.HasList() {
		p.aliases(n.NumList(), n.ListAt)
	}
	if n.Default() != "" || n.HasList() {
		p.text(" from")
	}
	p.text(" ")
	p.text(n.Module())
	p.text(";")
}

func (p *printer) exportStmt(n syntaxflat.ExportStmt) {
	p.text("export")
	if !n.Decl().IsNil() {
		if n.Default() {
			p.text(" default")
		}
		p.text(" ")
		p.expr(n.Decl())
		p.text(";")
		return
	}
	if all := n.NumList() == 1 && n.ListAt(0).Name() == "" && n.ListAt(0).Binding() == "*"; all { // * without a name
		p.text(" ")
		p.alias(n.ListAt(0))
	} else {
		p.aliases(n.NumList(), n.ListAt)
	}
	if n.Module() != "" {
		p.text(" from ")
		p.text(n.Module())
	}
	p.text(";")
}

// aliases writes a list of names, or a star that stands for all names.
func (p *printer) aliases(count int, at func(int) syntaxflat.Alias) {
	switch {
	case count == 0:
		p.text(" {}")
		return
	case count == 1 && at(0).Name() == "*":
		p.text(" ")
		p.alias(at(0))
		return
	}
	p.text(" {")
	for i := range count {
		if i > 0 {
			p.text(",")
		}
		if at(i).Binding() != "" {
			p.text(" ")
			p.alias(at(i))
		}
	}
	p.text(" }")
}

func (p *printer) alias(n syntaxflat.Alias) {
	if n.Name() != "" {
		p.text(n.Name())
		p.text(" as ")
	}
	p.text(n.Binding())
}
