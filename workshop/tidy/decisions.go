package tidy

import (
	"bytes"
	"path"
	"regexp"
	"slices"
	"strings"
)

// decisionPage matches the path of a page, as far as code names it.
var decisionPage = regexp.MustCompile(`^docs/decisions/\d{4}`)

// sourceEndings are the extensions of files that can name the decision that explains them.
var sourceEndings = []string{".go", ".hpp", ".cpp", ".h", ".c", ".sh", ".mk"}

// unnamedDecisions requires each page of docs/decisions to be named in the code that it explains,
// as "docs/decisions/0003". So a reader of the code finds the page, and a page that no longer
// explains any code is noticed.
func unnamedDecisions(t *Tree) (all []Complaint) {
	for _, page := range t.Text {
		name := decisionPage.FindString(page.Path)
		if name != "" && path.Ext(page.Path) == ".md" && !slices.ContainsFunc(t.Text, func(f TextFile) bool { return isSource(f.Path) && bytes.Contains(f.Data, []byte(name)) }) {
			all = append(all, Complaint{page.Path, 0, "no source file names this page; write " + name + " in the comment of the code that it explains"})
		}
	}
	return all
}

// isSource reports whether a file is code that a decision may explain. The files of this package
// and files in testdata are excluded.
func isSource(file string) bool {
	if strings.HasPrefix(file, "workshop/tidy/") || strings.Contains(file, "testdata/") {
		return false
	}
	return slices.Contains(sourceEndings, path.Ext(file)) || path.Base(file) == "Makefile" || file == ".ci/run" || path.Base(file) == "CMakeLists.txt"
}
