package show

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/coppice-go/coppice/cmd/internal/find"
	"github.com/coppice-go/coppice/cmd/internal/fix"
	"github.com/coppice-go/coppice/cmd/internal/prove"
	"github.com/coppice-go/coppice/cmd/internal/prove/measure"
	"github.com/coppice-go/coppice/cmd/internal/render/termtext"
)

// proof returns a proof with the given verdict and a few metrics. cpu is the ratio of the CPU times
// after and before the change.
func proof(verdict prove.Verdict, cpu float64) *prove.Result {
	metrics := []measure.Metric{
		{Name: "cpu", Before: 0.01, After: 0.01 * cpu, Ratio: cpu, Lo: cpu - 0.02, Hi: cpu + 0.03, P: 0.001, Holm: 0.002, Outcome: measure.Better},
		{Name: "rss", Before: 1 << 20, After: 1 << 20, Ratio: 1, Lo: 0.99, Hi: 1.01, P: 0.7, Holm: 1, Outcome: measure.Equal},
		{Name: "allocs", Exact: true, Before: 1000, After: 300, Ratio: 0.3, Outcome: measure.Better},
		{Name: "bytes", Exact: true, Before: 64000, After: 64500, Ratio: 64500. / 64000, Outcome: measure.Worse},
	}
	return &prove.Result{
		Schema: 1, Environment: map[string]string{"go": "go1.26.8", "cpu": "a processor"}, Base: prove.Side{Name: "the working tree"}, Verdict: verdict,
		Comparisons: []prove.Comparison{{
			Head: prove.Side{Name: "step"}, Equality: prove.Equality{Level: prove.Results, Done: []string{"tests: 12 pass", "results of 1 benchmark"}},
			Subjects: []prove.Subject{{Name: "Parse", Rounds: 10, Metrics: metrics, Verdict: verdict, Reasons: []string{"a reason"}}},
			Verdict:  verdict, Reasons: []string{"a proven gain in Parse, and no loss"},
		}},
	}
}

func result() *fix.Result {
	proposal := func(title string, cpu float64, void ...string) find.Proposal {
		return find.Proposal{
			ID: "1234", Remedy: "slab", Title: title, Estimate: find.Estimate{CPU: cpu, Void: void},
			Why: []string{"4,084 nodes by one parser"}, Price: []string{"one held Node pins its chunk"}, Requires: "Coppice in go.mod",
		}
	}
	return &fix.Result{
		Target: find.Target{Package: "example.org/p", Name: "BenchmarkParse"}, Answer: find.FixSites, Reason: "malloc takes 20 %",
		Steps: []*fix.Step{
			{
				Number: 1, Title: "slab in parser for Node", Proposals: []find.Proposal{proposal("slab in parser for Node", 0.11)}, State: fix.Kept, Why: "a proven gain in Parse, and no loss",
				Done: []string{"parse.go:325: &Node{...} comes from p.nodes", "2", "3", "4", "5", "6"}, Stay: []string{"parse.go:12: the owner may be nil"},
				About: []string{"Nodes come from chunks."}, Undo: []string{"Replace p.nodes.Alloc(x) by &x."}, Patch: "1-slab-in-parser-for-node.patch",
				Proof: proof(prove.Keep, 0.89), Diff: "diff --git a/parse.go b/parse.go\n",
			},
			{
				Number: 2, Title: "presize for Attr", Proposals: []find.Proposal{proposal("presize for Attr", 0.06, "the bytes rise")}, State: fix.Dropped,
				Why: "every estimated difference in CPU/op is smaller than 5 %", Proof: proof(prove.Same, 0.99), Patch: "2-presize-for-attr.patch", Diff: "diff --git a/b.go b/b.go\n",
			},
			{Number: 3, Title: "scratch", Proposals: []find.Proposal{proposal("scratch", 0.06)}, State: fix.Dropped, Why: "it does not build", Patch: "3-scratch.patch"},
			{Title: "store for Word", Proposals: []find.Proposal{proposal("store for Word", 0.05)}, State: fix.Left, Why: "advice only: coppice help remedy store"},
			{
				Title: "flat tree for Word", Proposals: []find.Proposal{proposal("flat tree for Word", 0.04)}, State: fix.Begun, Patch: "flat-tree-for-word.patch",
				Todo: []string{"decide who makes the tree"}, Diff: "diff --git a/schema/s.go b/schema/s.go\n",
			},
		},
		Total: proof(prove.Keep, 0.89), Diff: "diff --git a/parse.go b/parse.go\n", Warnings: []string{"the machine was busy"},
	}
}

// inArena returns a result with a step that uses an arena, which no proposal requires.
func inArena() *fix.Result {
	r := result()
	r.Steps = r.Steps[:1]
	s := r.Steps[0]
	s.Title, s.Proposals, s.Patch = "arena for Parse", nil, "1-arena-for-parse.patch"
	s.Heap = proof(prove.Same, 0.99)
	return r
}

// TestForms compares the output in each format with a file in testdata. COPPICE_UPDATE=1 writes the
// files instead, to be reviewed.
func TestForms(t *testing.T) {
	nothing := &fix.Result{Target: find.Target{Package: "example.org/p", Name: "BenchmarkParse"}, Answer: find.LeaveAlone, Reason: "malloc takes 3 %"}
	two := result()
	two.Steps[1].State, two.Total.Verdict, two.Diff = fix.Kept, prove.Revert, ""
	for name, print := range map[string]func(io.Writer) error{
		"screen.txt":  func(w io.Writer) error { return Screen(w, result(), "out", 0) },
		"nothing.txt": func(w io.Writer) error { return Screen(w, nothing, "out", 0) },
		"two.txt":     func(w io.Writer) error { return Screen(w, two, "out", 0) },
		"report.md":   func(w io.Writer) error { return Markdown(w, result()) },
		"nothing.md":  func(w io.Writer) error { return Markdown(w, nothing) },
		"two.md":      func(w io.Writer) error { return Markdown(w, two) },
		"kept.patch":  func(w io.Writer) error { return Patch(w, result().Steps[0]) },
		"begun.patch": func(w io.Writer) error { return Patch(w, result().Steps[4]) },
		"other.patch": func(w io.Writer) error { return Patch(w, result().Steps[1]) },
		"arena.txt":   func(w io.Writer) error { return Screen(w, inArena(), "out", 0) },
		"arena.md":    func(w io.Writer) error { return Markdown(w, inArena()) },
		"arena.patch": func(w io.Writer) error { return Patch(w, inArena().Steps[0]) },
	} {
		var out strings.Builder
		if err := print(&out); err != nil {
			t.Fatal(err)
		}
		file := filepath.Join("testdata", name)
		if os.Getenv("COPPICE_UPDATE") != "" {
			if err := os.WriteFile(file, []byte(out.String()), 0o666); err != nil {
				t.Fatal(err)
			}
			continue
		}
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if out.String() != string(want) {
			t.Errorf("%s is\n%s\nwant\n%s", name, &out, want)
		}
	}
}

// TestWidthOfTheScreen verifies that, on a terminal, each line fits and no word is lost.
func TestWidthOfTheScreen(t *testing.T) {
	screen := func(r *fix.Result, columns int) string {
		var out strings.Builder
		if err := Screen(&out, r, "out", columns); err != nil {
			t.Fatal(err)
		}
		return out.String()
	}
	r := inArena()
	r.Steps[0].Why = strings.Repeat("a proven gain in Parse; ", 10) + "and no loss"
	whole := screen(r, 0)
	for columns, most := range map[int]int{60: 60, 80: 80, 100: 100, 200: 100} {
		text := screen(r, columns)
		for line := range strings.Lines(text) {
			if n := termtext.Width(strings.TrimSuffix(line, "\n")); n > most {
				t.Errorf("%d columns of %d: %q", n, columns, line)
			}
		}
		if strings.Join(strings.Fields(text), " ") != strings.Join(strings.Fields(whole), " ") {
			t.Errorf("in %d columns it is\n%s\nin a file\n%s", columns, text, whole)
		}
		if !strings.Contains(text, "\n   KEEP: a proven gain") || !strings.Contains(text, "\n         ") {
			t.Errorf("no indent under the reason in\n%s", text)
		}
	}
}

// TestTrouble verifies that the patch of a step that its witness stopped contains the reason and
// the stack traces.
func TestTrouble(t *testing.T) {
	var out strings.Builder
	s := &fix.Step{
		Title: "slab", State: fix.Dropped, Why: "coppice witness: parser is a copy", Diff: "diff --git a/b.go b/b.go\n",
		Trouble: &prove.Trouble{Line: "coppice witness: parser is a copy", Stack: "\tbefore:\n\t\ta.go:1 (a.f)"},
	}
	if err := Patch(&out, s); err != nil {
		t.Fatal(err)
	}
	if want := "slab\n\nNOT KEPT: coppice witness: parser is a copy\n\n\tbefore:\n\t\ta.go:1 (a.f)\n\ndiff --git"; !strings.HasPrefix(out.String(), want) {
		t.Errorf("it is %q, want %q", out.String(), want)
	}
}

// TestUnprovenDifferencesAreMarked verifies that an unproven difference is marked with ~, as in the
// output of coppice prove.
func TestUnprovenDifferencesAreMarked(t *testing.T) {
	rss := measure.Metric{Name: "rss", Outcome: measure.Open, Ratio: 1.01, Lo: 0.98, Hi: 1.06}
	proven := rss
	proven.Outcome = measure.Equal
	for want, m := range map[string]measure.Metric{
		"peak RSS ~ +1.0 % [-2.0, +6.0]": rss,
		"peak RSS +1.0 % [-2.0, +6.0]":   proven,
		"allocs/op -50.0 %":              {Name: "allocs", Exact: true, Outcome: measure.Better, Ratio: 0.5},
	} {
		if got := figure(m); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
