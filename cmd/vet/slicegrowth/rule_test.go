package slicegrowth_test

import (
	"testing"

	"github.com/coppice-go/coppice/cmd/vet/internal/vettest"
	"github.com/coppice-go/coppice/cmd/vet/slicegrowth"
)

func TestRule(t *testing.T) {
	vettest.RunWithFixes(t, slicegrowth.Analyzer, "...")
}
