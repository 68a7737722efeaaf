package tidy

import (
	"bytes"
	"path"
	"regexp"
	"slices"
	"strings"
)

// decisionPage matches the beginning of the path of a decision page, up to the number of the
// decision, as code refers to it.
var decisionPage = regexp.MustCompile(`^docs/decisions/\d{4}`)

// sourceEndings contains the extensions of files that can refer to the decision that explains them.
var sourceEndings = []string{".go", ".hpp", ".cpp", ".h", ".c", ".sh", ".mk"}

// unnamedDecisions requires that the code that a page of docs/decisions explains refers to the
// page, as "docs/decisions/0003". This way, a reader of the code finds the page, and a page that no
// longer explains any code is detected.
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
