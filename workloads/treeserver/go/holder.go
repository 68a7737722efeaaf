package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/coppice-go/coppice/workloads/treeserver/source"
)

// An update parses the text of a file, and replaces the file's previous tree. It does not keep
// the text.
type update func(file int, text []byte) error

// A holder stores the trees of all files in one strategy.
type holder interface {
	// loader and updater return a function for one goroutine: loader for the first text of each
	// file, and updater for later texts.
	loader() update
	updater() update
	// references appends the places at which a name is used, in any order.
	references(name string, found []place) []place
	// lint appends the findings of the rules, in any order.
	lint(found []place) []place
	close() error
}

// A saver is a holder that keeps its trees in files from one process to the next.
type saver interface {
	holder
	// open is called before the first file is loaded. The folder may have no trees yet.
	open(dir string) error
	// save writes all trees. The texts are in the files of the folder.
	save(dir string) error
}

// A strategy is a way to store trees.
type strategy struct {
	name string
	make func(files int) holder
}

var strategies = []strategy{
	{"pointers", func(files int) holder { return newPointers(files) }},
	{"inspector", func(files int) holder { return newInspected(files) }},
	{"flat", func(files int) holder { return newFlats(files) }},
	{"flat-mapped", func(files int) holder { return newMapped(files) }},
}

func names() (all []string) {
	for _, s := range strategies {
		all = append(all, s.name)
	}
	return all
}

// made returns the holder of a strategy.
func made(name string, files int) (holder, error) {
	for _, s := range strategies {
		if s.name == name {
			return s.make(files), nil
		}
	}
	return nil, fmt.Errorf("no strategy %q", name)
}

// load reads all files and loads them, on all processors.
func load(h holder, dir string, files int) error {
	var next atomic.Int64
	var all sync.WaitGroup
	failed := make([]error, runtime.GOMAXPROCS(0))
	for w := range failed {
		all.Go(func() {
			one := h.loader()
			var text []byte
			for i := int(next.Add(1)) - 1; i < files && failed[w] == nil; i = int(next.Add(1)) - 1 {
				text, failed[w] = read(text, dir, i)
				if failed[w] == nil {
					failed[w] = one(i, text)
				}
			}
		})
	}
	all.Wait()
	return errors.Join(failed...)
}

// path returns the path of a file.
func path(dir string, file int) string { return filepath.Join(dir, source.Name(file)) }

// read reads a file into a buffer. After the text there is spare capacity for the byte that the
// JavaScript parser writes there.
func read(into []byte, dir string, file int) ([]byte, error) {
	f, err := os.Open(path(dir, file))
	if err != nil {
		return into, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return into, err
	}
	size := int(info.Size())
	into = slices.Grow(into[:0], size+1)[:size]
	_, err = io.ReadFull(f, into)
	return into, err
}
