package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"golang.org/x/term"

	"github.com/coppice-go/coppice/cmd/internal/lab/experiment"
	"github.com/coppice-go/coppice/cmd/internal/lab/record"
	"github.com/coppice-go/coppice/cmd/internal/lab/report"
)

// render prints the report, and writes its files if there is an output folder.
func (o options) render(e experiment.Experiment, sessions []record.Session, stdout io.Writer) error {
	r := report.Build(e, sessions, o.baseline)
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

// parseReport parses folders and flags, in any order. Arguments after -- are folders, even if
// they start with a dash.
func parseReport(args []string, stdout io.Writer) (folders []string, o options, err error) {
	flags := flag.NewFlagSet("coppice lab report", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.StringVar(&o.baseline, "baseline", "", "compute ratios to the contender of this `name`")
	for rest := args; len(rest) > 0; {
		if err := flags.Parse(rest); errors.Is(err, flag.ErrHelp) {
			fmt.Fprintln(stdout, "usage: coppice lab report DIR... [flags]")
			flags.SetOutput(stdout)
			flags.PrintDefaults()
			return nil, o, err
		} else if err != nil {
			return nil, o, usagef("%v; coppice lab report -help lists the flags", err)
		}
		taken := rest[:len(rest)-flags.NArg()]
		rest = flags.Args()
		if len(taken) > 0 && taken[len(taken)-1] == "--" {
			folders = append(folders, rest...)
			break
		}
		if len(rest) > 0 {
			folders, rest = append(folders, rest[0]), rest[1:]
		}
	}
	if len(folders) == 0 {
		return nil, o, usagef("no folder given; try: coppice lab report DIR")
	}
	return folders, o, nil
}

// labReport renders saved results, of one folder or of several together.
func labReport(args []string, stdout io.Writer) error {
	folders, o, err := parseReport(args, stdout)
	if err != nil {
		return err
	}
	_, all, err := experiments()
	if err != nil {
		return err
	}
	var sessions []record.Session
	for _, dir := range folders {
		s, err := record.Read(dir)
		if err != nil {
			return fmt.Errorf("%w; coppice lab run -out DIR makes results", err)
		}
		for _, one := range s {
			if !slices.ContainsFunc(sessions, func(known record.Session) bool { return known.Environment.Session == one.Environment.Session }) {
				sessions = append(sessions, one) // a folder that is given twice counts once
			}
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
	seen := map[string]bool{}
	for _, s := range sessions {
		for _, r := range s.Runs {
			if seen[r.Experiment] {
				continue
			}
			seen[r.Experiment] = true
			e, err := experiment.Find(all, r.Experiment)
			if err != nil {
				return err
			}
			if err := o.render(e, sessions, stdout); err != nil {
				return err
			}
		}
	}
	if len(seen) == 0 {
		return errors.New("these results hold no runs")
	}
	return inUse
}
