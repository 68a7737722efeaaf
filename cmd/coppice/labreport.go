package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"

	"golang.org/x/term"

	"github.com/coppice-go/coppice/cmd/internal/lab/experiment"
	"github.com/coppice-go/coppice/cmd/internal/lab/record"
	"github.com/coppice-go/coppice/cmd/internal/lab/report"
)

// render prints the report, and writes its files if there is an output folder.
func (o options) render(e experiment.Experiment, sessions []record.Session, stdout io.Writer) error {
	r := report.Build(e, sessions, o.baseline)
	if o.doubt != "" {
		r.Warnings = append(r.Warnings, o.doubt)
	}
	if err := report.Text(stdout, r, screenWidth(stdout)); err != nil {
		return err
	}
	if o.out == "" {
		return nil
	}
	for name, write := range map[string]func(io.Writer, report.Report) error{
		"report.md": report.Markdown, "report.html": report.HTML, "ranking.svg": report.Picture,
	} {
		if err := writeFile(filepath.Join(o.out, name), func(w io.Writer) error { return write(w, r) }); err != nil {
			return err
		}
	}
	fmt.Fprintln(stdout)
	report.Wrap(stdout, screenWidth(stdout), filepath.Join(o.out, "report.html")+" has the report and every run")
	return nil
}

// screenWidth returns the number of columns of the terminal, or else of COLUMNS. 0 stands for
// unlimited, as in a file.
func screenWidth(stdout io.Writer) int {
	if file, ok := stdout.(*os.File); ok {
		if width, _, err := term.GetSize(int(file.Fd())); err == nil {
			return width
		}
	}
	width, _ := strconv.Atoi(os.Getenv("COLUMNS"))
	return max(width, 0)
}

func writeFile(name string, write func(io.Writer) error) error {
	file, err := os.Create(name)
	if err != nil {
		return err
	}
	return errors.Join(write(file), file.Close())
}

// parseReport parses the folders and flags of coppice lab report.
func parseReport(args []string, stdout io.Writer) (folders []string, o options, err error) {
	flags := flag.NewFlagSet("coppice lab report", flag.ContinueOnError)
	flags.StringVar(&o.baseline, "baseline", "", "compute ratios to the contender of this `name`")
	folders, err = parseFolders(flags, "usage: coppice lab report DIR... [flags]\n", args, stdout)
	if err == nil && len(folders) == 0 {
		err = usagef("no folder given; try: coppice lab report DIR")
	}
	return folders, o, err
}

// parseFolders parses folders and flags, in any order. Arguments after -- are folders, even if
// they start with a dash.
func parseFolders(flags *flag.FlagSet, usage string, args []string, stdout io.Writer) (folders []string, err error) {
	for rest := args; len(rest) > 0; {
		if err := parseFlags(flags, usage, rest, stdout); err != nil {
			return nil, err
		}
		taken := rest[:len(rest)-flags.NArg()]
		rest = flags.Args()
		if len(taken) > 0 && taken[len(taken)-1] == "--" {
			return append(folders, rest...), nil
		}
		if len(rest) > 0 {
			folders, rest = append(folders, rest[0]), rest[1:]
		}
	}
	return folders, nil
}

// labReport renders saved results, of one folder or of several together.
func labReport(args []string, stdout io.Writer) error {
	folders, o, err := parseReport(args, stdout)
	if err != nil {
		return err
	}
	var saved results
	for _, dir := range folders {
		if err := saved.add(dir); err != nil {
			return err
		}
	}
	var inUse error // does not prevent printing the report
	if len(folders) == 1 {
		var lock *record.Lock
		if lock, inUse = record.TryLock(folders[0]); inUse == nil {
			defer lock.Release()
			o.out = folders[0]
		}
	}
	names := saved.experiments()
	if len(names) == 0 {
		return errors.New("these results hold no runs")
	}
	for _, name := range names {
		e, doubt, err := saved.declaration(name)
		if err != nil {
			return err
		}
		o.doubt = doubt
		if err := o.render(e, saved.sessions, stdout); err != nil {
			return err
		}
	}
	return inUse
}
