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

// flats contains a flat tree for each file: in goTrees or in jsTrees, at the index of the file.
type flats struct {
	goTrees []goflat.Tree
	jsTrees []jsflat.Tree
}

func newFlats(files int) *flats {
	return &flats{make([]goflat.Tree, files), make([]jsflat.Tree, files)}
}

// A flattener parses files and converts the parsers' trees to flat trees, in memory that it
// reuses. Only the parsers' trees and the strings of the previous tree become garbage.
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
	input := parse.NewInputBytes(text) // not a copy, because the flat tree has its own strings
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

// replaced returns a copy of a tree in the memory of the previous tree or, if there is none,
// without spare capacity.
func replaced[T flatTree[T]](before, made T) T {
	if before.Flat() == nil {
		return made.Clone()
	}
	return made.CloneInto(before)
}

func (f *flats) close() error { return nil }
