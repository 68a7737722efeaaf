package fromast

import (
	"go/ast"

	"github.com/coppice-go/coppice/workloads/goast/go/syntax"
)

// Tree returns the pointer form of a forest. It fails if a file is too long.
func Tree(files []*ast.File) (*syntax.Program, error) {
	t := trees{names: map[string]string{}}
	all := make([]*syntax.File, 0, len(files))
	for _, f := range files {
		if err := t.enter(f); err != nil {
			return nil, err
		}
		all = append(all, t.file(f))
	}
	return &syntax.Program{Files: all}, nil
}

// trees creates nodes of the pointer form.
type trees struct {
	places
	names map[string]string
}

// intern returns the one string that is kept for all strings equal to s.
func (t *trees) intern(s string) string {
	kept, ok := t.names[s]
	if !ok {
		t.names[s], kept = s, s
	}
	return kept
}

func (t *trees) file(f *ast.File) *syntax.File {
	return &syntax.File{Base: uint32(f.FileStart), Size: uint32(f.FileEnd - f.FileStart), Package: t.at(f.Package), Doc: t.doc(f.Doc),
		Name: t.ident(f.Name), GoVersion: t.intern(f.GoVersion), Decls: list(f.Decls, t.decl), Comments: list(f.Comments, t.comments)}
}

func (t *trees) comments(g *ast.CommentGroup) *syntax.CommentGroup {
	return &syntax.CommentGroup{List: list(g.List, func(c *ast.Comment) *syntax.Comment {
		return &syntax.Comment{At: t.short(c.Slash), Text: c.Text}
	})}
}

// list converts the items of a slice; it returns nil for an empty slice, as in a flat tree.
func list[From, To any](from []From, convert func(From) To) []To {
	if len(from) == 0 {
		return nil
	}
	to := make([]To, len(from))
	for i, item := range from {
		to[i] = convert(item)
	}
	return to
}

func (t *trees) fields(l *ast.FieldList) *syntax.FieldList {
	if l == nil {
		return nil
	}
	return &syntax.FieldList{Opening: t.at(l.Opening), Closing: t.at(l.Closing), List: list(l.List, t.field)}
}

func (t *trees) field(f *ast.Field) syntax.FieldNode {
	kind, names := t.expr(f.Type), list(f.Names, t.ident)
	if isParam(f) {
		return &syntax.Param{Type: kind, Names: names}
	}
	return &syntax.Field{Type: kind, Tag: t.str(f.Tag), Doc: t.doc(f.Doc), Comment: t.doc(f.Comment), Names: names}
}

func (t *trees) decl(d ast.Decl) syntax.Decl {
	switch d := d.(type) {
	case *ast.GenDecl:
		return &syntax.GenDecl{Tok: syntax.Token(d.Tok), TokPos: t.at(d.TokPos), Lparen: t.at(d.Lparen), Rparen: t.at(d.Rparen),
			Doc: t.doc(d.Doc), Specs: list(d.Specs, t.spec)}
	case *ast.FuncDecl:
		return &syntax.FuncDecl{Doc: t.doc(d.Doc), Recv: t.fields(d.Recv), Name: t.ident(d.Name), Type: t.signature(d.Type), Body: t.block(d.Body)}
	default:
		bad := d.(*ast.BadDecl)
		return &syntax.BadDecl{From: t.at(bad.From), To: t.at(bad.To)}
	}
}

func (t *trees) spec(s ast.Spec) syntax.Spec {
	switch s := s.(type) {
	case *ast.ImportSpec:
		return &syntax.ImportSpec{Doc: t.doc(s.Doc), Comment: t.doc(s.Comment), EndPos: t.at(s.EndPos), Name: t.ident(s.Name), Path: t.str(s.Path)}
	case *ast.ValueSpec:
		return &syntax.ValueSpec{Doc: t.doc(s.Doc), Comment: t.doc(s.Comment), Type: t.expr(s.Type),
			Names: list(s.Names, t.ident), Values: list(s.Values, t.expr)}
	default:
		types := s.(*ast.TypeSpec)
		return &syntax.TypeSpec{At: t.short(types.Assign), Doc: t.doc(types.Doc), Comment: t.doc(types.Comment),
			Name: t.ident(types.Name), TypeParams: t.fields(types.TypeParams), Type: t.expr(types.Type)}
	}
}
