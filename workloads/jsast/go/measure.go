package main

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"runtime"

	"github.com/tdewolff/parse/v2"
	"github.com/tdewolff/parse/v2/js"

	"github.com/coppice-go/coppice/workloads/internal/selfreport"
)

// These are the numbers of repetitions. Each round parses the source again, since passes change the
// tree. The first round is not timed.
const (
	rounds      = 6
	collections = 6
)

// A result is the output that must be the same for all forms.
type result struct {
	source, folds, renamed int
	resolution             resolution
	printed                int
	sum                    [sha256.Size]byte
}

func (r result) String() string {
	return fmt.Sprintf("%d bytes of source\n%v\n%d constants folded, %d variables renamed\n%d bytes printed, SHA-256 %x",
		r.source, r.resolution, r.folds, r.renamed, r.printed, r.sum)
}

// figures contains CPU seconds and bytes, by metric.
type figures map[string]float64

// time adds the CPU time of f, on all threads, to a metric. Earlier garbage is collected first.
func (s figures) time(metric string, f func() error) error {
	runtime.GC()
	seconds, err := selfreport.CPU(f)
	s[metric] += seconds
	return err
}

// measure runs all rounds. They must have the same result.
func measure(make func() form, source []byte) (first result, s figures, err error) {
	f := make()
	var out []byte
	for i := range rounds {
		round := figures{}
		r, printed, err := round.run(f, source, out[:0], i == 0)
		if err != nil {
			return r, nil, err
		}
		out = printed
		if i == 0 {
			first, s = r, round
			for _, metric := range timed {
				s[metric] = 0
			}
			continue
		}
		if r != first {
			return r, nil, fmt.Errorf("round %d has the result\n%v\nwhere the first has\n%v", i, r, first)
		}
		for _, metric := range timed {
			s[metric] += round[metric] / (rounds - 1)
		}
	}
	for _, metric := range passes {
		s["passes_s"] += s[metric]
	}
	return first, s, nil
}

var (
	passes = []string{"resolve_s", "rename_s", "fold_s", "print_s"}
	timed  = append([]string{"parse_s", "build_s"}, passes...)
)

// run runs one round: it creates a tree and runs the passes. If alone is set, it also measures the
// tree by itself before the passes.
func (s figures) run(f form, source, out []byte, alone bool) (r result, printed []byte, err error) {
	before := heapBytes()
	if err := s.build(f, source); err != nil {
		return r, out, err
	}
	if alone {
		if err := s.measureTree(f, before); err != nil {
			return r, out, err
		}
	}
	r.source = len(source)
	for _, pass := range []struct {
		metric string
		run    func() error
	}{
		{"resolve_s", func() error { r.resolution = f.resolve(); return nil }},
		{"rename_s", func() error { r.renamed = f.rename(); return nil }},
		{"fold_s", func() (err error) { r.folds, err = f.foldConstants(); return err }},
		{"print_s", func() error { out = f.print(out); return nil }},
	} {
		if err := s.time(pass.metric, pass.run); err != nil {
			return r, out, err
		}
	}
	r.printed, r.sum = len(out), sha256.Sum256(out)
	f.drop()
	return r, out, nil
}

// build parses a copy of the source, which only the parser's tree keeps, and converts the tree
// to the form f.
func (s figures) build(f form, source []byte) error {
	var ast *js.AST
	err := s.time("parse_s", func() (err error) {
		ast, err = js.Parse(parse.NewInputBytes(bytes.Clone(source)), js.Options{})
		return err
	})
	if err != nil {
		return err
	}
	return s.time("build_s", func() error { return f.build(ast, len(source)) })
}

// measureTree measures the memory of the tree, and the cost of collections while the tree is
// live. The collections that sweep the garbage of parsing are not timed.
func (s figures) measureTree(f form, before uint64) error {
	for range 3 {
		runtime.GC()
	}
	s["tree_bytes"] = float64(heapBytes()) - float64(before)
	s["record_bytes"] = float64(f.recordBytes())
	for range collections {
		seconds, err := selfreport.CPU(func() error { runtime.GC(); return nil })
		if err != nil {
			return err
		}
		s["collection_s"] += seconds / collections
	}
	runtime.KeepAlive(f)
	return nil
}

// heapBytes returns the live bytes after a collection.
func heapBytes() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
