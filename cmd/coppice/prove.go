package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/coppice-go/coppice/cmd/coppice/internal/cli"
	"github.com/coppice-go/coppice/cmd/internal/process/quiet"
	"github.com/coppice-go/coppice/cmd/internal/progress"
	"github.com/coppice-go/coppice/cmd/internal/prove"
	"github.com/coppice-go/coppice/cmd/internal/prove/show"
	"github.com/coppice-go/coppice/cmd/internal/trees"
)

const proveUsage = `usage: coppice prove -base REV|DIR [-head DIR] [flags] [PACKAGE...]   benchmarks, before and after
       coppice prove -patch FILE [-patch FILE] [flags] [PACKAGE...]   the tree, and the tree with a patch
       coppice prove -key impl=old,new [flags] [PACKAGE...]           benchmarks of one tree with each other
       coppice prove [flags] -- ./old args ::: ./new args             two or more commands
       coppice prove -merge [-goal F] [-least D] [-gate] DIR...       merge proofs written by -out
       coppice prove -history FILE [-html FILE] [-open]               changes over commits written by -record
`

// errRevert is returned to set the exit code to 1. The verdict itself was printed to standard
// output.
var errRevert = errors.New("the verdict is not keep")

// unmeasured wraps an error that left the proof without a complete result, and therefore without a
// verdict. It sets the exit code to 2.
type unmeasured struct{ error }

// proveFlags holds the values of the command-line flags of coppice prove.
type proveFlags struct {
	base, head, bench          string
	patches, folders           []string // folders has the arguments of -merge
	rounds, least, goal, equal string
	out, sarif, junit          string
	record, history            string // file names
	gate                       bool
	html                       string // file name
	open                       bool
	toolchains, key            string
	higher, lower              string // comma-separated units
	commandFlags
	leastBytes                 float64
	procs                      int
	instructions               bool
	json, markdown, merge, dry bool
}

func parseProve(args []string, stdout io.Writer) (proveFlags, prove.Options, error) {
	var o proveFlags
	var options prove.Options
	flags := flag.NewFlagSet("coppice prove", flag.ContinueOnError)
	flags.StringVar(&o.base, "base", "", "compare with this `revision`, or with the tree in this folder")
	flags.StringVar(&o.head, "head", "", "compare the tree in this `folder` (default: the working tree)")
	flags.Func("patch", "compare the working tree without and with this patch `file`; repeatable", func(file string) error {
		o.patches = append(o.patches, file)
		return nil
	})
	flags.StringVar(&o.key, "key", "", "compare benchmarks of one tree by these `values`: impl=old,new, or Old,New")
	flags.StringVar(&o.bench, "bench", ".", "`pattern` of the benchmarks to run, as for go test")
	flags.StringVar(&o.rounds, "rounds", "auto", "`number` of rounds, 6 to 1000; auto decides after 10, 20, 40 or 80")
	flags.StringVar(&o.least, "least", "5%", "smallest relevant `difference`; a proven smaller one gives the verdict same")
	flags.IntVar(&o.procs, "cpu", 0, "`number` of processors for each run; 0 keeps the benchmark's own setting")
	flags.StringVar(&o.goal, "goal", "cpu", "`metric` that must improve: cpu, wall, rss, allocs, or a unit such as hits/op")
	flags.StringVar(&o.higher, "higher", "", "comma-separated `units` where higher is better; implied for rates such as MB/s")
	flags.StringVar(&o.lower, "lower", "", "comma-separated `units` where lower is better")
	flags.StringVar(&o.equal, "equal", "", "equality `checks`: tests, dependants, race, results, none; commands: output")
	flags.Float64Var(&o.leastBytes, "least-bytes", 0, "reject a head that allocates fewer `bytes` per operation")
	flags.BoolVar(&o.gate, "gate", false, "exit with code 1 unless there is a gain; without -gate, only for a loss")
	flags.BoolVar(&o.instructions, "instructions", false, "also count instructions, with valgrind")
	flags.StringVar(&o.toolchains, "toolchains", "", "comma-separated Go `versions`, such as 1.26.8,1.27.4; one proof for each")
	flags.StringVar(&o.out, "out", "", "write runs and reports to this `folder`; a second start resumes")
	flags.StringVar(&o.stdin, "stdin", "", "`file` for the standard input of each command")
	o.declare(flags)
	flags.BoolVar(&o.json, "json", false, "print one JSON object")
	flags.BoolVar(&o.markdown, "markdown", false, "print Markdown, for a pull request")
	flags.BoolVar(&o.merge, "merge", false, "merge proofs: one verdict per kind of processor, and one for all")
	flags.StringVar(&o.sarif, "sarif", "", "also write a SARIF 2.1.0 log to this `file`")
	flags.StringVar(&o.junit, "junit", "", "also write JUnit XML to this `file`: a proven loss fails, undecided is skipped")
	flags.StringVar(&o.record, "record", "", "append one line per benchmark and metric to this `file`")
	flags.StringVar(&o.history, "history", "", "measure nothing; print the changes over commits that -record wrote to this `file`")
	flags.BoolVar(&o.dry, "n", false, "run nothing; print what would be compared")
	flags.StringVar(&o.html, "html", "", "also write a self-contained page to this `file`")
	flags.BoolVar(&o.open, "open", false, cli.OpenUsage)
	if err := cli.ParseFlags(flags, proveUsage, args, stdout); err != nil {
		return o, options, err
	}
	if o.open && o.html == "" {
		return o, options, errNoPage
	}
	options, err := o.options(flags.Args(), slices.Contains(args, "--") && !o.merge && o.history == "")
	o.folders = flags.Args()
	return o, options, err
}

// options validates the flags and converts them to proof options.
func (o *proveFlags) options(args []string, separated bool) (p prove.Options, err error) {
	p = prove.Options{
		Base: o.base, Head: o.head, Patches: o.patches, Bench: o.bench, Packages: args, Stdin: o.stdin, Goal: o.goal,
		LeastBytes: o.leastBytes, Procs: o.procs, Instructions: o.instructions, Confirm: true, Tool: "coppice " + version(),
	}
	if len(args) == 0 {
		p.Packages = []string{"."}
	}
	commands := separated || slices.Contains(args, ":::")
	switch {
	case o.history != "":
		return p, o.historyOnly(args)
	case o.merge && len(args) == 0:
		return p, cli.Usagef("no folder given; try: coppice prove -merge DIR...")
	case o.merge:
		p.Packages = nil
		if err := o.mergeOnly(); err != nil {
			return p, err
		}
	case commands:
		p.Packages = nil
		if p.Commands, err = splitCommands(args); err != nil {
			return p, err
		}
		if err := o.ofCommands(&p); err != nil {
			return p, err
		}
	case o.anyForCommands():
		name, example := o.forCommands()
		return p, cli.Usagef("%s is only for commands; try: coppice prove %s -- ./old ::: ./new", name, example)
	case o.key != "":
		if p.Key, err = o.keyed(); err != nil {
			return p, err
		}
	case o.base == "" && len(o.patches) == 0:
		return p, cli.Usagef("no base given: use -base REVISION, -base FOLDER, -patch FILE, or two commands: -- ./old ::: ./new")
	case o.base != "" && len(o.patches) > 0:
		return p, cli.Usagef("-patch compares with the working tree: leave out -base")
	case o.head != "" && len(o.patches) > 0:
		return p, cli.Usagef("-patch defines the head: leave out -head")
	}
	if _, err := regexp.Compile(o.bench); err != nil {
		return p, cli.Usagef("invalid -bench %s: %v", o.bench, err)
	}
	if p.Rounds, err = parseRounds(o.rounds); err != nil {
		return p, err
	}
	if p.MinEffect, err = parsePart("-least", o.least); err != nil {
		return p, err
	}
	if err := o.units(&p, commands); err != nil {
		return p, err
	}
	if o.procs < 0 {
		return p, cli.Usagef("invalid -cpu %d: must be at least 0", o.procs)
	}
	if o.json && o.markdown {
		return p, cli.Usagef("-json and -markdown are mutually exclusive: use one of them")
	}
	if o.instructions && !prove.HasValgrind() {
		return p, cli.Usage(prove.ErrNoValgrind)
	}
	p.Equal, err = o.equalChecks(commands)
	return p, err
}

// equalChecks parses the value of -equal. The allowed names and the default depend on whether the
// proof runs benchmarks or commands.
func (o *proveFlags) equalChecks(commands bool) ([]prove.Check, error) {
	switch {
	case commands:
		return commandChecks(o.equal)
	case o.key != "":
		return checks(cmp.Or(o.equal, "results"), prove.CheckResults)
	}
	return benchmarkChecks(o.equal)
}

// splitCommands splits command-line arguments into several commands, which are separated by :::.
func splitCommands(args []string) (all [][]string, err error) {
	all = [][]string{nil}
	for _, a := range args {
		if a == ":::" {
			all = append(all, nil)
			continue
		}
		all[len(all)-1] = append(all[len(all)-1], a)
	}
	if len(all) < 2 || slices.ContainsFunc(all, func(c []string) bool { return len(c) == 0 }) {
		return nil, cli.Usagef("at least two commands are needed, with ::: between them: coppice prove -- ./old args ::: ./new args")
	}
	return all, nil
}

// benchmarkChecks parses the value of -equal for a proof that runs benchmarks.
func benchmarkChecks(value string) ([]prove.Check, error) {
	return checks(cmp.Or(value, "tests,results"), prove.CheckTests, prove.CheckDependants, prove.CheckRace, prove.CheckResults)
}

// commandChecks parses the value of -equal for a proof that runs commands.
func commandChecks(value string) ([]prove.Check, error) {
	return checks(cmp.Or(value, "output"), prove.CheckOutput)
}

// checks parses a comma-separated list of check names, or the word none. All names must be in
// known.
func checks(value string, known ...prove.Check) ([]prove.Check, error) {
	var all []prove.Check
	for _, name := range cli.List(value) {
		if name == "none" {
			continue
		}
		if !slices.Contains(known, prove.Check(name)) {
			return nil, cli.Usagef("invalid -equal %s: must be %s%s", name, oneOf(known), cli.Meant(name, fixed["-equal"]))
		}
		all = append(all, prove.Check(name))
	}
	return all, nil
}

// oneOf formats the names of the known checks for an error message, as in "tests, race, or none".
func oneOf(known []prove.Check) (text string) {
	for _, c := range known {
		text += string(c) + ", "
	}
	return text + "or none"
}

// equality describes the selected checks in words.
func equality(all []prove.Check) string {
	if len(all) == 0 {
		return "no equality check"
	}
	names := make([]string, 0, len(all))
	for _, c := range all {
		names = append(names, string(c))
	}
	return cli.Sentence(names)
}

func proving(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	o, options, err := parseProve(args, stdout)
	if err != nil {
		return err
	}
	if options.Dir, err = os.Getwd(); err != nil {
		return err
	}
	if o.dry {
		if err := o.lookFirst(ctx, options, stderr); err != nil {
			return unmeasured{hinted(ctx, err, o.bench, options.Packages, o.base)}
		}
		return o.dryRun(options.Packages, options.Commands, equality(options.Equal), options.Rounds, stdout)
	}
	if o.merge {
		return o.proveMerge(o.folders, options, stdout)
	}
	if o.history != "" {
		return o.proveHistory(stdout, stderr)
	}
	if err := o.checkRecord(); err != nil {
		return unmeasured{err}
	}
	warnBusy(ctx, stderr)
	versions := versionsOf(o.toolchains)
	var results []*prove.Result
	for _, v := range versions {
		options := options
		if o.out != "" {
			options.Out = o.out
			if len(versions) > 1 {
				options.Out = filepath.Join(o.out, "go"+strings.TrimPrefix(v, "go"))
			}
		}
		r, err := proveWith(ctx, v, options, stderr)
		if r != nil {
			results = append(results, r)
			if err := errors.Join(o.save(options.Out, r), o.recorded(r, err, options)); err != nil {
				return err
			}
		}
		if err != nil {
			return errors.Join(o.print(results, stdout), interruptedOr(hinted(ctx, err, o.bench, options.Packages, o.base), r, options.Out))
		}
	}
	if err := o.print(results, stdout); err != nil {
		return err
	}
	o.opens(stderr)
	for _, r := range results {
		if o.stops(r.Verdict) {
			return errRevert
		}
	}
	return nil
}

// stops reports whether the verdict v makes the command exit with code 1.
func (o *proveFlags) stops(v prove.Verdict) bool {
	return v == prove.Revert || o.gate && v != prove.Keep
}

// interruptedOr returns the error of a proof that ended without a complete result. If the proof was
// interrupted, the error names the folder that contains the finished runs.
func interruptedOr(err error, r *prove.Result, out string) error {
	switch {
	case !errors.Is(err, context.Canceled):
		return unmeasured{err}
	case r == nil:
		return unmeasured{errors.New("interrupted; nothing was measured, and all temporary files were removed")}
	case out == "":
		return unmeasured{errors.New("interrupted; finished rounds are reported above; with -out DIR, a second start resumes")}
	}
	return unmeasured{fmt.Errorf("interrupted; finished rounds are reported above and kept in %s; a second start resumes", out)}
}

// proveWith runs a proof with one version of the Go toolchain. If toolchain is "", the go command
// chooses the version.
func proveWith(ctx context.Context, toolchain string, options prove.Options, stderr io.Writer) (r *prove.Result, err error) {
	steps := progress.NewSteps(stderr)
	defer steps.Close()
	options.Show = steps
	err = inScratch(ctx, toolchain, tempFor(options.Commands), func(scratch *trees.Scratch) error {
		options.Scratch = scratch
		if len(options.Commands) > 0 {
			r, err = prove.Commands(ctx, options)
		} else {
			r, err = prove.Benchmarks(ctx, options)
		}
		return err
	})
	return r, err
}

// print prints the results in the format that the flags request, and writes the requested files.
func (o *proveFlags) print(results []*prove.Result, stdout io.Writer) error {
	if len(results) == 0 {
		return nil
	}
	if o.sarif != "" {
		if err := cli.WriteFile(o.sarif, func(w io.Writer) error { return show.SARIF(w, results...) }); err != nil {
			return err
		}
	}
	if o.html != "" {
		if err := cli.WriteFile(o.html, func(w io.Writer) error { return show.HTML(w, results...) }); err != nil {
			return err
		}
	}
	if o.junit != "" {
		if err := cli.WriteFile(o.junit, func(w io.Writer) error { return show.JUnit(w, o.gate, results...) }); err != nil {
			return err
		}
	}
	if o.json {
		var v any = results
		if len(results) == 1 {
			v = results[0]
		}
		return cli.WriteJSON(stdout, v)
	}
	for i, r := range results {
		print := proofScreen
		if o.markdown {
			print = show.Markdown
		}
		if i > 0 {
			fmt.Fprintln(stdout)
		}
		if len(results) > 1 {
			fmt.Fprintf(stdout, "%s\n\n", r.Environment["go"])
		}
		if err := print(stdout, r); err != nil {
			return err
		}
		if os.Getenv("GITHUB_ACTIONS") == "true" {
			if err := show.GitHub(stdout, r); err != nil {
				return err
			}
		}
	}
	return nil
}

// proofScreen prints a result on a terminal, formatted to the terminal's width.
func proofScreen(stdout io.Writer, r *prove.Result) error {
	return show.Screen(stdout, r, cli.Columns(stdout))
}

// opens shows the HTML report in the browser if the flag -open is set.
func (o *proveFlags) opens(stderr io.Writer) {
	if o.open {
		cli.Open(o.html, stderr)
	}
}

// save writes a result's reports to folder, which also contains the proof's runs.
func (o *proveFlags) save(folder string, r *prove.Result) error {
	if folder == "" {
		return nil
	}
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return err
	}
	return errors.Join(
		cli.WriteFile(filepath.Join(folder, "result.json"), func(w io.Writer) error { return cli.WriteJSON(w, r) }),
		cli.WriteFile(filepath.Join(folder, "report.md"), func(w io.Writer) error { return show.Markdown(w, r) }),
		cli.WriteFile(filepath.Join(folder, "report.html"), func(w io.Writer) error { return show.HTML(w, r) }),
		cli.WriteFile(filepath.Join(folder, "bench.txt"), func(w io.Writer) error { return show.Bench(w, r) }),
	)
}

// warnBusy prints a warning if other programs keep the machine busy, because the proof then needs
// more rounds. It does not wait until the machine is idle.
func warnBusy(ctx context.Context, stderr io.Writer) {
	if load := quiet.Look(ctx); load.Busy() {
		fmt.Fprintf(stderr, "coppice: %v; the proof will need more rounds, and may stay undecided\n", load)
	}
}
