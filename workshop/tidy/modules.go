package tidy

import (
	"fmt"
	"slices"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
)

// The modules that users' programs import: the library, and flat, which stands on it.
var productModules = []string{"go.mod", flatModule}

const flatModule = "flat/go.mod"

// The modules that require the library: flat, the tools, the workloads and the workshop. go.work replaces the versions that they
// require, of the library and of flat, by their folders.
var modulesAbove = []string{flatModule, "cmd/go.mod", "workloads/go.mod", "workshop/go.mod"}

// requirements has all modules that a product's module may require, beside the library: the first for itself, the second for its tests.
var requirements = []string{"golang.org/x/sys", "pgregory.net/rapid"}

// moduleFiles checks that modules can be released (docs/decisions/0016): adding the library changes
// no other versions, and `go run` accepts a command at a version.
func moduleFiles(t *Tree) (all []Complaint) {
	files := map[string]*modfile.File{}
	for _, path := range append(productModules[:1:1], modulesAbove...) {
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
			if isLibrary := path == flatModule && r.Mod.Path == ours; slices.Contains(productModules, path) && !slices.Contains(requirements, r.Mod.Path) && !isLibrary {
				all = append(all, Complaint{path, r.Syntax.Start.Line, fmt.Sprintf("it requires %s, and all its users would; move what needs it to another module", r.Mod.Path)})
			}
		}
	}
	return append(all, versions(t, files)...)
}

// versions requires one version of the library and of flat in all modules and in go.work, and one
// version of each module that several of these modules require.
func versions(t *Tree, files map[string]*modfile.File) (all []Complaint) {
	work := t.text("go.work")
	if work == nil {
		return nil
	}
	workspace, err := modfile.ParseWork("go.work", work, nil)
	if err != nil {
		return []Complaint{{"go.work", 0, fmt.Sprintf("%v; mend it", err)}}
	}
	replaced := map[string]module.Version{}
	for _, r := range workspace.Replace {
		replaced[r.Old.Path] = r.Old
	}
	if _, ok := replaced[ours]; !ok || len(replaced) != len(productModules) || replaced[ours+"/flat"].Version != replaced[ours].Version {
		return []Complaint{{"go.work", 0, "replace the library and flat at one version, that which the others require, and nothing else"}}
	}
	required := map[string]module.Version{} // by path, as last seen
	for _, path := range modulesAbove {
		file := files[path]
		if file == nil {
			return append(all, Complaint{"go.work", 0, "there is no " + path + "; add it, or take it out of the workspace"})
		}
		if !slices.ContainsFunc(file.Require, func(r *modfile.Require) bool { return r.Mod == replaced[ours] }) {
			all = append(all, Complaint{path, 0, fmt.Sprintf("it does not require %s, which go.work replaces; require it", replaced[ours])})
		}
		for _, r := range file.Require {
			if _, ours := replaced[r.Mod.Path]; path == flatModule && !ours {
				continue // the least version with which it works, not the one that we build with
			}
			if other, ok := required[r.Mod.Path]; ok && other != r.Mod {
				all = append(all, Complaint{path, r.Syntax.Start.Line, fmt.Sprintf("%s, and another module of ours requires %s, so that it is built in two ways; make them agree", r.Mod, other.Version)})
			}
			required[r.Mod.Path] = r.Mod
		}
	}
	return all
}
