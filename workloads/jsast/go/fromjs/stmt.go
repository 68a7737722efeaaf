package fromjs

import (
	"fmt"

	"github.com/tdewolff/parse/v2/js"

	"github.com/coppice-go/coppice/workloads/jsast/syntaxflat"
)

func (c *converter) stmt(n js.IStmt) syntaxflat.IStmt {
	b := c.b
	switch n := n.(type) {
	case nil:
		return syntaxflat.IStmt{}
	case *js.BlockStmt:
		return c.block(n).AsIStmt()
	case *js.Comment:
		return b.Comment(n.Value)
	case *js.EmptyStmt:
		return b.EmptyStmt()
	case *js.ExprStmt:
		return b.ExprStmt(c.expr(n.Value))
	case *js.BranchStmt:
		return b.BranchStmt(token(n.Type), n.Label)
	case *js.ReturnStmt:
		return b.ReturnStmt(c.expr(n.Value))
	case *js.LabelledStmt:
		return b.LabelledStmt(n.Label, c.stmt(n.Value))
	case *js.ThrowStmt:
		return b.ThrowStmt(c.expr(n.Value))
	case *js.DebuggerStmt:
		return b.DebuggerStmt()
	case *js.DirectivePrologueStmt:
		return b.DirectivePrologueStmt(n.Value)
	case *js.VarDecl:
		return c.varDecl(n).AsIStmt()
	case *js.FuncDecl:
		return c.funcDecl(n).AsIStmt()
	case *js.ClassDecl:
		return c.classDecl(n).AsIStmt()
	case *js.ImportStmt:
		return b.ImportStmt(n.List != nil, convertList(c, n.List, alias), n.Default, n.Module)
	case *js.ExportStmt:
		return b.ExportStmt(convertList(c, n.List, alias), n.Module, n.Default, c.expr(n.Decl))
	default:
		return c.branching(n)
	}
}

// branching converts the statements that contain others.
func (c *converter) branching(n js.IStmt) syntaxflat.IStmt {
	b := c.b
	switch n := n.(type) {
	case *js.IfStmt:
		return b.IfStmt(c.expr(n.Cond), c.stmt(n.Body), c.stmt(n.Else))
	case *js.DoWhileStmt:
		return b.DoWhileStmt(c.expr(n.Cond), c.stmt(n.Body))
	case *js.WhileStmt:
		return b.WhileStmt(c.expr(n.Cond), c.stmt(n.Body))
	case *js.WithStmt:
		return b.WithStmt(c.expr(n.Cond), c.stmt(n.Body))
	case *js.ForStmt:
		c.enter(&n.Body.Scope)
		defer c.leave()
		return b.ForStmt(c.expr(n.Init), c.expr(n.Cond), c.expr(n.Post), c.body(n.Body))
	case *js.ForInStmt:
		c.enter(&n.Body.Scope)
		defer c.leave()
		return b.ForInStmt(c.expr(n.Init), c.expr(n.Value), c.body(n.Body))
	case *js.ForOfStmt:
		c.enter(&n.Body.Scope)
		defer c.leave()
		return b.ForOfStmt(n.Await, c.expr(n.Init), c.expr(n.Value), c.body(n.Body))
	case *js.SwitchStmt:
		init := c.expr(n.Init)
		c.enter(&n.Scope)
		defer c.leave()
		return b.SwitchStmt(init, convertList(c, n.List, c.clause), c.scope.to)
	case *js.TryStmt:
		body := c.block(n.Body)
		var binding syntaxflat.IBinding
		var catch syntaxflat.BlockStmt
		if n.Catch != nil {
			c.enter(&n.Catch.Scope)
			binding = c.binding(n.Binding)
			catch = c.body(n.Catch)
			c.leave()
		}
		return b.TryStmt(body, binding, catch, c.block(n.Finally))
	default:
		panic(fmt.Sprintf("convert: a statement of type %T", n))
	}
}

func (c *converter) clause(n js.CaseClause) syntaxflat.CaseClauseFields {
	return syntaxflat.CaseClauseFields{TokenType: token(n.TokenType), Cond: c.expr(n.Cond), List: convertList(c, n.List, c.stmt)}
}

func alias(n js.Alias) syntaxflat.AliasFields {
	return syntaxflat.AliasFields{Name: n.Name, Binding: n.Binding}
}

func (c *converter) funcDecl(n *js.FuncDecl) syntaxflat.FuncDecl {
	c.enter(&n.Body.Scope)
	defer c.leave()
	return c.b.FuncDecl(syntaxflat.FuncDeclFields{
		Async: n.Async, Generator: n.Generator, Name: c.variable(n.Name), Params: c.params(n.Params), Body: c.body(&n.Body),
	}).AsFuncDecl()
}

func (c *converter) method(n *js.MethodDecl) syntaxflat.MethodDecl {
	if n == nil {
		return syntaxflat.MethodDecl{}
	}
	name := c.elementName(n.Name)
	c.enter(&n.Body.Scope)
	defer c.leave()
	return c.b.MethodDecl(syntaxflat.MethodDeclFields{
		Static: n.Static, Async: n.Async, Generator: n.Generator, Get: n.Get, Set: n.Set,
		Name: name, Params: c.params(n.Params), Body: c.body(&n.Body),
	}).AsMethodDecl()
}

func (c *converter) classDecl(n *js.ClassDecl) syntaxflat.ClassDecl {
	name, extends := c.className(n.Name), c.expr(n.Extends)
	c.enter(&n.Scope)
	defer c.leave()
	list := convertList(c, n.List, func(e js.ClassElement) syntaxflat.ClassElementFields {
		return syntaxflat.ClassElementFields{
			StaticBlock: c.block(e.StaticBlock), Method: c.method(e.Method),
			Static: e.Static, Name: c.elementName(e.Field.Name), Init: c.expr(e.Init),
		}
	})
	return c.b.ClassDecl(name, extends, list, c.scope.to).AsClassDecl()
}

func (c *converter) elementName(n js.ClassElementName) syntaxflat.ClassElementNameFields {
	if !n.IsSet() {
		return syntaxflat.ClassElementNameFields{Private: c.variable(n.Private)}
	}
	return syntaxflat.ClassElementNameFields{Literal: c.literal(&n.Literal), Computed: c.expr(n.Computed), Private: c.variable(n.Private)}
}

func (c *converter) params(n js.Params) syntaxflat.ParamsFields {
	return syntaxflat.ParamsFields{List: convertList(c, n.List, c.element), Rest: c.binding(n.Rest)}
}

func (c *converter) element(n js.BindingElement) syntaxflat.BindingElementFields {
	return syntaxflat.BindingElementFields{Binding: c.binding(n.Binding), Default: c.expr(n.Default)}
}

func (c *converter) binding(n js.IBinding) syntaxflat.IBinding {
	switch n := n.(type) {
	case nil:
		return syntaxflat.IBinding{}
	case *js.Var:
		return c.b.Ident(c.variable(n))
	case *js.BindingArray:
		return c.b.BindingArray(convertList(c, n.List, c.element), c.binding(n.Rest))
	case *js.BindingObject:
		return c.b.BindingObject(convertList(c, n.List, func(item js.BindingObjectItem) syntaxflat.BindingObjectItemFields {
			return syntaxflat.BindingObjectItemFields{Key: c.name(item.Key), Value: c.element(item.Value)}
		}), c.variable(n.Rest))
	default:
		panic(fmt.Sprintf("convert: a binding of type %T", n))
	}
}
