// Command corpus writes a forest of the syntax trees of Go source, with a tree for each file, and
// measures it: size, opening, traversals and look-ups. docs/CORPORA.md contains the results.
package main

import (
	"errors"
	"flag"
	"fmt"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/coppice-go/coppice/flat"
	"github.com/coppice-go/coppice/flat/forest"
	"github.com/coppice-go/coppice/workloads/goast/go/fromast"
	"github.com/coppice-go/coppice/workloads/goast/go/syntaxflat"
)

const usage = `usage: corpus -out FILE [-nodes N] [-part I/N] [-segment BYTES] [FOLDER]

Writes a forest of all Go files below FOLDER, by default GOROOT/src, but those in folders testdata. With -nodes the files are added again, under
other names, until there are so many nodes. With -part 3/12 they are only every twelfth file, from number 3 on, counted from 0: twelve
machines write a forest each. Then it measures the file.
`

func main() {
	var o options
	flag.Usage = func() { fmt.Fprint(os.Stderr, usage) }
	flag.StringVar(&o.out, "out", "", "")
	flag.IntVar(&o.nodes, "nodes", 0, "")
	flag.Func("part", "", func(text string) error {
		if n, err := fmt.Sscanf(text, "%d/%d", &o.part, &o.parts); n != 2 || err != nil || o.part < 0 || o.part >= o.parts {
			return errors.New("want a number from 0 on, and of how many, as in 3/12")
		}
		return nil
	})
	flag.IntVar(&o.segment, "segment", 0, "")
	flag.Parse()
	if o.out == "" || flag.NArg() > 1 {
		flag.Usage()
		os.Exit(2)
	}
	o.folder = flag.Arg(0)
	err := run(o, os.Stdout)
	if err != nil {
		fmt.Fprintln(os.Stderr, "corpus:", err)
		os.Exit(1)
	}
}

// options are the flags.
type options struct {
	out, folder    string
	nodes, segment int
	part, parts    int // if parts is 0, all files are used
}

func run(o options, stdout io.Writer) error {
	if o.folder == "" {
		root, err := exec.Command("go", "env", "GOROOT").Output()
		if err != nil {
			return fmt.Errorf("asking the go command for GOROOT: %w", err)
		}
		o.folder = filepath.Join(strings.TrimSpace(string(root)), "src")
	}
	paths, err := sources(o.folder)
	if err != nil {
		return err
	}
	if o.parts > 0 {
		var some []string
		for i := o.part; i < len(paths); i += o.parts {
			some = append(some, paths[i])
		}
		if paths = some; len(paths) == 0 {
			return fmt.Errorf("part %d of %d has no file", o.part, o.parts)
		}
	}
	if err := grow(o, paths, stdout); err != nil {
		return err
	}
	return measure(o.out, stdout)
}

// sources returns the Go files below a folder.
func sources(folder string) (all []string, err error) {
	err = filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && d.Name() == "testdata":
			return fs.SkipDir
		case d.Type().IsRegular() && strings.HasSuffix(path, ".go"):
			all = append(all, path)
		}
		return nil
	})
	if err == nil && len(all) == 0 {
		err = fmt.Errorf("there is no Go source in %s", folder)
	}
	return all, err
}

// grow writes the forest.
func grow(o options, paths []string, stdout io.Writer) error {
	w, err := forest.Create[syntaxflat.Tree](o.out, forest.Options{SegmentBytes: o.segment})
	if err != nil {
		return err
	}
	defer w.Close()
	start := time.Now()
	convert := fromast.NewConverter()
	var source int64
	var nodes, broken int
	for round := 0; round == 0 || nodes < o.nodes; round++ {
		for _, path := range paths {
			f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments|parser.SkipObjectResolution)
			if err != nil {
				broken++
				continue
			}
			tree, err := convert.Tree(f)
			if err != nil {
				return fmt.Errorf("%s: %w", path, err)
			}
			if err := w.Add(named(o.folder, path, round), tree); err != nil {
				return err
			}
			source += int64(f.FileEnd - f.FileStart)
			nodes += tree.NumNodes()
			convert.Reuse(tree)
			if round > 0 && nodes >= o.nodes {
				break
			}
		}
		if nodes == 0 {
			return fmt.Errorf("no file in %s can be parsed", o.folder)
		}
	}
	if err := w.Close(); err != nil {
		return err
	}
	info, err := os.Stat(o.out)
	if err != nil {
		return err
	}
	fmt.Fprintf(stdout, "%d nodes from %.1f MB of source in %.2f s, parsing included; %d files do not parse\n", nodes, float64(source)/1e6, time.Since(start).Seconds(), broken)
	fmt.Fprintf(stdout, "the forest has %.1f MB, %.2f bytes a node\n", float64(info.Size())/1e6, float64(info.Size())/float64(nodes))
	return nil
}

// named returns the name of a tree: its path in the folder, after the number of the round if
// that is not the first.
func named(folder, path string, round int) string {
	name, err := filepath.Rel(folder, path)
	if err != nil {
		name = path
	}
	if name = filepath.ToSlash(name); round > 0 {
		name = fmt.Sprintf("%d:%s", round, name)
	}
	return name
}

// measure opens a forest and reads all of it, twice.
func measure(path string, stdout io.Writer) error {
	start := time.Now()
	r, err := forest.Open[syntaxflat.Tree](path, flat.LoadLimits{})
	if err != nil {
		return err
	}
	defer r.Close()
	fmt.Fprintf(stdout, "open, %d trees: %.2f ms\n", r.Len(), ms(start))
	for _, what := range []string{"first walk, which checks and validates each tree", "second walk"} {
		start, calls, nodes := time.Now(), 0, 0
		for item, err := range r.All {
			if err != nil {
				return err
			}
			for n := range item.Tree.All {
				if nodes++; n.Kind() == syntaxflat.KindCallExpr {
					calls++
				}
			}
		}
		took := ms(start)
		fmt.Fprintf(stdout, "%s: %.0f ms, %.1f ns a node, %d calls in %d nodes\n", what, took, 1e6*took/float64(nodes), calls, nodes)
	}
	start = time.Now()
	last := r.Name(r.Len() - 1)
	i, ok := r.Lookup(last)
	fmt.Fprintf(stdout, "first look-up, which makes the index of names: %.2f ms\n", ms(start))
	start = time.Now()
	for i := range r.Len() {
		if _, found := r.Lookup(r.Name(i)); !found {
			ok = false
		}
	}
	if !ok {
		return fmt.Errorf("tree %d, %s, is not found", i, last)
	}
	fmt.Fprintf(stdout, "a look-up: %.0f ns\n", 1e6*ms(start)/float64(r.Len()))
	return nil
}

// ms returns the milliseconds since start.
func ms(start time.Time) float64 { return time.Since(start).Seconds() * 1e3 }
