package grammar

import (
	"bytes"
	"fmt"
	"go/format"
	"go/scanner"
	"go/token"
	"maps"
	"strings"
)

// A word is a Go token and its position in the file.
type word struct {
	start, end int
	tok        token.Token
	text       string
}

// scan calls yield with each word between two offsets of a file, until yield returns false. It
// skips comments and semicolons, because generators and gofmt break lines differently.
func scan(data []byte, from, to int, yield func(word) bool) {
	part := data[from:to]
	file := token.NewFileSet().AddFile("", -1, len(part))
	var s scanner.Scanner
	s.Init(file, part, func(token.Position, string) {}, 0)
	for {
		pos, tok, text := s.Scan()
		if tok == token.EOF {
			return
		}
		if tok == token.SEMICOLON {
			continue
		}
		if text == "" {
			text = tok.String()
		}
		start := from + file.Offset(pos)
		if !yield(word{start, start + len(text), tok, text}) {
			return
		}
	}
}

// formatted formats a file like gofmt.
func formatted(data []byte) (out []byte, ok bool) {
	out, err := format.Source(data)
	return out, err == nil
}

// differ returns a description of the first difference between two Go files, or "" if they differ
// only in line numbers, layout and the order of imports.
func differ(a, b []byte) (where string) {
	before, bodyA, err := split(a)
	if err != nil {
		return err.Error()
	}
	after, bodyB, err := split(b)
	if err != nil {
		return err.Error()
	}
	if !maps.Equal(before, after) {
		return "its imports"
	}
	one, two := significant(bodyA), significant(bodyB)
	for i := range max(len(one), len(two)) {
		switch {
		case i >= len(one):
			return fmt.Sprintf("%s in line %d", two[i].text, lineOf(bodyB, two[i].start))
		case i >= len(two) || one[i].tok != two[i].tok || one[i].text != two[i].text:
			return fmt.Sprintf("%s in line %d", one[i].text, lineOf(bodyA, one[i].start))
		}
	}
	return ""
}

// significant returns the words of a file that differ compares. They include comments, except
// //line directives, and the semicolons that end statements, even if a semicolon is only implied by
// a line end.
func significant(data []byte) (all []word) {
	fset := token.NewFileSet()
	file := fset.AddFile("", -1, len(data))
	var s scanner.Scanner
	s.Init(file, data, func(token.Position, string) {}, scanner.ScanComments)
	for {
		pos, tok, text := s.Scan()
		switch tok {
		case token.EOF:
			return all
		case token.SEMICOLON:
			text = ";"
		case token.COMMENT:
			if text = strings.Join(strings.Fields(text), " "); strings.HasPrefix(text, "//line ") || strings.HasPrefix(text, "/*line ") {
				continue
			}
		case token.RBRACE, token.RPAREN:
			all = withoutEnd(all)
		}
		if text == "" {
			text = tok.String()
		}
		all = append(all, word{start: file.Offset(pos), tok: tok, text: text})
	}
}

// withoutEnd removes the last word, apart from comments, if it is a semicolon or a comma. Before a
// closing brace or parenthesis, these have no meaning.
func withoutEnd(all []word) []word {
	for i := len(all) - 1; i >= 0; i-- {
		switch all[i].tok {
		case token.COMMENT:
		case token.SEMICOLON, token.COMMA:
			return append(all[:i], all[i+1:]...)
		default:
			return all
		}
	}
	return all
}

// lineOf returns the number of the line that contains an offset.
func lineOf(data []byte, offset int) int {
	return 1 + bytes.Count(data[:min(offset, len(data))], []byte("\n"))
}
