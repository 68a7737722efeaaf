package rewrite

import (
	"go/scanner"
	"go/token"
	"go/types"
	"path/filepath"

	"golang.org/x/tools/go/packages"

	"github.com/coppice-go/coppice/cmd/internal/rewrite/edits"
)

// Shadowed returns the first predeclared name, such as len, that one of the texts uses and the
// package redeclares, in any file of its folder and in any build. It returns "" if there is none.
// Names that a function declares are ignored.
func Shadowed(pkg *packages.Package, texts ...string) (name string) {
	for _, text := range texts {
		for _, name := range identifiers(text) {
			if types.Universe.Lookup(name) == nil {
				continue
			}
			if importedAs(pkg, name) || edits.Declares(filepath.Dir(pkg.GoFiles[0]), pkg.Name, name) {
				return name
			}
		}
	}
	return ""
}

// importedAs reports whether a file of the package imports a package under a name, so that no
// declaration can have that name.
func importedAs(pkg *packages.Package, name string) bool {
	for _, file := range pkg.Syntax {
		for _, spec := range file.Imports {
			if imported := pkg.TypesInfo.PkgNameOf(spec); imported != nil && (imported.Name() == name || imported.Name() == "." && imported.Imported().Scope().Lookup(name) != nil) {
				return true
			}
		}
	}
	return false
}

// identifiers returns the names in a text, in order.
func identifiers(text string) (all []string) {
	var s scanner.Scanner
	s.Init(token.NewFileSet().AddFile("", -1, len(text)), []byte(text), nil, 0)
	for {
		switch _, tok, name := s.Scan(); tok {
		case token.EOF:
			return all
		case token.IDENT:
			all = append(all, name)
		}
	}
}
