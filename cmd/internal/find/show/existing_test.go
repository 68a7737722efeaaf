package show

import (
	"strings"
	"testing"

	"github.com/coppice-go/coppice/cmd/internal/find"
	"github.com/coppice-go/coppice/cmd/internal/site"
)

// TestExistingProfiles verifies the output for existing profiles. Ages replace the unknown fates,
// and the next command is shown even if there are no proposals.
func TestExistingProfiles(t *testing.T) {
	r := &find.Result{
		Target: find.Target{Name: "service=web", Unit: "second", Sources: []string{"profiles"}, Next: "-bench . ./web", Then: "cd src && coppice find -bench . ./web"},
		Op:     find.Op{Allocs: 250}, Answer: find.NotKnown, Reason: "there is no CPU profile",
		Sites: []*site.Site{{ID: "a", Place: site.Place{Package: "x", File: "/x/f.go", Line: 3}, Cost: site.Cost{ObjectsPart: 1, BytesPart: 1}, Fate: site.Fate{Age: 0.012}}},
	}
	for name, text := range map[string]string{"screen": screenOf(t, r), "markdown": markdownOf(t, r)} {
		for _, want := range []string{"250 allocs/s", "age 12.00 ms", "cd src && coppice find -bench . ./web"} {
			if !strings.Contains(text, want) {
				t.Errorf("the %s lacks %q:\n%s", name, want, text)
			}
		}
	}
}

func screenOf(t *testing.T, r *find.Result) string {
	t.Helper()
	var out strings.Builder
	if err := Screen(&out, r, Options{}); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func markdownOf(t *testing.T, r *find.Result) string {
	t.Helper()
	var out strings.Builder
	if err := Markdown(&out, r, Options{}); err != nil {
		t.Fatal(err)
	}
	return out.String()
}
