package flow_test

import (
	"testing"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/checker"
	"golang.org/x/tools/go/packages"
	"golang.org/x/tools/go/ssa"

	"github.com/coppice-go/coppice/vet/internal/flow"
)

// TestOnlyFunctionsThatMatterAreBuilt compares which functions get an SSA form: all where the
// library is called, those with a Put where only sync.Pool is, and none elsewhere.
func TestOnlyFunctionsThatMatterAreBuilt(t *testing.T) {
	for pattern, want := range map[string][]string{
		"./testdata/src/library": {"calls", "counts"},
		"./testdata/src/putting": {"puts", "putsLater", "putsLater$1"},
		"./testdata/src/neither": nil,
	} {
		loaded, err := packages.Load(&packages.Config{Mode: packages.LoadAllSyntax}, pattern)
		if err != nil || packages.PrintErrors(loaded) > 0 {
			t.Fatalf("loading %s: %v", pattern, err)
		}
		graph, err := checker.Analyze([]*analysis.Analyzer{flow.Functions}, loaded, nil)
		if err != nil || graph.Roots[0].Err != nil {
			t.Fatal(err, graph.Roots[0].Err)
		}
		built := map[string]bool{}
		for _, fn := range graph.Roots[0].Result.([]*ssa.Function) {
			if len(fn.Blocks) > 0 {
				built[fn.Name()] = true
			}
		}
		for _, name := range want {
			if !built[name] {
				t.Errorf("%s: %s is not built", pattern, name)
			}
			delete(built, name)
		}
		for name := range built {
			t.Errorf("%s: %s is built", pattern, name)
		}
	}
}
