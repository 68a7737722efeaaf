// Package vettest tests rules on the packages in their testdata folders, which import the library.
package vettest

import (
	"path/filepath"
	"testing"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/analysistest"
)

// Run checks that the diagnostics of a rule match the `// want` comments in its testdata/src. The
// patterns are relative to that folder.
func Run(t *testing.T, rule *analysis.Analyzer, patterns ...string) {
	t.Helper()
	analysistest.Run(t, root(t), rule, testdataPatterns(rule, patterns)...)
}

// RunWithFixes is like Run, but also compares the fixed files with golden files.
func RunWithFixes(t *testing.T, rule *analysis.Analyzer, patterns ...string) {
	t.Helper()
	analysistest.RunWithSuggestedFixes(t, root(t), rule, testdataPatterns(rule, patterns)...)
}

// root returns the folder that contains go.work. Without the workspace, the go command would have
// to download the library.
func root(t *testing.T) string {
	t.Helper()
	root, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	return root
}

func testdataPatterns(rule *analysis.Analyzer, patterns []string) (all []string) {
	for _, p := range patterns {
		all = append(all, "./cmd/vet/"+rule.Name+"/testdata/src/"+p)
	}
	return all
}
