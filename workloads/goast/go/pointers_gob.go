package main

import (
	"encoding/gob"

	"github.com/coppice-go/coppice/workloads/goast/go/syntax"
)

// registerSums tells encoding/gob what may stand in an interface.
func registerSums() {
	for _, n := range []any{
		&syntax.Param{}, &syntax.Field{},
		&syntax.BadDecl{}, &syntax.GenDecl{}, &syntax.FuncDecl{},
		&syntax.ImportSpec{}, &syntax.ValueSpec{}, &syntax.TypeSpec{},
		&syntax.BadExpr{}, &syntax.Ident{}, &syntax.Ellipsis{}, &syntax.IntLit{}, &syntax.FloatLit{}, &syntax.ImagLit{},
		&syntax.CharLit{}, &syntax.StringLit{}, &syntax.FuncLit{}, &syntax.CompositeLit{}, &syntax.ParenExpr{},
		&syntax.SelectorExpr{}, &syntax.IndexExpr{}, &syntax.IndexListExpr{}, &syntax.SliceExpr{}, &syntax.TypeAssertExpr{},
		&syntax.CallExpr{}, &syntax.Spread{}, &syntax.StarExpr{}, &syntax.UnaryExpr{}, &syntax.BinaryExpr{},
		&syntax.KeyValueExpr{}, &syntax.ArrayType{}, &syntax.StructType{}, &syntax.FuncType{}, &syntax.InterfaceType{},
		&syntax.MapType{}, &syntax.ChanType{},
		&syntax.BadStmt{}, &syntax.DeclStmt{}, &syntax.EmptyStmt{}, &syntax.LabeledStmt{}, &syntax.ExprStmt{},
		&syntax.SendStmt{}, &syntax.IncDecStmt{}, &syntax.AssignStmt{}, &syntax.GoStmt{}, &syntax.DeferStmt{},
		&syntax.ReturnStmt{}, &syntax.BranchStmt{}, &syntax.BlockStmt{}, &syntax.IfStmt{}, &syntax.CaseClause{},
		&syntax.SwitchStmt{}, &syntax.TypeSwitchStmt{}, &syntax.CommClause{}, &syntax.SelectStmt{}, &syntax.ForStmt{},
		&syntax.RangeStmt{},
	} {
		gob.Register(n)
	}
}
