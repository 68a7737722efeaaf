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
	"github.com/coppice-go/coppice/cmd/internal/site"
	"github.com/coppice-go/coppice/cmd/internal/trees"
)

const fixUsage = `usage: coppice fix [flags] [PACKAGE...]    finds what to change, changes it in a copy, and proves each change; writes patches
       coppice fix -from find.json [-only ID]    the same for what coppice find -json has said
       coppice fix -arena Parse -bench Parse .    adds ParseIn, whose result comes from an arena that its caller resets
       coppice fix -apply [-out DIR]    makes the changes that were kept
`

// mostRounds is the maximum number of rounds of a proof if -rounds is not given.
const mostRounds = 40

// fixFlags are the flags of coppice fix.
type fixFlags struct {
	fix.Options // but for Dir, Show and Scratch
	out         string
	apply, dry  bool
	gate        bool

	json, markdown bool
}

func parseFix(args []string, stdout io.Writer) (o fixFlags, err error) {
	flags := flag.NewFlagSet("coppice fix", flag.ContinueOnError)
	flags.StringVar(&o.Bench, "bench", ".", "fix the benchmark that matches this `pattern`, as go test does; of several the one that spends most on memory")
	from := flags.String("from", "", "take the proposals of this `file`, which coppice find -json has printed, instead of looking anew")
	only := flags.String("only", "", "try only the proposals with these comma-separated `IDs`")
	flags.StringVar(&o.Arena, "arena", "", "give this `function` of the benchmark's package a form that takes an arena, and prove it with one and without")
	builds := flags.String("builds", "", "comma-separated `kinds` of builds to try after all proposals: pgo writes default.pgo beside package main, go a toolchain line into go.mod; or all")
	rounds := flags.String("rounds", "auto", fmt.Sprintf("`number` of pairs of runs of each proof; auto is as many as it takes, and %d at most", mostRounds))
	flags.IntVar(&o.Procs, "cpu", 1, "`processors` for each run of a proof; on one, the collector's idle workers count for nothing; 0 is what the benchmark has")
	least := flags.String("least", "5%", "smallest saving of CPU time that is worth a change; proposals that promise `less` are tried together")
	equal := flags.String("equal", "tests,dependants,race,results", "comma-separated `checks` of equality: tests, dependants, race, results")
	flags.StringVar(&o.out, "out", "coppice-fix", "write patches and reports to this `folder`, which git does not see")
	flags.BoolVar(&o.apply, "apply", false, "make the changes of an earlier run that were kept")
	flags.BoolVar(&o.dry, "n", false, "change nothing, and say what would be tried; with -apply name the files that would be changed")
	flags.BoolVar(&o.gate, "gate", false, "exit with 1 if nothing is kept")
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
		return o, cli.Usagef("-bench %s: %v", o.Bench, err)
	}
	if o.Procs < 0 {
		return o, cli.Usagef("invalid -cpu %d: must be at least 0", o.Procs)
	}
	if o.json && o.markdown {
		return o, cli.Usagef("-json and -markdown are two forms of one output; give one of them")
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
		return o, cli.Usagef("-only %s names no proposal", *only)
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

// oneChange checks the flags beside -arena.
func (o *fixFlags) oneChange(flags *flag.FlagSet) (err error) {
	flags.Visit(func(f *flag.Flag) {
		if o.Arena != "" && (f.Name == "only" || f.Name == "builds") {
			err = cli.Usagef("-arena makes one change, of the function %s; leave out -%s", o.Arena, f.Name)
		}
	})
	return err
}

// onlyFrom checks the flags beside -from, whose report names the benchmark and has no profile.
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
		return cli.Usagef("-from names the benchmark and the package; leave out %s", given)
	case slices.Contains(o.Builds, find.BuildPGO):
		return cli.Usagef("-builds pgo takes the profile of the run that finds the proposals; leave out -from")
	}
	return nil
}

// onlyApply checks that -out is the only flag beside -apply: what is applied was decided before.
func (o *fixFlags) onlyApply(flags *flag.FlagSet) (err error) {
	flags.Visit(func(f *flag.Flag) {
		if f.Name != "apply" && f.Name != "out" && f.Name != "n" {
			err = cli.Usagef("-apply makes the changes of an earlier run; leave out -%s", f.Name)
		}
	})
	if err == nil && flags.NArg() > 0 {
		err = cli.Usagef("-apply makes the changes of an earlier run; leave out %s", flags.Arg(0))
	}
	return err
}

// parseRounds reads a number of rounds; auto is 0.
func parseRounds(text string) (int, error) {
	if text == "auto" {
		return 0, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 6 || n > 1000 {
		return 0, cli.Usagef("-rounds %s is neither auto nor a number from 6 to 1000; seven are the least that prove a time", text)
	}
	return n, nil
}

// parsePart reads a part like 5%.
func parsePart(name, text string) (float64, error) {
	number, isPercent := strings.CutSuffix(text, "%")
	part, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
	if err != nil || !(part > 0) || !isPercent || part > 100 {
		return 0, cli.Usagef("%s %s is no part like 5%%", name, text)
	}
	return part / 100, nil
}

// readFound reads the output of coppice find -json.
func readFound(name string) (*find.Result, error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, cli.Usagef("-from: %v", err)
	}
	var r find.Result
	switch err := json.Unmarshal(data, &r); {
	case err != nil:
		return nil, cli.Usagef("-from %s is not what coppice find -json prints of one benchmark: %v", name, err)
	case r.Schema != find.Schema:
		return nil, cli.Usagef("-from %s has schema %d; this coppice reads %d: run coppice find -json again", name, r.Schema, find.Schema)
	case r.Target.Unit != "operation" || r.Target.Package == "":
		return nil, cli.Usagef("-from %s is of no benchmark, and a proof needs one; run coppice find -bench", name)
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
	bar := &proveProgress{stages: stages{stderr: stderr}}
	var r *fix.Result
	err = inScratch(ctx, "", tempInScratch, func(scratch *trees.Scratch) error {
		o.Show, o.Scratch = bar, scratch
		r, err = fix.Run(ctx, o.Options)
		return err
	})
	bar.clear()
	if r == nil {
		if errors.Is(err, context.Canceled) {
			err = errors.New("interrupted; nothing was tried and nothing is left")
		}
		return unmeasured{hinted(ctx, err, o.Bench, o.Packages, "")}
	}
	if failed := o.print(r, stdout); failed != nil {
		return errors.Join(err, failed)
	}
	if errors.Is(err, context.Canceled) && folder.Has(o.out) {
		return unmeasured{fmt.Errorf("interrupted; what was finished is reported above, and %s still has the earlier run", o.out)}
	}
	if failed := folder.Save(o.out, r); failed != nil {
		return errors.Join(err, failed)
	}
	switch {
	case errors.Is(err, context.Canceled):
		return unmeasured{fmt.Errorf("interrupted; what was finished is reported above and in %s", o.out)}
	case err != nil:
		return unmeasured{err}
	case o.gate && len(r.Kept()) == 0:
		return errRevert
	}
	return nil
}

// print prints the result in the requested form.
func (o *fixFlags) print(r *fix.Result, stdout io.Writer) error {
	switch {
	case o.json:
		return cli.WriteJSON(stdout, r)
	case o.markdown:
		return show.Markdown(stdout, r)
	}
	return show.Screen(stdout, r, o.out)
}

// applyKept makes the changes of an earlier run.
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
	return nil
}
