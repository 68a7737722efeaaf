package foreignref_test

import (
	"testing"

	"github.com/coppice-go/coppice/cmd/vet/foreignref"
	"github.com/coppice-go/coppice/cmd/vet/internal/vettest"
)

func TestRule(t *testing.T) {
	vettest.Run(t, foreignref.Analyzer, "...")
}
