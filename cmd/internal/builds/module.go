package builds

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

	"golang.org/x/mod/modfile"
)

// A module describes a Go module by its folders that contain Go files, for any build.
type module struct {
	root, path string
	folders    map[string]*folder // folders by import path
	unlisted   map[string]*folder // the same for files that match no pattern of the go command
	ignores    []string           // folders that go.mod ignores, as written in go.mod
}

// A folder describes a package by its Go files, which are all in one folder.
type folder struct {
	path    string // import path
	dir     string
	files   []*source
	imports map[string]bool // import paths that occur in the files
}

// A source describes a Go file by its header. The rest of the file is not parsed.
type source struct {
	name    string
	class   *class
	pkg     string   // package name in the package clause
	imports []string // import paths, as far as they can be read
	broken  string   // text of the file, if its header cannot be parsed
}

// findModule finds the module that contains dir, and reads the headers of all its Go files.
func (s *Set) findModule(ctx context.Context, dir string) (*module, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	out, err := s.run(ctx, dir, "list", "-m", "-f", "{{.Path}}\t{{.Dir}}")
	if err != nil {
		return nil, err
	}
	m := &module{folders: map[string]*folder{}, unlisted: map[string]*folder{}}
	for line := range strings.Lines(string(out)) { // a workspace has several modules
		p, root, _ := strings.Cut(strings.TrimRight(line, "\r\n"), "\t")
		if len(root) > len(m.root) && within(root, dir) {
			m.root, m.path = root, p
		}
	}
	if m.root == "" {
		return nil, fmt.Errorf("%s is not in a module of the current workspace", dir)
	}
	if m.ignores, err = ignoredBy(m.root); err != nil {
		return nil, err
	}
	return m, m.walk(ctx)
}

// ignoredBy returns the folders that the ignore directives of root's go.mod list.
func ignoredBy(root string) (all []string, err error) {
	name := filepath.Join(root, "go.mod")
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	file, err := modfile.ParseLax(name, data, nil)
	if err != nil {
		return nil, err
	}
	for _, i := range file.Ignore {
		all = append(all, i.Path)
	}
	return all, nil
}

// within reports whether dir is root or a folder inside it. Either path may contain a symbolic
// link.
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

// walk reads the Go files of the module.
func (m *module) walk(ctx context.Context) error {
	classes := map[class]*class{}
	real, err := filepath.EvalSymlinks(m.root) // WalkDir does not follow a symbolic link as root
	if err != nil {
		return err
	}
	return filepath.WalkDir(real, func(name string, d fs.DirEntry, err error) error {
		base := d.Name()
		switch {
		case err != nil:
			return err
		case ctx.Err() != nil:
			return ctx.Err()
		case d.IsDir() && name != real:
			if _, err := os.Stat(filepath.Join(name, "go.mod")); err == nil || base == "vendor" || base == ".git" {
				return fs.SkipDir
			}
			return nil
		case d.IsDir() || !strings.HasSuffix(base, ".go"):
			return nil
		}
		rel, err := filepath.Rel(real, name)
		if err != nil {
			return err
		}
		return m.add(rel, classes)
	})
}

// add reads the header of a file and adds the file to the module. rel is relative to the root.
func (m *module) add(rel string, classes map[class]*class) error {
	name := filepath.Join(m.root, rel)
	data, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) { // a dangling symbolic link
		return nil
	}
	if err != nil {
		return err
	}
	file, c := sourceOf(name, data)
	if classes[c] == nil {
		classes[c] = &c
	}
	file.class = classes[c]
	short := filepath.ToSlash(rel)
	if isHidden(short) {
		put(m.unlisted, m.path, short, file)
		return nil
	}
	if m.isIgnored(path.Dir(short)) { // packages may still import it
		put(m.unlisted, m.path, short, file)
	}
	put(m.folders, m.path, short, file)
	return nil
}

// put adds a file to its folder's entry in folders. It creates the entry if there is none.
func put(folders map[string]*folder, modulePath, short string, file *source) {
	p := path.Join(modulePath, path.Dir(short))
	f := folders[p]
	if f == nil {
		f = &folder{path: p, dir: filepath.Dir(file.name), imports: map[string]bool{}}
		folders[p] = f
	}
	for _, imported := range file.imports {
		f.imports[imported] = true
	}
	f.files = append(f.files, file)
}

// sourceOf parses the header of a Go file and determines its class.
func sourceOf(name string, data []byte) (*source, class) {
	s, c := &source{name: name}, classOf(filepath.Base(name), data)
	_, s.pkg = clauseOf(data)
	file, err := parser.ParseFile(token.NewFileSet(), name, data, parser.ImportsOnly|parser.SkipObjectResolution)
	if err != nil {
		s.broken = string(data)
	}
	if file != nil {
		for _, spec := range file.Imports {
			imported, _ := strconv.Unquote(spec.Path.Value)
			s.imports = append(s.imports, imported)
		}
		c.cgo = slices.ContainsFunc(file.Imports, importsC)
	}
	return s, c
}

// isHidden reports whether the go command ignores a file because of its name or the name of an
// enclosing folder.
func isHidden(short string) bool {
	parts := strings.Split(short, "/")
	return slices.Contains(parts[:len(parts)-1], "testdata") || slices.ContainsFunc(parts, func(part string) bool {
		return strings.HasPrefix(part, ".") || strings.HasPrefix(part, "_")
	})
}

// isIgnored reports whether go.mod ignores a folder. An entry that begins with ./ is relative to
// the root; any other entry matches at any depth.
func (m *module) isIgnored(short string) bool {
	return slices.ContainsFunc(m.ignores, func(ignored string) bool {
		below, rooted := strings.CutPrefix(ignored, "./")
		if rooted {
			return strings.HasPrefix(short+"/", below+"/")
		}
		return strings.Contains("/"+short+"/", "/"+ignored+"/")
	})
}

// dependencies returns the folders of the packages that the changed packages import, directly or
// indirectly, in any configuration. It excludes the changed packages themselves.
func (m *module) dependencies(changed map[string]bool) (all []*folder) {
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

// importers returns the folders of the changed packages and of the packages that import them,
// directly or indirectly, in any configuration.
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
