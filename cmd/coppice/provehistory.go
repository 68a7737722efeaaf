package main

import (
	"io"

	"github.com/coppice-go/coppice/cmd/coppice/internal/cli"
	"github.com/coppice-go/coppice/cmd/internal/prove"
	"github.com/coppice-go/coppice/cmd/internal/prove/history"
	"github.com/coppice-go/coppice/cmd/internal/prove/show"
)

// historyOnly returns an error if a given flag or argument cannot be combined with -history.
func (o *proveFlags) historyOnly(args []string) error {
	if err := o.measuresNothing("-history"); err != nil {
		return err
	}
	for _, f := range []struct {
		name  string
		given bool
	}{{"-merge", o.merge}, {"-gate", o.gate}, {"-goal", o.goal != "cpu"}, {"-least", o.least != "5%"}, {"-least-bytes", o.leastBytes != 0}} {
		if f.given {
			return cli.Usagef("-history gives no verdict: leave out %s", f.name)
		}
	}
	if o.json && o.markdown {
		return cli.Usagef("-json and -markdown are mutually exclusive: use one of them")
	}
	if len(args) > 0 {
		return cli.Usagef("unexpected argument %q: the -history file names the benchmarks", args[0])
	}
	return nil
}

// proveHistory reads the -history file and prints the commits at which benchmarks changed.
func (o *proveFlags) proveHistory(stdout, stderr io.Writer) error {
	entries, warnings, err := history.Read(o.history)
	if err != nil {
		return unmeasured{err}
	}
	h := history.Analyze(entries)
	h.Warnings = append(h.Warnings, warnings...)
	if o.html != "" {
		if err := cli.WriteFile(o.html, func(w io.Writer) error { return show.HistoryHTML(w, h) }); err != nil {
			return err
		}
	}
	switch {
	case o.json:
		err = cli.WriteJSON(stdout, h)
	case o.markdown:
		err = show.HistoryMarkdown(stdout, h)
	default:
		err = show.History(stdout, h, cli.Columns(stdout))
	}
	if err == nil {
		o.opens(stderr)
	}
	return err
}

// checkRecord checks that the -record file can be written, so that a bad file is reported before
// anything is measured.
func (o *proveFlags) checkRecord() error {
	if o.record == "" {
		return nil
	}
	return history.Check(o.record)
}

// recorded appends the result of a finished proof to the -record file. It does nothing if the proof
// failed.
func (o *proveFlags) recorded(r *prove.Result, failed error, options prove.Options) error {
	if o.record == "" || failed != nil {
		return nil
	}
	return history.Append(o.record, history.Entries(r, options.LooksAtMost()))
}
