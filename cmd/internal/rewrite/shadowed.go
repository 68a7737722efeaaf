package rewrite

import (
	"go/ast"
	"go/scanner"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/packages"
)

// Shadowed returns the first name of the language in some texts that a package has for something else: in any file of its folder, whatever
// build takes it. It is empty if there is none. What a function declares is no concern of it.
func Shadowed(pkg *packages.Package, texts ...string) (name string) {
	return (&pass{Package: pkg}).shadowed(otherFiles(pkg), texts...)
}

func (p *pass) shadowed(others []*ast.File, texts ...string) (name string) {
	for _, text := range texts {
		for _, name := range identifiers(text) {
			if types.Universe.Lookup(name) == nil {
				continue
			}
			declared := func(file *ast.File) bool { return file.Name.Name == p.Name && declares(file, name) }
			if p.Types.Scope().Lookup(name) != nil || p.importedAs(name) || slices.ContainsFunc(others, declared) {
				return name
			}
		}
	}
	return ""
}

// identifiers are the names in a text, in its order.
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
