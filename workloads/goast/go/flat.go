package main

import (
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

func (f *flatTree) count() counts { return countRecursive(f.tree) }

func (f *flatTree) countPreorder() (c counts) {
	for n := range f.tree.Root().Preorder {
		c.add(n)
	}
	return c
}

// countBuffer reads the buffer from start to end.
func (f *flatTree) countBuffer() (c counts) {
	for n := range f.tree.All {
		c.add(n)
	}
	return c
}

func (f *flatTree) recordBytes() int { return 4 * f.tree.NumWords() }

// copy reuses the memory of the previous copy.
func (f *flatTree) copy() error {
	if f.copied.Flat() == nil {
		f.copied = f.tree.Clone()
	} else {
		f.copied = f.tree.CloneInto(f.copied)
	}
	return nil
}

func (f *flatTree) countCopy() counts {
	c := countRecursive(f.copied)
	f.copied.Free()
	f.copied = syntaxflat.Tree{}
	return c
}

func (f *flatTree) save(w io.Writer) error {
	_, err := f.tree.WriteTo(w)
	return err
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

// flatTrees contains a flat tree for each file, as in a program that reads files one at a time.
type flatTrees struct{ trees, copied []syntaxflat.Tree }

func (f *flatTrees) build(files []*ast.File) (err error) {
	f.trees, err = fromast.Each(files)
	return err
}

func (f *flatTrees) count() counts { return countEach(f.trees) }

func (f *flatTrees) recordBytes() (sum int) {
	for _, t := range f.trees {
		sum += 4 * t.NumWords()
	}
	return sum
}

func (f *flatTrees) copy() error {
	if f.copied == nil {
		for _, t := range f.trees {
			f.copied = append(f.copied, t.Clone())
		}
		return nil
	}
	for i, t := range f.trees {
		f.copied[i] = t.CloneInto(f.copied[i])
	}
	return nil
}

func (f *flatTrees) countCopy() counts {
	c := countEach(f.copied)
	f.copied = nil
	return c
}

func (f *flatTrees) drop() error {
	*f = flatTrees{}
	return nil
}

func countEach(trees []syntaxflat.Tree) (sum counts) {
	for _, t := range trees {
		sum.plus(countRecursive(t))
	}
	return sum
}

func (c *counts) add(n syntaxflat.Any) {
	switch n.Kind() {
	case syntaxflat.KindProgram, syntaxflat.KindSpread:
		return // not nodes of go/ast
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
