package main

import (
	"bufio"
	"encoding/gob"
	"go/ast"
	"io"
	"os"

	"github.com/coppice-go/coppice/workloads/goast/go/fromast"
	"github.com/coppice-go/coppice/workloads/goast/go/syntax"
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

// save and load use encoding/gob, the standard library's format for Go values.
func (p *pointers) save(w io.Writer) error {
	registerSums()
	out := bufio.NewWriter(w)
	if err := gob.NewEncoder(out).Encode(p.program); err != nil {
		return err
	}
	return out.Flush()
}

func (p *pointers) load(path string) (forest, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	loaded := &pointers{}
	return loaded, gob.NewDecoder(bufio.NewReader(file)).Decode(&loaded.program)
}

func (p *pointers) drop() error {
	*p = pointers{}
	return nil
}
