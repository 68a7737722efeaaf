package flatgen

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"go/token"
)

// Options say what to generate and where.
type Options struct {
	Dir      string   // where patterns and Out are relative to
	Out      string   // the generated package's folder; NAMEflat beside the schema if it is empty
	Cpp      string   // a C++ header to be written too; none if it is empty
	Patterns []string // of schemas' packages
	Check    bool     // compare, write nothing
}

// ErrDrift is wrapped by Generate's error if it compares and files differ.
var ErrDrift = errors.New("run coppice flat again")

// Generate writes the packages, or compares them with what is there.
func Generate(o Options) error {
	models, err := Load(o.Dir, o.Patterns)
	if err != nil {
		return err
	}
	if o.Out != "" && len(models) > 1 {
		return fmt.Errorf("-out is one folder, and %v are %d packages; leave -out away, or name one", o.Patterns, len(models))
	}
	if o.Cpp != "" && len(models) > 1 {
		return fmt.Errorf("-cpp is one file, and %v are %d packages; leave -cpp away, or name one", o.Patterns, len(models))
	}
	for _, m := range models {
		out := filepath.Join(m.Dir, m.Package+"flat")
		if o.Out != "" {
			out = o.below(o.Out)
		}
		if err := m.generate(out, o.below(o.Cpp), o.Check); err != nil {
			return err
		}
	}
	return nil
}

// below returns a path relative to Dir, unless it is absolute or empty.
func (o *Options) below(path string) string {
	if path == "" || filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(o.Dir, path)
}

// generate writes or compares the package in the folder out, and the C++ header if it has a path.
func (m *Model) generate(out, header string, check bool) error {
	abs, err := filepath.Abs(out)
	if err != nil {
		return err
	}
	name := filepath.Base(abs)
	if !token.IsIdentifier(name) {
		return fmt.Errorf("the folder %s names the generated package, and %q is no name in Go; choose another -out", out, name)
	}
	if abs == m.Dir {
		return fmt.Errorf("the folder %s has the schema; the generated package needs one of its own, with -out", out)
	}
	if err := m.readLock(filepath.Join(out, lockName)); err != nil {
		return err
	}
	files, err := m.Emit(name)
	if err != nil {
		return err
	}
	for i := range files {
		files[i].Name = filepath.Join(out, files[i].Name)
	}
	stale, err := staleFiles(out, files)
	if err != nil {
		return err
	}
	if header != "" {
		data, err := m.EmitCpp(name)
		if err != nil {
			return err
		}
		files = append(files, File{header, data})
	}
	if check {
		return compare(files, stale)
	}
	return write(out, files, stale)
}

// staleFiles returns generated files that would no longer be written.
func staleFiles(out string, files []File) (stale []string, err error) {
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
		if !wanted[filepath.Clean(path)] && bytes.HasPrefix(data, []byte(mark)) {
			stale = append(stale, path)
		}
	}
	return stale, nil
}

func compare(files []File, stale []string) error {
	for _, f := range files {
		path := f.Name
		data, err := os.ReadFile(path)
		if errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("%s is missing; %w", path, ErrDrift)
		}
		if err != nil {
			return err
		}
		if !bytes.Equal(data, f.Data) {
			return fmt.Errorf("%s is not what the schema makes; %w", path, ErrDrift)
		}
	}
	if len(stale) > 0 {
		return fmt.Errorf("%s is not generated any more; %w", stale[0], ErrDrift)
	}
	return nil
}

// write writes the files that differ; unchanged files keep their times, so that builds do not start anew.
func write(out string, files []File, stale []string) error {
	if err := os.MkdirAll(out, 0o777); err != nil {
		return err
	}
	for _, f := range files {
		path := f.Name
		if data, err := os.ReadFile(path); err == nil && bytes.Equal(data, f.Data) {
			continue
		}
		if err := os.WriteFile(path, f.Data, 0o666); err != nil {
			return err
		}
	}
	for _, path := range stale {
		if err := os.Remove(path); err != nil {
			return err
		}
	}
	return nil
}
