package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/coppice-go/coppice/internal/vetrun"
	"github.com/coppice-go/coppice/vet"
)

// errFindings makes the exit code 1; what was found is on standard output.
var errFindings = errors.New("there are findings")

// vetFlags are the flags of coppice vet.
type vetFlags struct {
	rules, tags string
	tests, fix  bool
}

func parseVet(args []string, stdout io.Writer) (vetFlags, []string, error) {
	var o vetFlags
	flags := flag.NewFlagSet("coppice vet", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.StringVar(&o.rules, "rules", "", "run only these `names`, with commas between")
	flags.StringVar(&o.tags, "tags", "", "build `tags`, with commas between")
	flags.BoolVar(&o.tests, "tests", true, "look at test files too")
	flags.BoolVar(&o.fix, "fix", false, "apply the fixes that rules suggest, and print what is left")
	if err := flags.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			fmt.Fprintln(stdout, "usage: coppice vet [flags] [packages]\n       coppice vet list\n       coppice vet help [RULE]")
			flags.SetOutput(stdout)
			flags.PrintDefaults()
			return o, nil, err
		}
		return o, nil, usagef("%v; coppice vet -help lists the flags", err)
	}
	patterns := flags.Args()
	for _, p := range patterns {
		if strings.HasPrefix(p, "-") {
			return o, nil, usagef("flags go before the packages: coppice vet %s %s", p, patterns[0])
		}
	}
	if len(patterns) == 0 {
		patterns = []string{"./..."}
	}
	return o, patterns, nil
}

func vetting(ctx context.Context, args []string, stdout io.Writer) error {
	if len(args) > 0 {
		switch args[0] {
		case "list":
			return vetList(args[1:], stdout)
		case "help":
			return vetHelp(args[1:], stdout)
		}
	}
	o, patterns, err := parseVet(args, stdout)
	if err != nil {
		return err
	}
	analyzers, err := o.analyzers()
	if err != nil {
		return err
	}
	dir, err := os.Getwd()
	if err != nil {
		return err
	}
	findings, err := vetrun.Run(ctx, vetrun.Plan{Dir: dir, Patterns: patterns, Tags: o.tags, Tests: o.tests, Analyzers: analyzers})
	if errors.Is(err, vetrun.ErrPattern) {
		return usageError{err}
	}
	if err != nil {
		return err
	}
	if o.fix {
		left, err := vetrun.Fix(findings)
		if err != nil {
			return err
		}
		if fixed := len(findings) - len(left); fixed > 0 {
			fmt.Fprintf(stdout, "fixed %d of %d findings\n", fixed, len(findings))
		}
		findings = left
	}
	return printFindings(dir, findings, stdout)
}

// analyzers are those of the rules that -rules asks for.
func (o vetFlags) analyzers() ([]*analysis.Analyzer, error) {
	if o.rules == "" {
		return vet.Analyzers(), nil
	}
	var chosen []*analysis.Analyzer
	for _, name := range list(o.rules) {
		r, err := ruleNamed(name)
		if err != nil {
			return nil, err
		}
		chosen = append(chosen, r.Analyzer)
	}
	if len(chosen) == 0 {
		return nil, usagef("-rules names no rule; coppice vet list has them")
	}
	return chosen, nil
}

func ruleNamed(name string) (vet.Rule, error) {
	all := vet.Rules()
	i := slices.IndexFunc(all, func(r vet.Rule) bool { return r.Name == name })
	if i < 0 {
		return vet.Rule{}, usagef("there is no rule %q; coppice vet list has them", name)
	}
	return all[i], nil
}

// printFindings prints one line each, with paths from dir where that is shorter.
func printFindings(dir string, findings []vetrun.Finding, stdout io.Writer) error {
	var out strings.Builder
	for _, f := range findings {
		name := f.Position.Filename
		if relative, err := filepath.Rel(dir, name); err == nil && len(relative) < len(name) {
			name = relative
		}
		fmt.Fprintf(&out, "%s:%d:%d: %s (%s)\n", name, f.Position.Line, f.Position.Column, f.Message, f.Rule)
	}
	if _, err := io.WriteString(stdout, out.String()); err != nil {
		return err
	}
	if len(findings) > 0 {
		return errFindings
	}
	return nil
}

func vetList(args []string, stdout io.Writer) error {
	if len(args) > 0 {
		return usagef("coppice vet list takes no arguments, got %q; a package is named ./list", args[0])
	}
	var out strings.Builder
	for _, r := range vet.Rules() {
		fmt.Fprintf(&out, "%-15s %s\n", r.Name, r.Title)
	}
	_, err := io.WriteString(stdout, out.String())
	return err
}

func vetHelp(args []string, stdout io.Writer) error {
	switch len(args) {
	case 0:
		if _, _, err := parseVet([]string{"-help"}, stdout); !errors.Is(err, flag.ErrHelp) {
			return err
		}
		fmt.Fprintln(stdout)
		return vetList(nil, stdout)
	case 1:
		r, err := ruleNamed(args[0])
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(stdout, "%s: %s\n", r.Name, r.Doc())
		return err
	default:
		return usagef("coppice vet help takes one rule, got %q", args)
	}
}
