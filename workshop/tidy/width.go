package tidy

import (
	"fmt"
	"go/ast"
	"regexp"
	"strings"
	"unicode/utf8"
)

// maxColumns is the maximum width of comments and of prose, where a tab has the width of four
// columns.
const maxColumns = 100

// tabWidth is the number of columns by which a tab indents a comment.
const tabWidth = 4

// wideComments limits the width of Go comments that are on lines of their own. Preformatted lines
// may be wider, because go doc does not wrap them. Comments after code may also be wider.
func wideComments(t *Tree) (all []Complaint) {
	for _, f := range t.Go {
		if ast.IsGenerated(f.File) {
			continue
		}
		lines := strings.Split(string(t.text(f.Path)), "\n")
		for _, group := range f.File.Comments {
			if strings.Contains(group.Text(), "Output:") {
				continue // expected output of an example
			}
			for _, c := range group.List {
				line := strings.TrimLeft(lines[t.line(c.Pos())-1], "\t")
				indent := len(lines[t.line(c.Pos())-1]) - len(line)
				text, alone := strings.CutPrefix(line, "// ")
				if !alone || strings.HasPrefix(text, " ") {
					continue
				}
				if tooWide(indent*tabWidth, line) {
					all = append(all, t.complain(f, c.Pos(), "a comment of more than %d columns; wrap it", maxColumns))
				}
			}
		}
	}
	return all
}

// wideProse limits the width of paragraphs and lists in documents, except for documents that
// contain results.
func wideProse(t *Tree) (all []Complaint) {
	for doc := range t.documents() {
		if strings.Contains(doc.Path, "/testdata/") || strings.HasPrefix(doc.Path, "docs/results/") {
			continue
		}
		hidden := ""
		for i, line := range doc.lines() {
			start := strings.TrimSpace(line)
			switch {
			case hidden != "":
				if strings.Contains(start, hidden) {
					hidden = ""
				}
			case strings.HasPrefix(start, "```"):
				hidden = "```"
			case strings.HasPrefix(start, "<!--"):
				if !strings.Contains(start, "-->") {
					hidden = "-->"
				}
			case !strings.HasPrefix(line, "    ") && !notProse.MatchString(start) && tooWide(0, line):
				all = append(all, Complaint{doc.Path, i + 1, fmt.Sprintf("prose of more than %d columns; wrap it", maxColumns)})
			}
		}
	}
	return all
}

// notProse matches the beginning of a line that is part of a table, a heading, a quote, an image,
// HTML or a link definition.
var notProse = regexp.MustCompile(`^(\||#|>|<|!\[|\[[^\]]*\]: )`)

// inCode matches code and links within a line, which cannot be continued on the next line.
var inCode = regexp.MustCompile("`[^`]*`|\\[[^\\]]*\\]\\([^)]*\\)")

// tooWide reports whether a line that is indented by indent columns is too wide, and has a space,
// not too close to its beginning, at which it can be broken.
func tooWide(indent int, line string) bool {
	if indent+utf8.RuneCountInString(line) <= maxColumns {
		return false
	}
	solid := inCode.ReplaceAllStringFunc(line, func(code string) string { return strings.Repeat("x", utf8.RuneCountInString(code)) })
	at, n := 0, indent
	for _, r := range solid {
		if n > maxColumns {
			break
		}
		if r == ' ' {
			at = n
		}
		n++
	}
	return at > indent+maxColumns/4
}
