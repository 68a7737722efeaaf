package dom

import (
	"testing"

	"github.com/coppice-go/coppice/internal/flatgen"
)

// Package domflat is what coppice flat makes of this package today.
func TestGenerated(t *testing.T) {
	if err := flatgen.Generate(flatgen.Options{Dir: ".", Out: "../domflat", Patterns: []string{"."}, Check: true}); err != nil {
		t.Error(err)
	}
}
