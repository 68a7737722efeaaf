package tidy

import (
	"fmt"
	"go/ast"
	"regexp"
	"strings"
)

// A phrase describes a wording that readers find hard to understand, and the wording to use
// instead.
type phrase struct {
	pattern *regexp.Regexp
	except  *regexp.Regexp // matches that are good English; nil for none
	instead string
}

var phrases = []phrase{
	{regexp.MustCompile(`(?i)\b(nobody|somebody|anybody|strangers?)\b`), nil, `say what it is: the caller, another goroutine, code that ...`},
	{regexp.MustCompile(`(?i)\b(is|are|was|were) (that|those) of\b`), nil, `say what it is`},
	{
		regexp.MustCompile(`(?i)(\bthere )?\b(is|are) no \w+`), regexp.MustCompile(`(?i)^there |\bno (longer|more|fewer|less|better|worse|faster|slower|different|wider|higher|lower|larger|smaller)$`),
		`write "is not a ..."`,
	},
}

// oddPhrases complains about these phrases in the prose of documents and in comments.
func oddPhrases(t *Tree) []Complaint { return append(oddDocuments(t), oddComments(t)...) }

// oddDocuments checks documents, except for documents with measured results and except for code
// blocks. A phrase is found even if it continues on the next line.
func oddDocuments(t *Tree) (all []Complaint) {
	for doc := range t.documents() {
		if strings.HasPrefix(doc.Path, "docs/results/") || strings.Contains(doc.Path, "testdata/") {
			continue
		}
		line, code := 1, false
		for paragraph := range strings.SplitSeq(string(doc.Data), "\n\n") {
			first := line
			line += strings.Count(paragraph, "\n") + 2
			var text strings.Builder
			for l := range strings.Lines(paragraph) {
				switch {
				case strings.HasPrefix(strings.TrimSpace(l), "```"):
					code = !code
				case !code:
					text.WriteString(l)
				}
			}
			for _, found := range oddIn(text.String(), nil) {
				all = append(all, Complaint{doc.Path, first, found})
			}
		}
	}
	return all
}

// oddComments checks the comments of Go files, except for tests and generated files. A word is
// allowed if it is an identifier in the file.
func oddComments(t *Tree) (all []Complaint) {
	for _, f := range t.Go {
		if f.Test || ast.IsGenerated(f.File) {
			continue
		}
		names := map[string]bool{}
		ast.Inspect(f.File, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok {
				names[id.Name] = true
			}
			return true
		})
		for _, group := range f.File.Comments {
			for _, found := range oddIn(group.Text(), names) {
				all = append(all, t.complain(f, group.Pos(), "%s", found))
			}
		}
	}
	return all
}

// oddIn returns a message for each phrase in a paragraph, except for words in names.
func oddIn(paragraph string, names map[string]bool) (all []string) {
	prose := strings.Join(strings.Fields(invisible.ReplaceAllString(paragraph, "")), " ")
	for _, p := range phrases {
		for _, found := range p.pattern.FindAllString(prose, -1) {
			if !names[found] && (p.except == nil || !p.except.MatchString(found)) {
				all = append(all, fmt.Sprintf("%q here makes a reader stop; %s", found, p.instead))
			}
		}
	}
	return all
}
