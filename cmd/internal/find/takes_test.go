package find

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/coppice-go/coppice/cmd/internal/facts"
	"github.com/coppice-go/coppice/cmd/internal/site"
)

const takesSource = `package m

func Double(in []int) []int {
	var out []int
	for _, v := range in {
		out = append(out, 2*v)
	}
	return out
}

func Names(in map[string]int) []string {
	var out []string
	for name := range in {
		out = append(out, name)
	}
	return out
}

func Each(next func() (int, bool)) (out []int) {
	for v, ok := next(); ok; v, ok = next() {
		out = append(out, v)
	}
	return out
}
`

// TestTakes verifies that the savings by coppice fix exclude sites that it leaves unchanged. In one
// proposal fix changes one of two sites, in another none, and the remedy of a third is only advice.
func TestTakes(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"go.mod": "module example.org/m\n\ngo 1.24\n", "m.go": takesSource} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	r := &Result{Answer: FixSites, Reason: "why", Target: Target{Package: "example.org/m", Next: "-bench . ."}, Classes: site.Classes{Malloc: 0.4, Other: 0.6, Samples: 4000}}
	at := func(function string, line int, remedy site.Remedy, proposal string) {
		r.Sites = append(r.Sites, &site.Site{
			Place: site.Place{Package: "example.org/m", Function: function, File: filepath.Join(dir, "m.go"), Line: line},
			Cost:  site.Cost{Malloc: 0.1, Objects: 10, Bytes: 100, Samples: 400}, Advice: site.Advice{Remedy: remedy, Proposal: proposal},
		})
	}
	at("Double", 6, "presize", "some")
	at("Each", 21, "presize", "some")
	at("Each", 21, "presize", "none")
	at("Names", 14, "concrete", "advice")
	at("Names", 14, "presize", "hidden")
	if _, err := facts.Fill(t.Context(), facts.Options{Dir: dir}, r.Sites); err != nil {
		t.Fatal(err)
	}
	for _, p := range []Proposal{{ID: "some", Remedy: "presize"}, {ID: "none", Remedy: "presize"}, {ID: "advice", Remedy: "concrete"}, {ID: "hidden", Remedy: "presize"}} {
		p.Next = "coppice fix -bench . ."
		r.Proposals = append(r.Proposals, p)
	}
	other := &Result{Target: r.Target, Proposals: []Proposal{{ID: "none", Remedy: "concrete"}}} // another service, none of whose proposals is shown
	shown := func(of *Result) []string {
		if of == other {
			return nil
		}
		return []string{"some", "none", "advice"}
	}
	if err := Takes(t.Context(), dir, []*Result{r, other}, shown, func(string) {}); err != nil {
		t.Fatal(err)
	}
	if other.Proposals[0].Fix != nil || other.Taking != 0 {
		t.Errorf("of the other answer fix takes %+v", other.Proposals[0].Fix)
	}
	some, none, advice, hidden := r.Proposals[0], r.Proposals[1], r.Proposals[2], r.Proposals[3]
	if f := some.Fix; f == nil || len(f.Sites) != 1 || f.Sites[0] != r.Sites[0].ID || f.CPU != 0.05 || f.ByHand != "" || len(f.Stays) != 1 || !strings.HasPrefix(f.Stays[0], "m.go:21: ") {
		t.Errorf("of the first proposal fix takes %+v", f)
	}
	if f := none.Fix; f == nil || len(f.Sites) != 0 || f.CPU != 0 || !strings.Contains(f.ByHand, "the count is not the length") || none.Next != "coppice prove -base HEAD -bench . ." {
		t.Errorf("of the second proposal fix takes %+v; next: %s", f, none.Next)
	}
	if f := advice.Fix; f == nil || f.ByHand != "coppice fix does not make this change" {
		t.Errorf("of advice fix takes %+v", f)
	}
	if hidden.Fix != nil || hidden.Next != "coppice fix -bench . ." {
		t.Errorf("the last proposal is not shown, and fix takes %+v", hidden.Fix)
	}
	if want := "why; of those shown coppice fix takes sites worth 5 %"; r.Reason != want {
		t.Errorf("the reason is %q, want %q", r.Reason, want)
	}
	for _, w := range r.Warnings {
		t.Error(w)
	}
}
