package main

import (
	"errors"
	"fmt"
	"go/ast"
	"io"
	"os"
	"runtime"

	"github.com/coppice-go/coppice/workloads/internal/selfreport"
)

// A copier is a forest that can be copied.
type copier interface {
	copy() error // drops the previous copy
	countCopy() counts
}

// A saver is a forest that can be saved and loaded.
type saver interface {
	save(io.Writer) error
	load(path string) (forest, error)
}

// A walker is a forest that has other traversals in addition to its natural one.
type walker interface {
	countPreorder() counts
	countBuffer() counts
}

// A recorder is a forest that reports the bytes of its records without the strings.
type recorder interface{ recordBytes() int }

// rounds is the number of repetitions of a phase. The means exclude the first.
const rounds = 6

// figures contains CPU seconds and bytes, by metric.
type figures map[string]float64

// time adds the CPU time of f, on all threads, to a metric.
func (s figures) time(metric string, f func() error) error {
	seconds, err := selfreport.CPU(f)
	s[metric] += seconds
	return err
}

// measure parses the files and runs all phases.
func measure(f forest, paths []string) (counts, figures, error) {
	s := figures{}
	var files []*ast.File
	err := s.time("parse_s", func() (err error) {
		_, files, err = parse(paths)
		return err
	})
	if err != nil {
		return counts{}, nil, err
	}
	runtime.GC()
	if err := s.time("build_s", func() error { return f.build(files) }); err != nil {
		return counts{}, nil, err
	}
	files = nil
	runtime.GC()
	live := heapBytes()
	want := f.count()
	if err := errors.Join(s.walk(f, want), s.collect(), s.copy(f, want), s.save(f, want)); err != nil {
		return want, nil, err
	}
	if r, ok := f.(recorder); ok {
		s["record_bytes"] = float64(r.recordBytes()) / float64(want.nodes)
	}
	if err := s.time("drop_s", func() error { return errors.Join(f.drop(), collected()) }); err != nil {
		return want, nil, err
	}
	s["forest_bytes"] = float64(live - heapBytes())
	s["node_bytes"] = s["forest_bytes"] / float64(want.nodes)
	return want, s, nil
}

// collected collects the Go heap.
func collected() error {
	runtime.GC()
	return nil
}

// heapBytes returns the live bytes after a collection.
func heapBytes() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// walk times repeated traversals. The first one, which touches the memory, is not timed.
func (s figures) walk(f forest, want counts) error {
	walks := map[string]func() counts{"walk_s": f.count}
	if w, ok := f.(walker); ok {
		walks["preorder_s"], walks["buffer_s"] = w.countPreorder, w.countBuffer
	}
	for metric, count := range walks {
		for range rounds - 1 {
			var got counts
			if err := s.time(metric, func() error { got = count(); return nil }); err != nil {
				return err
			}
			if got != want {
				return fmt.Errorf("%s: where there is\n%v\nit counted\n%v", metric, want, got)
			}
		}
		s[metric] /= rounds - 1
	}
	return nil
}

// collect forces collections while the forest is live. The first ones, not timed, sweep earlier
// garbage.
func (s figures) collect() error {
	for range rounds {
		runtime.GC()
	}
	for range rounds {
		if err := s.time("collection_s", collected); err != nil {
			return err
		}
	}
	s["collection_s"] /= rounds
	return nil
}

// copy copies the forest several times. From the second copy on, there is memory to reuse.
func (s figures) copy(f forest, want counts) error {
	c, ok := f.(copier)
	if !ok {
		return nil
	}
	if err := s.time("first_copy_s", c.copy); err != nil {
		return err
	}
	for range rounds - 1 {
		runtime.GC()
		if err := s.time("copy_s", c.copy); err != nil {
			return err
		}
	}
	s["copy_s"] /= rounds - 1
	if got := c.countCopy(); got != want {
		return fmt.Errorf("the copy of\n%v\nis\n%v", want, got)
	}
	return nil
}

// save writes the forest to a file, and loads a second forest from that file.
func (s figures) save(f forest, want counts) error {
	from, ok := f.(saver)
	if !ok {
		return nil
	}
	file, err := os.CreateTemp("", "goast")
	if err != nil {
		return err
	}
	defer os.Remove(file.Name())
	if err := errors.Join(s.time("save_s", func() error { return from.save(file) }), file.Close()); err != nil {
		return err
	}
	info, err := os.Stat(file.Name())
	if err != nil {
		return err
	}
	s["saved_bytes"] = float64(info.Size())
	var loaded forest
	err = s.time("load_s", func() (err error) {
		loaded, err = from.load(file.Name())
		return err
	})
	if err != nil {
		return err
	}
	if got := loaded.count(); got != want {
		return fmt.Errorf("what was saved and loaded from\n%v\nis\n%v", want, got)
	}
	return loaded.drop()
}
