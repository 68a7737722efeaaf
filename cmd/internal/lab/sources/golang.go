package sources

import (
	"go/parser"
	"go/token"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/mod/modfile"
)

// addPackage adds the files of a Go package and, recursively, of the packages that it imports from
// modules in the tree.
func (t *Tree) addPackage(to parts, folder string) {
	for _, name := range t.folders[folder] {
		if path.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go") || to[name] != "" {
			continue
		}
		to[name] = t.hash(name)
		file, err := parser.ParseFile(token.NewFileSet(), name, t.read(name), parser.ImportsOnly|parser.ParseComments)
		if err != nil {
			continue // a file that does not parse is not built
		}
		for _, spec := range file.Imports {
			if imported, err := strconv.Unquote(spec.Path.Value); err == nil {
				t.addImport(to, folder, imported)
			}
		}
		t.addEmbedded(to, folder, string(t.read(name)))
	}
}

// addImport adds an imported package. If the package is outside the tree, addImport adds the
// required version of its module.
func (t *Tree) addImport(to parts, folder, imported string) {
	if first, _, _ := strings.Cut(imported, "/"); !strings.Contains(first, ".") {
		return // a package of the standard library
	}
	best := ""
	for module := range t.allModules() {
		if (imported == module || strings.HasPrefix(imported, module+"/")) && len(module) > len(best) {
			best = module
		}
	}
	if best != "" {
		if inside := path.Join(t.modules[best], strings.TrimPrefix(imported, best)); len(t.folders[inside]) > 0 {
			t.addPackage(to, inside)
			return
		}
	}
	for up := folder; ; up = path.Dir(up) {
		name := path.Join(up, "go.mod")
		if _, found := slices.BinarySearch(t.files, name); found {
			t.addRequired(to, name, imported)
			return
		}
		if up == "." {
			return
		}
	}
}

// addRequired adds the version of the module that contains the imported package, as required in the
// named go.mod file.
func (t *Tree) addRequired(to parts, name, imported string) {
	file, err := modfile.ParseLax(name, t.read(name), nil)
	if err != nil {
		return
	}
	for _, r := range file.Require {
		if imported == r.Mod.Path || strings.HasPrefix(imported, r.Mod.Path+"/") {
			to["module "+r.Mod.Path+" of "+path.Dir(name)] = r.Mod.Version
		}
	}
}

// addEmbedded adds the files that the go:embed directives of a Go file select.
func (t *Tree) addEmbedded(to parts, folder, source string) {
	for line := range strings.Lines(source) {
		patterns, ok := strings.CutPrefix(line, "//go:embed ")
		if !ok {
			continue
		}
		for _, pattern := range strings.Fields(patterns) {
			pattern = path.Join(folder, strings.TrimPrefix(strings.Trim(pattern, "`\""), "all:"))
			for _, name := range t.files {
				if ok, _ := path.Match(pattern, name); ok || strings.HasPrefix(name, pattern+"/") {
					to[name] = t.hash(name)
				}
			}
		}
	}
}

// allModules returns the folders of the modules in the tree, by module path.
func (t *Tree) allModules() map[string]string {
	if t.modules != nil {
		return t.modules
	}
	t.modules = map[string]string{}
	for _, name := range t.files {
		if path.Base(name) == "go.mod" && !slices.Contains(strings.Split(filepath.ToSlash(name), "/"), "testdata") {
			if module := modfile.ModulePath(t.read(name)); module != "" {
				t.modules[module] = path.Dir(name)
			}
		}
	}
	return t.modules
}
