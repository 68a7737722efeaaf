package slicegrowth_test

import (
	"testing"

	"golang.org/x/tools/go/analysis/analysistest"

	"github.com/coppice-go/coppice/vet/slicegrowth"
)

// The root of the module is the folder to work in; the fixed files are beside the cases.
func TestRule(t *testing.T) {
	analysistest.RunWithSuggestedFixes(t, "../..", slicegrowth.Analyzer, "./vet/slicegrowth/testdata/src/...")
}
