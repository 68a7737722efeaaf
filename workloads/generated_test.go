package workloads

import (
	"path/filepath"
	"testing"

	"github.com/coppice-go/coppice/internal/flatgen"
)

// The flat trees that are checked in are what their schemas make today.
func TestGeneratedPackagesAreCurrent(t *testing.T) {
	for _, schema := range []string{"adt/go/node", "binary-trees/go/node", "goast/go/syntax"} {
		out := "../" + filepath.Base(schema) + "flat"
		if err := flatgen.Generate(flatgen.Options{Dir: schema, Out: out, Patterns: []string{"."}, Check: true}); err != nil {
			t.Errorf("%s: %v", schema, err)
		}
	}
}
