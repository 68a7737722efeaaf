package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/coppice-go/coppice/cmd/coppice/internal/cli"
	"github.com/coppice-go/coppice/cmd/internal/find"
	"github.com/coppice-go/coppice/cmd/internal/fix"
	"github.com/coppice-go/coppice/cmd/internal/fix/folder"
	"github.com/coppice-go/coppice/cmd/internal/fix/show"
	"github.com/coppice-go/coppice/cmd/internal/progress"
	"github.com/coppice-go/coppice/cmd/internal/site"
	"github.com/coppice-go/coppice/cmd/internal/trees"
)

const fixUsage = `usage: coppice fix [flags] [PACKAGE...]         find changes, make each in a copy, prove it; write patches
       coppice fix -from find.json [-only ID]    the same for proposals of coppice find -json
       coppice fix -arena Parse -bench Parse .   add ParseIn, which allocates its result in the caller's arena
       coppice fix -apply [-out DIR]             apply the patches that were kept
`

// mostRounds is the maximum number of rounds of a proof if -rounds is not given.
const mostRounds = 40

// fixFlags holds the flags of coppice fix.
type fixFlags struct {
	fix.Options // flags set all fields except Dir, Show and Scratch
	out         string
	apply, dry  bool
	gate        bool

	json, markdown bool
}

func parseFix(args []string, stdout io.Writer) (o fixFlags, err error) {
	flags := flag.NewFlagSet("coppice fix", flag.ContinueOnError)
	flags.StringVar(&o.Bench, "bench", ".", "benchmark `pattern`; of several, the one with the largest share of memory management")
	from := flags.String("from", "", "use the proposals in this `file`, printed by coppice find -json")
	only := flags.String("only", "", "try only the proposals with these comma-separated `IDs`")
	flags.StringVar(&o.Arena, "arena", "", "add a form of this `function` with an arena; prove it with and without one")
	builds := flags.String("builds", "", "then try comma-separated `kinds` of builds: pgo, go (toolchain line), or all")
	rounds := flags.String("rounds", "auto", fmt.Sprintf("`number` of rounds per proof, 6 to 1000; auto: as many as needed, at most %d", mostRounds))
	flags.IntVar(&o.Procs, "cpu", 1, "`number` of processors for each run; 0 keeps the benchmark's own setting")
	least := flags.String("least", "5%", "smallest `saving` of CPU time worth a change; smaller proposals are tried together")
	equal := flags.String("equal", "tests,dependants,race,results", "equality `checks`: tests, dependants, race, results, none")
	flags.StringVar(&o.out, "out", "coppice-fix", "write patches and reports to this `folder`, which git ignores")
	flags.BoolVar(&o.apply, "apply", false, "apply the patches that an earlier run kept")
	flags.BoolVar(&o.dry, "n", false, "change nothing; print what would be tried, or with -apply what would change")
	flags.BoolVar(&o.gate, "gate", false, "exit with code 1 if nothing is kept")
	flags.BoolVar(&o.json, "json", false, "print one JSON object")
	flags.BoolVar(&o.markdown, "markdown", false, "print Markdown, for a pull request")
	if err := cli.ParseFlags(flags, fixUsage, args, stdout); err != nil {
		return o, err
	}
	if o.apply {
		return o, o.onlyApply(flags)
	}
	o.Tool = "coppice " + version()
	if o.Packages, err = cli.Packages(flags, "."); err != nil {
		return o, err
	}
	if _, err := regexp.Compile(o.Bench); err != nil {
		return o, cli.Usagef("invalid -bench %s: %v", o.Bench, err)
	}
	if o.Procs < 0 {
		return o, cli.Usagef("invalid -cpu %d: must be at least 0", o.Procs)
	}
	if o.json && o.markdown {
		return o, cli.Usagef("-json and -markdown are mutually exclusive: use one of them")
	}
	if o.Rounds, err = parseRounds(*rounds); err != nil {
		return o, err
	}
	if o.MinEffect, err = parsePart("-least", *least); err != nil {
		return o, err
	}
	o.Most, o.Only = mostRounds, cli.List(*only)
	if o.Equal, err = benchmarkChecks(cmp.Or(*equal, "none")); err != nil {
		return o, err
	}
	if o.Builds, err = parseBuilds(*builds, fix.Builds); err != nil {
		return o, err
	}
	if *only != "" && len(o.Only) == 0 {
		return o, cli.Usagef("invalid -only %s: must name at least one proposal", *only)
	}
	if err := o.oneChange(flags); err != nil || *from == "" {
		return o, err
	}
	if err := o.onlyFrom(flags); err != nil {
		return o, err
	}
	o.From, err = readFound(*from)
	return o, err
}

// oneChange returns an error if one of the given flags cannot be combined with -arena.
func (o *fixFlags) oneChange(flags *flag.FlagSet) (err error) {
	flags.Visit(func(f *flag.Flag) {
		if o.Arena != "" && (f.Name == "only" || f.Name == "builds") {
			err = cli.Usagef("-arena changes only the function %s: leave out -%s", o.Arena, f.Name)
		}
	})
	return err
}

// onlyFrom returns an error if one of the given arguments cannot be combined with -from. The report
// that -from reads already names the benchmark, and does not contain a profile.
func (o *fixFlags) onlyFrom(flags *flag.FlagSet) error {
	var given string
	flags.Visit(func(f *flag.Flag) {
		if f.Name == "bench" {
			given = "-bench"
		}
	})
	if flags.NArg() > 0 {
		given = flags.Arg(0)
	}
	switch {
	case given != "":
		return cli.Usagef("-from names the benchmark and the package: leave out %s", given)
	case slices.Contains(o.Builds, find.BuildPGO):
		return cli.Usagef("-builds pgo needs the profile of a new run: leave out -from")
	}
	return nil
}

// onlyApply returns an error if anything except -out and -n is given with -apply, which uses the
// patches of an earlier run.
func (o *fixFlags) onlyApply(flags *flag.FlagSet) (err error) {
	flags.Visit(func(f *flag.Flag) {
		if f.Name != "apply" && f.Name != "out" && f.Name != "n" {
			err = cli.Usagef("-apply uses the patches of an earlier run: leave out -%s", f.Name)
		}
	})
	if err == nil && flags.NArg() > 0 {
		err = cli.Usagef("-apply uses the patches of an earlier run: leave out %s", flags.Arg(0))
	}
	return err
}

// parseRounds parses the value of -rounds. It returns 0 for auto.
func parseRounds(text string) (int, error) {
	if text == "auto" {
		return 0, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 6 || n > 1000 {
		return 0, cli.Usagef("invalid -rounds %s: must be auto or between 6 and 1000; proving a time needs at least 7", text)
	}
	return n, nil
}

// parsePart parses a percentage such as 5%, and returns it as a fraction.
func parsePart(name, text string) (float64, error) {
	number, isPercent := strings.CutSuffix(text, "%")
	part, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
	if err != nil || !(part > 0) || !isPercent || part > 100 {
		return 0, cli.Usagef("invalid %s %s: must be a percentage such as 5%%", name, text)
	}
	return part / 100, nil
}

// readFound reads a file that contains the output of coppice find -json.
func readFound(name string) (*find.Result, error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, cli.Usagef("-from: %v", err)
	}
	var r find.Result
	switch err := json.Unmarshal(data, &r); {
	case err != nil:
		return nil, cli.Usagef("invalid -from %s: must be the output of coppice find -json for one benchmark: %v", name, err)
	case r.Schema != find.Schema:
		return nil, cli.Usagef("invalid -from %s: schema %d, want %d; run coppice find -json again", name, r.Schema, find.Schema)
	case r.Target.Unit != "operation" || r.Target.Package == "":
		return nil, cli.Usagef("invalid -from %s: must be a report about a benchmark; run coppice find -bench", name)
	}
	r.Sites = slices.DeleteFunc(r.Sites, func(s *site.Site) bool { return s == nil })
	return &r, nil
}

func fixing(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	o, err := parseFix(args, stdout)
	if err != nil {
		return err
	}
	if o.Dir, err = os.Getwd(); err != nil {
		return err
	}
	if o.apply {
		return o.applyKept(ctx, stdout)
	}
	if o.dry {
		if o.From == nil {
			looked := find.Options{Dir: o.Dir, Packages: o.Packages, Bench: o.Bench}
			if err := lookWith(ctx, looked, find.OfBenchmark, ""); err != nil {
				return unmeasured{hinted(ctx, err, o.Bench, o.Packages, "")}
			}
		}
		return o.dryRun(stdout)
	}
	if err := folder.Check(o.out); err != nil {
		return unmeasured{err}
	}
	steps := progress.NewSteps(stderr)
	var r *fix.Result
	err = inScratch(ctx, "", tempInScratch, func(scratch *trees.Scratch) error {
		o.Show, o.Scratch = steps, scratch
		r, err = fix.Run(ctx, o.Options)
		return err
	})
	steps.Close()
	if r == nil {
		if errors.Is(err, context.Canceled) {
			err = errors.New("interrupted; no change was tried, and all temporary files were removed")
		}
		return unmeasured{hinted(ctx, err, o.Bench, o.Packages, "")}
	}
	if failed := o.print(r, stdout); failed != nil {
		return errors.Join(err, failed)
	}
	if errors.Is(err, context.Canceled) && folder.Has(o.out) {
		return unmeasured{fmt.Errorf("interrupted; finished changes are reported above, and %s still contains the results of the earlier run", o.out)}
	}
	if failed := folder.Save(o.out, r); failed != nil {
		return errors.Join(err, failed)
	}
	switch {
	case errors.Is(err, context.Canceled):
		return unmeasured{fmt.Errorf("interrupted; finished changes are reported above and in %s", o.out)}
	case err != nil:
		return unmeasured{err}
	case o.gate && len(r.Kept()) == 0:
		return errRevert
	}
	return nil
}

// print prints the result in the requested format.
func (o *fixFlags) print(r *fix.Result, stdout io.Writer) error {
	switch {
	case o.json:
		return cli.WriteJSON(stdout, r)
	case o.markdown:
		return show.Markdown(stdout, r)
	}
	return show.Screen(stdout, r, o.out, cli.Columns(stdout))
}

// applyKept applies the changes that an earlier run kept and stored in the folder of -out.
func (o *fixFlags) applyKept(ctx context.Context, stdout io.Writer) error {
	apply, word := folder.Apply, "changed"
	if o.dry {
		apply, word = folder.Applicable, "would change"
	}
	names, err := apply(ctx, o.out, o.Dir)
	if err != nil {
		return err
	}
	for _, name := range names {
		if _, err := fmt.Fprintln(stdout, word, name); err != nil {
			return err
		}
	}
	if !o.dry {
		_, err = fmt.Fprintln(stdout, "next: run the tests and commit, so that coppice prove -base HEAD measures only your next change")
	}
	return err
}
