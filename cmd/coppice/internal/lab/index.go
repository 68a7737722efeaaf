package lab

import (
	"bufio"
	"cmp"
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/coppice-go/coppice/cmd/coppice/internal/cli"
	"github.com/coppice-go/coppice/cmd/internal/lab/report"
)

const indexUsage = `usage: coppice lab index DIR [-open]

It writes DIR/index.html: a page with the verdict and a small chart for each folder of results in DIR.
`

// Index implements coppice lab index, which writes an overview page for the results in a folder's
// subfolders.
func Index(_ context.Context, args []string, stdout, stderr io.Writer) error {
	flags := flag.NewFlagSet("coppice lab index", flag.ContinueOnError)
	open := flags.Bool("open", false, cli.OpenUsage)
	folders, err := parseFolders(flags, indexUsage, args, stdout)
	switch {
	case err != nil:
		return err
	case len(folders) != 1:
		return cli.Usagef("coppice lab index takes one folder with folders of results, got %d; try: coppice lab index DIR", len(folders))
	}
	dir := folders[0]
	found, err := os.ReadDir(dir)
	if err != nil {
		return fmt.Errorf("%w; name a folder with folders of results", err)
	}
	var entries []report.Entry
	var others []report.Link
	for _, f := range found {
		if !f.IsDir() {
			continue
		}
		folder := filepath.Join(dir, f.Name())
		if _, err := os.Stat(filepath.Join(folder, "runs.jsonl")); err != nil {
			others = append(others, documents(dir, f.Name())...)
			continue
		}
		own, err := indexed(folder, f.Name())
		if err != nil {
			return err
		}
		entries = append(entries, own...)
	}
	if len(entries) == 0 {
		return fmt.Errorf("no results in the subfolders of %s; coppice lab run -out DIR/NAME writes them", dir)
	}
	name := filepath.Join(dir, "index.html")
	if err := cli.WriteFile(name, func(w io.Writer) error { return report.Index(w, entries, others) }); err != nil {
		return err
	}
	if _, err := fmt.Fprintf(stdout, "%s: experiments %d\n", name, len(entries)); err != nil {
		return err
	}
	if *open {
		cli.Open(name, stderr)
	}
	return nil
}

// indexed returns the overview page's entries for the results in one folder.
func indexed(folder, name string) (all []report.Entry, err error) {
	var saved results
	if err := saved.add(folder); err != nil {
		return nil, err
	}
	for _, experiment := range saved.experiments() {
		e, _, err := saved.declaration(experiment)
		if err != nil {
			return nil, err
		}
		all = append(all, report.Entry{Name: name, Link: path.Join(name, "report.html"), Report: built(e, saved.sessions, "")})
	}
	return all, nil
}

// documents returns links to the Markdown files of a folder. The text of each link is the first
// heading of the file.
func documents(dir, name string) (all []report.Link) {
	files, _ := filepath.Glob(filepath.Join(dir, name, "*.md")) // the pattern is well-formed
	for _, file := range files {
		link := path.Join(name, filepath.Base(file))
		all = append(all, report.Link{Link: link, Text: cmp.Or(heading(file), link)})
	}
	slices.SortFunc(all, func(a, b report.Link) int { return strings.Compare(a.Link, b.Link) })
	return all
}

// heading returns the first heading of a Markdown file.
func heading(file string) string {
	f, err := os.Open(file)
	if err != nil {
		return ""
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if text, ok := strings.CutPrefix(lines.Text(), "# "); ok {
			return text
		}
	}
	return ""
}
