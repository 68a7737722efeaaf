package main

import (
	"errors"
	"go/ast"
	"io"

	"github.com/coppice-go/coppice/flat"
	"github.com/coppice-go/coppice/workloads/goast/go/fromast"
	"github.com/coppice-go/coppice/workloads/goast/go/syntax"
	"github.com/coppice-go/coppice/workloads/goast/go/syntaxflat"
)

// pointers is the pointer form of the schema: the same fields as the flat trees, each node
// allocated separately.
type pointers struct{ program, copied *syntax.Program }

func (p *pointers) build(files []*ast.File) (err error) {
	p.program, err = fromast.Tree(files)
	return err
}

func (p *pointers) count() counts { return countPointers(p.program) }

func (p *pointers) copy() error {
	p.copied = copyProgram(p.program)
	return nil
}

func (p *pointers) countCopy() counts {
	c := countPointers(p.copied)
	p.copied = nil
	return c
}

// save and load use the file format of flat trees, because encoding/gob is not an alternative:
// it is slower than parsing the sources again.
func (p *pointers) save(w io.Writer) error {
	tree, err := syntaxflat.FromTree(p.program, flat.LoadLimits{})
	if err != nil {
		return err
	}
	_, err = tree.WriteTo(w)
	return errors.Join(err, tree.Close())
}

// load creates a struct for each record.
func (p *pointers) load(path string) (forest, error) {
	tree, err := syntaxflat.Open(path, flat.LoadLimits{})
	if err != nil {
		return nil, err
	}
	loaded, err := syntaxflat.ToTree(tree.Clone(), flat.LoadLimits{}) // Clone outlives the file
	if err != nil {
		return nil, errors.Join(err, tree.Close())
	}
	return &pointers{program: loaded.(*syntax.Program)}, tree.Close()
}

func (p *pointers) drop() error {
	*p = pointers{}
	return nil
}
