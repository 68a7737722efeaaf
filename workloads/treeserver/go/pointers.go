package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"

	"github.com/tdewolff/parse/v2"
	"github.com/tdewolff/parse/v2/js"

	"github.com/coppice-go/coppice/workloads/jsast/go/walkjs"
	"github.com/coppice-go/coppice/workloads/treeserver/source"
)

// parseGo parses a file with its comments. Each file has its own FileSet, because a shared one
// would grow with each edit.
func parseGo(text []byte) (*ast.File, error) {
	return parser.ParseFile(token.NewFileSet(), "", text, parser.ParseComments|parser.SkipObjectResolution)
}

// pointers contains the trees that the parsers create: in goTrees or in jsTrees, at the index of
// the file.
type pointers struct {
	goTrees []*ast.File
	jsTrees []*js.AST
}

func newPointers(files int) *pointers {
	return &pointers{make([]*ast.File, files), make([]*js.AST, files)}
}

func (p *pointers) loader() update  { return p.update }
func (p *pointers) updater() update { return p.update }

func (p *pointers) update(file int, text []byte) error {
	if source.IsGo(file) {
		tree, err := parseGo(text)
		if err != nil {
			return fmt.Errorf("%s: %w", source.Name(file), err)
		}
		p.goTrees[file] = tree
		return nil
	}
	own := append(make([]byte, 0, len(text)+1), text...) // the tree's names are slices of own
	tree, err := js.Parse(parse.NewInputBytes(own), js.Options{})
	if err != nil {
		return fmt.Errorf("%s: %w", source.Name(file), err)
	}
	p.jsTrees[file] = tree
	return nil
}

func (p *pointers) references(name string, found []place) []place {
	w := goWalk{name: name, found: found}
	for i, f := range p.goTrees {
		if f != nil {
			w.references(uint32(i), f)
		}
	}
	return p.jsReferences(name, w.found)
}

// jsReferences appends the places at which a name is used in JavaScript.
func (p *pointers) jsReferences(name string, found []place) []place {
	text, uses := []byte(name), uint32(0)
	all := jsWalker()
	all.Use = func(v *js.Var) {
		if bytes.Equal(v.Name(), text) {
			uses++
		}
	}
	all.Dot = func(n *js.DotExpr) {
		if field := property(n); field != nil && bytes.Equal(field, text) {
			uses++
		}
	}
	for i, tree := range p.jsTrees {
		if tree == nil {
			continue
		}
		uses = 0
		all.Module(tree)
		if uses > 0 {
			found = append(found, place{uint32(i), uses, reference})
		}
	}
	return found
}

func (p *pointers) lint(found []place) []place {
	w := goWalk{found: found}
	for i, f := range p.goTrees {
		if f != nil {
			w.lint(uint32(i), f)
		}
	}
	return p.jsLint(w.found)
}

// jsLint appends the findings of the rule in JavaScript.
func (p *pointers) jsLint(found []place) []place {
	loose := uint32(0)
	all := jsWalker()
	all.Binary = func(n *js.BinaryExpr) {
		if n.Op == js.EqEqToken || n.Op == js.NotEqToken {
			loose++
		}
	}
	for i, tree := range p.jsTrees {
		if tree == nil {
			continue
		}
		loose = 0
		all.Module(tree)
		if loose > 0 {
			found = append(found, place{uint32(i), loose, looseEquality})
		}
	}
	return found
}

func (p *pointers) close() error { return nil }

// jsWalker returns a Walker that does nothing yet.
func jsWalker() walkjs.Walker {
	nothing := func(*js.Scope) {}
	return walkjs.Walker{Enter: nothing, Leave: nothing, Use: func(*js.Var) {}}
}

// property returns the name after a dot, or nil if it is not a plain name.
func property(n *js.DotExpr) []byte {
	switch y := n.Y.(type) {
	case js.LiteralExpr: // the parser creates both types
		if y.TokenType == js.IdentifierToken {
			return y.Data
		}
	case *js.LiteralExpr:
		if y.TokenType == js.IdentifierToken {
			return y.Data
		}
	}
	return nil
}
