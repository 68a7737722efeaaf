package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/coppice-go/coppice/internal/lab/experiment"
	"github.com/coppice-go/coppice/internal/lab/record"
	"github.com/coppice-go/coppice/internal/lab/report"
)

// render prints the report, and writes its files if there is a folder for them.
func (o options) render(e experiment.Experiment, sessions []record.Session, stdout io.Writer) error {
	r := report.Build(e, sessions, o.baseline)
	if err := report.Text(stdout, r); err != nil {
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
	fmt.Fprintf(stdout, "\n%s has the report and every run\n", filepath.Join(o.out, "report.html"))
	return nil
}

func writeFile(name string, write func(io.Writer) error) error {
	file, err := os.Create(name)
	if err != nil {
		return err
	}
	return errors.Join(write(file), file.Close())
}

// labReport renders saved results again, of one folder or of several together.
func labReport(args []string, stdout io.Writer) error {
	if len(args) == 0 {
		return usagef("no folder given; try: coppice lab report DIR")
	}
	_, all, err := experiments()
	if err != nil {
		return err
	}
	var sessions []record.Session
	for _, dir := range args {
		s, err := record.Read(dir)
		if err != nil {
			return fmt.Errorf("%w; coppice lab run -out DIR makes results", err)
		}
		for _, one := range s {
			if !slices.ContainsFunc(sessions, func(known record.Session) bool { return known.Environment.Session == one.Environment.Session }) {
				sessions = append(sessions, one) // the same folder twice is one
			}
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
			o := options{}
			if len(args) == 1 {
				o.out = args[0]
			}
			if err := o.render(e, sessions, stdout); err != nil {
				return err
			}
		}
	}
	if len(seen) == 0 {
		return errors.New("these results hold no runs")
	}
	return nil
}
