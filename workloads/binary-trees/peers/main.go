// Command peers solves binary-trees, defined in ../spec.md, with allocators that a Go programmer
// can use today instead of Coppice, each used as its documentation recommends. README.md lists
// them, and the allocators that are not included.
//
//	peers STRATEGY [-workers=N] [-report=FILE] DEPTH
//
// Each strategy is a separate file that can be read alone, with its node, build, count, and the
// worker that uses them. run.go contains the common part. The module is separate from
// Coppice's, so that Coppice does not depend on its peers.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime"
	"strconv"
	"strings"
)

// These are the upper bounds of the arguments.
const (
	greatestDepth   = 40
	greatestWorkers = 4096
)

func main() { os.Exit(execute(os.Args[1:], os.Stdout, os.Stderr)) }

// execute runs the program and returns its exit code: 2 for bad arguments, 1 for a failure.
func execute(args []string, stdout, stderr io.Writer) int {
	c, err := parse(args)
	if err != nil {
		fmt.Fprintln(stderr, "peers:", err)
		return 2
	}
	before := allocated()
	err = run(c, stdout)
	if err == nil && c.report != "" {
		err = writeReport(c.report, c.strategy, before)
	}
	if err != nil {
		fmt.Fprintln(stderr, "peers:", err)
		return 1
	}
	return 0
}

// command is the parsed command line.
type command struct {
	strategy strategy
	depth    int
	workers  int
	report   string // file name, or "" for none
}

func parse(args []string) (command, error) {
	var c command
	if len(args) == 0 {
		return c, fmt.Errorf("no strategy given; usage: peers STRATEGY [-workers=N] [-report=FILE] DEPTH, where STRATEGY is one of %s", names())
	}
	var ok bool
	if c.strategy, ok = find(args[0]); !ok {
		return c, fmt.Errorf("no strategy %q in this build; there are %s (arena needs GOEXPERIMENT=arenas, malloc needs cgo)", args[0], names())
	}
	flags := flag.NewFlagSet("peers", flag.ContinueOnError)
	flags.SetOutput(io.Discard) // execute prints errors, each on one line
	flags.IntVar(&c.workers, "workers", runtime.GOMAXPROCS(0), "goroutines that share the trees of one depth")
	flags.StringVar(&c.report, "report", "", "file for the runtime's figures, as JSON")
	if err := flags.Parse(args[1:]); err != nil {
		return c, explain(err)
	}
	if c.workers < 1 || c.workers > greatestWorkers {
		return c, fmt.Errorf("-workers=%d is not between 1 and %d", c.workers, greatestWorkers)
	}
	if flags.NArg() != 1 {
		return c, fmt.Errorf("%d arguments after strategy and flags; give one, the depth, from 0 to %d", flags.NArg(), greatestDepth)
	}
	var err error
	c.depth, err = parseDepth(flags.Arg(0))
	return c, err
}

// explain adds advice to the errors from package flag for "-3" and for unknown flags.
func explain(err error) error {
	name, unknown := strings.CutPrefix(err.Error(), "flag provided but not defined: ")
	if _, isNumber := strconv.Atoi(name); unknown && isNumber == nil {
		_, err := parseDepth(name)
		return err
	}
	if errors.Is(err, flag.ErrHelp) {
		err = errors.New("help")
	}
	return fmt.Errorf("%w; usage: peers STRATEGY [-workers=N] [-report=FILE] DEPTH", err)
}

func parseDepth(arg string) (int, error) {
	depth, err := strconv.Atoi(arg)
	if err != nil || depth < 0 || depth > greatestDepth {
		return 0, fmt.Errorf("depth %q is not a whole number from 0 to %d", arg, greatestDepth)
	}
	return depth, nil
}
