// Package testmain recognizes the programs that the go command writes to run tests.
package testmain

import (
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
)

// Is reports whether a package is the main package of a test. The go command writes it to a file
// in its cache whose name does not end in .go, which distinguishes it from a program in a folder
// x.test. The package must be loaded with its name and its files.
func Is(p *packages.Package) bool {
	own := slices.ContainsFunc(p.GoFiles, func(name string) bool { return filepath.Ext(name) == ".go" })
	return p.Name == "main" && strings.HasSuffix(p.ID, ".test") && !own
}
