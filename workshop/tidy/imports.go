package tidy

import (
	"slices"
	"strconv"
	"strings"
)

// A floor of the house has folders whose packages are on one level. A package, and its tests, import
// only from its own floor and those below it.
type floor struct {
	name  string
	rooms []string // folders, including their subfolders
	below []string // names of floors
}

// The tools and the workloads are side by side: neither imports the other.
var floors = []floor{
	{"ground", []string{"internal"}, nil},
	{"library", importable, []string{"ground"}},
	{"tools", []string{"cmd"}, []string{"ground", "library"}},
	{"workloads", []string{"workloads"}, []string{"ground", "library"}},
	{"workshop", []string{"workshop"}, []string{"ground", "library"}},
}

// importable has the packages of the library's module that users can import. Its other packages
// are below an internal/ folder.
var importable = []string{"", "slab", "pool", "arena", "store", "inline", "flat", engine, "flat/forest", "alloctest", "maptest", "symbols", "cache"}

// face is the package of flat trees that people read, and engine the one that only generated packages call.
const (
	face   = "flat"
	engine = "flat/flatimpl"
)

// testkit has packages that only tests and the workshop import.
const testkit = "internal/testkit"

// isIn reports whether a folder is one of the rooms or below one.
func isIn(folder string, rooms ...string) bool {
	return slices.ContainsFunc(rooms, func(room string) bool {
		return folder == room || room != "" && strings.HasPrefix(folder, room+"/")
	})
}

// floorOf returns the floor of a folder, or nil.
func floorOf(folder string) *floor {
	for i := range floors {
		if isIn(folder, floors[i].rooms...) {
			return &floors[i]
		}
	}
	return nil
}

// isOn reports whether a folder is on the floor of that name.
func isOn(folder, name string) bool {
	f := floorOf(folder)
	return f != nil && f.name == name
}

// inLibrary reports whether the folder has a package that users import.
func inLibrary(folder string) bool { return isOn(folder, "library") }

func importDirection(t *Tree) (all []Complaint) {
	for _, f := range t.Go {
		from := floorOf(f.Package)
		if from == nil {
			continue
		}
		for _, i := range f.Imports {
			path, _ := strconv.Unquote(i.Path.Value)
			folder, mine := strings.CutPrefix(path, ours)
			if !mine {
				continue
			}
			folder = strings.TrimPrefix(folder, "/")
			to := floorOf(folder)
			switch {
			case to == nil:
			case to != from && !slices.Contains(from.below, to.name):
				all = append(all, t.complain(f, i.Pos(), "%s imports %s; the %s floor is not below the %s floor; move what is shared down", f.Package, folder, to.name, from.name))
			case isIn(folder, testkit) && !f.Test && !isOn(f.Package, "workshop") && !isIn(f.Package, testkit):
				all = append(all, t.complain(f, i.Pos(), "%s imports %s outside its tests; move what is shared out of %s", f.Package, folder, testkit))
			}
		}
	}
	return all
}

// allocatorImports restricts the dependencies of the library.
func allocatorImports(t *Tree) (all []Complaint) {
	for _, f := range t.Go {
		if f.Test || isIn(f.Package, testkit) || !isOn(f.Package, "library") && !isOn(f.Package, "ground") {
			continue
		}
		for _, i := range f.Imports {
			path, _ := strconv.Unquote(i.Path.Value)
			first, _, _ := strings.Cut(path, "/")
			standard := !strings.Contains(first, ".")
			if !standard && !strings.HasPrefix(path, ours) && !strings.HasPrefix(path, "golang.org/x/sys/") {
				all = append(all, t.complain(f, i.Pos(), "the library imports %s; it may use the standard library and golang.org/x/sys only", path))
			}
		}
	}
	return all
}

// importablePackages requires that packages not meant for users are below internal/.
func importablePackages(t *Tree) (all []Complaint) {
	seen := map[string]bool{}
	for _, f := range t.Go {
		if f.Test || seen[f.Package] || !inLibrary(f.Package) || slices.Contains(importable, f.Package) || strings.Contains("/"+f.Package+"/", "/internal/") {
			continue
		}
		seen[f.Package] = true
		all = append(all, Complaint{f.Path, 0, "users can import package " + f.Package + "; move it below internal/, or name it in the list of importable packages"})
	}
	return all
}
