package report

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/coppice-go/coppice/cmd/internal/lab/compare"
	"github.com/coppice-go/coppice/cmd/internal/lab/experiment"
	"github.com/coppice-go/coppice/cmd/internal/lab/record"
	"github.com/coppice-go/coppice/cmd/internal/render/chart"
	"github.com/coppice-go/coppice/cmd/internal/stats"
)

// sample returns a report with every element: two classes, a curve, failures, doubts, and claims
// that hold, hold partly, do not hold, or were not measured.
func sample() Report {
	e := experiment.Experiment{
		Name: "sample", Title: "What is <what>?", Baseline: "go naive", Metric: "cpu",
		Contenders: []experiment.Contender{{Name: "go naive", Unfair: "it is <old>"}, {Name: "go slab", Ours: true}, {Name: "go unrolled", Ours: true}},
		Claims: []experiment.Claim{
			{ID: "C1", What: "naive over slab", Published: 10, Unit: "x", Metric: "cpu", Of: "go naive", Over: "go slab"},
			{ID: "C2", What: "naive over slab, more", Published: 100, Unit: "x", Metric: "cpu", Of: "go naive", Over: "go slab", WhyNot: "times have changed"},
			{ID: "C3", What: "slab over naive", Published: 3, Unit: "x", Metric: "cpu", Of: "go slab", Over: "go naive"},
			{ID: "C4", What: "cpu of naive", Published: 10, Metric: "cpu", Of: "go naive", Depth: 9},
			{ID: "C5", What: "of the crashed", Published: 10, Metric: "cpu", Of: "c crashed"},
			{ID: "C6", What: "naive over its twin", Published: 2, Unit: "x", Metric: "cpu", Of: "go naive", Over: "go twin"},
		},
	}
	e.Summary = &experiment.Summary{Claim: "C3", Old: "go naive", New: []string{"go slab", "go twin", "c crashed"}, Rows: []experiment.SummaryRow{
		{What: "total", Metric: "cpu", Old: 4, New: 1}, {What: "never reported", Metric: "copy_s", Old: 2, New: 1},
	}}
	s := record.Session{Environment: record.Environment{Session: "s1", Values: map[string]string{
		"cpu": "a CPU", "command": "coppice lab run sample", "warning": "the load was 2.0",
	}}}
	add := func(name, class string, env map[string]string, cpu float64) {
		for round := 1; round <= 8; round++ {
			s.Runs = append(s.Runs, record.Run{
				Experiment: "sample", Contender: name, Language: "Go", Class: class, Depth: 5, Env: env,
				Session: "s1", Round: round, Status: record.OK,
				Figures: map[string]float64{"cpu": cpu * (1 + 0.001*float64(round*round%7)), "wall": cpu, "rss": 1e8 / cpu},
			})
		}
	}
	add("go naive", "plain", nil, 10)
	add("go twin", "per-node", nil, 10) // the class name in older runs
	add("go slab", "plain", nil, 1)
	for _, gogc := range []string{"50", "100", "425"} {
		add("go naive GOGC="+gogc, "plain", map[string]string{"GOGC": gogc}, 5)
	}
	add("go unrolled", "open", nil, 0.5)
	s.Runs = append(s.Runs, record.Run{
		Experiment: "sample", Contender: "c crashed", Class: "plain", Depth: 5, Session: "s1", Round: 1,
		Status: record.Crashed, Reason: "signal: killed",
	})
	return Build(e, []record.Session{s}, "")
}

func TestBuild(t *testing.T) {
	r := sample()
	if len(r.Rankings) != 2 || r.Rankings[0].Class != "plain" || r.Rankings[1].Class != "open" {
		t.Fatalf("rankings %+v", r.Rankings)
	}
	if got := r.Rankings[0].Rows[0].Contender; got != "go slab" {
		t.Errorf("the best plain contender is %s; classes are never mixed", got)
	}
	for i, want := range []string{
		"yes", "direction yes, size no", "no: the other way round",
		"not measured: published at depth 9, run at 5", "not run: no run of c crashed counts", "no: the published size is excluded",
	} {
		if got := r.Claims[i].Holds(); got != want {
			t.Errorf("claim %s %q: %q, want %q", r.Claims[i].ID, r.Claims[i].What, got, want)
		}
	}
	if len(r.Failures) != 1 || r.Failures[0].Reason != "signal: killed" {
		t.Errorf("failures %+v", r.Failures)
	}
}

func TestCommandsOfAllSessionsAreNamed(t *testing.T) {
	sessions := make([]record.Session, 0, 3)
	for _, command := range []string{"lab -depth 1", "lab -depth 2", "lab -depth 1"} {
		sessions = append(sessions, record.Session{
			Environment: record.Environment{Values: map[string]string{"command": command}},
			Runs:        []record.Run{{Experiment: "x", Contender: "a", Status: record.OK, Round: 1}},
		})
	}
	if got := Build(experiment.Experiment{Name: "x"}, sessions, "").Command; got != "lab -depth 1 && lab -depth 2" {
		t.Errorf("command %q", got)
	}
}

func TestSummaryComparesWithPublishedTable(t *testing.T) {
	s := sample().Summary
	if s == nil || s.Title != "C3 at depth 5" || strings.Join(s.Header, "|") != "|published go naive|published go slab|% better|go naive|go slab|% better|go twin|% better|c crashed|% better" {
		t.Fatalf("%+v", s)
	}
	for i, want := range []string{
		"total|4 s|1 s|75 %|10 s|1 s|90 %|10 s|~||",
		"never reported|2 s|1 s|50 %|||||||",
	} {
		if got := strings.Join(s.Rows[i], "|"); got != want {
			t.Errorf("row %d: %s, want %s", i, got, want)
		}
	}
}

// Values that differ by a large factor are drawn as dots on a logarithmic scale, others as bars
// from zero.
func TestRankingScale(t *testing.T) {
	for greatest, want := range map[float64]string{10: "shorter is better", 100: "logarithmic scale"} {
		r := Report{Metric: "cpu"}
		k := Ranking{Class: "open"}
		for _, v := range []float64{1, greatest} {
			k.Rows = append(k.Rows, compare.Row{Contender: "c", Metrics: map[string]stats.Summary{
				"cpu": {N: 1, Median: v, Lo: math.Inf(-1), Hi: math.Inf(1)},
			}})
		}
		if _, caption := r.ranking(k); !strings.Contains(caption, want) {
			t.Errorf("greatest %v: %s", greatest, caption)
		}
	}
}

// wideText writes the text format without a limit on the width of lines.
func wideText(w io.Writer, r Report) error { return Text(w, r, 0) }

// TestTextOnANarrowScreen verifies that no line is wider than the screen, down to 40 columns, and
// that no figure is lost.
func TestTextOnANarrowScreen(t *testing.T) {
	r := sample()
	r.Sessions[0].Values["seed"] = "1234567890"
	r.Rankings[0].Rows[1].Contender = "rust bumpalo, leaves in their parent GOGC=off"
	var whole strings.Builder
	if err := Text(&whole, r, 0); err != nil {
		t.Fatal(err)
	}
	for _, width := range []int{40, 60, 79, 80, 100, 132} {
		var out strings.Builder
		if err := Text(&out, r, width); err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(out.String()) {
			if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > width {
				t.Errorf("%d columns, where the screen has %d: %s", n, width, line)
			}
		}
		for _, word := range strings.Fields(whole.String()) {
			if !strings.Contains(out.String(), strings.TrimRight(word, ":;,.")) && !strings.Contains("CLAIM WHAT PUBLISHED HERE HOLDS", word) {
				t.Errorf("%d columns: %q is left out", width, word)
			}
		}
	}
}

func TestText(t *testing.T) {
	var out strings.Builder
	if err := Text(&out, sample(), 0); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"class plain, depth 5", "class open, depth 5", "c crashed: crashed: signal: killed",
		"go slab", "± 0 %", "95.4 MiB", "not proven", "warning: the load was 2.0",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the text lacks %q:\n%s", want, &out)
		}
	}
	if regexp.MustCompile(`(?m)^go twin .*~`).FindString(out.String()) == "" {
		t.Errorf("equal contenders are not marked ~:\n%s", &out)
	}
}

// Rows that are not provably worse than the first row of a rank must share the rank, in every
// output format. If a ranking needs more runs, nothing is ranked and the report says how many are
// needed.
func TestTiesAreShown(t *testing.T) {
	r := sample()
	var got []string
	for _, row := range r.Rankings[0].Rows {
		got = append(got, place(row)+" "+row.Contender)
	}
	if want := "1 go slab|2 go naive GOGC=50|2= go naive GOGC=100|2= go naive GOGC=425|5 go naive|5= go twin"; strings.Join(got, "|") != want {
		t.Errorf("%s, want %s", strings.Join(got, "|"), want)
	}
	for form, write := range map[string]func(io.Writer, Report) error{"text": wideText, "Markdown": Markdown, "HTML": HTML} {
		var out bytes.Buffer
		if err := write(&out, r); err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(out.String(), tieNote); n != 1 {
			t.Errorf("%s explains the mark %d times, want once, for the class with ties:\n%s", form, n, &out)
		}
	}
	if p, _ := r.ranking(r.Rankings[0]); !strings.Contains(p.SVG(chart.Page), ">5= go twin<") {
		t.Error("the picture lacks the rank")
	}
	few := inGroupsOf("", 5)
	if got := few.Rankings[0].Rows[0].Rank; got != 0 || !strings.Contains(strings.Join(few.Warnings, "\n"), "one, class open: too few runs to rank the contenders; at least 6 are needed (-runs 6)") {
		t.Errorf("five runs gave rank %d and %q", got, few.Warnings)
	}
}

func TestMarkdown(t *testing.T) {
	var out strings.Builder
	if err := Markdown(&out, sample()); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"Made by `coppice lab run sample`", "| contender | rank | against go naive | CPU time, s | interval, % |", "| C2 | naive over slab, more | 100 x | 10 x",
		"| direction yes, size no | times have changed |", "<summary>Not ranked</summary>", "<summary>Doubts</summary>",
		"| contender | min, s | median, s | max, s | mean, s | standard deviation, s |", "| **go slab** | 1.00 | 1.00 |",
		"`go slab` takes 1/10 of the CPU time of `go naive`", "![sample: CPU time of each contender, ",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the Markdown lacks %q:\n%s", want, &out)
		}
	}
}

// TestHTMLIsSelfContained verifies that the page refers to no other file and that input text is
// escaped.
func TestHTMLIsSelfContained(t *testing.T) {
	var out bytes.Buffer
	if err := HTML(&out, sample()); err != nil {
		t.Fatal(err)
	}
	page := out.String()
	outside := regexp.MustCompile(`(?:src|href)="([^"]*)"|url\(([^)]*)\)|@import`)
	for _, m := range outside.FindAllString(page, -1) {
		if m != `href="data:,"` && !strings.HasPrefix(m, `href="#`) {
			t.Errorf("the page refers to %s", m)
		}
	}
	if strings.Contains(page, "<what>") || strings.Contains(page, "<old>") || !strings.Contains(page, "&lt;what&gt;") {
		t.Error("text is not escaped")
	}
	if n := strings.Count(page, "<svg"); n != 7 {
		t.Errorf("%d pictures, want the ranking in two widths, scatter, curve and runs of one class, ranking and runs of the other, which has one point", n)
	}
}

func TestFigure(t *testing.T) {
	for want, got := range map[string]string{
		"1.23 s":  Figure("cpu", 1.2345),
		"12.3 ms": Figure("wall", 0.012345),
		"1.03 µs": Figure("op_s", 1.026e-6),
		"0 ns":    Figure("gc_cpu_s", 0),
		"1.5 MiB": Figure("rss", 1.5*(1<<20)),
		"614 M":   Figure("allocs", 613767657),
		"12":      Figure("gc_cycles", 12),
		"± ∞":     Interval(1, 0, math.Inf(1)),
		"± 0 %":   Interval(0, 0, 0),
		"± 20 %":  Interval(10, 8, 11),
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if got := fmt.Sprint(significant(123456), " ", significant(0.0012345)); got != "123000 0.00123" {
		t.Errorf("significant digits: %s", got)
	}
}

// TestExtremeResults verifies that a zero figure, a single run, a failure or an empty report can be
// written in every format.
func TestExtremeResults(t *testing.T) {
	e := experiment.Experiment{Name: "odd", Baseline: "a", Metric: "op_allocs"}
	for name, runs := range map[string][]record.Run{
		"nothing": nil,
		"zero":    {{Experiment: "odd", Contender: "a|b", Class: "open", Round: 1, Status: record.OK, Figures: map[string]float64{"op_allocs": 0}}},
		"one":     {{Experiment: "odd", Contender: "a", Class: "open", Round: 1, Status: record.OK, Figures: map[string]float64{"op_allocs": 3, "rss": 1}}},
		"failed":  {{Experiment: "odd", Contender: "a", Class: "open", Round: 1, Status: record.Crashed, Reason: "a | b"}},
	} {
		r := Build(e, []record.Session{{Runs: runs}}, "")
		for form, write := range map[string]func(io.Writer, Report) error{"text": wideText, "Markdown": Markdown, "HTML": HTML, "picture": Picture} {
			var out bytes.Buffer
			if err := write(&out, r); err != nil || out.Len() == 0 || strings.Contains(out.String(), "NaN") {
				t.Errorf("%s as %s: %v\n%s", name, form, err, &out)
			}
			if form == "Markdown" && strings.Contains(out.String(), "| a|b |") {
				t.Errorf("a name breaks its row:\n%s", &out)
			}
		}
	}
}

// With too few runs for a confidence interval, no output format may show a ratio or say that a
// claim holds.
func TestNoRatioOfTooFewRuns(t *testing.T) {
	for n := 1; n <= 6; n++ {
		e := experiment.Experiment{Name: "few", Baseline: "a", Metric: "cpu", Claims: []experiment.Claim{
			{ID: "C1", What: "b over a", Published: 0.25, Unit: "x", Metric: "cpu", Of: "b", Over: "a"},
			{ID: "C2", What: "allocations of b", Published: 1.001, Metric: "allocs", Of: "b"},
		}}
		e.Summary = &experiment.Summary{Claim: "C1", Old: "a", New: []string{"b"}, Rows: []experiment.SummaryRow{{What: "total", Metric: "cpu", Old: 4, New: 1}}}
		var s record.Session
		for round := range n {
			for name, cpu := range map[string]float64{"a": 4, "b": 1} {
				s.Runs = append(s.Runs, record.Run{
					Experiment: "few", Contender: name, Class: "open", Session: "s", Round: round + 1, Status: record.OK,
					Figures: map[string]float64{"cpu": cpu * (1 + 0.001*float64(round)), "allocs": cpu},
				})
			}
		}
		r := Build(e, []record.Session{s}, "")
		for form, write := range map[string]func(io.Writer, Report) error{"text": wideText, "Markdown": Markdown, "HTML": HTML} {
			var out bytes.Buffer
			if err := write(&out, r); err != nil {
				t.Fatal(err)
			}
			enough := n >= 6
			ratio := regexp.MustCompile(`(?m)^(b +(1 +)?\d+ +0\.25|\| b \| (1 \| )?4\.00 times faster|.*<th scope="row">b</th>(<td[^>]*>1</td>)?<td[^>]*>4\.00 times faster)`).MatchString(out.String())
			claim := regexp.MustCompile(`0\.25 x\b.*0\.25 x`).MatchString(out.String())
			holds := regexp.MustCompile(`(?m)(yes$|\| yes \||<td[^>]*>yes</td>)`).MatchString(out.String())
			better := strings.Count(strings.ReplaceAll(out.String(), "\u00a0", " "), "75 %") == 2 // one is published
			if ratio != enough || claim != enough || holds != enough || better != enough {
				t.Errorf("%d runs, %s: ratio %v, claim %v, holds %v, better %v\n%s", n, form, ratio, claim, holds, better, &out)
			}
		}
	}
}
