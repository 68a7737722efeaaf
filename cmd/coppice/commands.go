package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/coppice-go/coppice/cmd/coppice/internal/cli"
	"github.com/coppice-go/coppice/cmd/coppice/internal/lab"
	"github.com/coppice-go/coppice/cmd/internal/nearest"
)

// A command describes a subcommand of coppice, such as "coppice find". Dispatch, help and
// completion all use the list that table returns, so a new command only needs an entry there.
type command struct {
	name  string
	forms []form // ways to invoke the command, in the order of the help
	run   func(ctx context.Context, args []string, stdout, stderr io.Writer) error
	sub   []command
	words func() []string // candidates for the first argument, instead of the names in sub
}

// A form is one way to invoke a command: its usage line, and its explanation in the help.
type form struct{ usage, what string }

// table returns the commands, the main ones first.
func table() []command {
	return []command{
		{name: "find", run: finding, forms: []form{
			{"find [PACKAGE...]", "report what allocation costs, where, and the remedy"},
			{"find -heap FILE|DIR|URL", "the same from existing profiles, of one process or a fleet"},
		}},
		{name: "fix", run: fixing, forms: []form{
			{"fix [PACKAGE...]", "find, change and prove; write patches of what helped"},
			{"fix -apply", "apply the patches that were kept"},
		}},
		{name: "prove", run: proving, forms: []form{
			{"prove -base REV [PACKAGE...]", "compare Go benchmarks before and after a change; -help lists the forms"},
			{"prove -- ./old ::: ./new", "the same for any commands"},
		}},
		{name: "vet", run: vetting, forms: []form{{"vet [flags] [packages]", "find misuse of the allocators in source code"}}, sub: []command{
			{name: "list", run: immediate(vetList), forms: []form{{"vet list", "list the rules"}}},
			{name: "help", run: immediate(vetHelp), forms: []form{{"vet help RULE", "print what a rule reports and why, with an example"}}, words: ruleNames},
		}},
		{name: "migrate", run: migrating, forms: []form{{"migrate [-n] [PACKAGE...]", "apply the renames of newer versions of Coppice; run it before the update"}}},
		{name: "lab", run: labAlone, forms: []form{{"lab", "a standard comparison: a minute, one screen"}}, sub: []command{
			{name: "list", run: immediate(lab.List), forms: []form{{"lab list", "list experiments, contenders and claims"}}},
			{name: "run", run: lab.Run, words: lab.ExperimentNames, forms: []form{
				{"lab run EXPERIMENT [flags]", "run an experiment"},
				{"lab run -shard DIR/NUMBER", "run one shard of a plan"},
			}},
			{name: "plan", run: withoutStderr(lab.Plan), words: lab.ExperimentNames, forms: []form{
				{"lab plan EXPERIMENT [flags]", "divide a sweep into shards, for Slurm and Kubernetes"},
			}},
			{name: "measure", run: lab.Measure, forms: []form{{"lab measure LIST", "run many experiments; a second start resumes"}}},
			{name: "report", run: immediate(lab.Report), forms: []form{{"lab report DIR...", "report saved results"}}},
			{name: "index", run: lab.Index, forms: []form{{"lab index DIR [-open]", "write an overview page of the results below DIR"}}},
			{name: "diff", run: immediate(lab.Diff), forms: []form{{"lab diff BASE HEAD", "compare saved results before and after a change"}}},
			{name: "merge", run: immediate(lab.Merge), forms: []form{{"lab merge DIR...", "merge results from several machines"}}},
			{name: "export", run: immediate(lab.Export), forms: []form{{"lab export -out FILE DIR...", "write a Parquet table, one row per run"}}},
		}},
		{name: "flat", run: immediate(flatTrees), forms: []form{{"flat [PACKAGE...]", "generate a package of flat trees from Go declarations"}}, sub: []command{
			{name: "begin", run: immediate(flatBegin), forms: []form{{"flat begin -type TYPE PACKAGE", "write a schema, a converter and a report from the types of a program"}}},
			{name: "dump", run: immediate(flatDump), forms: []form{{"flat dump FILE", "print the nodes of a file of flat trees"}}},
			{name: "export", run: immediate(flatExport), forms: []form{{"flat export -out DIR FILE...", "write trees as Parquet tables"}}},
		}},
		{name: "completion", run: immediate(completion), words: shellNames, forms: []form{
			{"completion SHELL", "print a completion script for bash, zsh, fish or powershell"},
		}},
		{name: "version", run: immediate(printVersion), forms: []form{{"version", ""}}},
		{name: "help", run: helping, forms: topicForms(), words: func() []string { return append(names(table()), topicNames()...) }},
	}
}

// withoutStderr adapts a function that does not write to standard error to the type of command.run.
// The function immediate does the same for a function that does not use a context either.
func withoutStderr(run func(context.Context, []string, io.Writer) error) func(context.Context, []string, io.Writer, io.Writer) error {
	return func(ctx context.Context, args []string, stdout, _ io.Writer) error { return run(ctx, args, stdout) }
}

func immediate(run func([]string, io.Writer) error) func(context.Context, []string, io.Writer, io.Writer) error {
	return func(_ context.Context, args []string, stdout, _ io.Writer) error { return run(args, stdout) }
}

// aliases maps flags that are common in other programs to the equivalent coppice commands.
var aliases = map[string]string{"-version": "version", "--version": "version", "-help": "help", "--help": "help", "-h": "help"}

// dispatch runs the command that the first arguments name.
func dispatch(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	if len(args) == 0 {
		return started(stdout)
	}
	first := args[0]
	if alias, ok := aliases[first]; ok {
		first = alias
	}
	c, rest := resolve(append([]string{first}, args[1:]...))
	if c == nil {
		return cli.Usagef("unknown command %q; %scoppice -help lists the commands", args[0], nearest.Hint(args[0], names(table())))
	}
	return c.run(ctx, rest, stdout, stderr)
}

// resolve returns the command whose name is at the start of words, and the remaining words. If
// words does not begin with the name of a command, the returned command is nil.
func resolve(words []string) (c *command, rest []string) {
	if len(words) == 0 {
		return nil, nil
	}
	if c = named(table(), words[0]); c == nil {
		return nil, words
	}
	rest = words[1:]
	if len(rest) > 0 {
		if sub := named(c.sub, rest[0]); sub != nil {
			return sub, rest[1:]
		}
	}
	return c, rest
}

func named(all []command, name string) *command {
	if i := slices.IndexFunc(all, func(c command) bool { return c.name == name }); i >= 0 {
		return &all[i]
	}
	return nil
}

// names returns the names of the given commands.
func names(all []command) (words []string) {
	for _, c := range all {
		words = append(words, c.name)
	}
	return words
}

// subcommands returns the names of a command's subcommands.
func subcommands(of string) []string {
	if c := named(table(), of); c != nil {
		return names(c.sub)
	}
	return nil
}

// usageOf returns the usage lines of the given commands and their subcommands, with the
// explanations aligned in a column.
func usageOf(all []command) string {
	var out strings.Builder
	lead := "usage: "
	add := func(forms []form) {
		for _, f := range forms {
			fmt.Fprintf(&out, "%s%s\n", lead, strings.TrimRight(fmt.Sprintf("coppice %-30s %s", f.usage, f.what), " "))
			lead = "       "
		}
	}
	for _, c := range all {
		add(c.forms)
		for _, sub := range c.sub {
			add(sub.forms)
		}
	}
	return out.String()
}

// nearCommand returns an error if a word given in place of a package is probably a misspelt
// subcommand. A word that contains a dot or a slash is accepted as a package: packages of the
// module begin with a dot, and other import paths contain a slash.
func nearCommand(of, word string) error {
	if strings.ContainsAny(word, "./-") {
		return nil
	}
	if hint := nearest.Hint(word, subcommands(of)); hint != "" {
		return cli.Usagef("unknown command coppice %s %q; %sto name a package, write ./%s", of, word, hint, word)
	}
	return nil
}
