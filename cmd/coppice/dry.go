package main

import (
	"cmp"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
)

// What -n prints reads source files and builds nothing, so it names the benchmarks that folders seem to have.

// wouldMeasure says which benchmarks a pattern chooses.
func wouldMeasure(packages []string, pattern string) string {
	first, _, _ := strings.Cut(pattern, "/")
	matches, err := regexp.Compile(first)
	if err != nil {
		return "no benchmark" // parsing the flags has said so
	}
	names := slices.DeleteFunc(benchmarksOf(packages), func(name string) bool { return !matches.MatchString(name) })
	where := strings.Join(packages, " ")
	if len(names) == 0 {
		return fmt.Sprintf("the benchmarks of %s that match %s; no file here names one%s", where, pattern, meantBenchmark(pattern, packages))
	}
	return fmt.Sprintf("%s of %s", shortened(names, 5), where)
}

// dryRun says what find would do.
func (o *findFlags) dryRun(stdout io.Writer) error {
	what := "one operation of " + wouldMeasure(o.Packages, o.Bench) + "\nof several the one that spends most on memory"
	switch {
	case o.profiles.given():
		what = "the profiles that were named; nothing is run"
	case o.Test != "":
		what = fmt.Sprintf("the tests of %s that match %s", strings.Join(o.Packages, " "), o.Test)
	case o.program:
		what = fmt.Sprintf("the program %s with the arguments %q", strings.Join(o.Packages, " "), o.Args)
	}
	how := "profiles, exact counts, lifetimes, and rounds with GOGC=400 and GOGC=off"
	if o.quick {
		how = "profiles"
	}
	if o.profiles.given() {
		how = "their sites"
	}
	where := "nothing here is changed"
	if o.program {
		where = "it runs in this folder, and may write there"
	}
	_, err := fmt.Fprintf(stdout, "it would look at %s\nby %s; %s\n", what, how, where)
	return err
}

// dryRun says what fix would do.
func (o *fixFlags) dryRun(stdout io.Writer) error {
	what := "find what to change in " + wouldMeasure(o.Packages, o.Bench)
	if o.From != nil {
		what = fmt.Sprintf("take the proposals for %s: %d", o.From.Target.Name, len(o.From.Proposals))
	}
	_, err := fmt.Fprintf(stdout, "it would %s,\nmake each change in a copy, and prove it in %s; patches would go to %s, and nothing else here is changed\n", what, roundsOf(o.Rounds, mostRounds), o.out)
	return err
}

// dryRun says what prove would do.
func (o *proveFlags) dryRun(p []string, commands [][]string, equal string, rounds int, stdout io.Writer) error {
	what := ""
	switch {
	case len(commands) > 0:
		for _, c := range commands {
			what += "\n    " + strings.Join(c, " ")
		}
	case len(o.patches) > 0:
		what = fmt.Sprintf(" the working tree and the same with %s:\n    %s", sentence(o.patches), wouldMeasure(p, o.bench))
	default:
		what = fmt.Sprintf(" %s and %s:\n    %s", o.base, cmp.Or(o.head, "the working tree"), wouldMeasure(p, o.bench))
	}
	kept := "; nothing here is changed"
	if o.out != "" {
		kept = "; the runs would be kept in " + o.out
	}
	_, err := fmt.Fprintf(stdout, "it would compare%s\nfirst by %s, then in %s%s\n", what, equal, roundsOf(rounds, 80), kept)
	return err
}

// roundsOf says how many rounds there would be; 0 is as many as it takes.
func roundsOf(n, most int) string {
	if n == 0 {
		return fmt.Sprintf("as many rounds as it takes, %d at most", most)
	}
	return fmt.Sprintf("%d rounds", n)
}
