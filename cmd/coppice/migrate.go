package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/coppice-go/coppice/cmd/coppice/internal/cli"
	"github.com/coppice-go/coppice/cmd/internal/renames"
	"github.com/coppice-go/coppice/cmd/internal/trees"
	"github.com/coppice-go/coppice/internal/durable"
)

const migrateUsage = `usage: coppice migrate [-n] [PACKAGE...]

It changes code that uses Coppice to the names of newer versions; the change log lists them. It reads the
code with the version of Coppice that the code requires, so run it before the update, and then:

  go get github.com/coppice-go/coppice@latest

The packages, ./... by default, must compile. For each place to change by hand it prints a line with the
reason. Generated files are not changed.
`

// errByHand sets the exit code to 1. The positions that must be changed by hand are on standard
// output.
var errByHand = errors.New("there are changes to make by hand")

// migrating implements coppice migrate.
func migrating(ctx context.Context, args []string, stdout, _ io.Writer) error {
	flags := flag.NewFlagSet("coppice migrate", flag.ContinueOnError)
	dry := flags.Bool("n", false, "change nothing; print the changes as a patch")
	if err := cli.ParseFlags(flags, migrateUsage, args, stdout); err != nil {
		return err
	}
	patterns, err := cli.Packages(flags, "./...")
	if err != nil {
		return err
	}
	dir, err := os.Getwd()
	if err != nil {
		return err
	}
	c, err := renames.Look(ctx, dir, patterns...)
	if err != nil {
		return err
	}
	m := migration{dir, c, stdout}
	if *dry {
		err = m.preview(ctx)
	} else {
		err = m.write()
	}
	if err != nil {
		return err
	}
	return m.summary(*dry)
}

// A migration holds the changes to the code below a folder.
type migration struct {
	dir    string
	change *renames.Change
	stdout io.Writer
}

// write replaces the changed files, each of them atomically.
func (m migration) write() error {
	for _, name := range slices.Sorted(maps.Keys(m.change.Files)) {
		err := durable.Replace(name, func(f *os.File) error {
			_, err := f.Write(m.change.Files[name])
			return err
		})
		if err != nil {
			return err
		}
		fmt.Fprintf(m.stdout, "%s: changed\n", m.short(name))
	}
	return nil
}

// preview prints the changes as a patch. Without git, it prints only the names of the files.
func (m migration) preview(ctx context.Context) error {
	files := map[string]trees.File{}
	for name, after := range m.change.Files {
		before, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		files[filepath.ToSlash(m.short(name))] = trees.File{Before: before, After: after}
	}
	if len(files) == 0 {
		return nil
	}
	folder, err := os.MkdirTemp("", "coppice-migrate-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	patch, err := trees.Diff(ctx, folder, files)
	if errors.Is(err, trees.ErrNoGit) {
		for _, name := range slices.Sorted(maps.Keys(files)) {
			patch += name + ": would change\n"
		}
	} else if err != nil {
		return err
	}
	_, err = io.WriteString(m.stdout, patch)
	return err
}

// summary prints the positions that must be changed by hand, and the number of changed files.
func (m migration) summary(dry bool) error {
	for _, p := range m.change.Left {
		p.File = m.short(p.File)
		fmt.Fprintln(m.stdout, p)
	}
	said := "changed"
	if dry {
		said = "would change"
	}
	fmt.Fprintf(m.stdout, "%s %s", said, count(len(m.change.Files), "file"))
	if left := len(m.change.Left); left > 0 {
		fmt.Fprintf(m.stdout, "; %s to change by hand\n", count(left, "place"))
		return errByHand
	}
	fmt.Fprintln(m.stdout, "; nothing to change by hand")
	return nil
}

// short returns the path of a file relative to m.dir if the file is below that folder, and name
// otherwise.
func (m migration) short(name string) string {
	if rel, err := filepath.Rel(m.dir, name); err == nil && filepath.IsLocal(rel) {
		return rel
	}
	return name
}

// count formats a number with its noun, such as "1 file" or "2 files".
func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
