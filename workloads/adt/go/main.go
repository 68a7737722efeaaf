// Command adt solves ../spec.md with a choice of strategies:
//
//	adt STRATEGY [-report=FILE] DEPTH
package main

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/coppice-go/coppice/workloads/internal/memory"
	"github.com/coppice-go/coppice/workloads/internal/selfreport"
)

// strategies maps the name of each strategy to its constructor and its number of bytes per
// node.
var strategies = map[string]struct {
	begin func() trees
	bytes uint64
}{
	"naive":        {func() trees { return &naive{} }, 24},
	"slab":         {func() trees { return &inSlabs{} }, 24},
	"store":        {func() trees { return &inStores{} }, 12},
	"store-reused": {func() trees { return &inStores{reused: true} }, 12},
	"flat":         {func() trees { return &inFlat{} }, 10},
	"flat-reused":  {func() trees { return &inFlat{reused: true} }, 10},
}

const usage = "usage: adt STRATEGY [-report=FILE] DEPTH, with a strategy of naive slab store store-reused flat flat-reused, and a depth from 1 to 31"

func main() {
	strategy, report, depth, err := parse(os.Args[1:])
	if err != nil {
		fmt.Fprintf(os.Stderr, "adt: %v; %s\n", err, usage)
		os.Exit(2)
	}
	if err := solve(strategy, report, depth); err != nil {
		fmt.Fprintln(os.Stderr, "adt:", err)
		os.Exit(1)
	}
}

func parse(args []string) (strategy, report string, depth int, err error) {
	if len(args) == 0 {
		return "", "", 0, errors.New("no strategy")
	}
	strategy, args = args[0], args[1:]
	if _, ok := strategies[strategy]; !ok {
		return "", "", 0, fmt.Errorf("no strategy %q", strategy)
	}
	if len(args) > 0 && strings.HasPrefix(args[0], "-report=") {
		report, args = strings.TrimPrefix(args[0], "-report="), args[1:]
	}
	switch len(args) {
	case 0:
		return "", "", 0, errors.New("no depth")
	case 1:
	default:
		return "", "", 0, errors.New("too many arguments")
	}
	if depth, err = strconv.Atoi(args[0]); err != nil || depth < 1 || depth > 31 {
		return "", "", 0, fmt.Errorf("depth %q is not a whole number from 1 to 31", args[0])
	}
	return strategy, report, depth, nil
}

func solve(strategy, report string, depth int) error {
	s := strategies[strategy]
	need, limit := 2*s.bytes*(1<<depth-1), memory.LeastLimit()
	if need > limit.Bytes {
		return fmt.Errorf("depth %d takes %d bytes, and %s has %d; take a smaller depth", depth, need, limit.Source, limit.Bytes)
	}
	since := selfreport.Start()
	out := bufio.NewWriter(os.Stdout)
	times, err := run(s.begin(), depth, out)
	if err != nil {
		return err
	}
	if err := out.Flush(); err != nil {
		return err
	}
	figures := since.Report()
	addTimes(figures, times)
	return figures.Write(report)
}
