package tidy

import (
	"path"
	"strings"
)

// moduleOf returns the folder of the module that a folder is in, or "" for the library's module.
func (t *Tree) moduleOf(folder string) string {
	for ; folder != "" && folder != "."; folder = path.Dir(folder) {
		if t.modules[folder] {
			return folder
		}
	}
	return ""
}

// inProduct reports whether a folder has a package of the library or of flat, including internal
// ones. It uses the packages in the tree, so that the rules hold for a new one at once. Programs
// are not part of the product.
func (t *Tree) inProduct(folder string) bool {
	return (t.isOn(folder, library.name) || t.isOn(folder, "flat")) && !t.programs[folder]
}

// forUsers reports whether a folder has a package that users import: of the library, of flat, of
// prom or of golangci.
func (t *Tree) forUsers(folder string) bool {
	return (t.inProduct(folder) || t.isOn(folder, "prom") || t.isOn(folder, "golangci")) && !strings.Contains("/"+folder+"/", "/internal/")
}
