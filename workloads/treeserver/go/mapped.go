package main

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/coppice-go/coppice/flat"
	"github.com/coppice-go/coppice/flat/forest"
	goflat "github.com/coppice-go/coppice/workloads/goast/go/syntaxflat"
	jsflat "github.com/coppice-go/coppice/workloads/jsast/syntaxflat"
	"github.com/coppice-go/coppice/workloads/treeserver/source"
)

// mapped contains flat trees that are kept in files from one process to the next. The tree of an
// unchanged file is read directly from the mapped file. Other trees are in memory, as in flats.
//
// A tree is kept under a key that consists of the file's name, size and hash.
type mapped struct {
	flats
	goCache *forest.Reader[goflat.Tree] // nil if there is none
	jsCache *forest.Reader[jsflat.Tree]
	keys    []string // key of each file; empty if the file was edited since it was loaded
}

func newMapped(files int) *mapped {
	return &mapped{flats: *newFlats(files), keys: make([]string, files)}
}

// keyOf returns the key of a tree.
func keyOf(file int, text []byte) string {
	sum := sha256.Sum256(text)
	return fmt.Sprintf("%s %d %x", source.Name(file), len(text), sum[:16])
}

func goCacheIn(dir string) string { return filepath.Join(dir, "go.forest") }
func jsCacheIn(dir string) string { return filepath.Join(dir, "js.forest") }

func (m *mapped) open(dir string) (err error) {
	if m.goCache, err = opened[goflat.Tree](goCacheIn(dir)); err != nil {
		return err
	}
	m.jsCache, err = opened[jsflat.Tree](jsCacheIn(dir))
	return err
}

// opened opens a file of trees, or returns nil if there is none.
func opened[T forest.Tree[T]](path string) (*forest.Reader[T], error) {
	r, err := forest.Open[T](path, flat.LoadLimits{})
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return r, err
}

// kept returns the tree with the given key, if it exists and is not damaged.
func kept[T forest.Tree[T]](r *forest.Reader[T], key string) (tree T, ok bool) {
	if r == nil {
		return tree, false
	}
	i, ok := r.Lookup(key)
	if !ok {
		return tree, false
	}
	tree, err := r.At(i)
	return tree, err == nil
}

func (m *mapped) loader() update {
	otherwise := m.flats.updater()
	return func(file int, text []byte) (err error) {
		m.keys[file] = keyOf(file, text)
		ok := false
		if source.IsGo(file) {
			m.goTrees[file], ok = kept(m.goCache, m.keys[file])
		} else {
			m.jsTrees[file], ok = kept(m.jsCache, m.keys[file])
		}
		if ok {
			return nil
		}
		return otherwise(file, text)
	}
}

func (m *mapped) updater() update {
	change := m.flats.updater()
	return func(file int, text []byte) error {
		m.keys[file] = ""
		return change(file, text)
	}
}

// save writes new files, and replaces the old ones with them. The old ones stay mapped.
func (m *mapped) save(dir string) error {
	var text []byte
	for i, key := range m.keys {
		if key != "" {
			continue
		}
		var err error
		if text, err = read(text, dir, i); err != nil {
			return err
		}
		m.keys[i] = keyOf(i, text)
	}
	return errors.Join(write(goCacheIn(dir), m.goTrees, m.keys), write(jsCacheIn(dir), m.jsTrees, m.keys))
}

// write writes the existing trees under their keys.
func write[T forest.Tree[T]](path string, trees []T, keys []string) (err error) {
	next := path + ".new"
	if err := os.Remove(next); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	w, err := forest.Create[T](next, forest.Options{})
	if err != nil {
		return err
	}
	for i, tree := range trees {
		if tree.Flat() == nil {
			continue
		}
		if err := w.Add(keys[i], tree); err != nil {
			return errors.Join(err, w.Close())
		}
	}
	if err := w.Close(); err != nil {
		return err
	}
	return os.Rename(next, path)
}

func (m *mapped) close() (err error) {
	if m.goCache != nil {
		err = m.goCache.Close()
	}
	if m.jsCache != nil {
		err = errors.Join(err, m.jsCache.Close())
	}
	return err
}
