package configs

import (
	"context"
	"errors"
	"fmt"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// A module has the folders of a module that have Go files, whatever build takes these.
type module struct {
	root, path string
	folders    map[string]*folder // by import path
}

// A folder is that of a package.
type folder struct {
	path    string // the import path
	dir     string
	files   []*source
	imports map[string]bool // of all files
}

// A source is a Go file.
type source struct {
	name  string
	class *class
}

// findModule reads the headers of all Go files of the module around a folder.
func (s *Set) findModule(ctx context.Context, dir string) (*module, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	out, err := s.run(ctx, dir, "list", "-m", "-f", "{{.Path}}\t{{.Dir}}")
	if err != nil {
		return nil, err
	}
	m := &module{folders: map[string]*folder{}}
	for line := range strings.Lines(string(out)) { // a workspace has several
		p, root, _ := strings.Cut(strings.TrimRight(line, "\r\n"), "\t")
		if len(root) > len(m.root) && within(root, dir) {
			m.root, m.path = root, p
		}
	}
	if m.root == "" {
		return nil, fmt.Errorf("%s is not in a module of the present workspace", dir)
	}
	return m, m.walk(ctx)
}

// within tells whether a folder is in another one. Either may be named by a link.
func within(root, dir string) bool {
	rel, err := filepath.Rel(root, dir)
	if err == nil && filepath.IsLocal(rel) {
		return true
	}
	root, err1 := filepath.EvalSymlinks(root)
	dir, err2 := filepath.EvalSymlinks(dir)
	if err1 != nil || err2 != nil {
		return false
	}
	rel, err = filepath.Rel(root, dir)
	return err == nil && filepath.IsLocal(rel)
}

// walk finds the folders.
func (m *module) walk(ctx context.Context) error {
	classes := map[class]*class{}
	real, err := filepath.EvalSymlinks(m.root) // WalkDir does not follow a link
	if err != nil {
		return err
	}
	return filepath.WalkDir(real, func(name string, d fs.DirEntry, err error) error {
		base := d.Name()
		hidden := strings.HasPrefix(base, ".") || strings.HasPrefix(base, "_")
		switch {
		case err != nil:
			return err
		case ctx.Err() != nil:
			return ctx.Err()
		case d.IsDir() && name != real:
			if _, err := os.Stat(filepath.Join(name, "go.mod")); err == nil || hidden || base == "testdata" || base == "vendor" {
				return fs.SkipDir
			}
			return nil
		case d.IsDir() || hidden || !strings.HasSuffix(base, ".go"):
			return nil
		}
		rel, err := filepath.Rel(real, name)
		if err != nil {
			return err
		}
		return m.add(rel, classes)
	})
}

// add reads the header of a file, which is named from the root.
func (m *module) add(rel string, classes map[class]*class) error {
	name := filepath.Join(m.root, rel)
	data, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) { // a link to nothing
		return nil
	}
	if err != nil {
		return err
	}
	p := path.Join(m.path, path.Dir(filepath.ToSlash(rel)))
	f := m.folders[p]
	if f == nil {
		f = &folder{path: p, dir: filepath.Dir(name), imports: map[string]bool{}}
		m.folders[p] = f
	}
	c := classOf(filepath.Base(name), data)
	if file, _ := parser.ParseFile(token.NewFileSet(), name, data, parser.ImportsOnly|parser.SkipObjectResolution); file != nil {
		for _, spec := range file.Imports {
			imported, _ := strconv.Unquote(spec.Path.Value)
			f.imports[imported] = true
		}
		c.cgo = slices.ContainsFunc(file.Imports, importsC)
	}
	if classes[c] == nil {
		classes[c] = &c
	}
	f.files = append(f.files, &source{name, classes[c]})
	return nil
}

// below returns the folders of packages that some packages import, directly or not, some configuration or other; without these themselves.
func (m *module) below(changed map[string]bool) (all []*folder) {
	reached := map[string]bool{}
	var reach func(path string)
	reach = func(path string) {
		f := m.folders[path]
		if f == nil || reached[path] {
			return
		}
		reached[path] = true
		if !changed[path] {
			all = append(all, f)
		}
		for _, imported := range slices.Sorted(maps.Keys(f.imports)) {
			reach(imported)
		}
	}
	for _, path := range slices.Sorted(maps.Keys(changed)) {
		reach(path)
	}
	return all
}

// importers returns the folders of packages, and of those that import them, some configuration or other.
func (m *module) importers(changed map[string]bool) (all []*folder) {
	reached := map[string]bool{}
	for more := true; more; {
		more = false
		for p, f := range m.folders {
			if reached[p] {
				continue
			}
			reached[p] = changed[p]
			for imported := range f.imports {
				reached[p] = reached[p] || reached[imported]
			}
			more = more || reached[p]
		}
	}
	for p, f := range m.folders {
		if reached[p] {
			all = append(all, f)
		}
	}
	slices.SortFunc(all, func(a, b *folder) int { return strings.Compare(a.path, b.path) })
	return all
}
