// Command mutants measures the tests. It applies the mutants of a corpus, one by one, to copies of
// the tree, and expects the tests to fail each time. A mutant that the tests do not detect shows
// that a guarantee is not tested.
//
//	go run ./workshop/mutants                     all mutants
//	go run ./workshop/mutants -run '^store/' -jobs 4
//	go run ./workshop/mutants -usual -sample 80 -changed main
//	go run ./workshop/mutants -list
//
// docs/MUTANTS.md describes the corpus and how to extend it.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"regexp"
	"runtime"
	"syscall"
	"time"
)

// corpusFolder is the folder of the mutants, relative to the root of the tree.
const corpusFolder = "workshop/bugs"

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second Ctrl-C ends the program at once
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// options holds the command-line flags.
type options struct {
	pattern *regexp.Regexp
	root    string
	sample  int    // apply only one in this many mutants; 0 for no sampling
	changed string // a revision, "" for none
	most    int
	slow    *regexp.Regexp // packages whose tests are too slow for the mutants that changes touch; nil for none
	usual   bool
	jobs    int
	limit   time.Duration
	list    bool
}

const usage = "mutants [-run REGEXP] [-sample K] [-changed REV] [-most N] [-slow REGEXP] [-usual] [-jobs N] [-timeout D] [-list]"

func parseFlags(args []string, stdout io.Writer) (o options, err error) {
	flags := flag.NewFlagSet("mutants", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	pattern := flags.String("run", "", "apply only mutants whose names match the `regexp`")
	flags.StringVar(&o.root, "root", ".", "the `folder` of the checkout")
	flags.IntVar(&o.sample, "sample", 0, "apply only one in `K` of those, chosen by its name")
	flags.StringVar(&o.changed, "changed", "", "apply only the sample, if any, and the mutants touched by changes since this `revision`")
	flags.IntVar(&o.most, "most", 12, "apply at most `N` of the mutants that the changes touch")
	slow := flags.String("slow", "", "of the mutants that the changes touch, leave out those with tests in a package that matches the `regexp`")
	flags.BoolVar(&o.usual, "usual", false, "run the tests at their default size; in full only for a mutant that survives this")
	flags.IntVar(&o.jobs, "jobs", runtime.NumCPU(), "`N` mutants at a time, each in a copy of the tree")
	flags.DurationVar(&o.limit, "timeout", 20*time.Minute, "the `time` that the tests of a package may take")
	flags.BoolVar(&o.list, "list", false, "print the mutants and the promises that they break; apply none")
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
	if *slow != "" {
		if o.slow, err = regexp.Compile(*slow); err != nil {
			return o, fmt.Errorf("-slow: %w", err)
		}
	}
	switch {
	case flags.NArg() > 0:
		return o, fmt.Errorf("unexpected argument %q", flags.Arg(0))
	case o.sample < 0:
		return o, fmt.Errorf("invalid -sample %d: must be at least 0", o.sample)
	case o.jobs < 1 || o.most < 1 || o.limit <= 0:
		return o, errors.New("-jobs, -most and -timeout must be positive")
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
		fmt.Fprintf(stderr, "mutants: %v; usage: %s\n", err, usage)
		return 2
	}
	mutants, notes, err := o.chosen(ctx)
	if err == nil && o.list {
		err = list(mutants, stdout)
	} else if err == nil {
		for _, note := range notes {
			fmt.Fprintln(stdout, note)
		}
		err = o.hunt(ctx, mutants, stdout)
	}
	if err != nil {
		fmt.Fprintf(stderr, "mutants: %v\n", err)
		return 1
	}
	return 0
}

func list(mutants []Mutant, out io.Writer) error {
	for _, b := range mutants {
		if _, err := fmt.Fprintf(out, "%s\n    %s\n", b.Name, b.Promise); err != nil {
			return err
		}
	}
	return nil
}

// hunt applies the mutants and prints a summary. It returns an error unless all mutants were
// detected.
func (o options) hunt(ctx context.Context, mutants []Mutant, stdout io.Writer) error {
	start := time.Now()
	h := hunt{root: o.root, jobs: o.jobs, limit: o.limit, usual: o.usual, out: stdout}
	t, err := h.runAll(ctx, mutants)
	if err != nil && !errors.Is(err, context.Canceled) {
		return err
	}
	if _, err := io.WriteString(stdout, t.summary(len(mutants), time.Since(start))); err != nil {
		return err
	}
	switch {
	case err != nil:
		return errors.New("interrupted; the lines above are complete, and -run selects the rest")
	case len(t.survived)+len(t.broken) > 0:
		return errors.New("not every mutant was caught")
	}
	return nil
}
