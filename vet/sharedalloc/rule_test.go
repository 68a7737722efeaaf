package sharedalloc_test

import (
	"testing"

	"golang.org/x/tools/go/analysis/analysistest"

	"github.com/coppice-go/coppice/vet/sharedalloc"
)

// The root of the module is the folder to work in, so that the cases import the library
// as it is.
func TestRule(t *testing.T) {
	analysistest.Run(t, "../..", sharedalloc.Analyzer, "./vet/sharedalloc/testdata/src/...")
}
