package main

import "github.com/coppice-go/coppice/workloads/goast/go/syntaxflat"

// flatCounts traverses a flat tree as countPointers traverses pointers: by recursion, with a type
// switch for each sum.
type flatCounts struct{ counts }

func countRecursive(t syntaxflat.Tree) counts {
	var c flatCounts
	if t.Root().Kind() == syntaxflat.KindFile {
		c.file(t.Root().AsFile())
		return c.counts
	}
	for f := range t.Root().AsProgram().Files {
		c.file(f)
	}
	return c.counts
}

func (c *flatCounts) file(f syntaxflat.File) {
	c.files++
	c.nodes++
	c.ident(f.Name())
	for d := range f.Decls {
		c.decl(d)
	}
	for g := range f.Comments {
		c.nodes += 1 + uint64(g.NumList())
	}
}

func (c *flatCounts) ident(n syntaxflat.Ident) {
	if !n.IsNil() {
		c.nodes++
		c.identifier(n.Name())
	}
}

// leaf counts an optional string.
func (c *flatCounts) leaf(n syntaxflat.StringLit) {
	if !n.IsNil() {
		c.nodes++
	}
}

func (c *flatCounts) fields(l syntaxflat.FieldList) {
	if l.IsNil() {
		return
	}
	c.nodes++
	for f := range l.List {
		c.field(f)
	}
}

func (c *flatCounts) signature(n syntaxflat.FuncType) {
	c.nodes++
	c.fields(n.TypeParams())
	c.fields(n.Params())
	c.fields(n.Results())
}

func (c *flatCounts) block(n syntaxflat.BlockStmt) {
	if !n.IsNil() {
		c.nodes++
		for x := range n.List {
			c.stmt(x)
		}
	}
}

func (c *flatCounts) callTree(n syntaxflat.CallExpr) {
	c.nodes++
	c.call(n.Lparen())
	c.expr(n.Fun())
	for x := range n.Args {
		c.expr(x)
	}
}

func (c *flatCounts) field(f syntaxflat.FieldNode) {
	c.nodes++
	switch f := f.View().(type) {
	case *syntaxflat.Param:
		c.expr(f.Type())
		for x := range f.Names {
			c.ident(x)
		}
	case *syntaxflat.Field:
		c.expr(f.Type())
		c.leaf(f.Tag())
		for x := range f.Names {
			c.ident(x)
		}
	}
}

func (c *flatCounts) decl(d syntaxflat.Decl) {
	c.nodes++
	switch d := d.View().(type) {
	case *syntaxflat.GenDecl:
		for x := range d.Specs {
			c.spec(x)
		}
	case *syntaxflat.FuncDecl:
		c.fields(d.Recv())
		c.ident(d.Name())
		c.signature(d.Type())
		c.block(d.Body())
	}
}

func (c *flatCounts) spec(s syntaxflat.Spec) {
	c.nodes++
	switch s := s.View().(type) {
	case *syntaxflat.ImportSpec:
		c.ident(s.Name())
		c.leaf(s.Path())
	case *syntaxflat.ValueSpec:
		c.expr(s.Type())
		for x := range s.Names {
			c.ident(x)
		}
		for x := range s.Values {
			c.expr(x)
		}
	case *syntaxflat.TypeSpec:
		c.ident(s.Name())
		c.fields(s.TypeParams())
		c.expr(s.Type())
	}
}

func (c *flatCounts) expr(node syntaxflat.Expr) {
	switch e := node.View().(type) {
	case nil:
		return
	case *syntaxflat.Ident:
		c.ident(*e)
		return
	case *syntaxflat.SelectorExpr:
		c.nodes++ // the name
		c.identifier(e.Sel())
		c.expr(e.X())
	case *syntaxflat.CallExpr:
		c.callTree(*e)
		return
	case *syntaxflat.FuncType:
		c.signature(*e)
		return
	case *syntaxflat.Spread: // not a node of go/ast
		c.expr(e.X())
		return
	case *syntaxflat.CompositeLit:
		c.expr(e.Type())
		for x := range e.Elts {
			c.expr(x)
		}
	case *syntaxflat.KeyValueExpr:
		c.expr(e.Key())
		c.expr(e.Value())
	case *syntaxflat.BinaryExpr:
		c.expr(e.X())
		c.expr(e.Y())
	case *syntaxflat.UnaryExpr:
		c.expr(e.X())
	case *syntaxflat.StarExpr:
		c.expr(e.X())
	case *syntaxflat.IndexExpr:
		c.expr(e.X())
		c.expr(e.Index())
	case *syntaxflat.ParenExpr:
		c.expr(e.X())
	default:
		c.moreExpr(node)
	}
	c.nodes++
}

func (c *flatCounts) moreExpr(e syntaxflat.Expr) {
	switch e := e.View().(type) {
	case *syntaxflat.Ellipsis:
		c.expr(e.Elt())
	case *syntaxflat.FuncLit:
		c.signature(e.Type())
		c.block(e.Body())
	case *syntaxflat.IndexListExpr:
		c.expr(e.X())
		for x := range e.Indices {
			c.expr(x)
		}
	case *syntaxflat.SliceExpr:
		c.expr(e.X())
		c.expr(e.Low())
		c.expr(e.High())
		c.expr(e.Max())
	case *syntaxflat.TypeAssertExpr:
		c.expr(e.X())
		c.expr(e.Type())
	case *syntaxflat.ArrayType:
		c.expr(e.Len())
		c.expr(e.Elt())
	case *syntaxflat.StructType:
		c.fields(e.Fields())
	case *syntaxflat.InterfaceType:
		c.fields(e.Methods())
	case *syntaxflat.MapType:
		c.expr(e.Key())
		c.expr(e.Value())
	case *syntaxflat.ChanType:
		c.expr(e.Value())
	}
}

func (c *flatCounts) stmt(node syntaxflat.Stmt) {
	switch s := node.View().(type) {
	case nil:
		return
	case *syntaxflat.BlockStmt:
		c.block(*s)
		return
	case *syntaxflat.ExprStmt:
		c.expr(s.X())
	case *syntaxflat.AssignStmt:
		for x := range s.Lhs {
			c.expr(x)
		}
		for x := range s.Rhs {
			c.expr(x)
		}
	case *syntaxflat.IfStmt:
		c.stmt(s.Init())
		c.expr(s.Cond())
		c.block(s.Body())
		c.stmt(s.Else())
	case *syntaxflat.ReturnStmt:
		for x := range s.Results {
			c.expr(x)
		}
	case *syntaxflat.DeclStmt:
		c.decl(s.Decl())
	case *syntaxflat.ForStmt:
		c.stmt(s.Init())
		c.expr(s.Cond())
		c.stmt(s.Post())
		c.block(s.Body())
	case *syntaxflat.RangeStmt:
		c.expr(s.Key())
		c.expr(s.Value())
		c.expr(s.X())
		c.block(s.Body())
	case *syntaxflat.IncDecStmt:
		c.expr(s.X())
	case *syntaxflat.BranchStmt:
		c.ident(s.Label())
	case *syntaxflat.DeferStmt:
		c.callTree(s.Call())
	case *syntaxflat.GoStmt:
		c.callTree(s.Call())
	default:
		c.moreStmt(node)
	}
	c.nodes++
}

func (c *flatCounts) moreStmt(s syntaxflat.Stmt) {
	switch s := s.View().(type) {
	case *syntaxflat.LabeledStmt:
		c.ident(s.Label())
		c.stmt(s.Stmt())
	case *syntaxflat.SendStmt:
		c.expr(s.Chan())
		c.expr(s.Value())
	case *syntaxflat.CaseClause:
		for x := range s.List {
			c.expr(x)
		}
		for x := range s.Body {
			c.stmt(x)
		}
	case *syntaxflat.SwitchStmt:
		c.stmt(s.Init())
		c.expr(s.Tag())
		c.block(s.Body())
	case *syntaxflat.TypeSwitchStmt:
		c.stmt(s.Init())
		c.stmt(s.Assign())
		c.block(s.Body())
	case *syntaxflat.CommClause:
		c.stmt(s.Comm())
		for x := range s.Body {
			c.stmt(x)
		}
	case *syntaxflat.SelectStmt:
		c.block(s.Body())
	}
}
