package main

import "github.com/coppice-go/coppice/workloads/goast/go/syntax"

// copyProgram creates a deep copy with handwritten code, as a program with pointers must.
func copyProgram(p *syntax.Program) *syntax.Program {
	return &syntax.Program{Files: copyList(p.Files, copyFile)}
}

// copyLeaf copies a node without children.
func copyLeaf[T any](n *T) *T {
	if n == nil {
		return nil
	}
	c := *n
	return &c
}

func copyList[T any](from []T, copyItem func(T) T) []T {
	if from == nil {
		return nil
	}
	to := make([]T, len(from))
	for i, item := range from {
		to[i] = copyItem(item)
	}
	return to
}

func copyFile(f *syntax.File) *syntax.File {
	c := *f
	c.Name, c.Decls, c.Comments = copyLeaf(f.Name), copyList(f.Decls, copyDecl), copyList(f.Comments, copyCommentGroup)
	return &c
}

func copyCommentGroup(g *syntax.CommentGroup) *syntax.CommentGroup {
	return &syntax.CommentGroup{List: copyList(g.List, copyLeaf[syntax.Comment])}
}

func copyFieldList(f *syntax.FieldList) *syntax.FieldList {
	if f == nil {
		return nil
	}
	c := *f
	c.List = copyList(f.List, copyFieldNode)
	return &c
}

func copyFuncType(f *syntax.FuncType) *syntax.FuncType {
	c := *f
	c.TypeParams, c.Params, c.Results = copyFieldList(f.TypeParams), copyFieldList(f.Params), copyFieldList(f.Results)
	return &c
}

func copyCallExpr(n *syntax.CallExpr) *syntax.CallExpr {
	c := *n
	c.Fun, c.Args = copyExpr(n.Fun), copyList(n.Args, copyExpr)
	return &c
}

func copyBlockStmt(b *syntax.BlockStmt) *syntax.BlockStmt {
	if b == nil {
		return nil
	}
	c := *b
	c.List = copyList(b.List, copyStmt)
	return &c
}

func copyFieldNode(f syntax.FieldNode) syntax.FieldNode {
	if p, ok := f.(*syntax.Param); ok {
		return &syntax.Param{Type: copyExpr(p.Type), Names: copyList(p.Names, copyLeaf[syntax.Ident])}
	}
	c := *f.(*syntax.Field)
	c.Type, c.Tag, c.Names = copyExpr(c.Type), copyLeaf(c.Tag), copyList(c.Names, copyLeaf[syntax.Ident])
	return &c
}

func copyDecl(d syntax.Decl) syntax.Decl {
	switch d := d.(type) {
	case *syntax.GenDecl:
		c := *d
		c.Specs = copyList(d.Specs, copySpec)
		return &c
	case *syntax.FuncDecl:
		c := *d
		c.Recv, c.Name, c.Type, c.Body = copyFieldList(d.Recv), copyLeaf(d.Name), copyFuncType(d.Type), copyBlockStmt(d.Body)
		return &c
	default:
		return copyLeaf(d.(*syntax.BadDecl))
	}
}

func copySpec(s syntax.Spec) syntax.Spec {
	switch s := s.(type) {
	case *syntax.ImportSpec:
		c := *s
		c.Name, c.Path = copyLeaf(s.Name), copyLeaf(s.Path)
		return &c
	case *syntax.ValueSpec:
		c := *s
		c.Type, c.Names, c.Values = copyExpr(s.Type), copyList(s.Names, copyLeaf[syntax.Ident]), copyList(s.Values, copyExpr)
		return &c
	default:
		c := *s.(*syntax.TypeSpec)
		c.Name, c.TypeParams, c.Type = copyLeaf(c.Name), copyFieldList(c.TypeParams), copyExpr(c.Type)
		return &c
	}
}
