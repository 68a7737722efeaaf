package main

import "github.com/coppice-go/coppice/workloads/jsast/syntaxflat"

// An exchange puts an expression into the place of another.
type exchange struct{ old, now syntaxflat.IExpr }

// at exchanges the expression in a field, if the old one is there.
func (x exchange) at(have syntaxflat.IExpr, set func(syntaxflat.IExpr)) bool {
	if have != x.old {
		return false
	}
	set(x.now)
	return true
}

// in exchanges the expression in its parent, and reports whether it is there.
func (x exchange) in(parent syntaxflat.Any) bool {
	switch parent.Kind() {
	case syntaxflat.KindBinaryExpr:
		n := parent.AsBinaryExpr()
		return x.at(n.X(), n.SetX) || x.at(n.Y(), n.SetY)
	case syntaxflat.KindGroupExpr:
		n := parent.AsGroupExpr()
		return x.at(n.X(), n.SetX)
	case syntaxflat.KindUnaryExpr:
		n := parent.AsUnaryExpr()
		return x.at(n.X(), n.SetX)
	case syntaxflat.KindCondExpr:
		n := parent.AsCondExpr()
		return x.at(n.Cond(), n.SetCond) || x.at(n.X(), n.SetX) || x.at(n.Y(), n.SetY)
	case syntaxflat.KindDotExpr:
		n := parent.AsDotExpr()
		return x.at(n.X(), n.SetX) || x.at(n.Y(), n.SetY)
	case syntaxflat.KindIndexExpr:
		n := parent.AsIndexExpr()
		return x.at(n.X(), n.SetX) || x.at(n.Y(), n.SetY)
	case syntaxflat.KindCallExpr:
		n := parent.AsCallExpr()
		return x.at(n.X(), n.SetX)
	case syntaxflat.KindNewExpr:
		n := parent.AsNewExpr()
		return x.at(n.X(), n.SetX)
	case syntaxflat.KindYieldExpr:
		n := parent.AsYieldExpr()
		return x.at(n.X(), n.SetX)
	case syntaxflat.KindPropertyName:
		n := parent.AsPropertyName()
		return x.at(n.Computed(), n.SetComputed)
	default:
		return x.inList(parent) || x.inStmt(parent) || x.inDeclaration(parent)
	}
}

func (x exchange) inStmt(parent syntaxflat.Any) bool {
	switch parent.Kind() {
	case syntaxflat.KindExprStmt:
		n := parent.AsExprStmt()
		return x.at(n.Value(), n.SetValue)
	case syntaxflat.KindReturnStmt:
		n := parent.AsReturnStmt()
		return x.at(n.Value(), n.SetValue)
	case syntaxflat.KindThrowStmt:
		n := parent.AsThrowStmt()
		return x.at(n.Value(), n.SetValue)
	case syntaxflat.KindIfStmt:
		n := parent.AsIfStmt()
		return x.at(n.Cond(), n.SetCond)
	case syntaxflat.KindWhileStmt:
		n := parent.AsWhileStmt()
		return x.at(n.Cond(), n.SetCond)
	case syntaxflat.KindDoWhileStmt:
		n := parent.AsDoWhileStmt()
		return x.at(n.Cond(), n.SetCond)
	case syntaxflat.KindWithStmt:
		n := parent.AsWithStmt()
		return x.at(n.Cond(), n.SetCond)
	case syntaxflat.KindForStmt:
		n := parent.AsForStmt()
		return x.at(n.Init(), n.SetInit) || x.at(n.Cond(), n.SetCond) || x.at(n.Post(), n.SetPost)
	case syntaxflat.KindForInStmt:
		n := parent.AsForInStmt()
		return x.at(n.Init(), n.SetInit) || x.at(n.Value(), n.SetValue)
	case syntaxflat.KindForOfStmt:
		n := parent.AsForOfStmt()
		return x.at(n.Init(), n.SetInit) || x.at(n.Value(), n.SetValue)
	case syntaxflat.KindExportStmt:
		n := parent.AsExportStmt()
		return x.at(n.Decl(), n.SetDecl)
	case syntaxflat.KindSwitchStmt:
		n := parent.AsSwitchStmt()
		return x.at(n.Init(), n.SetInit) || each(n.List, func(c syntaxflat.CaseClause) bool { return x.at(c.Cond(), c.SetCond) })
	default:
		return false
	}
}

// each calls f for items until it returns true.
func each[T any](items func(func(T) bool), f func(T) bool) (found bool) {
	for item := range items {
		if f(item) {
			return true
		}
	}
	return false
}

func (x exchange) inList(parent syntaxflat.Any) bool {
	switch parent.Kind() {
	case syntaxflat.KindArgs:
		return each(parent.AsArgs().List, func(a syntaxflat.Arg) bool { return x.at(a.Value(), a.SetValue) })
	case syntaxflat.KindArrayExpr:
		return each(parent.AsArrayExpr().List, func(e syntaxflat.Element) bool { return x.at(e.Value(), e.SetValue) })
	case syntaxflat.KindObjectExpr:
		return each(parent.AsObjectExpr().List, func(p syntaxflat.Property) bool {
			return x.at(p.Value(), p.SetValue) || x.at(p.Init(), p.SetInit)
		})
	case syntaxflat.KindTemplateExpr:
		n := parent.AsTemplateExpr()
		return x.at(n.Tag(), n.SetTag) || each(n.List, func(p syntaxflat.TemplatePart) bool { return x.at(p.Expr(), p.SetExpr) })
	case syntaxflat.KindCommaExpr:
		n := parent.AsCommaExpr()
		for i := range n.NumList() {
			if x.at(n.ListAt(i), func(e syntaxflat.IExpr) { n.SetListAt(i, e) }) {
				return true
			}
		}
	}
	return false
}

func (x exchange) inDeclaration(parent syntaxflat.Any) bool {
	switch parent.Kind() {
	case syntaxflat.KindVarDecl:
		return each(parent.AsVarDecl().List, x.inElement)
	case syntaxflat.KindBindingArray:
		return each(parent.AsBindingArray().List, x.inElement)
	case syntaxflat.KindBindingObject:
		return each(parent.AsBindingObject().List, func(i syntaxflat.BindingObjectItem) bool { return x.inElement(i.Value()) })
	case syntaxflat.KindFuncDecl:
		return each(parent.AsFuncDecl().Params().List, x.inElement)
	case syntaxflat.KindArrowFunc:
		return each(parent.AsArrowFunc().Params().List, x.inElement)
	case syntaxflat.KindMethodDecl:
		n := parent.AsMethodDecl()
		name := n.Name()
		return x.at(name.Computed(), name.SetComputed) || each(n.Params().List, x.inElement)
	case syntaxflat.KindClassDecl:
		n := parent.AsClassDecl()
		return x.at(n.Extends(), n.SetExtends) || each(n.List, func(e syntaxflat.ClassElement) bool {
			name := e.Name()
			return x.at(e.Init(), e.SetInit) || x.at(name.Computed(), name.SetComputed)
		})
	default:
		return false
	}
}

func (x exchange) inElement(e syntaxflat.BindingElement) bool { return x.at(e.Default(), e.SetDefault) }
