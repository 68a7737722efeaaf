// Command goast measures the cost of keeping the syntax trees of the standard library: as go/ast,
// as pointers or as flat trees. The problem is in ../spec.md.
package main

import (
	"flag"
	"fmt"
	"go/ast"
	"os"
	"slices"
	"strings"

	"github.com/coppice-go/coppice/workloads/internal/arguments"
	"github.com/coppice-go/coppice/workloads/internal/selfreport"
)

// formula is the strategy that keeps no trees and prints the expected answer: the counts from
// go/ast's own traversal.
const formula = "count"

const usage = "goast -strategy NAME DEPTH"

// A forest stores the trees of all files in one strategy.
type forest interface {
	build(files []*ast.File) error // from the parser's trees
	count() counts                 // by a walk over all
	drop() error
}

// A strategy is a way to store a forest.
type strategy struct {
	name string
	make func() forest
}

var strategies = []strategy{
	{"ast", func() forest { return &parsed{} }},
	{"pointers", func() forest { return &pointers{} }},
	{"flat", func() forest { return &flatTree{} }},
	{"flat-files", func() forest { return &flatTrees{} }},
}

func main() {
	name := flag.String("strategy", "", "how to hold the trees: "+strings.Join(names(), ", ")+", or "+formula+" for the answer alone")
	report := flag.String("report", "", "write figures as JSON to this `file`")
	depth := arguments.Number(0, greatestDepth, usage)
	if !slices.Contains(names(), *name) && *name != formula {
		arguments.Refuse(fmt.Sprintf("no strategy %q; there are %s and %s", *name, strings.Join(names(), ", "), formula), usage)
	}
	if err := run(*name, depth, *report); err != nil {
		fmt.Fprintln(os.Stderr, "goast:", err)
		os.Exit(1)
	}
}

func names() (all []string) {
	for _, s := range strategies {
		all = append(all, s.name)
	}
	return all
}

func run(name string, depth int, report string) error {
	paths, err := corpus(depth)
	if err != nil {
		return err
	}
	if name == formula {
		_, files, err := parse(paths)
		if err != nil {
			return err
		}
		fmt.Println(countParsed(files))
		return nil
	}
	since := selfreport.Start()
	i := slices.Index(names(), name)
	counted, phases, err := measure(strategies[i].make(), paths)
	if err != nil {
		return err
	}
	fmt.Println(counted)
	figures := since.Report()
	for phase, value := range phases {
		figures[phase] = value
	}
	return figures.Write(report)
}
