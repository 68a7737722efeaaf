package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/coppice-go/coppice/cmd/coppice/internal/cli"
	"github.com/coppice-go/coppice/cmd/internal/nearest"
	"github.com/coppice-go/coppice/cmd/internal/vetreport"
	"github.com/coppice-go/coppice/cmd/internal/vetrun"
	"github.com/coppice-go/coppice/cmd/vet"
)

// errFindings is returned if there are findings or if a package could not be analyzed. It sets the
// exit code to 1. The findings are printed on standard output, and the packages that could not be
// analyzed on standard error.
var errFindings = errors.New("there are findings")

// memoryLimit is the default memory limit of the collector; GOMEMLIMIT overrides it. The analysis
// of a package with 12 MB of source code needs about 0.9 GB.
const memoryLimit = 1200 << 20

// vetFlags holds the flags of coppice vet.
type vetFlags struct {
	rules, tags string
	tests, fix  bool
	dry         bool
	json        bool
	out, sarif  string // names of output files
}

func parseVet(args []string, stdout io.Writer) (vetFlags, []string, error) {
	var o vetFlags
	flags := flag.NewFlagSet("coppice vet", flag.ContinueOnError)
	flags.StringVar(&o.rules, "rules", "", "run only these rules: comma-separated `names`")
	flags.StringVar(&o.tags, "tags", "", "comma-separated build `tags`")
	flags.BoolVar(&o.tests, "tests", true, "analyze test files too")
	flags.BoolVar(&o.json, "json", false, "print one JSON object instead of lines")
	flags.StringVar(&o.sarif, "sarif", "", "also write a SARIF 2.1.0 log to this `file`")
	flags.StringVar(&o.out, "out", "", "write the findings to this `file` instead of standard output")
	flags.BoolVar(&o.fix, "fix", false, "apply the available fixes and print the remaining findings")
	flags.BoolVar(&o.dry, "n", false, "change nothing; print what would be checked, or with -fix what would be fixed")
	if err := cli.ParseFlags(flags, "usage: coppice vet [flags] [packages]\n       coppice vet list\n       coppice vet help [RULE]\n", args, stdout); err != nil {
		return o, nil, err
	}
	patterns, err := cli.Packages(flags, "./...")
	if err != nil {
		return o, nil, err
	}
	return o, patterns, nil
}

func vetting(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	if len(args) > 0 {
		if err := nearCommand("vet", args[0]); err != nil {
			return err
		}
	}
	o, patterns, err := parseVet(args, stdout)
	if err != nil {
		return err
	}
	rules, err := o.chosen()
	if err != nil {
		return err
	}
	dir, err := os.Getwd()
	if err != nil {
		return err
	}
	plan := vetrun.Plan{Dir: dir, Patterns: patterns, Tags: o.tags, Tests: o.tests}
	for _, r := range rules {
		plan.Analyzers = append(plan.Analyzers, r.Analyzer)
	}
	if o.dry && !o.fix {
		if err := vetrun.Check(ctx, plan); err != nil {
			return cli.Usage(err)
		}
		var names []string
		for _, r := range rules {
			names = append(names, r.Name)
		}
		_, err := fmt.Fprintf(stdout, "would check %s with %s\n", strings.Join(patterns, " "), strings.Join(names, ", "))
		return err
	}
	if os.Getenv("GOMEMLIMIT") == "" {
		defer debug.SetMemoryLimit(debug.SetMemoryLimit(memoryLimit))
	}
	result, err := vetrun.Run(ctx, plan)
	if errors.Is(err, vetrun.ErrPattern) {
		return cli.Usage(err)
	}
	if err != nil {
		return err
	}
	for _, line := range vetreport.Troubles(dir, result.Troubles) {
		fmt.Fprintf(stderr, "coppice: %s\n", line)
	}
	if o.dry {
		return o.wouldFix(dir, result.Findings, stdout)
	}
	if o.fix {
		if err := o.apply(&result, stdout, stderr); err != nil {
			return err
		}
	}
	return o.print(dir, rules, result, stdout)
}

// apply applies the available fixes and prints how many it applied. It leaves the other findings in
// result.
func (o vetFlags) apply(result *vetrun.Result, stdout, stderr io.Writer) error {
	left, err := vetrun.Fix(result.Findings)
	if err != nil {
		return err
	}
	if o.json {
		stdout = stderr // stdout contains only the JSON document
	}
	if fixed := len(result.Findings) - len(left); fixed > 0 {
		fmt.Fprintf(stdout, "fixed %d of %d findings\n", fixed, len(result.Findings))
	}
	result.Findings = left
	return nil
}

// wouldFix lists the findings that -fix would fix.
func (o vetFlags) wouldFix(dir string, findings []vetrun.Finding, stdout io.Writer) error {
	fixed := vetrun.Fixable(findings)
	if err := vetreport.Text(stdout, dir, fixed); err != nil {
		return err
	}
	_, err := fmt.Fprintf(stdout, "would fix %d of %d findings\n", len(fixed), len(findings))
	return err
}

// print writes the findings in the requested format. It returns errFindings if there are
// any, or if a package was not analyzed.
func (o vetFlags) print(dir string, rules []vet.Rule, result vetrun.Result, stdout io.Writer) (err error) {
	err = cli.WriteTo(o.out, stdout, func(w io.Writer) error {
		if o.json {
			return vetreport.JSON(w, result)
		}
		return vetreport.Text(w, dir, result.Findings)
	})
	if err == nil && o.sarif != "" {
		if err = cli.WriteFile(o.sarif, func(w io.Writer) error { return vetreport.SARIF(w, rules, result) }); err != nil {
			err = fmt.Errorf("-sarif: %w; name a writable file", err)
		}
	}
	if err == nil && len(result.Findings)+len(result.Troubles) > 0 {
		return errFindings
	}
	return err
}

// chosen returns the rules that -rules names, or all rules if -rules is empty.
func (o vetFlags) chosen() (rules []vet.Rule, err error) {
	if o.rules == "" {
		return vet.Rules(), nil
	}
	for _, name := range cli.List(o.rules) {
		r, err := ruleNamed(name)
		if err != nil {
			return nil, err
		}
		rules = append(rules, r)
	}
	if len(rules) == 0 {
		return nil, cli.Usagef("empty -rules: coppice vet list prints the rules")
	}
	return rules, nil
}

func ruleNamed(name string) (vet.Rule, error) {
	all := vet.Rules()
	i := slices.IndexFunc(all, func(r vet.Rule) bool { return r.Name == name })
	if i < 0 {
		return vet.Rule{}, cli.Usagef("unknown rule %q; %scoppice vet list prints the rules", name, nearest.Hint(name, ruleNames()))
	}
	return all[i], nil
}

// vetList prints the name and the title of each rule.
func vetList(args []string, stdout io.Writer) error {
	flags := flag.NewFlagSet("coppice vet list", flag.ContinueOnError)
	asJSON := flags.Bool("json", false, "print one JSON array")
	if err := cli.ParseFlags(flags, "usage: coppice vet list [-json]\n\nIt prints the names of the rules.\n", args, stdout); err != nil {
		return err
	}
	if flags.NArg() > 0 {
		return cli.Usagef("coppice vet list takes no arguments, got %q; to name a package, write ./list", flags.Args())
	}
	type rule struct {
		Name  string `json:"name"`
		Title string `json:"title"`
	}
	var all []rule
	for _, r := range vet.Rules() {
		all = append(all, rule{r.Name, r.Title})
	}
	if *asJSON {
		return cli.WriteJSON(stdout, all)
	}
	var out strings.Builder
	for _, r := range all {
		fmt.Fprintf(&out, "%-15s %s\n", r.Name, r.Title)
	}
	_, err := io.WriteString(stdout, out.String())
	return err
}

func vetHelp(args []string, stdout io.Writer) error {
	flags := flag.NewFlagSet("coppice vet help", flag.ContinueOnError)
	if err := cli.ParseFlags(flags, "usage: coppice vet help [RULE]\n\nIt prints what a rule reports and why, an example, and its exceptions.\n", args, stdout); err != nil {
		return err
	}
	switch args := flags.Args(); len(args) {
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
		return cli.Usagef("coppice vet help takes one rule, got %q", args)
	}
}
