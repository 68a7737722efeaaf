package lab

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/coppice-go/coppice/cmd/coppice/internal/cli"
	"github.com/coppice-go/coppice/cmd/internal/lab/merge"
)

// mergeFlags holds the flags of coppice lab merge.
type mergeFlags struct {
	out, baseline  string
	json, markdown bool
}

const mergeUsage = `usage: coppice lab merge DIR... [flags]

It merges results from several machines. DIR is a folder of results from coppice lab run -out, or of a plan.
`

// Merge implements coppice lab merge, which merges results from several machines.
func Merge(args []string, stdout io.Writer) error {
	var o mergeFlags
	flags := flag.NewFlagSet("coppice lab merge", flag.ContinueOnError)
	flags.StringVar(&o.out, "out", "", "also write merged.md, merged.html and merged.json to this `folder`")
	flags.StringVar(&o.baseline, "baseline", "", "compute ratios to the contender of this `name`")
	flags.BoolVar(&o.json, "json", false, "print one JSON object")
	flags.BoolVar(&o.markdown, "markdown", false, "print Markdown")
	folders, err := parseFolders(flags, mergeUsage, args, stdout)
	switch {
	case err != nil:
		return err
	case len(folders) == 0:
		return cli.Usagef("no folder given; try: coppice lab merge DIR...")
	case o.json && o.markdown:
		return cli.Usagef("-json and -markdown are mutually exclusive: use one of them")
	}
	gathered, err := merge.Gather(folders)
	if err != nil {
		return err
	}
	saved := results{sessions: gathered.Sessions, declared: gathered.Declared}
	names := saved.experiments()
	if len(names) == 0 {
		return errors.New("no runs in these results")
	}
	var all []merge.Report
	for _, name := range names {
		e, doubt, err := saved.declaration(name)
		if err != nil {
			return err
		}
		if err := checkBaseline(o.baseline, e, saved.contenders(name)); err != nil {
			return err
		}
		r := merge.Build(e, gathered, o.baseline)
		r.Command = o.command(folders)
		if doubt != "" {
			r.Notes = append(r.Notes, doubt)
		}
		all = append(all, r)
	}
	if err := o.save(all); err != nil {
		return err
	}
	return o.print(all, stdout)
}

// command returns the coppice lab merge command for these folders, which the report shows.
func (o mergeFlags) command(folders []string) string {
	words := append([]string{"coppice", "lab", "merge"}, folders...)
	if o.baseline != "" {
		words = append(words, "-baseline", o.baseline)
	}
	return strings.Join(quoted(words), " ")
}

// print prints the reports in the requested format.
func (o mergeFlags) print(all []merge.Report, stdout io.Writer) error {
	if o.json {
		return merge.WriteJSON(stdout, all)
	}
	for i, r := range all {
		if i > 0 {
			fmt.Fprintln(stdout)
		}
		write := func(w io.Writer) error { return r.Text(w, screenWidth(stdout)) }
		if o.markdown {
			write = r.Markdown
		}
		if err := write(stdout); err != nil {
			return err
		}
	}
	return nil
}

// save writes the reports in all formats to the folder of -out. If there are several experiments,
// each has separate files.
func (o mergeFlags) save(all []merge.Report) error {
	if o.out == "" {
		return nil
	}
	if err := os.MkdirAll(o.out, 0o777); err != nil {
		return fmt.Errorf("-out: %w; name a writable folder", err)
	}
	for _, r := range all {
		name := "merged"
		if len(all) > 1 {
			name += "-" + r.Experiment.Name
		}
		for ext, write := range map[string]func(io.Writer) error{
			".md": r.Markdown, ".html": r.HTML, ".json": func(w io.Writer) error { return merge.WriteJSON(w, []merge.Report{r}) },
		} {
			if err := cli.WriteFile(filepath.Join(o.out, name+ext), write); err != nil {
				return err
			}
		}
	}
	return nil
}

const exportUsage = `usage: coppice lab export -out FILE.parquet DIR...

It writes one row per run, with its metrics and the environment of its session. docs/LAB.md shows queries.
`

// Export implements coppice lab export, which writes results as a Parquet table.
func Export(args []string, stdout io.Writer) error {
	flags := flag.NewFlagSet("coppice lab export", flag.ContinueOnError)
	out := flags.String("out", "", "`file` to write; an existing file is replaced at the end")
	folders, err := parseFolders(flags, exportUsage, args, stdout)
	switch {
	case err != nil:
		return err
	case *out == "" || len(folders) == 0:
		return cli.Usagef("coppice lab export needs a file and folders; try: coppice lab export -out runs.parquet DIR...")
	}
	part := *out + ".part"
	rows := 0
	var notes []string
	err = cli.WriteFile(part, func(w io.Writer) (err error) {
		rows, notes, err = merge.Export(w, folders)
		return err
	})
	if err == nil {
		err = os.Rename(part, *out)
	}
	if err != nil {
		_ = os.Remove(part) // part may not exist
		return err
	}
	for _, note := range notes {
		fmt.Fprintln(stdout, "note: "+note)
	}
	_, err = fmt.Fprintf(stdout, "%d runs in %s\n", rows, *out)
	return err
}
