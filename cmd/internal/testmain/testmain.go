// Package testmain recognizes the main packages that the go command generates to run tests.
package testmain

import (
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
)

// Is reports whether a package is the main package that the go command generates for a test. The go
// command writes this package to a file in its cache whose name does not end in .go, which
// distinguishes it from a program in a folder named x.test. The package must be loaded with its
// name and its files.
func Is(p *packages.Package) bool {
	own := slices.ContainsFunc(p.GoFiles, func(name string) bool { return filepath.Ext(name) == ".go" })
	return p.Name == "main" && strings.HasSuffix(p.ID, ".test") && !own
}
