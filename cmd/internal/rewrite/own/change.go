package own

import (
	"go/ast"
	"strings"

	"github.com/coppice-go/coppice/cmd/internal/rewrite"
)

// change edits a site. The parameter where is the expression for the slab, and watched is its
// counterpart in the witness form.
func (p *pass) change(s rewrite.Site, where, watched string) {
	if p.arena != nil {
		p.result.Made = append(p.result.Made, memoryOf(s))
		for _, w := range p.arenaWords(s, where) {
			p.replace(w.From, w.To, w.Text)
		}
		return
	}
	for _, w := range p.words(s, where) {
		p.edits.ReplaceBoth(p.Fset, w.From, w.To, w.Text, strings.Replace(w.Text, where+".", watched+".", 1))
	}
}

// words returns the edits of a site. The parameter where is the expression for the slab.
func (p *pass) words(s rewrite.Site, where string) []rewrite.Words {
	switch n := s.Node.(type) {
	case *ast.Ident:
		return p.VariableWords(s, rewrite.Supply{Zero: where + ".New()", Put: where + "." + p.chunks.alloc + "(", End: ")"})
	case *ast.UnaryExpr:
		if s.Kind == rewrite.Variable {
			return rewrite.LiteralWords(n, where+"."+p.chunks.alloc+"(")
		}
		if p.Zero(n.X) {
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
