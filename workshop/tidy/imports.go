package tidy

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// A layer is a set of packages. A package in a layer, and its tests, may import only from the same
// layer and from the layers below it.
type layer struct {
	name   string
	folder string   // folder of the packages, with its subfolders
	below  []string // names of the layers below
}

// The flat trees and the Prometheus adapter import the library, but the library does not import
// them. The tools and the workloads do not import each other. Only workloads import the examples.
// The golangci-lint plugin imports the tools, and is not imported itself. The library consists of
// the packages of its module that do not belong to another layer.
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

// face is the folder of the package for flat trees whose functions users call. engine is the folder
// of the package that only generated packages call.
const (
	face   = "flat"
	engine = "flat/flatimpl"
)

// testkit is the folder with the packages that only tests and the workshop import.
const testkit = "internal/testkit"

// isIn reports whether folder equals parent or is below it.
func isIn(folder, parent string) bool {
	return folder == parent || strings.HasPrefix(folder, parent+"/")
}

// layerOf returns the layer of the package in a folder, or nil if the package does not belong to a
// layer.
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

// isOn reports whether the package in a folder belongs to the layer with the given name.
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

// allocatorImports restricts the packages that the library may import.
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

// house is the path of the document that states the purpose of each library package.
const house = "docs/ARCHITECTURE.md"

// importablePackages requires that each package that users can import is named in the document
// house. Packages that are not meant for users must be below internal/.
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
