package fromast

import (
	"go/ast"
	"go/token"

	"github.com/coppice-go/coppice/workloads/goast/go/syntax"
)

// back converts the pointer form of a file back to go/ast, so that go/printer can show what the
// conversion has preserved.
type back struct {
	base   token.Pos
	groups []*ast.CommentGroup
	file   *ast.File
}

func (b *back) pos(at uint32) token.Pos {
	if at == 0 {
		return token.NoPos
	}
	return b.base + token.Pos(at) - 1
}

func (b *back) doc(n uint32) *ast.CommentGroup {
	if n == 0 {
		return nil
	}
	return b.groups[n-1]
}

func backFile(f *syntax.File) *ast.File {
	b := &back{base: token.Pos(f.Base)}
	b.groups = list(f.Comments, func(g *syntax.CommentGroup) *ast.CommentGroup {
		return &ast.CommentGroup{List: list(g.List, func(c *syntax.Comment) *ast.Comment {
			return &ast.Comment{Slash: b.pos(uint32(c.At)), Text: c.Text}
		})}
	})
	b.file = &ast.File{FileStart: b.base, FileEnd: b.base + token.Pos(f.Size), Package: b.pos(f.Package), Doc: b.doc(f.Doc),
		Name: b.ident(f.Name), GoVersion: f.GoVersion, Comments: b.groups}
	b.file.Decls = list(f.Decls, b.decl)
	return b.file
}

func (b *back) fields(l *syntax.FieldList) *ast.FieldList {
	if l == nil {
		return nil
	}
	return &ast.FieldList{Opening: b.pos(l.Opening), Closing: b.pos(l.Closing), List: list(l.List, b.field)}
}

func (b *back) field(n syntax.FieldNode) *ast.Field {
	if p, ok := n.(*syntax.Param); ok {
		return &ast.Field{Type: b.expr(p.Type), Names: list(p.Names, b.ident)}
	}
	f := n.(*syntax.Field)
	return &ast.Field{Type: b.expr(f.Type), Names: list(f.Names, b.ident), Tag: b.str(f.Tag), Doc: b.doc(f.Doc), Comment: b.doc(f.Comment)}
}

func (b *back) decl(d syntax.Decl) ast.Decl {
	switch d := d.(type) {
	case *syntax.GenDecl:
		return &ast.GenDecl{Doc: b.doc(d.Doc), Tok: token.Token(d.Tok), TokPos: b.pos(d.TokPos), Lparen: b.pos(d.Lparen), Rparen: b.pos(d.Rparen),
			Specs: list(d.Specs, b.spec)}
	case *syntax.FuncDecl:
		return &ast.FuncDecl{Doc: b.doc(d.Doc), Recv: b.fields(d.Recv), Name: b.ident(d.Name), Type: b.signature(d.Type), Body: b.block(d.Body)}
	default:
		bad := d.(*syntax.BadDecl)
		return &ast.BadDecl{From: b.pos(bad.From), To: b.pos(bad.To)}
	}
}

func (b *back) spec(s syntax.Spec) ast.Spec {
	switch s := s.(type) {
	case *syntax.ImportSpec:
		spec := &ast.ImportSpec{Doc: b.doc(s.Doc), Comment: b.doc(s.Comment), EndPos: b.pos(s.EndPos), Name: b.ident(s.Name), Path: b.str(s.Path)}
		b.file.Imports = append(b.file.Imports, spec)
		return spec
	case *syntax.ValueSpec:
		return &ast.ValueSpec{Doc: b.doc(s.Doc), Comment: b.doc(s.Comment), Type: b.expr(s.Type), Names: list(s.Names, b.ident), Values: list(s.Values, b.expr)}
	default:
		kind := s.(*syntax.TypeSpec)
		return &ast.TypeSpec{Doc: b.doc(kind.Doc), Comment: b.doc(kind.Comment), Name: b.ident(kind.Name), TypeParams: b.fields(kind.TypeParams),
			Assign: b.pos(uint32(kind.At)), Type: b.expr(kind.Type)}
	}
}

func (b *back) ident(n *syntax.Ident) *ast.Ident {
	if n == nil {
		return nil
	}
	return &ast.Ident{NamePos: b.pos(uint32(n.At)), Name: n.Name}
}

// literal sets ValueEnd as the parser does. The value is as long as the literal in the source,
// except for a raw string that contains carriage returns.
func literal(at token.Pos, kind token.Token, value string) *ast.BasicLit {
	return &ast.BasicLit{ValuePos: at, ValueEnd: at + token.Pos(len(value)), Kind: kind, Value: value}
}

func (b *back) str(n *syntax.StringLit) *ast.BasicLit {
	if n == nil {
		return nil
	}
	return literal(b.pos(uint32(n.At)), token.STRING, n.Value)
}
