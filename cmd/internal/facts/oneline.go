package facts

import (
	"bytes"
	"go/ast"
	"go/format"
	"go/scanner"
	"go/token"
	"go/types"
	"strings"
)

// OneLine formats the source code of a type on a single line, without comments.
func OneLine(fset *token.FileSet, typ ast.Expr) string {
	var source bytes.Buffer
	if err := format.Node(&source, fset, typ); err != nil {
		return types.ExprString(typ)
	}
	var s scanner.Scanner
	s.Init(token.NewFileSet().AddFile("", -1, source.Len()), source.Bytes(), nil, 0)
	var words []string
	for {
		_, tok, word := s.Scan()
		switch {
		case tok == token.EOF:
			return strings.TrimSuffix(strings.Join(words, " "), " ;") // the scanner adds this semicolon
		case tok == token.SEMICOLON, !tok.IsLiteral():
			word = tok.String()
		}
		words = append(words, word)
	}
}
