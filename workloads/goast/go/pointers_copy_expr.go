package main

import "github.com/coppice-go/coppice/workloads/goast/go/syntax"

// copyExpr copies the expressions that occur in most programs; copyMoreExpr copies the rest.
func copyExpr(e syntax.Expr) syntax.Expr {
	switch e := e.(type) {
	case nil:
		return nil
	case *syntax.Ident:
		return copyLeaf(e)
	case *syntax.SelectorExpr:
		c := *e
		c.X = copyExpr(e.X)
		return &c
	case *syntax.CallExpr:
		return copyCallExpr(e)
	case *syntax.CompositeLit:
		c := *e
		c.Type, c.Elts = copyExpr(e.Type), copyList(e.Elts, copyExpr)
		return &c
	case *syntax.KeyValueExpr:
		c := *e
		c.Key, c.Value = copyExpr(e.Key), copyExpr(e.Value)
		return &c
	case *syntax.BinaryExpr:
		c := *e
		c.X, c.Y = copyExpr(e.X), copyExpr(e.Y)
		return &c
	case *syntax.UnaryExpr:
		c := *e
		c.X = copyExpr(e.X)
		return &c
	case *syntax.StarExpr:
		c := *e
		c.X = copyExpr(e.X)
		return &c
	case *syntax.IndexExpr:
		c := *e
		c.X, c.Index = copyExpr(e.X), copyExpr(e.Index)
		return &c
	case *syntax.ParenExpr:
		c := *e
		c.X = copyExpr(e.X)
		return &c
	case *syntax.StringLit:
		return copyLeaf(e)
	case *syntax.IntLit:
		return copyLeaf(e)
	default:
		return copyMoreExpr(e)
	}
}

func copyMoreExpr(e syntax.Expr) syntax.Expr {
	switch e := e.(type) {
	case *syntax.Ellipsis:
		c := *e
		c.Elt = copyExpr(e.Elt)
		return &c
	case *syntax.FloatLit:
		return copyLeaf(e)
	case *syntax.ImagLit:
		return copyLeaf(e)
	case *syntax.CharLit:
		return copyLeaf(e)
	case *syntax.FuncLit:
		c := *e
		c.Type, c.Body = copyFuncType(e.Type), copyBlockStmt(e.Body)
		return &c
	case *syntax.IndexListExpr:
		c := *e
		c.X, c.Indices = copyExpr(e.X), copyList(e.Indices, copyExpr)
		return &c
	case *syntax.SliceExpr:
		c := *e
		c.X, c.Low, c.High, c.Max = copyExpr(e.X), copyExpr(e.Low), copyExpr(e.High), copyExpr(e.Max)
		return &c
	case *syntax.TypeAssertExpr:
		c := *e
		c.X, c.Type = copyExpr(e.X), copyExpr(e.Type)
		return &c
	case *syntax.Spread:
		c := *e
		c.X = copyExpr(e.X)
		return &c
	case *syntax.ArrayType:
		c := *e
		c.Len, c.Elt = copyExpr(e.Len), copyExpr(e.Elt)
		return &c
	case *syntax.StructType:
		c := *e
		c.Fields = copyFieldList(e.Fields)
		return &c
	case *syntax.FuncType:
		return copyFuncType(e)
	case *syntax.InterfaceType:
		c := *e
		c.Methods = copyFieldList(e.Methods)
		return &c
	case *syntax.MapType:
		c := *e
		c.Key, c.Value = copyExpr(e.Key), copyExpr(e.Value)
		return &c
	case *syntax.ChanType:
		c := *e
		c.Value = copyExpr(e.Value)
		return &c
	default:
		return copyLeaf(e.(*syntax.BadExpr))
	}
}
