package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"github.com/coppice-go/coppice/cmd/coppice/internal/cli"
	"github.com/coppice-go/coppice/cmd/internal/find"
	"github.com/coppice-go/coppice/cmd/internal/progress"
	"github.com/coppice-go/coppice/cmd/internal/prove"
	"github.com/coppice-go/coppice/cmd/internal/render/termtext"
	"github.com/coppice-go/coppice/cmd/internal/trees"
)

// With -n a command prints what it would do. It builds nothing and only reads source files, so it
// lists the benchmarks that these files seem to declare. It reports the errors that a run would
// report before the first build: wrong revisions, patches, profiles, packages and toolchains.

// lookFirst looks for the trees and packages that prove would build, with each toolchain. It
// returns the error that prove would return.
func (o *proveFlags) lookFirst(ctx context.Context, options prove.Options, stderr io.Writer) error {
	for _, v := range versionsOf(o.toolchains) {
		steps := progress.NewSteps(stderr)
		options.Show = steps
		err := inScratch(ctx, v, tempFor(options.Commands), func(scratch *trees.Scratch) error {
			options.Scratch = scratch
			_, err := prove.Look(ctx, options)
			return err
		})
		steps.Close()
		if err != nil {
			return err
		}
	}
	if len(options.Commands) == 0 && noneMatches(options.Packages, o.bench) {
		return fmt.Errorf("%w %s", prove.ErrNoBenchmark, o.bench)
	}
	return nil
}

// lookFirst looks for the profiles or packages that find would analyze, with each toolchain. It
// returns the error that find would return.
func (o *findFlags) lookFirst(ctx context.Context) error {
	if o.profiles.isSet() {
		s, err := o.sources(ctx)
		if err == nil {
			err = find.LookAtProfiles(ctx, s)
		}
		return err
	}
	kind := find.OfBenchmark
	if o.Test != "" {
		kind = find.OfTests
	} else if o.program {
		kind = find.OfProgram
	}
	return lookWith(ctx, o.Options, kind, o.toolchains)
}

// lookWith calls find.Look with each toolchain. It also returns an error if the pattern matches no
// benchmark.
func lookWith(ctx context.Context, options find.Options, kind find.Kind, toolchains string) error {
	temp := tempInScratch
	if kind == find.OfProgram {
		temp = tempOfUser
	}
	for _, v := range versionsOf(toolchains) {
		err := inScratch(ctx, v, temp, func(*trees.Scratch) error { return find.Look(ctx, options, kind) })
		if err != nil {
			return err
		}
	}
	if kind == find.OfBenchmark && noneMatches(options.Packages, options.Bench) {
		return fmt.Errorf("%w -bench %s; go test -list . prints their names", find.ErrNoBenchmark, options.Bench)
	}
	return nil
}

// noneMatches reports whether the packages have benchmarks but the pattern matches none of them.
func noneMatches(packages []string, pattern string) bool {
	names := benchmarksOf(packages)
	return len(names) > 0 && len(matching(names, pattern)) == 0
}

// matching returns the names that the pattern may select. It uses only the first element of the
// pattern, because sub-benchmarks are not known before a run.
func matching(names []string, pattern string) []string {
	first, _, _ := strings.Cut(pattern, "/")
	matches, err := regexp.Compile(first)
	if err != nil {
		return nil // reported when the flags were parsed
	}
	return slices.DeleteFunc(names, func(name string) bool { return !matches.MatchString(name) })
}

// wouldMeasure describes, for the output of -n, the benchmarks of the packages that the pattern
// selects.
func wouldMeasure(packages []string, pattern string) string {
	names := matching(benchmarksOf(packages), pattern)
	where := strings.Join(packages, " ")
	if len(names) == 0 {
		return fmt.Sprintf("the benchmarks of %s that match %s (none found in the files here%s)", where, pattern, meantBenchmark(pattern, packages))
	}
	return fmt.Sprintf("%s of %s", shortened(names, 5), where)
}

// dryRun prints what find would do.
func (o *findFlags) dryRun(stdout io.Writer) error {
	what := "one operation of " + wouldMeasure(o.Packages, o.Bench) + "\nif several benchmarks match, the one with the largest share of CPU time in memory management"
	switch {
	case o.profiles.isSet():
		what = "the named profiles; nothing is run"
	case o.Test != "":
		what = fmt.Sprintf("the tests of %s that match %s", strings.Join(o.Packages, " "), o.Test)
	case o.program:
		what = fmt.Sprintf("the program %s with the arguments %q", strings.Join(o.Packages, " "), o.Args)
	}
	how := "profiles, exact counts, lifetimes, and rounds with GOGC=400 and GOGC=off"
	if o.quick {
		how = "profiles"
	}
	if o.profiles.isSet() {
		how = "their sites"
	}
	where := "no file would be changed"
	if o.program {
		where = "the program would run in this folder, and could write there"
	}
	_, err := fmt.Fprintf(stdout, "would measure %s\nby %s; %s\n", what, how, where)
	return err
}

// dryRun prints what fix would do.
func (o *fixFlags) dryRun(stdout io.Writer) error {
	what := "find what to change in " + wouldMeasure(o.Packages, o.Bench)
	if o.From != nil {
		chosen, err := o.Chosen(o.From)
		if err != nil {
			return unmeasured{err}
		}
		what = fmt.Sprintf("take the proposals for %s: %d", o.From.Target.Name, len(chosen))
		for _, p := range chosen {
			what += fmt.Sprintf("\n    %s  %s", p.ID, termtext.Plain(p.Title))
		}
	}
	change := "make each change"
	if o.Arena != "" {
		change = fmt.Sprintf("add %[1]sIn, which takes an arena, beside %[1]s", o.Arena)
	}
	_, err := fmt.Fprintf(stdout, "would %s,\n%s in a copy, and prove it in %s;\nwould write patches to %s, and no other file\n", what, change, roundsOf(o.Rounds, mostRounds), o.out)
	return err
}

// dryRun prints what prove would do.
func (o *proveFlags) dryRun(p []string, commands [][]string, equal string, rounds int, stdout io.Writer) error {
	what := ""
	switch {
	case len(commands) > 0:
		for _, c := range commands {
			what += "\n    " + strings.Join(c, " ")
		}
	case len(o.patches) > 0:
		what = fmt.Sprintf(" the working tree without and with %s:\n    %s", cli.Sentence(o.patches), wouldMeasure(p, o.bench))
	case o.key != "":
		what = fmt.Sprintf(" the benchmarks of %s with each other, by -key %s:\n    %s", cmp.Or(o.head, "the working tree"), o.key, wouldMeasure(p, o.bench))
	default:
		what = fmt.Sprintf(" %s and %s:\n    %s", o.base, cmp.Or(o.head, "the working tree"), wouldMeasure(p, o.bench))
	}
	kept := "; no file would be changed"
	if o.out != "" {
		kept = "; the runs would be kept in " + o.out
	}
	_, err := fmt.Fprintf(stdout, "would compare%s\nfirst by %s, then in %s%s\n", what, equal, roundsOf(rounds, 80), kept)
	return err
}

// roundsOf describes n rounds in words. If n is 0, the number is not fixed, and most is the
// maximum.
func roundsOf(n, most int) string {
	if n == 0 {
		return fmt.Sprintf("as many rounds as needed, at most %d", most)
	}
	return fmt.Sprintf("%d rounds", n)
}
