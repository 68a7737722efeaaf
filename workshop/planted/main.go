// Command planted measures the tests. It plants the bugs of a corpus, one by one, in copies of the
// tree, and expects the tests to fail each time. A bug that they do not detect is a promise
// without a test.
//
//	go run ./workshop/planted                     all bugs
//	go run ./workshop/planted -run '^store/' -jobs 4
//	go run ./workshop/planted -list
//
// docs/PLANTED.md describes the corpus and how to extend it.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"syscall"
	"time"
)

// corpusFolder is the folder of the bugs, relative to the root of the tree.
const corpusFolder = "workshop/bugs"

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second Ctrl-C ends the program at once
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// options are the flags.
type options struct {
	pattern     *regexp.Regexp
	root        string
	jobs, every int
	limit       time.Duration
	list        bool
}

const usage = "planted [-run REGEXP] [-every K] [-jobs N] [-timeout D] [-list]"

func parseFlags(args []string, stdout io.Writer) (o options, err error) {
	flags := flag.NewFlagSet("planted", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	pattern := flags.String("run", "", "plant only bugs whose names match the `regexp`")
	flags.StringVar(&o.root, "root", ".", "the `folder` of the checkout")
	flags.IntVar(&o.every, "every", 1, "plant only every `K`-th of those, for a sample")
	flags.IntVar(&o.jobs, "jobs", runtime.NumCPU(), "`N` bugs at a time, each in a copy of the tree")
	flags.DurationVar(&o.limit, "timeout", 5*time.Minute, "the `time` that the tests of a package may take")
	flags.BoolVar(&o.list, "list", false, "print the bugs and the promises that they break, and plant none")
	if err := flags.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			fmt.Fprintln(stdout, "usage: "+usage)
			flags.SetOutput(stdout)
			flags.PrintDefaults()
		}
		return o, err
	}
	if o.pattern, err = regexp.Compile(*pattern); err != nil {
		return o, fmt.Errorf("-run: %w", err)
	}
	switch {
	case flags.NArg() > 0:
		return o, fmt.Errorf("unexpected argument %q", flags.Arg(0))
	case o.jobs < 1 || o.every < 1 || o.limit <= 0:
		return o, errors.New("-jobs, -every and -timeout are above zero")
	}
	return o, nil
}

// run runs the program and returns its exit code.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	o, err := parseFlags(args, stdout)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return 0
	case err != nil:
		fmt.Fprintf(stderr, "planted: %v; usage: %s\n", err, usage)
		return 2
	}
	bugs, err := o.chosen()
	if err == nil && o.list {
		err = list(bugs, stdout)
	} else if err == nil {
		err = o.hunt(ctx, bugs, stdout, stderr)
	}
	if err != nil {
		fmt.Fprintf(stderr, "planted: %v\n", err)
		return 1
	}
	return 0
}

// chosen returns the bugs that the flags select.
func (o options) chosen() ([]Bug, error) {
	bugs, err := Corpus(os.DirFS(filepath.Join(o.root, corpusFolder)))
	if err != nil {
		return nil, fmt.Errorf("the corpus: %w", err)
	}
	bugs = slices.DeleteFunc(bugs, func(b Bug) bool { return !o.pattern.MatchString(b.Name) })
	if len(bugs) == 0 {
		return nil, fmt.Errorf("no bug matches %q; -list prints their names", o.pattern)
	}
	var some []Bug
	for i := 0; i < len(bugs); i += o.every {
		some = append(some, bugs[i])
	}
	return some, nil
}

func list(bugs []Bug, out io.Writer) error {
	for _, b := range bugs {
		if _, err := fmt.Fprintf(out, "%s\n    %s\n", b.Name, b.Promise); err != nil {
			return err
		}
	}
	return nil
}

// hunt plants the bugs and prints a summary. It fails unless all were detected.
func (o options) hunt(ctx context.Context, bugs []Bug, stdout, stderr io.Writer) error {
	start := time.Now()
	h := hunt{root: o.root, jobs: o.jobs, limit: o.limit, out: stdout}
	t, err := h.all(ctx, bugs)
	if err != nil && !errors.Is(err, context.Canceled) {
		return err
	}
	if len(t.survived) > 0 {
		fmt.Fprintln(stdout, "\nNo test notices these; write the one that does:")
		if err := list(t.survived, stdout); err != nil {
			return err
		}
	}
	_, printErr := fmt.Fprintf(stdout, "%d of %d bugs planted in %.0fs: %d caught, %d survived, %d broken\n",
		t.caught+len(t.survived)+len(t.broken), len(bugs), time.Since(start).Seconds(), t.caught, len(t.survived), len(t.broken))
	switch {
	case printErr != nil:
		return printErr
	case err != nil:
		return errors.New("interrupted; the lines above are complete, and -run selects the rest")
	case len(t.survived)+len(t.broken) > 0:
		return errors.New("not every bug was caught")
	}
	return nil
}
