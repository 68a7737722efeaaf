package own

import (
	"go/ast"
	"go/types"
	"strings"

	"github.com/coppice-go/coppice/cmd/internal/rewrite"
)

// change edits a site whose slab is at where, and has another expression in the witness form.
func (p *pass) change(s rewrite.Site, where, watched string) {
	for _, w := range p.words(s, where) {
		p.edits.ReplaceBoth(p.Fset, w.From, w.To, w.Text, strings.Replace(w.Text, where+".", watched+".", 1))
	}
}

// words are the new text of a site.
func (p *pass) words(s rewrite.Site, where string) []rewrite.Words {
	switch n := s.Node.(type) {
	case *ast.UnaryExpr:
		if p.zero(n) {
			return []rewrite.Words{{From: n.Pos(), To: n.End(), Text: where + ".New()"}}
		}
		return rewrite.LiteralWords(n, where+"."+p.chunks.alloc+"(")
	case *ast.CompositeLit:
		return p.ListWords(n, where+"."+p.chunks.sliceOf+"(")
	case *ast.CallExpr:
		if s.Kind == rewrite.NewCall {
			return p.NewWords(n, where+".New()", where+"."+p.chunks.alloc+"(")
		}
		return p.MakeWords(n, where+".Make(")
	}
	return nil
}

// zero reports whether a literal is the zero value of its type. Of a map or a slice it is not: it is empty, and not nil.
func (p *pass) zero(n *ast.UnaryExpr) bool {
	lit := n.X.(*ast.CompositeLit)
	switch p.TypesInfo.TypeOf(lit).Underlying().(type) {
	case *types.Struct, *types.Array:
		return len(lit.Elts) == 0
	}
	return false
}
