// Command live keeps one tree alive and forces collections. The problem is in
// ../spec.md.
package main

import (
	"flag"
	"fmt"
	"os"
	"runtime"
	"slices"

	binarytrees "github.com/coppice-go/coppice/workloads/binary-trees/go"
	"github.com/coppice-go/coppice/workloads/internal/arguments"
	"github.com/coppice-go/coppice/workloads/internal/selfreport"
)

// collections is the number of forced collections.
const collections = 50

// formula is a strategy that builds no tree and prints the expected answer.
const formula = "count"

const usage = "live -strategy NAME DEPTH"

// strategies contains our strategies, and the strategies of the write-ups as published.
var strategies = slices.Concat(binarytrees.Strategies, binarytrees.Published)

func main() {
	strategy := flag.String("strategy", "", "how to allocate the tree, or count for the formula alone")
	report := flag.String("report", "", "write figures as JSON to this `file`")
	depth := arguments.Number(0, 28, usage)
	known := func(s binarytrees.Strategy) bool { return s.Name == *strategy }
	if *strategy != formula && !slices.ContainsFunc(strategies, known) {
		arguments.Refuse(fmt.Sprintf("no strategy %q", *strategy), usage)
	}
	if err := run(*strategy, depth, *report); err != nil {
		fmt.Fprintln(os.Stderr, "live:", err)
		os.Exit(1)
	}
}

func run(strategy string, depth int, report string) error {
	if strategy == formula {
		fmt.Printf("%d nodes, and %d after %d collections\n", 2<<depth-1, 2<<depth-1, collections)
		return nil
	}
	for _, s := range strategies {
		if s.Name == strategy {
			return collect(s, depth, report)
		}
	}
	return fmt.Errorf("no strategy %q", strategy)
}

func collect(s binarytrees.Strategy, depth int, report string) error {
	since := selfreport.Start()
	count, closeTree, err := binarytrees.Keep(s, depth)
	if err != nil {
		return err
	}
	before := count()
	runtime.GC() // collects the garbage of building, which is not measured
	start := since.Report()["gc_cpu_s"]
	for range collections {
		runtime.GC()
	}
	fmt.Printf("%d nodes, and %d after %d collections\n", before, count(), collections)
	figures := since.Report()
	figures["collection_s"] = (figures["gc_cpu_s"] - start) / collections
	if err := figures.Write(report); err != nil {
		return err
	}
	return closeTree()
}
