package show_test

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/coppice-go/coppice/cmd/internal/metric"
	"github.com/coppice-go/coppice/cmd/internal/prove"
	"github.com/coppice-go/coppice/cmd/internal/prove/history"
	"github.com/coppice-go/coppice/cmd/internal/prove/measure"
	"github.com/coppice-go/coppice/cmd/internal/prove/show"
)

// story returns a history with a step in CPU time, a step in allocations, a benchmark without a
// step, and a warning about a truncated line.
func story() *history.History {
	all := make([]history.Entry, 0, 96)
	for i := range 24 {
		e := history.Entry{
			Schema: history.Schema, Time: time.Date(2026, 1, 1+i, 0, 0, 0, 0, time.UTC), Commit: fmt.Sprintf("%08x0000", 7919*(i+1)), Head: "the working tree",
			Base: "v1.0.0", BaseCommit: "0123456789ab", Machine: "A CPU, 2 cores", System: "linux/amd64", Go: "go1.26.0", Package: "example.org/<p>", Benchmark: "BenchmarkParse/a|b",
			Metric: "cpu", Better: metric.Lower, N: 10, BaseMedian: 1e-3, P: 0.5, Looks: 4, Outcome: measure.Open, Verdict: prove.Undecided,
		}
		e.Ratio = 1 + float64(i*7%5)/500
		if i >= 14 {
			e.Ratio += 0.06
		}
		e.HeadMedian, e.Lo, e.Hi = e.BaseMedian*e.Ratio, e.Ratio-0.03, e.Ratio+0.03
		all = append(all, e)
		e.Metric, e.Exact, e.P, e.Tolerance, e.BaseMedian, e.HeadMedian, e.Ratio, e.Lo, e.Hi = "allocs", true, 0, 0.08, 10, 10, 1, 0, 0
		if i >= 20 {
			e.HeadMedian, e.Ratio = 8, 0.8
		}
		all = append(all, e)
		e.Metric, e.Exact, e.Better = "gc", false, metric.Lower
		all = append(all, e)
		e.Benchmark, e.Metric, e.HeadMedian, e.Ratio = "BenchmarkQuiet", "cpu", 2e-3, 1+float64(i*5%7)/300
		all = append(all, e)
	}
	h := history.Analyze(all)
	h.Warnings = append(h.Warnings, "h.jsonl:9 was skipped: it is truncated, or is not JSON")
	return h
}

// TestHistoryForms compares the output formats with the files in testdata. If COPPICE_UPDATE is
// set, it updates the files for review.
func TestHistoryForms(t *testing.T) {
	screen := func(w io.Writer, h *history.History) error { return show.History(w, h, 0) }
	for name, print := range map[string]func(io.Writer, *history.History) error{"history.txt": screen, "history.md.txt": show.HistoryMarkdown} {
		var got bytes.Buffer
		if err := print(&got, story()); err != nil {
			t.Fatal(err)
		}
		file := filepath.Join("testdata", name)
		if os.Getenv("COPPICE_UPDATE") != "" {
			if err := os.WriteFile(file, got.Bytes(), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if got.String() != string(want) {
			t.Errorf("%s is\n%s", name, got.String())
		}
	}
}

// TestHistoryPage verifies that the page shows each step, a picture of each judged metric, and the
// warnings, that input text is escaped, and that the page refers to no other file.
func TestHistoryPage(t *testing.T) {
	h := story()
	h.Warnings = append(h.Warnings, "<img src=x onerror=alert(1)>")
	var out bytes.Buffer
	if err := show.HistoryHTML(&out, h); err != nil {
		t.Fatal(err)
	}
	text := out.String()
	for _, want := range []string{"STEPS: 1 worse, 1 better", "6.0\u00a0%", "-20.0\u00a0%", "worse: ", "better: ", "it is truncated, or is not JSON", "&lt;img src=x", "Without a step", "a step begins here"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q", want)
		}
	}
	for _, bad := range []string{"<img", "<p>)", "src=\"http", "href=\"http", "NaN", "Inf"} {
		if strings.Contains(text, bad) {
			t.Errorf("it has %q", bad)
		}
	}
	if n := strings.Count(text, "<figure>"); n != 3 {
		t.Errorf("%d pictures, want 3", n)
	}
	out.Reset()
	if err := show.HistoryHTML(&out, history.Analyze(nil)); err != nil || !strings.Contains(out.String(), "NO STEP is proven") {
		t.Error(err)
	}
}
