package history

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/coppice-go/coppice/cmd/internal/metric"
	"github.com/coppice-go/coppice/cmd/internal/prove"
	"github.com/coppice-go/coppice/cmd/internal/prove/measure"
	"github.com/coppice-go/coppice/cmd/internal/stats/steps"
	"github.com/coppice-go/coppice/internal/testkit/testsize"
)

// sum returns the hash of the commit with the given number.
func sum(commit int) string { return fmt.Sprintf("%08x0000", commit) }

// at returns an entry that compares a commit with a base.
func at(commit int, base string, ratio float64) Entry {
	return Entry{
		Schema: Schema, Time: time.Unix(int64(1000*commit), 0).UTC(), Commit: sum(commit), Head: "the working tree", BaseCommit: base, Base: base,
		Machine: "A CPU, 2 cores", System: "linux/amd64", Go: "go1.26.0", Package: "example.org/p", Benchmark: "BenchmarkX", Metric: "cpu",
		Better: metric.Lower, N: 10, BaseMedian: 1, HeadMedian: ratio, Ratio: ratio, Lo: ratio * 0.95, Hi: ratio * 1.05, P: 0.5, Looks: 4, Outcome: measure.Open,
		Verdict: prove.Undecided,
	}
}

// against returns a history of n commits compared with one base. Commit number from and all later
// ones are slower by factor.
func against(r *rand.Rand, n, from int, factor float64) (all []Entry) {
	for i := range n {
		ratio := math.Exp(0.02 * r.NormFloat64())
		if i >= from {
			ratio *= factor
		}
		all = append(all, at(i, "0123456789ab", ratio))
	}
	return all
}

// TestFalseAlarms verifies that at most 0.3 % of the histories of an unchanged program show a step.
// Each history has 30 commits and 6 benchmarks. The seeds are fixed.
func TestFalseAlarms(t *testing.T) {
	histories, most := 100, 2
	if testsize.Full() {
		histories, most = 2000, 12 // 6 are 0.3 %
	}
	alarms := 0
	for seed := range histories {
		r := rand.New(rand.NewPCG(uint64(seed), 7))
		var all []Entry
		for b := range 6 {
			for _, e := range against(r, 30, 30, 1) {
				e.Benchmark = fmt.Sprintf("Benchmark%d", b)
				all = append(all, e)
			}
		}
		h := Analyze(all)
		if h.Tests != 6 || h.Commits != 30 || len(h.Tracks) != 6 {
			t.Fatalf("%d tests, %d commits, %d tracks", h.Tests, h.Commits, len(h.Tracks))
		}
		if h.Worse+h.Better > 0 {
			alarms++
		}
	}
	t.Logf("%d of %d histories without a step show one", alarms, histories)
	if alarms > most {
		t.Errorf("%d of %d", alarms, histories)
	}
}

// A step of 5 % must be found even though single proofs vary by 2 % and prove nothing. Its
// direction, size and position are reported.
func TestPower(t *testing.T) {
	found, placed := 0, 0
	const histories = 20
	for seed := range histories {
		r := rand.New(rand.NewPCG(uint64(seed), 8))
		h := Analyze(against(r, 40, 25, 1.05))
		if h.Worse == 0 {
			continue
		}
		found++
		s := h.Tracks[0].Steps[0]
		if s.Way != Ranks || s.Outcome != measure.Worse || s.Ratio < 1.02 || s.Ratio > 1.08 {
			t.Errorf("%+v", s)
		}
		if want := sum(25)[:10]; s.From <= want && want <= s.To {
			placed++
		}
	}
	t.Logf("found %d of %d, near its place %d", found, histories, placed)
	if found < histories*9/10 || placed < found*9/10 {
		t.Errorf("found %d of %d, near its place %d", found, histories, placed)
	}
}

// Entries that cannot be compared are analyzed separately: those of another processor, system, Go
// version or base.
func TestGroupsAreSeparate(t *testing.T) {
	change := map[string]func(*Entry){
		"machine":    func(e *Entry) { e.Machine = "Another CPU, 4 cores" },
		"system":     func(e *Entry) { e.System = "darwin/arm64" },
		"Go version": func(e *Entry) { e.Go = "go1.27.4" },
		"base":       func(e *Entry) { e.BaseCommit = "ffffffffffff" },
	}
	for name, other := range change {
		all := against(rand.New(rand.NewPCG(1, 1)), 40, 20, 1.5)
		if h := Analyze(all); h.Worse != 1 {
			t.Fatalf("%+v", h.Tracks[0].Steps)
		}
		for i := 20; i < 40; i++ {
			other(&all[i])
		}
		if h := Analyze(all); h.Worse+h.Better != 0 || h.Tests != 2 {
			t.Errorf("%s: %d tests, %+v", name, h.Tests, h.Tracks[0].Steps)
		}
	}
}

// If each commit was compared with the one before it, only the pairs of its own proof can prove a
// step: the pairs of all looks, and the pairs that confirmed a loss.
func TestPairsOfOneProof(t *testing.T) {
	chain := func() (all []Entry) {
		for i := range 50 {
			all = append(all, at(i+1, sum(i), 1))
		}
		return all
	}
	for name, c := range map[string]struct {
		set  func(*Entry)
		want measure.Outcome // empty for no step
	}{
		"nothing":                     {func(*Entry) {}, ""},
		"ten pairs, one look of four": {func(e *Entry) { e.Ratio, e.P = 1.3, 1./512 }, ""},
		"a loss, seen twice":          {func(e *Entry) { e.Ratio, e.P, e.AgainN, e.AgainP = 1.3, 1./512, 10, 1./1024 }, ""},
		"a loss of twenty, twice":     {func(e *Entry) { e.Ratio, e.P, e.AgainN, e.AgainP = 1.3, 2e-6, 20, 1e-6 }, measure.Worse},
		"a gain":                      {func(e *Entry) { e.Ratio, e.P, e.Looks = 0.7, 2e-6, 1 }, measure.Better},
		"a loss of hits":              {func(e *Entry) { e.Ratio, e.P = 0.7, 1e-7 }, measure.Better},
	} {
		all := chain()
		c.set(&all[30])
		h := Analyze(all)
		steps := h.Tracks[0].Steps
		switch {
		case c.want == "" && len(steps) > 0:
			t.Errorf("%s: %+v", name, steps)
		case c.want != "" && (len(steps) != 1 || steps[0].Outcome != c.want || steps[0].Way != Pairs || steps[0].Index() != 30):
			t.Errorf("%s: %+v", name, steps)
		}
		if h.Tests != 50 {
			t.Errorf("%s: %d tests", name, h.Tests)
		}
	}
}

// A different exact value is a step, however small the difference, unless it is within the
// tolerance. A unit without a direction has no steps.
func TestExact(t *testing.T) {
	series := func(metricName string, better metric.Direction, values ...float64) []Entry {
		all := make([]Entry, 0, len(values))
		for i, v := range values {
			e := at(i, "0123456789ab", v/100)
			e.Metric, e.Better, e.Exact, e.HeadMedian, e.Tolerance, e.P = metricName, better, true, v, 0.02, 0
			all = append(all, e)
		}
		return all
	}
	h := Analyze(series("allocs", metric.Lower, 100, 100.01, 103, 103, 90))
	if h.Worse != 1 || h.Better != 1 || h.Tests != 0 || h.Tracks[0].Steps[0].Index() != 2 || h.Tracks[0].Steps[1].Index() != 4 {
		t.Errorf("%+v", h.Tracks[0].Steps)
	}
	h = Analyze(series("unit:hits/op", metric.Higher, 100, 90))
	if h.Worse != 1 {
		t.Errorf("%+v", h.Tracks[0].Steps)
	}
	h = Analyze(series("unit:things", metric.Unknown, 100, 90))
	if len(h.Tracks[0].Steps) > 0 || h.Tracks[0].Judged {
		t.Errorf("%+v", h.Tracks[0])
	}
}

// TestFile verifies that appended entries are read back. A truncated line is skipped with a
// warning, and entries appended after it are still complete.
func TestFile(t *testing.T) {
	name := filepath.Join(t.TempDir(), "history.jsonl")
	if err := Check(name); err != nil {
		t.Fatal(err)
	}
	all := against(rand.New(rand.NewPCG(1, 1)), 3, 3, 1)
	if err := Append(name, all[:2]); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	for cut := 1; cut < len(whole); cut += 7 {
		if err := os.WriteFile(name, whole[:len(whole)-cut], 0o666); err != nil {
			t.Fatal(err)
		}
		if err := Append(name, all[2:]); err != nil {
			t.Fatal(err)
		}
		got, warnings, err := Read(name)
		if err != nil || len(got) == 0 || got[len(got)-1] != all[2] || len(got)+len(warnings) > 3 || len(warnings) > 1 {
			t.Fatalf("cut by %d: %d entries, %q, %v", cut, len(got), warnings, err)
		}
	}
	if err := Append(filepath.Join(name, "x"), all); err == nil || !strings.Contains(err.Error(), "name a writable file") {
		t.Error(err)
	}
	if err := Check(t.TempDir()); err == nil {
		t.Error("a folder is taken for a history")
	}
}

// A bad line is skipped with a warning that gives the reason. A file with a later schema, or of
// another format, is a one-line error.
func TestBadLines(t *testing.T) {
	good := `{"schema":1,"benchmark":"BenchmarkX","metric":"cpu","ratio":1}`
	for line, want := range map[string]string{
		`{"schema":1,`:                                "it is truncated, or is not JSON",
		`[1]`:                                         "cannot unmarshal array",
		`{"schema":0,"benchmark":"B"}`:                "unknown schema 0; want 1",
		`{"schema":1,"metric":"cpu"}`:                 "it lacks a benchmark or a metric",
		strings.Replace(good, ":1}", ":-1}", 1):       "must not be negative",
		strings.Replace(good, ":1}", `:1,"p":2}`, 1):  "must be between 0 and 1",
		strings.Replace(good, ":1}", `:1,"n":-2}`, 1): "must not be negative",
		strings.Replace(good, ":1}", ":1e999}", 1):    "cannot unmarshal number",
	} {
		name := filepath.Join(t.TempDir(), "h")
		if err := os.WriteFile(name, []byte(good+"\n\n"+line+"\n"+good+"\n"), 0o666); err != nil {
			t.Fatal(err)
		}
		all, warnings, err := Read(name)
		if err != nil || len(all) != 2 || len(warnings) != 1 || !strings.Contains(warnings[0], want) || !strings.Contains(warnings[0], "h:3 was skipped: ") {
			t.Errorf("%s: %d entries, %q, %v", line, len(all), warnings, err)
		}
	}
	for text, want := range map[string]string{
		`{"schema":9,"benchmark":{"other":1}}`: "schema 9; this version reads schema 1: use a newer coppice",
		"a page\n":                             "it has no valid entry",
		strings.Repeat("x", longest+10):        "token too long; the file is not a history",
	} {
		name := filepath.Join(t.TempDir(), "h")
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		if _, _, err := Read(name); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%.20s: %v", text, err)
		}
		if err := Check(name); err == nil {
			t.Errorf("%.20s: -record would append to it", text)
		}
	}
}

// TestEntries verifies that a proof is recorded as one entry for each benchmark and metric.
func TestEntries(t *testing.T) {
	r := &prove.Result{
		Started: time.Unix(1, 0).UTC(), Tool: "coppice", Environment: map[string]string{"cpu": "A CPU", "cores": "2", "go": "go1.26.0", "goos": "linux", "goarch": "amd64", "host": "h"},
		Base: prove.Side{Name: "v1", Revision: "0123456789ab"},
		Comparisons: []prove.Comparison{
			{Head: prove.Side{Name: "the working tree", Revision: "ba9876543210", Dirty: true}, Subjects: []prove.Subject{{
				Name: "BenchmarkX", Package: "p", Operations: 100, Verdict: prove.Revert, Metrics: []measure.Metric{
					{Name: "cpu", Base: []float64{1, 1}, Head: []float64{2, 2}, Before: 1, After: 2, Ratio: 2, Lo: 1.5, Hi: 2.5, P: 0.002, Outcome: measure.Worse, Again: &measure.Again{Base: []float64{1, 1}, P: 0.01}},
					{Name: "allocs", Exact: true, Base: []float64{5, 5}, Head: []float64{5, 5}, Before: 5, After: 5, Ratio: 1, Outcome: measure.Equal},
					{Name: "unit:hits/op", Base: []float64{1}, Head: []float64{1}, Better: metric.Higher},
				},
			}}},
			{Head: prove.Side{Name: "same"}, Verdict: prove.Identical},
		},
	}
	all := Entries(r, 4)
	if len(all) != 3 {
		t.Fatalf("%d entries", len(all))
	}
	e := all[0]
	if e.Machine != "A CPU, 2 cores" || e.System != "linux/amd64" || e.Looks != 4 || e.AgainN != 2 || e.AgainP != 0.01 || e.N != 2 || e.Label() != "ba98765432+" || e.BaseLabel() != "0123456789" || e.Verdict != prove.Revert {
		t.Errorf("%+v", e)
	}
	if a := all[1]; !a.Exact || a.Tolerance != 0.08 || a.Better != metric.Lower || a.Looks != 0 {
		t.Errorf("%+v", a)
	}
	if all[2].Better != metric.Higher {
		t.Errorf("%+v", all[2])
	}
	for i := range all {
		if err := all[i].check(); err != nil {
			t.Error(err)
		}
	}
}

// If there are more tests than the permutations can resolve, the history must warn that it cannot
// find steps.
func TestTooManyTests(t *testing.T) {
	for benchmarks, want := range map[int]int{600: 0, 601: 1} {
		all := make([]Entry, 0, benchmarks*steps.Series)
		for b := range benchmarks {
			for i := range steps.Series {
				e := at(i, "0123456789ab", 1)
				e.Benchmark = fmt.Sprintf("Benchmark%d", b)
				all = append(all, e)
			}
		}
		h := Analyze(all)
		if h.Tests != benchmarks || len(h.Warnings) != want {
			t.Errorf("%d benchmarks: %d tests, %q", benchmarks, h.Tests, h.Warnings)
		}
	}
}
