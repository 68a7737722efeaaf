// Package flatgen generates packages of flat trees from Go declarations. Package schema reads the
// declarations into a model, to which the file flat.lock adds the earlier versions. Packages golang
// and cpp generate the files from the model. Finally, flatgen writes the files, or compares them
// with the existing ones.
package flatgen

import (
	"bytes"
	"errors"
	"fmt"
	"go/token"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/coppice-go/coppice/cmd/internal/flatgen/cpp"
	"github.com/coppice-go/coppice/cmd/internal/flatgen/golang"
	"github.com/coppice-go/coppice/cmd/internal/flatgen/schema"

	"github.com/coppice-go/coppice/cmd/internal/lineend"
)

// Options specify what to generate, and where to write it.
type Options struct {
	Dir      string   // the folder to which Patterns and Out are relative
	Out      string   // the folder of the generated package; if empty, NAMEflat beside the schema
	Cpp      string   // C++ header to write as well, with the common header beside it; empty for none
	CppForm  cpp.Form // form of the C++ header
	Patterns []string // package patterns of the schemas
	Check    bool     // compare the files without writing them

	// Say, if not nil, makes Generate do a dry run: it writes a list of the necessary changes to
	// Say instead of changing files.
	Say io.Writer
}

// ErrDrift is wrapped by the error that Generate returns if generated files differ from the
// existing ones.
var ErrDrift = errors.New("run coppice flat again")

// Generate generates the packages, and writes their files or compares them with the existing files.
func Generate(o Options) error {
	models, err := schema.Load(o.Dir, o.Patterns)
	if err != nil {
		return err
	}
	if o.Out != "" && len(models) > 1 {
		return fmt.Errorf("-out names one folder, but %v match %d packages; leave out -out, or name one package", o.Patterns, len(models))
	}
	if o.Cpp != "" && len(models) > 1 {
		return fmt.Errorf("-cpp names one file, but %v match %d packages; leave out -cpp, or name one package", o.Patterns, len(models))
	}
	for _, m := range models {
		out := filepath.Join(m.Dir, m.Package+"flat")
		if o.Out != "" {
			out = o.resolve(o.Out)
		}
		if err := generate(m, out, o); err != nil {
			return err
		}
	}
	return nil
}

// resolve interprets path relative to Dir. It returns absolute and empty paths unchanged.
func (o *Options) resolve(path string) string {
	if path == "" || filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(o.Dir, path)
}

// generate generates one package in the folder out and, if requested, a C++ header. It writes the
// files or compares them.
func generate(m *schema.Model, out string, o Options) error {
	abs, err := filepath.Abs(out)
	if err != nil {
		return err
	}
	name := filepath.Base(abs)
	if !token.IsIdentifier(name) {
		return fmt.Errorf("the folder %s names the generated package, but %q is not a Go identifier; choose another -out", out, name)
	}
	if abs == m.Dir {
		return fmt.Errorf("the folder %s contains the schema; name another folder for the generated package with -out", out)
	}
	if err := readLock(m, filepath.Join(out, lockName)); err != nil {
		return err
	}
	files, err := golang.Emit(m, name)
	if err != nil {
		return err
	}
	if m.Schema.Version > 0 {
		lock := strings.Join(append(slices.Clone(m.Earlier), m.Schema.Text()), "\n")
		files = append(files, schema.File{Name: lockName, Data: []byte(lock)})
	}
	for i := range files {
		files[i].Name = filepath.Join(out, files[i].Name)
	}
	stale, err := staleFiles(out, files)
	if err != nil {
		return err
	}
	if header := o.resolve(o.Cpp); header != "" {
		data, err := cpp.Emit(m, name, o.CppForm)
		if err != nil {
			return err
		}
		files = append(files, schema.File{Name: header, Data: data})
		if o.CppForm == cpp.Including {
			shared := filepath.Join(filepath.Dir(header), cpp.RuntimeName)
			if there, err := os.ReadFile(shared); err == nil && !bytes.HasPrefix(lineend.Unix(there), []byte(schema.Mark)) {
				return fmt.Errorf("%s was not written by coppice flat, but the header needs a file of that name; choose another folder, or use -alone", shared)
			}
			files = append(files, schema.File{Name: shared, Data: cpp.Runtime()})
		}
	}
	all := changes(files, stale)
	switch {
	case o.Check:
		return drift(all)
	case o.Say != nil:
		return say(o.Say, o.Dir, out, all)
	}
	return write(out, all)
}

// staleFiles returns the paths of generated files that an earlier run has written but that are not
// among files.
func staleFiles(out string, files []schema.File) (stale []string, err error) {
	found, err := filepath.Glob(filepath.Join(out, "z*.go"))
	if err != nil {
		return nil, err
	}
	wanted := map[string]bool{}
	for _, f := range files {
		wanted[f.Name] = true
	}
	for _, path := range found {
		data, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		if !wanted[filepath.Clean(path)] && bytes.HasPrefix(lineend.Unix(data), []byte(schema.Mark)) {
			stale = append(stale, path)
		}
	}
	return stale, nil
}

// A change is a generated file that must be written or removed.
type change struct {
	path string
	data []byte // new contents; nil to remove the file
	is   bool   // the file exists now
}

// changes returns the changes that are needed to bring the files up to date. Files that are already
// up to date are not written: their modification times stay the same, so nothing is rebuilt. New
// contents use the line endings of the existing file, because git may have converted them. If a
// file cannot be read, it is treated as changed, so that the attempt to write it reports the
// reason.
func changes(files []schema.File, stale []string) (all []change) {
	for _, f := range files {
		data, err := os.ReadFile(f.Name)
		if err != nil || !lineend.Equal(data, f.Data) {
			all = append(all, change{f.Name, lineend.Like(data, f.Data), !errors.Is(err, fs.ErrNotExist)})
		}
	}
	for _, path := range stale {
		all = append(all, change{path: path, is: true})
	}
	return all
}

// drift returns an error that describes the first change, or nil if there are no changes.
func drift(all []change) error {
	if len(all) == 0 {
		return nil
	}
	switch c := all[0]; {
	case !c.is:
		return fmt.Errorf("%s is missing; %w", c.path, ErrDrift)
	case c.data == nil:
		return fmt.Errorf("%s is no longer generated; %w", c.path, ErrDrift)
	default:
		return fmt.Errorf("%s is out of date; %w", c.path, ErrDrift)
	}
}

// say prints the necessary changes to a package. Paths inside dir are printed relative to it.
func say(w io.Writer, dir, out string, all []change) error {
	if len(all) == 0 {
		_, err := fmt.Fprintf(w, "%s is up to date\n", shown(dir, out))
		return err
	}
	for _, c := range all {
		what := "write"
		switch {
		case c.data == nil:
			what = "remove"
		case !c.is:
			what = "create"
		}
		if _, err := fmt.Fprintf(w, "would %s %s\n", what, shown(dir, c.path)); err != nil {
			return err
		}
	}
	return nil
}

func shown(dir, path string) string {
	base, err := filepath.Abs(dir)
	if err != nil {
		return path
	}
	if abs, err := filepath.Abs(path); err == nil {
		if relative, err := filepath.Rel(base, abs); err == nil && filepath.IsLocal(relative) {
			return relative
		}
	}
	return path
}

// write makes the changes on disk.
func write(out string, all []change) error {
	if err := os.MkdirAll(out, 0o777); err != nil {
		return err
	}
	for _, c := range all {
		if c.data == nil {
			if err := os.Remove(c.path); err != nil {
				return err
			}
			continue
		}
		if err := os.WriteFile(c.path, c.data, 0o666); err != nil {
			return err
		}
	}
	return nil
}
