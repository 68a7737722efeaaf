package tidy

import (
	"path"
	"strings"
)

// moduleOf returns the root folder of the module to which a folder belongs, or "" for the library's
// module.
func (t *Tree) moduleOf(folder string) string {
	for ; folder != "" && folder != "."; folder = path.Dir(folder) {
		if t.modules[folder] {
			return folder
		}
	}
	return ""
}

// inProduct reports whether the package in a folder belongs to the library or to flat. Internal
// packages are included; programs are not. The result is derived from the tree rather than from a
// list, so that the rules apply to a new package at once.
func (t *Tree) inProduct(folder string) bool {
	return (t.isOn(folder, library.name) || t.isOn(folder, "flat")) && !t.programs[folder]
}

// forUsers reports whether a folder contains a package of the library, of flat, of prom or of
// golangci that users can import.
func (t *Tree) forUsers(folder string) bool {
	return (t.inProduct(folder) || t.isOn(folder, "prom") || t.isOn(folder, "golangci")) && !strings.Contains("/"+folder+"/", "/internal/")
}
