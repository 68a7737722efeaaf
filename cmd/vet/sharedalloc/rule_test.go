package sharedalloc_test

import (
	"testing"

	"github.com/coppice-go/coppice/cmd/vet/internal/vettest"
	"github.com/coppice-go/coppice/cmd/vet/sharedalloc"
)

func TestRule(t *testing.T) {
	vettest.Run(t, sharedalloc.Analyzer, "...")
}
