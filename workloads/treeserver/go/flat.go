package main

import (
	"fmt"

	"github.com/tdewolff/parse/v2"
	"github.com/tdewolff/parse/v2/js"

	"github.com/coppice-go/coppice/flat"
	"github.com/coppice-go/coppice/workloads/goast/go/fromast"
	goflat "github.com/coppice-go/coppice/workloads/goast/go/syntaxflat"
	"github.com/coppice-go/coppice/workloads/jsast/go/fromjs"
	jsflat "github.com/coppice-go/coppice/workloads/jsast/syntaxflat"
	"github.com/coppice-go/coppice/workloads/treeserver/source"
)

// flats are a flat tree for each file. By the number of a file, either a tree of Go is there or one
// of JavaScript.
type flats struct {
	goTrees []goflat.Tree
	jsTrees []jsflat.Tree
}

func newFlats(files int) *flats {
	return &flats{make([]goflat.Tree, files), make([]jsflat.Tree, files)}
}

// A flattener parses files and makes flat trees of what the parsers make, in memory that it uses
// again and again. What is garbage afterwards is what the parsers made, and the strings of the tree
// before.
type flattener struct {
	into   *flats
	fromGo *fromast.Converter
	fromJS *fromjs.Converter
}

func (f *flats) loader() update { return f.updater() }

func (f *flats) updater() update {
	u := &flattener{f, fromast.NewConverter(), fromjs.NewConverter()}
	return u.update
}

func (u *flattener) update(file int, text []byte) (err error) {
	if source.IsGo(file) {
		err = u.updateGo(&u.into.goTrees[file], text)
	} else {
		err = u.updateJS(&u.into.jsTrees[file], text)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", source.Name(file), err)
	}
	return nil
}

func (u *flattener) updateGo(tree *goflat.Tree, text []byte) error {
	parsed, err := parseGo(text)
	if err != nil {
		return err
	}
	made, err := u.fromGo.Tree(parsed)
	if err != nil {
		return err
	}
	*tree = replaced(*tree, made)
	u.fromGo.Reuse(made)
	return nil
}

func (u *flattener) updateJS(tree *jsflat.Tree, text []byte) error {
	input := parse.NewInputBytes(text) // not a copy: the flat tree has its own strings
	defer input.Restore()
	parsed, err := js.Parse(input, js.Options{})
	if err != nil {
		return err
	}
	made, err := u.fromJS.Tree(parsed)
	if err != nil {
		return err
	}
	*tree = replaced(*tree, made)
	u.fromJS.Reuse(made)
	return nil
}

// A flatTree is the Tree of a generated package.
type flatTree[T any] interface {
	Flat() *flat.Tree
	Clone() T
	CloneInto(T) T
}

// replaced returns a copy of a tree, without spare room or in the memory of the one before.
func replaced[T flatTree[T]](before, made T) T {
	if before.Flat() == nil {
		return made.Clone()
	}
	return made.CloneInto(before)
}

func (f *flats) close() error { return nil }
