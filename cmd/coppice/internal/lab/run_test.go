package lab

import (
	"strings"
	"testing"

	"github.com/coppice-go/coppice/cmd/internal/lab/experiment"
	"github.com/coppice-go/coppice/cmd/internal/lab/record"
)

func TestIncompleteNamesTheFirstFailure(t *testing.T) {
	runs := []record.Run{{Contender: "a", Status: record.OK}}
	if err := incomplete(experiment.Experiment{}, runs); err != nil {
		t.Errorf("all is well, but %v", err)
	}
	runs = append(runs,
		record.Run{Contender: "b", Status: record.Missing, Reason: "ghc is not on this machine"},
		record.Run{Contender: "c", Status: record.Wrong})
	const want = "-complete: contender b has status missing: ghc is not on this machine"
	if err := incomplete(experiment.Experiment{}, runs); err == nil || err.Error() != want {
		t.Errorf("error %v, want %q", err, want)
	}
}

func TestQuotedForShell(t *testing.T) {
	got := strings.Join(quoted([]string{"adt", "-depth", "25", "-contenders", "go *,c apr", "", "it's"}), " ")
	if want := `adt -depth 25 -contenders 'go *,c apr' '' 'it'\''s'`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// TestVariants verifies that a GOGC value from the command line overrides the declared one, and
// that a repeated value yields one variant.
func TestVariants(t *testing.T) {
	c := experiment.Contender{Name: "a", Language: "Go", Env: map[string]string{"GOGC": "7", "OTHER": "x"}}
	all := options{gogc: "50, 50,off"}.variants(c)
	if len(all) != 2 || all[0].Name != "a GOGC=50" || all[1].Name != "a GOGC=off" {
		t.Fatalf("variants %+v", all)
	}
	for i, want := range []string{"50", "off"} {
		if env := all[i].Env; env["GOGC"] != want || env["OTHER"] != "x" {
			t.Errorf("%s runs with %v", all[i].Name, env)
		}
	}
}
