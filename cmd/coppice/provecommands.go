package main

import (
	"errors"
	"flag"
	"fmt"
	"slices"
	"strings"

	"github.com/coppice-go/coppice/cmd/coppice/internal/cli"
	"github.com/coppice-go/coppice/cmd/internal/prove"
)

// commandFlags holds the flags of coppice prove that apply only when it compares commands.
type commandFlags struct {
	stdin   string
	hooks   prove.Around
	anyExit bool
	params  []prove.Param
}

// declare declares the flags that apply only to commands, including the flags with shell lines to
// run before and after the commands.
func (o *commandFlags) declare(flags *flag.FlagSet) {
	lines := func(all *[]string) func(string) error {
		return func(line string) error {
			*all = append(*all, line)
			return nil
		}
	}
	flags.Func("setup", "run this shell `line` once before the commands; repeat it for one per command", lines(&o.hooks.Setup))
	flags.Func("prepare", "run this shell `line` before each run; repeat it for one per command", lines(&o.hooks.Prepare))
	flags.Func("cleanup", "run this shell `line` once after the commands; repeat it for one per command", lines(&o.hooks.Cleanup))
	flags.BoolVar(&o.anyExit, "ignore-failure", false, "accept any exit code that is the same for all commands")
	flags.Func("param", "replace {NAME} with each value in commands, -stdin, -prepare (`NAME=VALUE,...`)", func(text string) error {
		name, values, found := strings.Cut(text, "=")
		all := cli.List(values)
		switch {
		case !found || name == "" || len(all) == 0:
			return errors.New("must be NAME=VALUE,..., such as n=1,10,100")
		case slices.ContainsFunc(o.params, func(p prove.Param) bool { return p.Name == name }):
			return fmt.Errorf("%s given twice; leave out one", name)
		}
		o.params = append(o.params, prove.Param{Name: name, Values: all})
		return nil
	})
}

// anyForCommands reports whether any flag was given that applies only to commands.
func (o *commandFlags) anyForCommands() bool {
	name, _ := o.forCommands()
	return name != ""
}

// forCommands returns the name of a flag that was given and applies only to commands, and an
// example of its use. If no such flag was given, it returns two empty strings.
func (o *commandFlags) forCommands() (name, example string) {
	for _, f := range []struct {
		given bool
		text  string
	}{
		{o.stdin != "", "-stdin FILE"}, {len(o.hooks.Setup) > 0, "-setup LINE"}, {len(o.hooks.Prepare) > 0, "-prepare LINE"},
		{len(o.hooks.Cleanup) > 0, "-cleanup LINE"}, {o.anyExit, "-ignore-failure"}, {len(o.params) > 0, "-param n=1,10"},
	} {
		if f.given {
			name, _, _ = strings.Cut(f.text, " ")
			return name, f.text
		}
	}
	return "", ""
}

// ofCommands checks the flags of a proof that compares commands, and copies them to p.
func (o *proveFlags) ofCommands(p *prove.Options) error {
	if o.base != "" || o.head != "" || o.key != "" || len(o.patches) > 0 || o.toolchains != "" || o.instructions || o.leastBytes != 0 || o.procs != 0 {
		return cli.Usagef("-base, -head, -patch, -key, -toolchains, -instructions, -least-bytes and -cpu apply to benchmarks only: leave them out to compare commands")
	}
	if o.higher != "" || o.lower != "" {
		return cli.Usagef("-higher and -lower apply to benchmarks only: leave them out to compare commands")
	}
	p.Around, p.AnyExit, p.Params = o.hooks, o.anyExit, o.params
	if err := p.Around.Check(len(p.Commands)); err != nil {
		return cli.Usage(err)
	}
	if name, unused := p.Unused(); unused {
		return cli.Usagef("unused -param %[1]s: write {%[1]s} in the commands", name)
	}
	for _, line := range slices.Concat(p.Around.Setup, p.Around.Cleanup) {
		for _, param := range p.Params {
			if strings.Contains(line, "{"+param.Name+"}") {
				return cli.Usagef("invalid {%s} in -setup or -cleanup, which run once for all values: use -prepare", param.Name)
			}
		}
	}
	for _, name := range p.Stdins() {
		if err := prove.CheckStdin(name); err != nil {
			return cli.Usagef("-stdin: %v", err)
		}
	}
	return nil
}
