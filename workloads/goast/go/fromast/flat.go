package fromast

import (
	"go/ast"

	"github.com/coppice-go/coppice/flat"
	"github.com/coppice-go/coppice/slab"
	"github.com/coppice-go/coppice/workloads/goast/go/syntax"
	"github.com/coppice-go/coppice/workloads/goast/go/syntaxflat"
)

// These are hints for the Builder: the approximate bytes of source per node, and per byte of text
// that a tree keeps.
const (
	bytesPerNode = 7
	textPart     = 3
)

// Forest returns one flat tree of all files. It fails if a file is too long, and with
// flat.ErrFull if all files together are too long.
func Forest(files []*ast.File) (syntaxflat.Tree, error) {
	size := 0
	for _, f := range files {
		size += int(f.FileEnd - f.FileStart)
	}
	m := flats{b: syntaxflat.NewBuilder(flat.BuilderOptions{Nodes: size / bytesPerNode, TextBytes: size / textPart})}
	all := make([]syntaxflat.File, 0, len(files))
	for _, f := range files {
		if err := m.enter(f); err != nil {
			return syntaxflat.Tree{}, err
		}
		all = append(all, m.file(f).AsFile())
		m.reset()
	}
	return m.b.Finish(m.b.Program(all))
}

// A Converter creates flat trees of files, one after another.
type Converter struct{ m flats }

// NewConverter returns a Converter.
func NewConverter() *Converter {
	return &Converter{flats{b: syntaxflat.NewBuilder(flat.BuilderOptions{})}}
}

// Tree returns the tree of a file. It fails if the file is too long.
func (c *Converter) Tree(f *ast.File) (syntaxflat.Tree, error) {
	if err := c.m.enter(f); err != nil {
		return syntaxflat.Tree{}, err
	}
	defer c.m.reset()
	return c.m.b.Finish(c.m.file(f))
}

// Reuse frees a tree. The next one is built in its memory.
func (c *Converter) Reuse(t syntaxflat.Tree) { c.m.b.Reuse(t) }

// Each returns a flat tree of each file. All are built in the same memory; the results are copies
// without spare capacity.
func Each(files []*ast.File) ([]syntaxflat.Tree, error) {
	c := NewConverter()
	all := make([]syntaxflat.Tree, 0, len(files))
	for _, f := range files {
		tree, err := c.Tree(f)
		if err != nil {
			return nil, err
		}
		all = append(all, tree.Clone())
		c.Reuse(tree)
	}
	return all, nil
}

// flats adds nodes to a flat tree, children first. The lists of children live until the file's end.
type flats struct {
	places
	b *syntaxflat.Builder

	exprs    slab.Slab[syntaxflat.Expr]
	stmts    slab.Slab[syntaxflat.Stmt]
	idents   slab.Slab[syntaxflat.Ident]
	params   slab.Slab[syntaxflat.FieldNode]
	specs    slab.Slab[syntaxflat.Spec]
	decls    slab.Slab[syntaxflat.Decl]
	groups   slab.Slab[syntaxflat.CommentGroup]
	comments slab.Slab[syntaxflat.Comment]
}

// inSlab converts the items of a slice. The result is allocated in a slab.
func inSlab[From, To any](s *slab.Slab[To], from []From, convert func(From) To) []To {
	to := s.Make(len(from))
	for i, item := range from {
		to[i] = convert(item)
	}
	return to
}

func (m *flats) exprList(from []ast.Expr) []syntaxflat.Expr { return inSlab(&m.exprs, from, m.expr) }
func (m *flats) stmtList(from []ast.Stmt) []syntaxflat.Stmt { return inSlab(&m.stmts, from, m.stmt) }
func (m *flats) identList(from []*ast.Ident) []syntaxflat.Ident {
	return inSlab(&m.idents, from, m.ident)
}

// reset frees all lists. It is called when a file is complete.
func (m *flats) reset() {
	m.exprs.Reset()
	m.stmts.Reset()
	m.idents.Reset()
	m.params.Reset()
	m.specs.Reset()
	m.decls.Reset()
	m.groups.Reset()
	m.comments.Reset()
}

func (m *flats) file(f *ast.File) syntaxflat.Unit {
	return m.b.File(syntaxflat.FileFields{Base: uint32(f.FileStart), Size: uint32(f.FileEnd - f.FileStart), Package: m.at(f.Package), Doc: m.doc(f.Doc), Name: m.ident(f.Name), GoVersion: f.GoVersion, Decls: inSlab(&m.decls, f.Decls, m.decl), Comments: inSlab(&m.groups, f.Comments, m.group)})
}

func (m *flats) group(g *ast.CommentGroup) syntaxflat.CommentGroup {
	return m.b.CommentGroup(inSlab(&m.comments, g.List, func(c *ast.Comment) syntaxflat.Comment {
		return m.b.Comment(m.short(c.Slash), c.Text).AsComment()
	})).AsCommentGroup()
}

func (m *flats) fields(l *ast.FieldList) syntaxflat.FieldList {
	if l == nil {
		return syntaxflat.FieldList{}
	}
	return m.b.FieldList(m.at(l.Opening), m.at(l.Closing), inSlab(&m.params, l.List, m.field)).AsFieldList()
}

func (m *flats) field(f *ast.Field) syntaxflat.FieldNode {
	kind, names := m.expr(f.Type), m.identList(f.Names)
	if isParam(f) {
		return m.b.Param(kind, names)
	}
	return m.b.Field(syntaxflat.FieldFields{Type: kind, Tag: m.str(f.Tag), Doc: m.doc(f.Doc), Comment: m.doc(f.Comment), Names: names})
}

func (m *flats) decl(d ast.Decl) syntaxflat.Decl {
	switch d := d.(type) {
	case *ast.GenDecl:
		return m.b.GenDecl(syntaxflat.GenDeclFields{Tok: syntax.Token(d.Tok), TokPos: m.at(d.TokPos), Lparen: m.at(d.Lparen), Rparen: m.at(d.Rparen), Doc: m.doc(d.Doc), Specs: inSlab(&m.specs, d.Specs, m.spec)})
	case *ast.FuncDecl:
		return m.b.FuncDecl(syntaxflat.FuncDeclFields{Doc: m.doc(d.Doc), Recv: m.fields(d.Recv), Name: m.ident(d.Name), Type: m.signature(d.Type), Body: m.block(d.Body)})
	default:
		bad := d.(*ast.BadDecl)
		return m.b.BadDecl(m.at(bad.From), m.at(bad.To))
	}
}

func (m *flats) spec(s ast.Spec) syntaxflat.Spec {
	switch s := s.(type) {
	case *ast.ImportSpec:
		return m.b.ImportSpec(syntaxflat.ImportSpecFields{Doc: m.doc(s.Doc), Comment: m.doc(s.Comment), EndPos: m.at(s.EndPos), Name: m.ident(s.Name), Path: m.str(s.Path)})
	case *ast.ValueSpec:
		return m.b.ValueSpec(syntaxflat.ValueSpecFields{Doc: m.doc(s.Doc), Comment: m.doc(s.Comment), Type: m.expr(s.Type), Names: m.identList(s.Names), Values: m.exprList(s.Values)})
	default:
		types := s.(*ast.TypeSpec)
		return m.b.TypeSpec(syntaxflat.TypeSpecFields{At: m.short(types.Assign), Doc: m.doc(types.Doc), Comment: m.doc(types.Comment), Name: m.ident(types.Name), TypeParams: m.fields(types.TypeParams), Type: m.expr(types.Type)})
	}
}
