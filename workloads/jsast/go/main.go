// Command jsast measures passes over the syntax tree of a JavaScript module, as the pointers of
// the parser github.com/tdewolff/parse/v2/js and as flat trees. It is a separate module, so
// that Coppice does not depend on that parser. The problem is in ../spec.md.
package main

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/coppice-go/coppice/workloads/internal/arguments"
	"github.com/coppice-go/coppice/workloads/internal/selfreport"
	"github.com/coppice-go/coppice/workloads/jsast/source"
)

const usage = "jsast -strategy NAME DEPTH"

// A strategy is a way to store a tree and to change it.
type strategy struct {
	name string
	make func() form
}

var strategies = []strategy{
	{"pointers", func() form { return &pointers{} }},
	{"flat", func() form { return &flatForm{fold: foldFlat} }},
	{"flat-in-place", func() form { return &flatForm{fold: foldTaken} }},
	{"flat-edit", func() form { return &flatForm{fold: foldInPlace} }},
}

func main() {
	name := flag.String("strategy", "", "how to hold the tree: "+strings.Join(names(), ", "))
	report := flag.String("report", "", "write figures as JSON to this `file`")
	depth := arguments.Number(0, source.GreatestDepth, usage)
	i := slices.Index(names(), *name)
	if i < 0 {
		arguments.Refuse(fmt.Sprintf("no strategy %q; there are %s", *name, strings.Join(names(), ", ")), usage)
	}
	since := selfreport.Start()
	result, phases, err := measure(strategies[i].make, source.Module(depth))
	if err == nil {
		fmt.Println(result)
		figures := since.Report()
		for phase, value := range phases {
			figures[phase] = value
		}
		err = figures.Write(*report)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "jsast:", err)
		os.Exit(1)
	}
}

func names() (all []string) {
	for _, s := range strategies {
		all = append(all, s.name)
	}
	return all
}
