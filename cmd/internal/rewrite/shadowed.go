package rewrite

import (
	"go/scanner"
	"go/token"
	"go/types"
	"path/filepath"

	"golang.org/x/tools/go/packages"

	"github.com/coppice-go/coppice/cmd/internal/rewrite/edits"
)

// Shadowed returns the first name of the language in some texts that a package has for something else: in any file of its folder, whatever
// build takes it. It is empty if there is none. What a function declares is no concern of it.
func Shadowed(pkg *packages.Package, texts ...string) (name string) {
	return (&pass{Package: pkg}).shadowed(texts...)
}

func (p *pass) shadowed(texts ...string) (name string) {
	for _, text := range texts {
		for _, name := range identifiers(text) {
			if types.Universe.Lookup(name) == nil {
				continue
			}
			if p.importedAs(name) || edits.Declares(filepath.Dir(p.GoFiles[0]), p.Name, name) {
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
