package flow_test

import (
	"testing"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/checker"
	"golang.org/x/tools/go/packages"

	"github.com/coppice-go/coppice/cmd/vet/internal/flow"
)

// TestSSAOnlyForRelevantFunctions verifies that only relevant functions are built in SSA form: all
// functions of a package that calls the library, only the functions that call Put in a package that
// uses sync.Pool but not the library, and none in other packages.
func TestSSAOnlyForRelevantFunctions(t *testing.T) {
	want := map[string][]string{
		"library": {"calls", "counts"},
		"putting": {"puts", "putsLater", "putsLater$1"},
		"neither": nil,
	}
	loaded, err := packages.Load(&packages.Config{Mode: packages.LoadAllSyntax}, "./testdata/src/library", "./testdata/src/putting", "./testdata/src/neither")
	if err != nil || packages.PrintErrors(loaded) > 0 || len(loaded) != len(want) {
		t.Fatalf("loading %d packages: %v", len(loaded), err)
	}
	graph, err := checker.Analyze([]*analysis.Analyzer{flow.Functions}, loaded, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, root := range graph.Roots {
		if root.Err != nil {
			t.Fatal(root.Err)
		}
		built := map[string]bool{}
		for _, fn := range root.Result.(*flow.Program).Functions {
			if len(fn.Blocks) > 0 {
				built[fn.Name()] = true
			}
		}
		for _, name := range want[root.Package.Name] {
			if !built[name] {
				t.Errorf("%s: %s is not built", root.Package.Name, name)
			}
			delete(built, name)
		}
		for name := range built {
			t.Errorf("%s: %s is built", root.Package.Name, name)
		}
	}
}
