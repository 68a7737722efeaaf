package main

import (
	"flag"
	"fmt"
	"io"
	"runtime"
	"strconv"
	"strings"
	"text/tabwriter"

	binarytrees "github.com/coppice-go/coppice/workloads/binary-trees/go"
)

// command is the parsed command line.
type command struct {
	list       bool // print the strategies and exit
	strategy   binarytrees.Strategy
	depth      int
	workers    int
	stats      bool
	cpuProfile string // file name, or "" for none
	memProfile string
	report     string
}

// usageError is an error in the arguments. Its message states how to correct them.
type usageError struct{ error }

func usagef(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

// greatestWorkers is the maximum of -workers: more than any machine can use, but few enough to
// start.
const greatestWorkers = 1 << 16

func newFlags(c *command, allocator *string) *flag.FlagSet {
	flags := flag.NewFlagSet("binary-trees", flag.ContinueOnError)
	flags.SetOutput(io.Discard) // run prints errors, each on one line
	flags.StringVar(allocator, "allocator", "naive", "`number or name` of the allocation strategy, or list; C1's own 0 and 1 are c1-naive and c1-buffered")
	flags.IntVar(&c.workers, "workers", runtime.GOMAXPROCS(0), "goroutines `N` that share the trees of one depth")
	flags.BoolVar(&c.stats, "stats", false, "print time, memory and the collector's work to standard error")
	flags.StringVar(&c.cpuProfile, "cpuprofile", "", "write a CPU profile for go tool pprof to `file`")
	flags.StringVar(&c.memProfile, "memprofile", "", "write an allocation profile for go tool pprof to `file`")
	flags.StringVar(&c.report, "report", "", "write the runtime's figures as JSON to `file`, for the lab")
	return flags
}

// parse reads the arguments.
func parse(args []string) (command, error) {
	var c command
	var allocator string
	flags := newFlags(&c, &allocator)
	if err := flags.Parse(args); err != nil {
		return c, explain(err)
	}
	if allocator == "list" {
		c.list = true
		return c, nil
	}
	var err error
	if c.strategy, err = findStrategy(allocator); err != nil {
		return c, err
	}
	if c.workers < 1 || c.workers > greatestWorkers {
		return c, usagef("-workers %d is not between 1 and %d", c.workers, greatestWorkers)
	}
	if c.cpuProfile != "" && c.cpuProfile == c.memProfile {
		return c, usagef("-cpuprofile and -memprofile both name %s; give each a file of its own", c.cpuProfile)
	}
	switch flags.NArg() {
	case 0:
		return c, usagef("no depth given; try: binary-trees -allocator slab 21")
	case 1:
		c.depth, err = parseDepth(flags.Arg(0))
		return c, err
	default:
		return c, usagef("unexpected argument %q after depth %s; flags go before the depth, and there is one depth", flags.Arg(1), flags.Arg(0))
	}
}

// explain adds advice to an error from package flag.
func explain(err error) error {
	if err == flag.ErrHelp {
		return err
	}
	text := err.Error()
	if name, ok := strings.CutPrefix(text, "flag provided but not defined: "); ok {
		if _, err := strconv.Atoi(name); err == nil {
			_, err := parseDepth(name)
			return err
		}
		return usagef("there is no flag %s; binary-trees -help lists the flags", name)
	}
	return usagef("%s; binary-trees -help lists the flags", text)
}

func parseDepth(arg string) (int, error) {
	depth, err := strconv.Atoi(arg)
	switch {
	case err != nil:
		return 0, usagef("depth %q is not a whole number; give one from 0 to %d", arg, binarytrees.GreatestDepth)
	case depth < 0:
		return 0, usagef("depth %d is negative; give one from 0 to %d", depth, binarytrees.GreatestDepth)
	case depth > binarytrees.GreatestDepth:
		return 0, usagef("depth %d is too great; give one from 0 to %d", depth, binarytrees.GreatestDepth)
	}
	return depth, nil
}

func findStrategy(allocator string) (binarytrees.Strategy, error) {
	var names []string
	for _, s := range binarytrees.Strategies {
		if allocator == s.Name || allocator == strconv.Itoa(s.Number) {
			return s, nil
		}
		names = append(names, fmt.Sprintf("%d %s", s.Number, s.Name))
	}
	for _, s := range binarytrees.Published {
		if allocator == s.Name {
			return s, nil
		}
		names = append(names, s.Name)
	}
	return binarytrees.Strategy{}, usagef("no allocator %q; there are %s", allocator, strings.Join(names, ", "))
}

func printStrategies(out io.Writer) error {
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "NUMBER\tNAME\tWHAT IT DOES\tCLAIM")
	for _, s := range binarytrees.Strategies {
		fmt.Fprintf(table, "%d\t%s\t%s\t%s\n", s.Number, s.Name, s.Does, s.Claim)
	}
	for _, s := range binarytrees.Published {
		fmt.Fprintf(table, "\t%s\t%s\t%s\n", s.Name, s.Does, s.Claim)
	}
	return table.Flush()
}

func printHelp(out io.Writer) {
	fmt.Fprint(out, `binary-trees builds, counts and drops many binary trees with a choice of allocator.

usage: binary-trees [flags] DEPTH      DEPTH from 0 to 40; below 6 counts as 6
       binary-trees -allocator list    the allocators

`)
	var c command
	var allocator string
	flags := newFlags(&c, &allocator)
	flags.SetOutput(out)
	flags.PrintDefaults()
}
