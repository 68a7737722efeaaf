package tidy

import (
	"fmt"
	"path"
	"slices"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
)

// These are the go.mod files of the modules that users' programs import: the library, and flat and
// prom, which import the library. The other modules in go.work require the library, and some of
// them also require flat. go.work replaces the required versions with the modules' folders.
const (
	libraryModule = "go.mod"
	flatModule    = "flat/go.mod"
	promModule    = "prom/go.mod"
)

// modulesAbove returns the paths of the go.mod files of all modules in go.work except the library.
func modulesAbove(work *modfile.WorkFile) (files []string) {
	for _, use := range work.Use {
		if file := path.Join(use.Path, "go.mod"); file != libraryModule {
			files = append(files, file)
		}
	}
	return files
}

// requirements lists, for each of these go.mod files, all modules that it may require. Users of
// prom already depend on the Prometheus client, and therefore on the modules that the client
// requires.
var requirements = map[string][]string{
	libraryModule: {"golang.org/x/sys", "pgregory.net/rapid"}, // rapid is only for tests
	flatModule:    {ours, "golang.org/x/sys", "pgregory.net/rapid"},
	promModule:    {ours, "github.com/prometheus/client_golang"},
}

// mayRequire reports whether the go.mod file at path may contain the requirement r.
func mayRequire(path string, r *modfile.Require) bool {
	allowed, importable := requirements[path]
	return !importable || slices.Contains(allowed, r.Mod.Path) || path == promModule && r.Indirect
}

// moduleFiles checks that the modules can be released (docs/decisions/0016): adding the library to
// a program does not change the versions of other modules, and `go run` accepts a command at a
// version.
func moduleFiles(t *Tree) (all []Complaint) {
	work, err := modfile.ParseWork("go.work", t.text("go.work"), nil)
	if err != nil {
		return []Complaint{{"go.work", 0, fmt.Sprintf("%v; mend it", err)}}
	}
	files := map[string]*modfile.File{}
	for _, path := range append([]string{libraryModule}, modulesAbove(work)...) {
		data := t.text(path)
		if data == nil {
			continue
		}
		file, err := modfile.Parse(path, data, nil)
		if err != nil {
			return append(all, Complaint{path, 0, fmt.Sprintf("%v; mend it", err)})
		}
		files[path] = file
		for _, r := range file.Replace {
			all = append(all, Complaint{path, r.Syntax.Start.Line, "a replace, with which the go command refuses to run a command at a version; let go.work replace it"})
		}
		for _, r := range file.Require {
			if mayRequire(path, r) {
				continue
			}
			all = append(all, Complaint{path, r.Syntax.Start.Line, fmt.Sprintf("it requires %s, and all its users would; move what needs it to another module", r.Mod.Path)})
		}
	}
	if t.text("go.work") == nil {
		return all
	}
	return append(all, versions(work, files)...)
}

// versions requires that all modules and go.work contain the same version of the library, of flat
// and of the tools. It also requires that the modules agree on the version of any other module,
// except for the modules in requirements, which state the minimum version.
func versions(work *modfile.WorkFile, files map[string]*modfile.File) (all []Complaint) {
	replaced := map[string]module.Version{}
	for _, r := range work.Replace {
		replaced[r.Old.Path] = r.Old
	}
	version := replaced[ours].Version
	if version == "" || len(replaced) != 3 || replaced[ours+"/flat"].Version != version || replaced[ours+"/cmd"].Version != version {
		return []Complaint{{"go.work", 0, "replace the library, flat and cmd at one version, that which the others require, and nothing else"}}
	}
	required := map[string]module.Version{} // last requirement seen, by module path
	for _, path := range modulesAbove(work) {
		file := files[path]
		if file == nil {
			return append(all, Complaint{"go.work", 0, "there is no " + path + "; add it, or take it out of the workspace"})
		}
		if !slices.ContainsFunc(file.Require, func(r *modfile.Require) bool { return r.Mod == replaced[ours] }) {
			all = append(all, Complaint{path, 0, fmt.Sprintf("it does not require %s, which go.work replaces; require it", replaced[ours])})
		}
		for _, r := range file.Require {
			if _, mine := replaced[r.Mod.Path]; requirements[path] != nil && !mine {
				continue // a minimum version, not the version that we build with
			}
			if other, ok := required[r.Mod.Path]; ok && other != r.Mod {
				all = append(all, Complaint{path, r.Syntax.Start.Line, fmt.Sprintf("%s, and another module of ours requires %s, so that it is built in two ways; make them agree", r.Mod, other.Version)})
			}
			required[r.Mod.Path] = r.Mod
		}
	}
	return all
}
