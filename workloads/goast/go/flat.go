package main

import (
	"bufio"
	"go/ast"
	"io"

	"github.com/coppice-go/coppice/flat"
	"github.com/coppice-go/coppice/workloads/goast/go/fromast"
	"github.com/coppice-go/coppice/workloads/goast/go/syntaxflat"
)

// flatTree is one flat tree of all files.
type flatTree struct{ tree, copied syntaxflat.Tree }

func (f *flatTree) build(files []*ast.File) (err error) {
	f.tree, err = fromast.Forest(files)
	return err
}

func (f *flatTree) count() counts { return countFlat(f.tree) }

// copy takes the memory of the copy before it.
func (f *flatTree) copy() error {
	if f.copied.Tree == nil {
		f.copied = f.tree.Clone()
	} else {
		f.copied = f.tree.CloneInto(f.copied)
	}
	return nil
}

func (f *flatTree) countCopy() counts {
	c := countFlat(f.copied)
	f.copied.Free()
	f.copied = syntaxflat.Tree{}
	return c
}

func (f *flatTree) save(w io.Writer) error {
	out := bufio.NewWriter(w)
	if _, err := f.tree.WriteTo(out); err != nil {
		return err
	}
	return out.Flush()
}

// load maps the file and validates all of it.
func (f *flatTree) load(path string) (forest, error) {
	tree, err := syntaxflat.Open(path, flat.LoadLimits{})
	return &flatTree{tree: tree}, err
}

func (f *flatTree) drop() error {
	err := f.tree.Close()
	*f = flatTree{}
	return err
}

// countFlat reads the buffer from its start to its end.
func countFlat(t syntaxflat.Tree) (c counts) {
	for n := range t.All {
		switch n.Kind() {
		case syntaxflat.KindProgram, syntaxflat.KindSpread:
			continue // no nodes of go/ast
		case syntaxflat.KindFile:
			c.files++
		case syntaxflat.KindIdent:
			c.identifier(n.AsIdent().Name())
		case syntaxflat.KindSelectorExpr:
			c.nodes++ // the name
			c.identifier(n.AsSelectorExpr().Sel())
		case syntaxflat.KindCallExpr:
			c.call(n.AsCallExpr().Lparen())
		}
		c.nodes++
	}
	return c
}
