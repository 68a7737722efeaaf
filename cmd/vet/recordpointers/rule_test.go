package recordpointers_test

import (
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/checker"
	"golang.org/x/tools/go/packages"

	"github.com/coppice-go/coppice/cmd/vet/internal/vettest"
	"github.com/coppice-go/coppice/cmd/vet/recordpointers"
	"github.com/coppice-go/coppice/internal/testkit/testsize"
)

func TestRule(t *testing.T) {
	vettest.Run(t, recordpointers.Analyzer, "records")
}

// TestSameAsAtRunTime runs a program that calls store.New with many types. For each call, the rule
// must report the same message as store.New.
func TestSameAsAtRunTime(t *testing.T) {
	testsize.OnlyInFull(t, "builds a program, and reads all that it imports")
	const program = "./testdata/src/same"
	out, err := exec.Command("go", "run", program).Output()
	if err != nil {
		t.Fatalf("go run %s: %v", program, err)
	}
	found := findings(t, program)
	said := strings.Split(strings.TrimSpace(string(out)), "\n")
	if len(said) < 17 {
		t.Fatalf("the program says only\n%s", out)
	}
	for _, s := range said {
		text, want, _ := strings.Cut(s, " ")
		line, err := strconv.Atoi(text)
		if err != nil {
			t.Fatalf("the program says %q", s)
		}
		got, ok := found[line]
		if !ok {
			got = "fine"
		}
		if got != want {
			t.Errorf("line %d:\n%q says the rule,\n%q says store.New", line, got, want)
		}
	}
}

// findings returns the messages of the rule for a package, by line number.
func findings(t *testing.T, pattern string) map[int]string {
	loaded, err := packages.Load(&packages.Config{Mode: packages.LoadSyntax}, pattern)
	if err != nil || packages.PrintErrors(loaded) > 0 {
		t.Fatalf("loading %s: %v", pattern, err)
	}
	graph, err := checker.Analyze([]*analysis.Analyzer{recordpointers.Analyzer}, loaded, nil)
	if err != nil {
		t.Fatal(err)
	}
	found := map[int]string{}
	for _, action := range graph.Roots {
		for _, d := range action.Diagnostics {
			found[action.Package.Fset.Position(d.Pos).Line] = d.Message
		}
	}
	return found
}
