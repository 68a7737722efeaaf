package tidy

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// A layer contains packages that are on one level. A package, and its tests, import only from its
// own layer and from the layers below it.
type layer struct {
	name   string
	folder string   // with its subfolders
	below  []string // names of layers
}

// Flat trees and the adapter for Prometheus import the library, which does not import them. The
// tools and the workloads are side by side: neither imports the other. Only workloads import the
// examples. The plugin for golangci-lint imports the tools, and nothing imports it. The library
// consists of the packages of its module that are not in another layer.
var (
	library = &layer{"library", "", []string{"ground"}}
	others  = []*layer{
		{"ground", "internal", nil},
		{"flat", "flat", []string{"ground", "library"}},
		{"prom", "prom", []string{"library"}},
		{"examples", "examples", []string{"library"}},
		{"tools", "cmd", []string{"ground", "library", "flat"}},
		{"golangci", "golangci", []string{"ground", "tools"}},
		{"workloads", "workloads", []string{"ground", "library", "flat", "examples"}},
		{"workshop", "workshop", []string{"ground", "library", "flat"}},
	}
)

// face is the package of flat trees that users call and read about, and engine is the package that
// only generated packages call.
const (
	face   = "flat"
	engine = "flat/flatimpl"
)

// testkit contains packages that only tests and the workshop import.
const testkit = "internal/testkit"

// isIn reports whether a folder is the folder parent or below it.
func isIn(folder, parent string) bool {
	return folder == parent || strings.HasPrefix(folder, parent+"/")
}

// layerOf returns the layer of a folder, or nil.
func (t *Tree) layerOf(folder string) *layer {
	for _, l := range others {
		if isIn(folder, l.folder) {
			return l
		}
	}
	if t.moduleOf(folder) != "" {
		return nil
	}
	return library
}

// isOn reports whether a folder is in the layer of that name.
func (t *Tree) isOn(folder, name string) bool {
	l := t.layerOf(folder)
	return l != nil && l.name == name
}

func importDirection(t *Tree) (all []Complaint) {
	for _, f := range t.Go {
		from := t.layerOf(f.Package)
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
			to := t.layerOf(folder)
			switch {
			case to == nil:
			case to != from && !slices.Contains(from.below, to.name):
				all = append(all, t.complain(f, i.Pos(), "%s imports %s; the %s layer is not below the %s layer; move what is shared down", f.Package, folder, to.name, from.name))
			case isIn(folder, testkit) && !f.Test && !t.isOn(f.Package, "workshop") && !isIn(f.Package, testkit):
				all = append(all, t.complain(f, i.Pos(), "%s imports %s outside its tests; move what is shared out of %s", f.Package, folder, testkit))
			}
		}
	}
	return all
}

// allocatorImports restricts the dependencies of the library.
func allocatorImports(t *Tree) (all []Complaint) {
	for _, f := range t.Go {
		if f.Test || isIn(f.Package, testkit) || !t.inProduct(f.Package) && !t.isOn(f.Package, "ground") {
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

// house is the document that states the purpose of each package of the library.
const house = "docs/ARCHITECTURE.md"

// importablePackages requires that packages not meant for users are below internal/: each package
// that users can import must be named in the document house.
func importablePackages(t *Tree) (all []Complaint) {
	text := t.text(house)
	seen := map[string]bool{"": true}
	for _, f := range t.Go {
		if f.Test || seen[f.Package] || !t.forUsers(f.Package) {
			continue
		}
		seen[f.Package] = true
		if named := regexp.MustCompile(`(^|[^\w/])` + f.Package + `($|[^\w/])`); text != nil && !named.Match(text) {
			all = append(all, Complaint{f.Path, 0, "users can import package " + f.Package + "; move it below internal/, or say in " + house + " what it is for"})
		}
	}
	return all
}
