package stalevalue_test

import (
	"testing"

	"github.com/coppice-go/coppice/cmd/vet/internal/vettest"
	"github.com/coppice-go/coppice/cmd/vet/stalevalue"
)

func TestRule(t *testing.T) {
	vettest.Run(t, stalevalue.Analyzer, "...")
}
