package tidy

import (
	"slices"
	"strconv"
	"strings"
)

// The floors of the house, lowest first. A package imports from its own floor and
// from lower ones.
var floors = [][]string{
	{"internal/checks", "internal/child", "internal/testsize", "internal/compiler", "internal/flatlayout", "internal/vmem"},
	{"slab", "pool", "arena", "store", "inline", "flat", "alloctest"}, // the library
	{"internal/machine", "internal/selfreport", "internal/progress", "internal/arguments", "internal/traps"},
	{"workloads"},
	{"internal/lab", "internal/find", "internal/prove", "internal/flatgen", "internal/planted", "internal/torture", "internal/vetrun", "internal/vetreport", "vet"},
	{"cmd"},
}

const libraryFloor = 1

// floorOf returns the floor of a folder, and -1 for one that is on none.
func floorOf(folder string) int {
	return slices.IndexFunc(floors, func(rooms []string) bool {
		return slices.ContainsFunc(rooms, func(room string) bool {
			return folder == room || strings.HasPrefix(folder, room+"/")
		})
	})
}

// InLibrary tells whether the folder holds a package that users import.
func inLibrary(folder string) bool { return floorOf(folder) == libraryFloor }

func importDirection(t *Tree) (all []Complaint) {
	for _, f := range t.Go {
		from := floorOf(f.Package)
		if f.Test || from < 0 {
			continue
		}
		for _, i := range f.Imports {
			path, _ := strconv.Unquote(i.Path.Value)
			folder, ours := strings.CutPrefix(path, module)
			if ours && floorOf(folder) > from {
				all = append(all, t.complain(f, i.Pos(), "%s imports %s, which stands above it; move what is shared down", f.Package, folder))
			}
		}
	}
	return all
}

// allocatorImports keeps the library free of dependencies for its users.
func allocatorImports(t *Tree) (all []Complaint) {
	for _, f := range t.Go {
		if f.Test || floorOf(f.Package) < 0 || floorOf(f.Package) > libraryFloor {
			continue
		}
		for _, i := range f.Imports {
			path, _ := strconv.Unquote(i.Path.Value)
			first, _, _ := strings.Cut(path, "/")
			standard := !strings.Contains(first, ".")
			if !standard && !strings.HasPrefix(path, module) && !strings.HasPrefix(path, "golang.org/x/sys/") {
				all = append(all, t.complain(f, i.Pos(), "the library imports %s; it may use the standard library and golang.org/x/sys only", path))
			}
		}
	}
	return all
}
