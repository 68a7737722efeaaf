package main

import (
	"bytes"
	"math"

	"github.com/tdewolff/parse/v2/js"

	"github.com/coppice-go/coppice/flat"
	"github.com/coppice-go/coppice/workloads/jsast/go/fromjs"
	"github.com/coppice-go/coppice/workloads/jsast/syntaxflat"
)

// A form stores a tree, and runs the passes on it.
type form interface {
	build(ast *js.AST, bytes int) error // stores the parser's tree; bytes is the size of the source
	resolve() resolution
	foldConstants() (int, error)
	rename() int
	print(out []byte) []byte // appends the tree as source text
	recordBytes() int        // size of the records without the text; 0 if unknown
	drop()
}

// pointers is the parser's own tree. Passes change it in place.
type pointers struct{ ast *js.AST }

func (p *pointers) build(ast *js.AST, _ int) error {
	p.ast = ast
	return nil
}

func (p *pointers) resolve() resolution { return resolve(p.ast) }

func (p *pointers) foldConstants() (int, error) {
	f := folder{most: math.MaxInt}
	f.list(p.ast.List)
	return f.folds, nil
}

func (p *pointers) rename() int { return rename(p.ast) }

func (p *pointers) print(out []byte) []byte {
	b := bytes.NewBuffer(out)
	p.ast.JS(b)
	return b.Bytes()
}

func (p *pointers) recordBytes() int { return 0 }

func (p *pointers) drop() { *p = pointers{} }

// flatForm is a flat tree, with its records in the order in which the converter creates them.
type flatForm struct {
	fold func(*syntaxflat.Builder, syntaxflat.Tree) (syntaxflat.Tree, int, error)
	tree syntaxflat.Tree
}

func (f *flatForm) build(ast *js.AST, bytes int) (err error) {
	f.tree, err = fromjs.Convert(ast, bytes)
	return err
}

func (f *flatForm) resolve() resolution { return resolveFlat(f.tree) }

func (f *flatForm) foldConstants() (folds int, err error) {
	f.tree, folds, err = f.fold(syntaxflat.NewBuilder(flat.BuilderOptions{}), f.tree)
	return folds, err
}

func (f *flatForm) rename() int { return renameFlat(f.tree) }

func (f *flatForm) print(out []byte) []byte { return printFlat(out, f.tree) }

func (f *flatForm) recordBytes() int { return 4 * f.tree.NumWords() }

func (f *flatForm) drop() { f.tree = syntaxflat.Tree{} }
