package report

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/coppice-go/coppice/cmd/internal/lab/compare"
	"github.com/coppice-go/coppice/cmd/internal/lab/experiment"
	"github.com/coppice-go/coppice/cmd/internal/lab/record"
	"github.com/coppice-go/coppice/cmd/internal/render/chart"
)

// reportOf returns a report of eight rounds of contenders named a, b, c and so on, with the given
// CPU times and memory sizes. The first contender is the baseline. The contenders named in ours are
// marked as ours.
func reportOf(ours string, figures ...[2]float64) Report {
	e := experiment.Experiment{Name: "x", Title: "What?", Metric: "work_cpu_s", Columns: []experiment.Column{{Metric: "work_cpu_s", Name: "work CPU", Words: "CPU time of the work"}}}
	s := record.Session{Environment: record.Environment{Session: "s", Values: map[string]string{"command": "coppice lab run x"}}}
	for i, f := range figures {
		name := string(rune('a' + i))
		e.Contenders = append(e.Contenders, experiment.Contender{Name: name, Ours: strings.Contains(ours, name), Class: "open"})
		for round := 1; round <= 8; round++ {
			s.Runs = append(s.Runs, record.Run{
				Experiment: "x", Contender: name, Class: "open", Session: "s", Round: round, Status: record.OK,
				Figures: map[string]float64{"work_cpu_s": f[0] * (1 + 0.001*float64(round)), "rss": f[1]},
			})
		}
	}
	e.Baseline = "a"
	return Build(e, []record.Session{s}, "")
}

// The verdict compares the best of our contenders with the baseline and names the contenders that
// are proven to be faster.
func TestVerdict(t *testing.T) {
	for want, r := range map[string]Report{
		"`b` takes 1/13 of the CPU time of the work of `a`, 13.1 s, and 0.7 of its peak memory. 2 of the other 3 are proven to be faster than it: `c` and `d`. The nearest rival, `c`, takes 0.5 as much.": reportOf("b", [2]float64{13, 100}, [2]float64{1, 70}, [2]float64{0.5, 1}, [2]float64{0.6, 1}),
		"`b` takes 0.5 of the CPU time of the work of `a`, 2.01 s, and 2 times its peak memory. The other is not proven to be faster.":                                                                     reportOf("b", [2]float64{2, 100}, [2]float64{1, 200}),
		"`c` takes 1.5 times the CPU time of the work of `a`, 2.01 s, and 3 times its peak memory. One of the other two is proven to be faster than it: `a`.":                                              reportOf("bc", [2]float64{2, 100}, [2]float64{4, 200}, [2]float64{3, 300}),
		"`b` takes 1.5 times the CPU time of the work of `a`, 2.01 s, and 3 times its peak memory. `a` is proven to be faster.":                                                                            reportOf("b", [2]float64{2, 100}, [2]float64{3, 300}),
		"`a`, the baseline, needs 1 s of CPU time of the work; no difference to the next, `b`, is proven. Neither of the other two is proven to be faster; for 1, no difference is proven.":                reportOf("", [2]float64{1, 1}, [2]float64{1, 1}, [2]float64{2, 1}),
		"`a`, the baseline itself, is the best: it needs 1 s of CPU time of the work; the next, `c`, takes 1.5 times as much. Neither of the other two is proven to be faster.":                            reportOf("a", [2]float64{1, 1}, [2]float64{2, 1}, [2]float64{1.5, 1}),
		"No difference in CPU time of the work is proven between `b` and `a`, 1 s; no difference in peak memory is proven. The other is not proven to be faster.":                                          reportOf("b", [2]float64{1, 1}, [2]float64{1, 1}),
		"`b` takes 1/13 of the CPU time of the work of `a`, 13.1 s, and 0.7 of its peak memory. Neither of the other two is proven to be faster. The nearest rival, `c`, takes 2 times as much.":           reportOf("b", [2]float64{13, 100}, [2]float64{1, 70}, [2]float64{2, 1}),
		"No contender has a run that counts.": reportOf(""),
	} {
		if r.Verdict != want {
			t.Errorf("%s\nwant %s", r.Verdict, want)
		}
	}
}

// A contender that ran only in another session must be left out of the verdict, even if it is the
// fastest.
func TestVerdictLeavesOutOtherRounds(t *testing.T) {
	r := reportOf("b", [2]float64{13, 100}, [2]float64{1, 70}, [2]float64{0.1, 70})
	var sessions [2]record.Session
	for i, f := range []float64{13, 1, 0.1} {
		of := i / 2
		sessions[of].Environment.Session = fmt.Sprint("s", of)
		for round := 1; round <= 8; round++ {
			sessions[of].Runs = append(sessions[of].Runs, record.Run{
				Experiment: "x", Contender: string(rune('a' + i)), Class: "open", Session: fmt.Sprint("s", of), Round: round, Status: record.OK,
				Figures: map[string]float64{"work_cpu_s": f * (1 + 0.001*float64(round))},
			})
		}
	}
	got := Build(r.Experiment, sessions[:], "")
	const want = "The other is not proven to be faster. 1 more cannot be compared with it."
	if !strings.HasSuffix(got.Verdict, want) {
		t.Errorf("%s\nwant %s", got.Verdict, want)
	}
	if rows := got.Rankings[0].Rows; rows[0].Contender != "c" || rows[0].Rank != 0 || rows[1].Rank != 1 || !strings.Contains(got.Rankings[0].Ties(), apartNote) {
		t.Errorf("%+v", rows)
	}
}

// The comparisons with the other rows are one family of tests. Eight runs can prove that six other
// contenders are faster, but not that eight are.
func TestVerdictTestsOneFamily(t *testing.T) {
	figures := make([][2]float64, 0, 9)
	for i := range 7 {
		figures = append(figures, [2]float64{10 - float64(i), 1})
	}
	const six = "All of the other 6 are proven to be faster than it: `g`, `f`, `e`, `d`, `c` and `b`."
	if got := reportOf("a", figures...).Verdict; !strings.Contains(got, six) {
		t.Errorf("%s\nwant %s", got, six)
	}
	const few = "8 runs are too few to prove which of the other 8 are faster; at least 9 are needed."
	if got := reportOf("a", append(figures, [2]float64{3, 1}, [2]float64{2, 1})...).Verdict; !strings.Contains(got, few) {
		t.Errorf("%s\nwant %s", got, few)
	}
}

// Classes are never ranked together. Our results in another class must get a separate sentence,
// which must not hide our losses there.
func TestVerdictOfOtherClasses(t *testing.T) {
	r := reportOf("bde", [2]float64{13, 100}, [2]float64{1, 70}, [2]float64{0.5, 70}, [2]float64{26, 70}, [2]float64{0.1, 70})
	s := record.Session{Environment: record.Environment{Session: "s"}}
	for i, f := range []float64{13, 1, 0.5, 26, 0.1} {
		class := "open"
		if i > 2 {
			class = "shaped"
		}
		r.Experiment.Contenders[i].Class = class
		for round := 1; round <= 8; round++ {
			s.Runs = append(s.Runs, record.Run{
				Experiment: "x", Contender: string(rune('a' + i)), Class: class, Session: "s", Round: round, Status: record.OK,
				Figures: map[string]float64{"work_cpu_s": f * (1 + 0.001*float64(round))},
			})
		}
	}
	const want = " In class shaped `e` is 130 times faster and `d` is 2 times slower than `a`."
	if got := Build(r.Experiment, []record.Session{s}, "").Verdict; !strings.HasSuffix(got, want) {
		t.Errorf("%s\nwant%s", got, want)
	}
}

// The verdict must start with the lead language of the experiment. Contenders in other languages
// follow.
func TestVerdictPutsLanguageFirst(t *testing.T) {
	r := reportOf("bc", [2]float64{10, 100}, [2]float64{5, 100}, [2]float64{1, 50})
	r.Experiment.Depth, r.Experiment.Lead = 18, "Go"
	s := record.Session{Environment: record.Environment{Session: "s"}}
	for i, f := range [][2]float64{{10, 100}, {5, 100}, {1, 50}} {
		r.Experiment.Contenders[i].Language = []string{"Go", "Go", "C++"}[i]
		for round := 1; round <= 8; round++ {
			s.Runs = append(s.Runs, record.Run{
				Experiment: "x", Contender: string(rune('a' + i)), Class: "open", Session: "s", Round: round, Status: record.OK, Depth: 18, Workers: 2,
				Figures: map[string]float64{"work_cpu_s": f[0], "rss": f[1] * (1 + 0.001*float64(round))},
			})
		}
	}
	const want = "`b` takes 0.5 of the CPU time of the work of `a`, 10 s (depth 18, 2 threads); no difference in peak memory is proven." +
		" One of the other two is proven to be faster than it: `c`. In another language `c` takes 1/10 of it and 0.5 of the peak memory."
	if got := Build(r.Experiment, []record.Session{s}, "").Verdict; got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
}

// The verdict names a common baseline only if the baselines of all groups have the same name, apart
// from the name of the group.
func TestCommonBaseline(t *testing.T) {
	of := func(names ...string) (all []finding) {
		for _, name := range names {
			group := name[:3]
			all = append(all, finding{in: Ranking{Group: group}, base: compare.Row{Contender: strings.TrimPrefix(name, group+"/")}})
		}
		return all
	}
	for want, all := range map[string][]finding{
		", `freecache`,": of("one/freecache one", "two/freecache two"),
		"":               of("one/freecache one", "two/map two"),
	} {
		if got := (Report{}).commonBaseline(all); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if got := (Report{}).commonBaseline(of("one/one")); got != "" {
		t.Errorf("%q of a baseline that is called like its part", got)
	}
}

// The verdict over several groups lists the groups that are won, lost and undecided.
func TestVerdictOverGroups(t *testing.T) {
	want := "In 2 of 2 parts the best beats the baseline, `original`, in CPU time: one (2 times faster by `one chunk`) and two (2 times faster by `two chunk`)."
	if got := inGroups("").Verdict; got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
}

// If a metric has a display name, no output format may show its key.
func TestReportsShowMetricNames(t *testing.T) {
	r := reportOf("b", [2]float64{13, 100}, [2]float64{1, 70}, [2]float64{0.5, 1})
	for form, write := range map[string]func(io.Writer, Report) error{"text": wideText, "Markdown": Markdown, "HTML": HTML, "picture": Picture} {
		var out bytes.Buffer
		if err := write(&out, r); err != nil || strings.Contains(out.String(), "work_cpu_s") || !strings.Contains(out.String(), "work CPU") && !strings.Contains(out.String(), "WORK CPU") {
			t.Errorf("%s: %v\n%s", form, err, &out)
		}
	}
}

// Main must select the greatest depth that is well measured, with the fewest threads, and in each
// group the class with the most rows.
func TestMainRanking(t *testing.T) {
	rows := func(n int) Ranking { return Ranking{Rows: reportOf("", make([][2]float64, n)...).Rankings[0].Rows} }
	rankings := []Ranking{rows(9), rows(5), rows(6), rows(7), rows(2)}
	for i, at := range [][2]int{{18, 1}, {21, 1}, {21, 1}, {21, 2}, {25, 1}} {
		rankings[i].Depth, rankings[i].Workers = at[0], at[1]
	}
	if main := (Report{Rankings: rankings}).Main(); len(main) != 1 || main[0] != 2 {
		t.Errorf("%v comes first, want 2", main)
	}
}

// All figures in a column have the same unit and number of decimals. A figure that is too small for
// them gets more digits.
func TestFormOfColumn(t *testing.T) {
	for want, c := range map[string]struct {
		metric string
		values []float64
	}{
		"s: 0.63 1.09 18.20":     {"cpu", []float64{0.631, 1.09, 18.2}},
		"ms: 12.3 631.0":         {"cpu", []float64{0.0123, 0.631}},
		"MiB: 81.5 994.0 2334.7": {"rss", []float64{81.5 * (1 << 20), 994 << 20, 2.28 * (1 << 30)}},
		": 359 3,199,358":        {"allocs", []float64{359, 3199358}},
		"million: 0.85 9.07":     {"allocs", []float64{846000, 9070000}},
		": 0.61 12.80":           {"gc_percent", []float64{0.615, 12.8}},
		"s: 0.00 1.00":           {"cpu", []float64{0, 1}},
		": 1 2 10":               {"gc_cycles", []float64{1, 2, 10}},
		"ms: 0.0012 1000.00":     {"cpu", []float64{1.2e-6, 1}},
	} {
		f := formOf(c.metric, c.values)
		var all []string
		for _, v := range c.values {
			all = append(all, f.text(v))
		}
		if got := f.unit + ": " + strings.Join(all, " "); got != want {
			t.Errorf("%v: %s, want %s", c.values, got, want)
		}
	}
}

// The index has an entry for each report with its verdict and a few rows: the best contenders, the
// best of ours, and the baseline.
func TestIndex(t *testing.T) {
	figures := make([][2]float64, 0, 20)
	for i := range 20 {
		figures = append(figures, [2]float64{40 - 2*float64(i), 1})
	}
	r := reportOf("cd", figures...)
	p, ok := r.small()
	if !ok || len(p.Panels[0].Marks) != mostSmall {
		t.Fatalf("%v, %d rows", ok, len(p.Panels[0].Marks))
	}
	var names string
	for _, m := range p.Panels[0].Marks {
		names += m.Name
	}
	if names != "tsrdca" {
		t.Errorf("the small picture has %s, want the best t, s and r, ours d and c, and the baseline a", names)
	}
	var out bytes.Buffer
	if err := Index(&out, []Entry{{"folder", "folder/report.html", r}}, []Link{{"more.md", "More <text>"}}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`<a href="folder/report.html">folder</a>`, "<code>d</code> takes", "20 contenders", `<a href="more.md">More &lt;text&gt;</a>`, p.SVG(chart.Phone)} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the index lacks %s", want)
		}
	}
}
