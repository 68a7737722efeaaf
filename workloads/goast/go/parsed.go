package main

import "go/ast"

// parsed keeps the trees of go/parser.
type parsed struct{ files []*ast.File }

func (p *parsed) build(files []*ast.File) error {
	p.files = files
	return nil
}

func (p *parsed) count() counts { return countParsed(p.files) }

func (p *parsed) drop() error {
	p.files = nil
	return nil
}

// countParsed traverses the trees as programs do, with ast.Inspect. It counts comments in the
// files' lists, which contain each comment once.
func countParsed(files []*ast.File) (c counts) {
	for _, f := range files {
		c.files++
		for _, g := range f.Comments {
			c.nodes += 1 + uint64(len(g.List))
		}
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case nil, *ast.CommentGroup:
				return false
			case *ast.Ident:
				c.identifier(n.Name)
			case *ast.CallExpr:
				c.call(uint32(n.Lparen-f.FileStart) + 1)
			}
			c.nodes++
			return true
		})
	}
	return c
}
