// Command peers solves binary-trees, as ../spec.md states it, with the allocators that
// a Go programmer can pick today instead of Coppice, each used as its own documentation
// says. README.md lists them, and those that were left out.
//
//	peers STRATEGY [-workers=N] [-report=FILE] DEPTH
//
// Each strategy is a file of its own that can be read alone: node, build, count, and
// the worker that ties them together. run.go is what they share. The module is apart
// from Coppice's, so that Coppice does not depend on its peers.
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

// Bounds of what a program accepts.
const (
	greatestDepth   = 40
	greatestWorkers = 4096
)

func main() { os.Exit(execute(os.Args[1:], os.Stdout, os.Stderr)) }

// execute is the program: it returns the exit code, 2 for bad arguments and 1 for work
// that cannot be done.
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

// command is what the arguments ask for.
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
	flags.SetOutput(io.Discard) // execute prints errors, in one line
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

// explain turns what package flag says of "-3" and of unknown flags into advice.
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
