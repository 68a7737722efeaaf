package main

import (
	"fmt"
	"io"

	"github.com/coppice-go/coppice/cmd/coppice/internal/cli"
	"github.com/coppice-go/coppice/cmd/internal/prove"
	"github.com/coppice-go/coppice/cmd/internal/prove/show"
)

// mergeOnly returns an error if a flag is given that cannot be combined with -merge, because -merge
// measures nothing.
func (o *proveFlags) mergeOnly() error {
	if o.html != "" {
		return cli.Usagef("-merge measures nothing: leave out -html")
	}
	return o.measuresNothing("-merge")
}

// measuresNothing returns an error if a flag that affects measurements is combined with the given
// flag, which measures nothing.
func (o *proveFlags) measuresNothing(flag string) error {
	for _, f := range []struct {
		name  string
		given bool
	}{
		{"-base", o.base != ""}, {"-head", o.head != ""}, {"-patch", len(o.patches) > 0}, {"-key", o.key != ""}, {"-bench", o.bench != "."}, {"-rounds", o.rounds != "auto"},
		{"-cpu", o.procs != 0}, {"-equal", o.equal != ""}, {"-instructions", o.instructions}, {"-toolchains", o.toolchains != ""}, {"-out", o.out != ""},
		{"-sarif", o.sarif != ""}, {"-junit", o.junit != ""}, {"-record", o.record != ""}, {"-n", o.dry}, {"-higher", o.higher != ""}, {"-lower", o.lower != ""},
	} {
		if f.given {
			return cli.Usagef("%s measures nothing: leave out %s", flag, f.name)
		}
	}
	if name, _ := o.forCommands(); name != "" {
		return cli.Usagef("%s measures nothing: leave out %s", flag, name)
	}
	return nil
}

// proveMerge merges the proofs of several machines and prints the result.
func (o *proveFlags) proveMerge(folders []string, options prove.Options, stdout io.Writer) error {
	all, err := prove.ReadKept(folders)
	if err != nil {
		return unmeasured{err}
	}
	merged := prove.Merge(all, &options)
	if err := o.printMerged(merged, stdout); err != nil {
		return err
	}
	for _, m := range merged {
		if o.stops(m.Verdict) {
			return errRevert
		}
	}
	return nil
}

// printMerged prints the merged proofs as JSON, as Markdown or for a terminal.
func (o *proveFlags) printMerged(merged []*prove.Merged, stdout io.Writer) error {
	if o.json {
		if len(merged) == 1 {
			return cli.WriteJSON(stdout, merged[0])
		}
		return cli.WriteJSON(stdout, merged)
	}
	for i, m := range merged {
		print := mergeScreen
		if o.markdown {
			print = show.MergedMarkdown
		}
		if i > 0 {
			fmt.Fprintln(stdout)
		}
		if err := print(stdout, m); err != nil {
			return err
		}
	}
	return nil
}

// mergeScreen prints a merged proof for a terminal, wrapped to its width.
func mergeScreen(stdout io.Writer, m *prove.Merged) error {
	return show.Merged(stdout, m, cli.Columns(stdout))
}
