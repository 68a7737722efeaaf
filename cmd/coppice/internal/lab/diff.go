package lab

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"slices"

	"github.com/coppice-go/coppice/cmd/coppice/internal/cli"
	"github.com/coppice-go/coppice/cmd/internal/lab/record"
	"github.com/coppice-go/coppice/cmd/internal/lab/report"
)

const diffUsage = "usage: coppice lab diff BASE HEAD [-json]\n\n" +
	"It compares saved results in two folders, before and after a change.\nThey are " + report.NotPaired + ".\n"

// parseDiff parses the arguments of coppice lab diff. Arguments after -- are folders, even if they
// start with a dash.
func parseDiff(args []string, stdout io.Writer) (base, head string, asJSON bool, err error) {
	flags := flag.NewFlagSet("coppice lab diff", flag.ContinueOnError)
	flags.BoolVar(&asJSON, "json", false, "print one JSON array")
	if err := cli.ParseFlags(flags, diffUsage, args, stdout); err != nil {
		return "", "", asJSON, err
	}
	if flags.NArg() != 2 {
		return "", "", asJSON, cli.Usagef("coppice lab diff takes two folders of results, got %d; try: coppice lab diff BEFORE AFTER", flags.NArg())
	}
	return flags.Arg(0), flags.Arg(1), asJSON, nil
}

// diffed is the comparison of one experiment in the output of coppice lab diff -json.
type diffed struct {
	Experiment string        `json:"experiment"`
	Base       string        `json:"base"`    // description of the base folder and its measurements
	Head       string        `json:"head"`    // description of the head folder and its measurements
	Machine    []string      `json:"machine"` // differences between the machines and their tools
	Tables     []diffedTable `json:"tables"`
	Notes      []string      `json:"notes"` // notes about missing comparisons, and warnings
}

type diffedTable struct {
	Heading string     `json:"heading"`
	Rows    [][]string `json:"rows"` // the first row is the header
}

func newDiffed(name string, d report.Diff) diffed {
	one := diffed{
		Experiment: name, Base: d.Sides[0], Head: d.Sides[1], Tables: []diffedTable{},
		Machine: append([]string{}, d.Machine...), Notes: append([]string{}, d.Notes...),
	}
	for _, t := range d.Tables {
		one.Tables = append(one.Tables, diffedTable(t))
	}
	return one
}

// separate separates the sessions of two folders: it assigns a session that is in both to one side
// only. Folders have sessions in common because results are often copied and then extended.
func separate(base, head []record.Session) (own, added []record.Session, err error) {
	if added = exclude(head, base); len(added) > 0 {
		return base, added, nil
	}
	if own = exclude(base, head); len(own) > 0 {
		return own, head, nil
	}
	return nil, nil, errors.New("both folders contain the same sessions; measure again with a different -out")
}

// exclude returns the sessions that are not in others.
func exclude(sessions, others []record.Session) (all []record.Session) {
	for _, s := range sessions {
		if !slices.ContainsFunc(others, func(o record.Session) bool { return o.Environment.Session == s.Environment.Session }) {
			all = append(all, s)
		}
	}
	return all
}

// Diff implements coppice lab diff, which compares the saved results in two folders.
func Diff(args []string, stdout io.Writer) error {
	base, head, asJSON, err := parseDiff(args, stdout)
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
	if before.sessions, after.sessions, err = separate(before.sessions, after.sessions); err != nil {
		return err
	}
	common := slices.DeleteFunc(after.experiments(), func(name string) bool { return !slices.Contains(before.experiments(), name) })
	if len(common) == 0 {
		return fmt.Errorf("no experiment has runs in both %s and %s", base, head)
	}
	declared := results{sessions: slices.Concat(before.sessions, after.sessions), declared: slices.Concat(before.declared, after.declared)}
	all := []diffed{}
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
		if asJSON {
			all = append(all, newDiffed(name, d))
			continue
		}
		if err := d.Text(stdout, screenWidth(stdout)); err != nil {
			return err
		}
	}
	if asJSON {
		return cli.WriteJSON(stdout, all)
	}
	return nil
}
