package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/google/shlex"

	"github.com/coppice-go/coppice/cmd/coppice/internal/cli"
	"github.com/coppice-go/coppice/cmd/internal/facts"
	"github.com/coppice-go/coppice/cmd/internal/find"
	"github.com/coppice-go/coppice/cmd/internal/find/probe"
	"github.com/coppice-go/coppice/cmd/internal/find/show"
	"github.com/coppice-go/coppice/cmd/internal/progress"
	"github.com/coppice-go/coppice/cmd/internal/trees"
)

const findUsage = `usage: coppice find [flags] [PACKAGE...]    build and run a benchmark; report what allocation costs, and the remedy
       coppice find -heap SOURCE [-cpuprofile SOURCE] [-C DIR] [flags]    the same from existing profiles
SOURCE is a file, a folder or a URL.
`

// errProposals is returned if -gate is given and there are proposals. It sets the exit code to 1.
// The proposals are on standard output.
var errProposals = errors.New("there are proposals")

// findFlags holds the flags of coppice find.
type findFlags struct {
	find.Options // Packages, Bench, Test, Args and Tool
	look         func(context.Context, find.Options) (*find.Found, error)
	show         show.Options
	min          string // show.Min, as given on the command line
	toolchains   string
	gate, dry    bool
	quick        bool
	program      bool // whether -main was given
	open         bool

	json, markdown                  bool
	out, report, sarif, html, pprof string // names of output files

	profiles profileFlags
}

func parseFind(args []string, stdout io.Writer) (o findFlags, err error) {
	flags := flag.NewFlagSet("coppice find", flag.ContinueOnError)
	flags.StringVar(&o.Bench, "bench", ".", "benchmark `pattern`; of several, the one with the largest share of memory management")
	flags.StringVar(&o.Test, "test", "", "measure the tests of one package that match this `pattern`")
	arguments := flags.String("main", "", "measure the program with these `arguments`, split as by a shell")
	flags.IntVar(&o.show.Top, "top", show.Top, "print at most this `number` of sites")
	flags.StringVar(&o.min, "min", "2%", "omit sites below this `percentage` of malloc time, objects and bytes")
	flags.BoolVar(&o.show.All, "all", false, "print all sites")
	flags.BoolVar(&o.quick, "quick", false, "take a quarter of the time: sampled allocations, no settings, no lifetimes")
	builds := flags.String("builds", "", "also measure these comma-separated `kinds` of builds: "+strings.Join(find.OtherBuilds, ", ")+", all")
	flags.BoolVar(&o.gate, "gate", false, "exit with code 1 if there is a proposal")
	flags.StringVar(&o.toolchains, "toolchains", "", "comma-separated Go `versions`, such as 1.26.8,1.27.4; one report for each")
	flags.BoolVar(&o.json, "json", false, "print one JSON object")
	flags.StringVar(&o.report, "report", "", "also write the JSON object to this `file`")
	flags.DurationVar(&o.Probe.Time, "time", probe.Full.Time, "limit for the CPU profile, which ends earlier when it has enough samples")
	flags.BoolVar(&o.markdown, "markdown", false, "print Markdown")
	flags.StringVar(&o.out, "out", "", "write the report to this `file` instead of standard output")
	flags.StringVar(&o.sarif, "sarif", "", "also write a SARIF 2.1.0 log to this `file`")
	flags.StringVar(&o.html, "html", "", "also write a self-contained page to this `file`")
	flags.BoolVar(&o.open, "open", false, cli.OpenUsage)
	flags.StringVar(&o.pprof, "pprof", "", "also write the heap profile to this `file`, labelled with lifetimes, remedies")
	flags.BoolVar(&o.dry, "n", false, "run nothing; print what would be measured")
	o.profiles.define(flags)
	if err := cli.ParseFlags(flags, findUsage, args, stdout); err != nil {
		return o, err
	}
	most := o.Probe.Time
	if o.Probe = probe.Full; o.quick {
		o.Probe = probe.Quick
	}
	if o.Probe.Time = most; most <= 0 {
		return o, cli.Usagef("invalid -time %v: must be positive, such as 3m", most)
	}
	o.Tool = "coppice " + version()
	if o.Builds, err = parseBuilds(*builds, find.OtherBuilds); err != nil {
		return o, err
	}
	if o.Packages, err = cli.Packages(flags, "."); err != nil {
		return o, err
	}
	if err := o.choose(flags, *arguments); err != nil {
		return o, err
	}
	if err := o.profiles.check(flags); err != nil {
		return o, err
	}
	return o, o.check()
}

// choose selects the analysis for the flag that is given, -bench, -test or -main, and checks the
// flag's value.
func (o *findFlags) choose(flags *flag.FlagSet, arguments string) (err error) {
	o.look = find.Benchmark
	var given []string
	flags.Visit(func(f *flag.Flag) {
		switch f.Name {
		case "test":
			o.look = find.Tests
		case "main":
			o.look, o.program = find.Program, true
		case "bench":
		default:
			return
		}
		given = append(given, "-"+f.Name)
	})
	if len(given) > 1 {
		return cli.Usagef("%s are mutually exclusive: use one of them", strings.Join(given, " and "))
	}
	if _, err := regexp.Compile(o.Test); err != nil {
		return cli.Usagef("invalid -test %s: %v", o.Test, err)
	}
	if o.Args, err = shlex.Split(arguments); err != nil {
		return cli.Usagef("invalid -main %q: %v; close the quotes, or escape the last backslash", arguments, err)
	}
	return nil
}

// parseBuilds parses the value of -builds, a list of build kinds. The word "all" selects every kind
// in known.
func parseBuilds(text string, known []string) ([]string, error) {
	kinds := cli.List(text)
	for _, kind := range kinds {
		if kind != "all" && !slices.Contains(known, kind) {
			return nil, cli.Usagef("invalid -builds %s: must be %s or all", kind, strings.Join(known, ", "))
		}
	}
	if slices.Contains(kinds, "all") {
		return known, nil
	}
	return kinds, nil
}

// check validates the flags and parses the value of -min.
func (o *findFlags) check() error {
	if _, err := regexp.Compile(o.Bench); err != nil {
		return cli.Usagef("invalid -bench %s: %v", o.Bench, err)
	}
	if o.show.Top < 1 {
		return cli.Usagef("invalid -top %d: must be at least 1; %d fit on a screen", o.show.Top, show.Top)
	}
	part, percent := strings.CutSuffix(o.min, "%")
	var err error
	if o.show.Min, err = strconv.ParseFloat(strings.TrimSpace(part), 64); err != nil || !percent || !(o.show.Min >= 0) || o.show.Min > 100 {
		return cli.Usagef("invalid -min %s: must be a percentage such as 2%%", o.min)
	}
	o.show.Min /= 100
	if strings.Contains(o.toolchains, ",") && (o.html != "" || o.pprof != "") {
		return cli.Usagef("-html and -pprof need a single toolchain: name one with -toolchains")
	}
	switch {
	case len(o.Builds) == 0:
	case o.quick:
		return cli.Usagef("-quick and -builds are mutually exclusive: use one of them")
	case o.Test != "" || o.program || o.profiles.isSet():
		return cli.Usagef("-builds needs a benchmark: name one with -bench")
	}
	if o.json && o.markdown {
		return cli.Usagef("-json and -markdown are mutually exclusive: use one of them")
	}
	if o.open && o.html == "" {
		return errNoPage
	}
	return nil
}

// errNoPage is returned if -open is given without -html.
var errNoPage = cli.Usagef("-open opens the page that -html writes: add -html FILE")

func finding(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	o, err := parseFind(args, stdout)
	if err != nil {
		return err
	}
	if o.Dir, err = os.Getwd(); err != nil {
		return err
	}
	if o.dry {
		if err := o.lookFirst(ctx); err != nil {
			return unmeasured{hinted(ctx, err, o.Bench, o.Packages, "")}
		}
		return o.dryRun(stdout)
	}
	if o.profiles.isSet() {
		return o.fromProfiles(ctx, stdout, stderr)
	}
	versions := versionsOf(o.toolchains)
	var all []*find.Result
	var first *find.Found
	var tooOld error
	for _, v := range versions {
		f, err := o.findWith(ctx, v, stderr)
		if errors.Is(err, context.Canceled) {
			err = errors.New("interrupted; all temporary files were removed")
		}
		if old := (*facts.TooOldError)(nil); errors.As(err, &old) { // other toolchains may still give an answer
			tooOld = errors.Join(tooOld, err)
			continue
		}
		if err != nil {
			return errors.Join(o.print(all, first, stdout), tooOld, unmeasured{hinted(ctx, err, o.Bench, o.Packages, "")})
		}
		all = append(all, f.Result)
		if first == nil {
			first = f
		}
	}
	if err := o.print(all, first, stdout); err != nil {
		return err
	}
	o.opens(all, stderr)
	if tooOld != nil {
		return unmeasured{tooOld}
	}
	return o.gated(all)
}

// opens shows the HTML page in the browser if -open is given and there are answers.
func (o *findFlags) opens(answers []*find.Result, stderr io.Writer) {
	if o.open && len(answers) > 0 {
		cli.Open(o.html, stderr)
	}
}

// gated returns errProposals if -gate is given and there are proposals.
func (o *findFlags) gated(all []*find.Result) error {
	for _, r := range all {
		if o.gate && len(r.Proposals) > 0 {
			return errProposals
		}
	}
	return nil
}

// findWith analyzes the packages with the named toolchain. If toolchain is empty, the go command
// chooses one.
func (o *findFlags) findWith(ctx context.Context, toolchain string, stderr io.Writer) (found *find.Found, err error) {
	options := o.Options
	steps := progress.NewSteps(stderr)
	defer steps.Close()
	options.Show, options.Probe.Until = steps.Stage, steps.Until
	temp := tempInScratch
	if o.program {
		temp = tempOfUser
	}
	err = inScratch(ctx, toolchain, temp, func(scratch *trees.Scratch) error {
		options.Scratch = scratch
		if found, err = o.look(ctx, options); err != nil || o.quick {
			return err
		}
		return find.Takes(ctx, o.Dir, []*find.Result{found.Result}, o.shown, steps.Stage)
	})
	return found, err
}

// print writes the answers in the requested format, and the files that flags request. The parameter
// first is nil if existing profiles were analyzed. If there are no results, print leaves the files
// of earlier runs unchanged.
func (o *findFlags) print(results []*find.Result, first *find.Found, stdout io.Writer) error {
	if len(results) == 0 {
		return nil
	}
	if err := o.files(first, results); err != nil {
		return err
	}
	if o.out == "" {
		o.show.Columns = cli.Columns(stdout)
	}
	return cli.WriteTo(o.out, stdout, func(w io.Writer) error { return o.answer(w, results, first != nil) })
}

// answer writes the answers to stdout. If programs were run with several toolchains, a line with
// the toolchain's version precedes each answer.
func (o *findFlags) answer(stdout io.Writer, results []*find.Result, ran bool) error {
	if o.json {
		return show.JSON(stdout, results...)
	}
	form := show.Screen
	if o.markdown {
		form = show.Markdown
	}
	for i, r := range results {
		if i > 0 {
			fmt.Fprintln(stdout)
		}
		if len(results) > 1 && ran {
			fmt.Fprintf(stdout, "%s\n\n", r.Environment["go"])
		}
		if err := form(stdout, r, o.show); err != nil {
			return err
		}
	}
	return nil
}

// shown returns the IDs of the proposals that the screen shows.
func (o *findFlags) shown(r *find.Result) []string { return show.Proposals(r, o.show) }

// files writes the answers to the files that flags name: a report, a SARIF log, an HTML page and a
// profile.
func (o *findFlags) files(first *find.Found, results []*find.Result) error {
	if o.report != "" {
		if err := cli.WriteFile(o.report, func(w io.Writer) error { return show.JSON(w, results...) }); err != nil {
			return err
		}
	}
	if o.sarif != "" {
		if err := cli.WriteFile(o.sarif, func(w io.Writer) error { return show.SARIF(w, o.Dir, results...) }); err != nil {
			return err
		}
	}
	if o.html != "" {
		if err := cli.WriteFile(o.html, func(w io.Writer) error { return show.HTML(w, results[0], o.show, os.ReadFile) }); err != nil {
			return err
		}
	}
	if o.pprof != "" {
		return cli.WriteFile(o.pprof, func(w io.Writer) error { return show.Profile(w, first.Result, first.Heap, first.SiteOf) })
	}
	return nil
}
