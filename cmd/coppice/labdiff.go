package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"slices"

	"github.com/coppice-go/coppice/cmd/internal/lab/record"
	"github.com/coppice-go/coppice/cmd/internal/lab/report"
)

// parseDiff parses the two folders. Arguments after -- are folders, even if they start with a dash.
func parseDiff(args []string, stdout io.Writer) (base, head string, err error) {
	flags := flag.NewFlagSet("coppice lab diff", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	if err := flags.Parse(args); errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(stdout, "usage: coppice lab diff BASE HEAD\n\n"+
			"It compares saved results in two folders, before and after a change. They are "+report.NotPaired+".")
		return "", "", err
	} else if err != nil {
		return "", "", usagef("%v; coppice lab diff takes two folders of results and no flags", err)
	}
	if flags.NArg() != 2 {
		return "", "", usagef("coppice lab diff takes two folders of results, got %d; try: coppice lab diff BEFORE AFTER", flags.NArg())
	}
	return flags.Arg(0), flags.Arg(1), nil
}

// apart leaves each session to one side: results are often copied and added to.
func apart(base, head []record.Session) (own, added []record.Session, err error) {
	if added = without(head, base); len(added) > 0 {
		return base, added, nil
	}
	if own = without(base, head); len(own) > 0 {
		return own, head, nil
	}
	return nil, nil, errors.New("the two folders hold the same sessions; measure again with another -out")
}

// without returns the sessions that are not among others.
func without(sessions, others []record.Session) (all []record.Session) {
	for _, s := range sessions {
		if !slices.ContainsFunc(others, func(o record.Session) bool { return o.Environment.Session == s.Environment.Session }) {
			all = append(all, s)
		}
	}
	return all
}

// labDiff compares the saved results in two folders.
func labDiff(args []string, stdout io.Writer) error {
	base, head, err := parseDiff(args, stdout)
	if err != nil {
		return err
	}
	var before, after results
	if err := before.add(base); err != nil {
		return err
	}
	if err := after.add(head); err != nil {
		return err
	}
	if before.sessions, after.sessions, err = apart(before.sessions, after.sessions); err != nil {
		return err
	}
	common := slices.DeleteFunc(after.experiments(), func(name string) bool { return !slices.Contains(before.experiments(), name) })
	if len(common) == 0 {
		return fmt.Errorf("%s and %s have runs of no experiment in common", base, head)
	}
	declared := results{sessions: slices.Concat(before.sessions, after.sessions), declared: slices.Concat(before.declared, after.declared)}
	for _, name := range common {
		e, doubt, err := declared.declaration(name)
		if err != nil {
			return err
		}
		d, err := report.Compare(e, report.Side{Name: base, Sessions: before.sessions}, report.Side{Name: head, Sessions: after.sessions})
		if err != nil {
			return err
		}
		if doubt != "" {
			d.Notes = append(d.Notes, doubt)
		}
		if err := d.Text(stdout, screenWidth(stdout)); err != nil {
			return err
		}
	}
	return nil
}
