// Command torture runs the tests, the fuzz targets and the soak test of the library under every
// condition of a table, such as checked builds, constant garbage collection, other architectures,
// few processors and many processors.
//
//	go run ./workshop/torture            # all of it; more than an hour
//	go run ./workshop/torture -short     # the part of make check
//	go run ./workshop/torture -list
//	go run ./workshop/torture -only s390x,checkmark -parts tests
//
// It continues after a failure. It saves the output of each condition in a file and prints a line
// for each condition. At the end, it lists the failures and writes a record of the run. The table
// is in conditions.go.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// Default settings of a full and a short run. In a short run, the tests run with -short, which
// divides the number of random programs that are compared with a model by five.
const (
	fullChecks  = 2000
	shortChecks = 500
	fullSoak    = 10 * time.Minute
	shortSoak   = 10 * time.Second
)

// arguments contains the parsed command line.
type arguments struct {
	plan
	list   bool
	only   string
	record string
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	a, err := parse(args, stdout)
	if errors.Is(err, flag.ErrHelp) {
		return 0
	}
	var chosen []*condition
	if err == nil {
		chosen, err = a.chosen()
	}
	if err != nil {
		fmt.Fprintln(stderr, "torture:", err)
		return 2
	}
	if a.list {
		list(stdout)
		return 0
	}
	if err := a.torture(ctx, chosen, "torture "+strings.Join(args, " ")); err != nil {
		fmt.Fprintln(stderr, "torture:", err)
		return 1
	}
	return 0
}

// parse parses the command line. It writes the help text to stdout.
func parse(args []string, stdout io.Writer) (*arguments, error) {
	a := &arguments{}
	a.stdout = stdout
	flags := flag.NewFlagSet("torture", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.BoolVar(&a.short, "short", false, "do what make check adds to its other targets, in about a minute")
	flags.BoolVar(&a.list, "list", false, "list the conditions and what each does")
	flags.StringVar(&a.only, "only", "", "run these conditions only, a `LIST` with commas")
	parts := flags.String("parts", "tests,fuzz,soak", "do these parts of each condition only, a `LIST` with commas")
	flags.IntVar(&a.checks, "checks", 0, fmt.Sprintf("`COUNT` of random programs for each model (default %d, -short %d; fewer under slow conditions)", fullChecks, shortChecks))
	flags.DurationVar(&a.fuzzTime, "fuzztime", 15*time.Second, "`TIME` to fuzz each target under each condition")
	flags.DurationVar(&a.soakTime, "soak", 0, fmt.Sprintf("`TIME` of the plain soak (default %v, -short %v; a tenth under other conditions)", fullSoak, shortSoak))
	flags.StringVar(&a.logs, "logs", "bin/torture", "`FOLDER` for the output of each condition")
	flags.StringVar(&a.record, "record", "bin/torture/report.md", "`FILE` for the record")
	if err := flags.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			fmt.Fprintln(stdout, "usage: go run ./workshop/torture [flags]")
			flags.SetOutput(stdout)
			flags.PrintDefaults()
			return nil, err
		}
		return nil, fmt.Errorf("%w; -help lists the flags", err)
	}
	switch {
	case flags.NArg() > 0:
		return nil, fmt.Errorf("unexpected argument %q; -help lists the flags", flags.Arg(0))
	case a.checks < 0:
		return nil, fmt.Errorf("invalid -checks %d: must be at least 0; 0 is the default", a.checks)
	case a.fuzzTime <= 0:
		return nil, fmt.Errorf("invalid -fuzztime %v: must be positive, such as 15s", a.fuzzTime)
	case a.soakTime < 0:
		return nil, fmt.Errorf("invalid -soak %v: must be at least 0; 0 is the default", a.soakTime)
	}
	a.checks = orDefault(a.checks, a.short, shortChecks, fullChecks)
	a.soakTime = orDefault(a.soakTime, a.short, shortSoak, fullSoak)
	var err error
	a.parts, err = parseParts(*parts)
	return a, err
}

// orDefault returns v or, if v is zero, the default value for a short or a full run.
func orDefault[T comparable](v T, short bool, ofShort, ofFull T) T {
	var zero T
	switch {
	case v != zero:
		return v
	case short:
		return ofShort
	default:
		return ofFull
	}
}

// chosen returns the selected conditions under which there is work to do.
func (a *arguments) chosen() (chosen []*condition, err error) {
	var names []string
	if a.only != "" {
		names = strings.Split(a.only, ",")
	}
	known := map[string]bool{}
	for i := range conditions {
		c := &conditions[i]
		known[c.name] = true
		if len(names) > 0 && !slices.Contains(names, c.name) {
			continue
		}
		if a.partsOf(c) != 0 {
			chosen = append(chosen, c)
		}
	}
	for _, name := range names {
		if !known[name] {
			return nil, fmt.Errorf("there is no condition %q; -list lists them", name)
		}
	}
	if len(chosen) == 0 {
		return nil, errors.New("nothing to do: none of these conditions has such a part; -list says what each has")
	}
	return chosen, nil
}

func list(w io.Writer) {
	for _, c := range conditions {
		fmt.Fprintf(w, "%-13s %s: %v", c.name, c.what, c.parts)
		if c.short != 0 {
			fmt.Fprintf(w, " (-short: %v)", c.short)
		}
		fmt.Fprintln(w)
	}
}

// torture runs the chosen conditions one after another and writes the record.
func (a *arguments) torture(ctx context.Context, chosen []*condition, command string) (err error) {
	if err := os.MkdirAll(a.logs, 0o777); err != nil {
		return err
	}
	if a.packages, err = discover(ctx); err != nil {
		return err
	}
	record := &record{command: strings.TrimSpace(command), start: time.Now()}
	for _, p := range a.packages {
		record.packages = append(record.packages, p.short())
	}
	for _, c := range chosen {
		if ctx.Err() != nil {
			break
		}
		fmt.Fprintf(a.stdout, "%-13s ", c.name)
		r := a.run(ctx, c)
		record.results = append(record.results, r)
		fmt.Fprintln(a.stdout, r.line())
		for _, note := range r.notes {
			fmt.Fprintln(a.stdout, "    "+note)
		}
	}
	record.took = time.Since(record.start)
	if err := record.write(a.record); err != nil {
		return err
	}
	failures := record.failures()
	if len(failures) == 0 && ctx.Err() != nil {
		return fmt.Errorf("interrupted after %d of %d conditions; the record is %s", len(record.results), len(chosen), a.record)
	}
	if len(failures) > 0 {
		for _, failure := range failures {
			fmt.Fprintln(a.stdout, "FAILED "+failure)
		}
		return fmt.Errorf("%d failures under %d conditions; the record is %s", len(failures), len(record.results), a.record)
	}
	fmt.Fprintf(a.stdout, "torture: all is well under %d conditions after %v; the record is %s\n", len(record.results), record.took.Round(time.Second), a.record)
	return nil
}
