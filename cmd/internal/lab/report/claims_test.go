package report

import (
	"bytes"
	"io"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/coppice-go/coppice/cmd/internal/lab/experiment"
	"github.com/coppice-go/coppice/cmd/internal/lab/record"
)

// claimed returns a session in which the CPU time of a is a multiple of b's, with the given ratio
// for each depth.
func claimed(ratios map[int]float64) []record.Session {
	var s record.Session
	for depth, ratio := range ratios {
		for round := 1; round <= 8; round++ {
			for name, cpu := range map[string]float64{"a": ratio, "b": 1} {
				s.Runs = append(s.Runs, record.Run{Contender: name, Depth: depth, Session: "s", Round: round, Status: record.OK, Figures: map[string]float64{"cpu": cpu}})
			}
		}
	}
	return []record.Session{s}
}

func TestClaimIsJudgedAtItsDepth(t *testing.T) {
	c := experiment.Claim{ID: "C", Published: 4, Unit: "x", Metric: "cpu", Of: "a", Over: "b", Depth: 5}
	if j := judge(c, claimed(map[int]float64{5: 4, 9: 100}))[0]; j.Depth != 5 || j.Measured != 4 || j.Holds() != "yes" {
		t.Errorf("a claim at depth 5 was judged at %d: %v, %s", j.Depth, j.Measured, j.Holds())
	}
	if j := judge(c, claimed(map[int]float64{7: 4, 9: 100}))[0]; j.Depth != 9 {
		t.Errorf("a claim at a depth that was not run was judged at %d, want the greatest", j.Depth)
	}
}

// A claim without a depth is judged at each depth at which all its contenders ran, and its figures
// name the depth. A figure that is only shown, not judged, is the one of the greatest depth.
func TestClaimWithoutADepth(t *testing.T) {
	sessions := claimed(map[int]float64{5: 4, 9: 1.5})
	sessions[0].Runs = append(sessions[0].Runs, record.Run{Contender: "a", Depth: 11, Session: "s", Round: 1, Status: record.OK, Figures: map[string]float64{"cpu": 1}})
	all := judge(experiment.Claim{ID: "C", Published: 4, Unit: "x", Metric: "cpu", Of: "a", Over: "b"}, sessions)
	if len(all) != 2 || all[0].Holds() != "yes" || all[1].Holds() != "direction yes, size no" {
		t.Fatalf("%+v", all)
	}
	if text := all[1].MeasuredText(); !strings.HasSuffix(text, ", depth 9") {
		t.Errorf("the figure is %q", text)
	}
	if all := judge(experiment.Claim{ID: "C", Published: 4, Metric: "cpu", Of: "b"}, sessions); len(all) != 1 || all[0].Depth != 9 || all[0].MeasuredText() != "1 s ± 0 %" {
		t.Errorf("what is only shown: %+v", all)
	}
	saved := experiment.Claim{ID: "C", Published: 0.5, Unit: "%", Metric: "cpu", Of: "a", Over: "a", Whole: "b", Bound: experiment.Above}
	if all := judge(saved, sessions); len(all) != 2 || all[0].Holds() != "not measured: they were not run together, one failed, or nothing is saved, depth 5" {
		t.Errorf("%+v", all)
	}
}

// A tolerance is a fraction of the published value: 0.25 means a quarter of it.
func TestToleranceIsAShare(t *testing.T) {
	for measured, want := range map[float64]string{80: "within 25 %", 100: "yes", 120: "within 25 %", 70: "direction yes, size no", 130: "direction yes, size no"} {
		c := experiment.Claim{ID: "C", Published: 100, Unit: "x", Metric: "cpu", Of: "a", Over: "b"}
		if j := judge(c, claimed(map[int]float64{5: measured}))[0]; j.Holds() != want {
			t.Errorf("%v where 100 was published: %s, want %s", measured, j.Holds(), want)
		}
	}
}

// A figure within the tolerance agrees with the published one only if no difference between them is
// proven.
func TestNearRequiresNoProvenDifference(t *testing.T) {
	for _, c := range []struct {
		lo, hi, tolerance float64
		statistic, want   string
	}{
		{2.5, 3.3, 0, "", "yes"}, {2.5, 3.1, 0, "", "within 25 %"}, {3, 3, 0.1, "", "within 10 %"}, {2.5, 3.3, 0, experiment.Mean, "within 25 %"}, {2.5, 3.3, 0.01, "", "direction yes, size not proven"}, {2.5, 3.1, 0.01, "", "direction yes, size no"},
	} {
		j := Claim{Claim: experiment.Claim{Published: 3.2, Unit: "x", Metric: "allocs", Of: "a", Over: "b", Tolerance: c.tolerance, Statistic: c.statistic}, N: 8, Measured: 3, Lo: c.lo, Hi: c.hi}
		if j.decide(); j.Holds() != c.want {
			t.Errorf("3 in %+v, where 3.2 was published: %s", c, j.Holds())
		}
	}
}

// A ratio agrees with the published one only if the saving does too. A ratio of 0.57 is within a
// quarter of 0.75, but it saves 43 % instead of 25 %.
func TestNearComparesSavings(t *testing.T) {
	for _, c := range []struct {
		published, measured float64
		want                string
	}{
		{0.75, 0.574, "direction yes, size no"}, {0.75, 0.7, "within 25 %"}, {4. / 3, 1 / 0.574, "direction yes, size no"}, {4. / 3, 1 / 0.7, "within 25 %"},
		{0.391, 0.346, "within 25 %"}, {0.92, 0.905, "within 25 %"}, {0.92, 0.8, "direction yes, size no"}, {0.92, 1.05, "no: the other way round"},
	} {
		j := judge(experiment.Claim{Published: c.published, Unit: "x", Metric: "allocs", Of: "a", Over: "b"}, threadsOf(map[string]map[int]float64{"a": {0: c.measured}, "b": {0: 1}}))[0]
		if j.Holds() != c.want {
			t.Errorf("%v where %v was published: %s, want %s", c.measured, c.published, j.Holds(), c.want)
		}
	}
}

// TestOutcomes verifies that the outcome of each row agrees with the text that Holds returns.
func TestOutcomes(t *testing.T) {
	ratio := func(published, measured, lo, hi float64) Claim {
		return Claim{Claim: experiment.Claim{Published: published, Unit: "x", Metric: "allocs", Of: "a", Over: "b"}, N: 8, Measured: measured, Lo: lo, Hi: hi}
	}
	count := Claim{Claim: experiment.Claim{Published: 8, Metric: "allocs", Of: "a"}, N: 8, Measured: 20, Lo: 20, Hi: 20}
	seconds := Claim{Claim: experiment.Claim{Published: 8, Metric: "wall", Of: "a"}, N: 8, Measured: 20, Lo: 20, Hi: 20}
	few := ratio(3, 3, math.Inf(-1), math.Inf(1))
	of := map[Outcome]int{}
	for _, c := range []struct {
		claim Claim
		holds string
		want  Outcome
	}{
		{ratio(3, 3, 2.9, 3.1), "yes", Yes},
		{ratio(3, 2.8, 2.7, 2.9), "within 25 %", Within},
		{ratio(3, 2, 1.1, 2.1), "direction yes, size no", Direction},
		{ratio(3, 2, 1.1, 3.1), "direction yes, size not proven", Direction},
		{ratio(3, 0.5, 0.4, 0.6), "no: the other way round", No},
		{count, "size no", No},
		{ratio(3, 1, 0.7, 1.3), "no: the published size is excluded", No},
		{ratio(1.25, 1.05, 0.98, 1.15), "no: the published size is excluded", No}, // 5 % instead of the published 25 %
		{ratio(1.25, 1, 0.7, 1.3), "not proven", NotProven},
		{ratio(1.25, 1.2, 0.99, 1.24), "not proven", NotProven},
		{few, "not proven: too few runs", NotProven},
		{Claim{NotRun: "a"}, "not run: no run of a counts", NotRun},
		{Claim{WhyNotMeasured: "why"}, "not measured: why", NotRun},
		{seconds, shownOnly, Shown},
	} {
		if c.claim.N > 0 {
			c.claim.decide()
		}
		if got := c.claim.Outcome(); got != c.want || c.claim.Holds() != c.holds {
			t.Errorf("%s is %s, want %s, which is %s", c.claim.Holds(), got, c.holds, c.want)
		}
		of[c.want]++
	}
	if len(of) != len(Outcomes) {
		t.Errorf("cases of %v, want some of %v", of, Outcomes)
	}
}

// An unproven outcome must not have a reason, because a reason would state a difference.
func TestUnprovenHasNoReason(t *testing.T) {
	for holds, j := range map[string]Claim{
		"not proven":                     {Claim: experiment.Claim{Published: 1.25}, Measured: 0.95, Lo: 0.7, Hi: 1.3},
		"direction yes, size not proven": {Claim: experiment.Claim{Published: 3}, Measured: 2, Lo: 1.1, Hi: 3.1},
		"direction yes, size no":         {Claim: experiment.Claim{Published: 3}, Measured: 2, Lo: 1.1, Hi: 2.1},
		"no: the other way round":        {Claim: experiment.Claim{Published: 3}, Measured: 0.5, Lo: 0.4, Hi: 0.6},

		"no: the published size is excluded": {Claim: experiment.Claim{Published: 3}, Measured: 1, Lo: 0.7, Hi: 1.3},
	} {
		j.Unit, j.Metric, j.Of, j.Over, j.WhyNot, j.N = "x", "allocs", "a", "b", "a reason", 8
		j.decide()
		want := ""
		if !strings.Contains(holds, "not proven") {
			want = "a reason"
		}
		if j.Holds() != holds || j.Why() != want {
			t.Errorf("%s, because %q; want %s, because %q", j.Holds(), j.Why(), holds, want)
		}
	}
}

// The report must say how many rows are judged, and that the intervals are not adjusted for the
// number of rows.
func TestRowsThatAreJudgedAreCounted(t *testing.T) {
	r := Report{}
	seconds, count := Claim{Claim: experiment.Claim{Published: 1, Metric: "cpu", Of: "a"}, N: 8}, Claim{Claim: experiment.Claim{Published: 2, Metric: "allocs", Of: "a"}, N: 8}
	missing := Claim{Claim: experiment.Claim{Published: 2, Metric: "allocs", Of: "b"}, NotRun: "b"}
	for _, c := range []struct {
		claim Claim
		want  string
	}{
		{seconds, "No row is judged."}, {missing, "No row is judged."},
		{count, "One of 3 rows is judged, by its own interval of at least 95 %."},
		{count, "2 of 4 rows are judged, each by its own interval of at least 95 %. Nothing is adjusted for the number of rows: by chance one interval in twenty misses the true figure."},
	} {
		if r.Claims = append(r.Claims, c.claim); r.claimsNote() != c.want {
			t.Errorf("%s, want %s", r.claimsNote(), c.want)
		}
	}
}

// A statistic that was published for five runs, such as the minimum, must be taken from the first
// five of our runs.
func TestStatisticOfEquallyManyRuns(t *testing.T) {
	var s record.Session
	for round, wall := range []float64{3, 2, 4, 5, 6, 1, 9} {
		s.Runs = append(s.Runs, record.Run{Contender: "a", Depth: 5, Session: "s", Round: round + 1, Status: record.OK, Figures: map[string]float64{"wall": wall}})
	}
	for statistic, want := range map[string]string{experiment.Min: "2 s, min of 5", experiment.Max: "6 s, max of 5", experiment.Mean: "4 s, mean of 5"} {
		c := experiment.Claim{Published: 1, Metric: "wall", Of: "a", Statistic: statistic, Runs: 5}
		if j := judge(c, []record.Session{s})[0]; j.MeasuredText() != want || j.Holds() != shownOnly {
			t.Errorf("%s, %s; want %s", j.MeasuredText(), j.Holds(), want)
		}
	}
}

// threadsOf returns a session with the given figure of each contender at each number of threads.
// CPU times vary slightly from round to round.
func threadsOf(figures map[string]map[int]float64) []record.Session {
	var s record.Session
	for name, at := range figures {
		for workers, cpu := range at {
			for round := 1; round <= 8; round++ {
				s.Runs = append(s.Runs, record.Run{
					Experiment: "x", Contender: name, Class: "open", Depth: 5, Workers: workers, Session: "s", Round: round, Status: record.OK,
					Figures: map[string]float64{"cpu": cpu * (1 + 0.001*float64(round*round%7)), "allocs": cpu},
				})
			}
		}
	}
	return []record.Session{s}
}

// holdsAt returns the results of a claim by number of threads.
func holdsAt(all []Claim) map[int]string {
	at := map[int]string{}
	for _, c := range all {
		at[c.Workers] = c.Holds()
	}
	return at
}

// A claim that holds with one thread may fail with two. The report must show both results.
func TestClaimIsJudgedAtEveryCountOfThreads(t *testing.T) {
	sessions := threadsOf(map[string]map[int]float64{"a": {1: 3, 2: 1.9, 4: 0.5}, "b": {1: 1, 2: 1}})
	c := experiment.Claim{ID: "C", What: "a over b", Published: 3.2, Unit: "x", Metric: "cpu", Of: "a", Over: "b"}
	all := judge(c, sessions)
	if got := holdsAt(all); len(all) != 2 || all[0].Workers != 1 || got[1] != "within 25 %" || got[2] != "direction yes, size no" {
		t.Errorf("%v", got)
	}
	sessions[0].Runs = slices.DeleteFunc(sessions[0].Runs, func(r record.Run) bool { return r.Workers == 1 && r.Round == 1 })
	slices.SortStableFunc(sessions[0].Runs, func(a, b record.Run) int { return b.Workers - a.Workers })
	if all := judge(c, sessions); len(all) != 2 || all[0].Workers != 1 {
		t.Errorf("rounds that begin with two threads put them first: %v", holdsAt(all))
	}
	c.Over, c.Unit, c.Metric = "", "", "allocs"
	if got := holdsAt(judge(c, sessions)); len(got) != 3 || got[1] != "within 25 %" || got[4] != "size no" {
		t.Errorf("counts: %v", got)
	}
	r := Build(experiment.Experiment{Name: "x", Baseline: "b", Metric: "cpu", Claims: []experiment.Claim{
		{ID: "C", What: "a over b", Published: 3.2, Unit: "x", Metric: "cpu", Of: "a", Over: "b"},
		{ID: "C", What: "b has allocations", Published: 1, Metric: "allocs", Of: "b"},
		{ID: "C", What: "seconds", Published: 1, Metric: "cpu", Of: "b"},
		{ID: "C", What: "of another", Published: 1, Metric: "allocs", Of: "c"},
	}}, sessions, "")
	if got := r.notes(); got != "2 contenders; 1 of 3 published figures hold, 1 more in direction, 1 are not measured" {
		t.Errorf("a figure holds if it holds at every count of threads: %s", got)
	}
	for form, write := range map[string]func(io.Writer, Report) error{"text": wideText, "Markdown": Markdown, "HTML": HTML} {
		var out bytes.Buffer
		if err := write(&out, r); err != nil {
			t.Fatal(err)
		}
		notRun := "not run: no run of c counts"
		if form == "text" {
			notRun = "not run: the programs of 1 more published figures"
		}
		for _, want := range []string{"workers 1", "workers 2", shownOnly, notRun} {
			if !strings.Contains(out.String(), want) {
				t.Errorf("%s lacks %q:\n%s", form, want, &out)
			}
		}
	}
}

// Seconds and resident bytes measured on another machine prove nothing, so such claims are shown
// but not judged.
func TestFiguresOfAnotherMachineAreNotJudged(t *testing.T) {
	sessions := threadsOf(map[string]map[int]float64{"a": {1: 1}})
	for _, c := range []experiment.Claim{
		{Published: 1, Metric: "cpu", Of: "a"},
		{Published: 9, Metric: "cpu", Of: "a", Statistic: experiment.Max},
		{Published: 1, Metric: "allocs", Of: "a", Machine: true},
	} {
		if j := judge(c, sessions)[0]; j.Holds() != shownOnly || j.Why() != "" || j.MeasuredText() == "" {
			t.Errorf("%+v: %s, %s, %s", c, j.Holds(), j.MeasuredText(), j.Why())
		}
	}
	if j := judge(experiment.Claim{Published: 9, Metric: "cpu", Of: "a", Statistic: experiment.Max}, sessions)[0]; j.MeasuredText() != "1 s, max of 8, workers 1" {
		t.Errorf("the greatest is %q", j.MeasuredText())
	}
	for _, c := range []experiment.Claim{{Published: 1, Metric: "allocs", Of: "a"}, {Published: 1, Unit: "x", Metric: "cpu", Of: "a"}} {
		if j := judge(c, sessions)[0]; j.Holds() != "yes" {
			t.Errorf("%+v is judged: %s", c, j.Holds())
		}
	}
}

// A claimed bound holds if the whole interval is beyond it. A claimed equality holds if the whole
// interval is near the published value.
func TestBoundsAndEquality(t *testing.T) {
	at := func(ratio float64) []record.Session {
		return threadsOf(map[string]map[int]float64{"a": {0: ratio}, "b": {0: 1}})
	}
	for _, c := range []struct {
		bound, want string
		published   float64
		measured    float64
	}{
		{experiment.Above, "yes", 2, 3}, {experiment.Above, "no", 2, 1.5}, {experiment.Above, "no", 1, 1}, {experiment.Above, "no", 1, 0.5},
		{experiment.Below, "yes", 0.3, 0.2}, {experiment.Below, "no", 0.3, 0.4},
		{"", "yes", 1, 1}, {"", "within 25 %", 1, 1.2}, {"", "no", 1, 1.4}, {"", "no", 1, 0.5},
	} {
		j := judge(experiment.Claim{Published: c.published, Bound: c.bound, Unit: "x", Metric: "allocs", Of: "a", Over: "b"}, at(c.measured))[0]
		if j.Holds() != c.want {
			t.Errorf("%v where %s %v was published: %s, want %s", c.measured, c.bound, c.published, j.Holds(), c.want)
		}
	}
	wide := Claim{Claim: experiment.Claim{Published: 1, Unit: "x", Metric: "allocs", Of: "a", Over: "b"}, N: 8, Measured: 1.1, Lo: 0.9, Hi: 1.3}
	if wide.decide(); wide.Holds() != "not proven" {
		t.Errorf("an interval from 0.9 to 1.3 is called equal to 1: %s", wide.Holds())
	}
	apart := Claim{Claim: wide.Claim, N: 8, Measured: 1.3, Lo: 1.1, Hi: 1.5}
	if apart.decide(); apart.Holds() != "not proven" {
		t.Errorf("an interval from 1.1 to 1.5 is partly near 1: %s", apart.Holds())
	}
	wide.Claim.Bound, wide.Size, wide.Direction = experiment.Above, "", ""
	if wide.decide(); wide.Holds() != "not proven" || wide.PublishedText() != "> 1 x" {
		t.Errorf("an interval from 0.9 to 1.3 is above 1: %s, %s", wide.Holds(), wide.PublishedText())
	}
}

// TestPartOfAGain tests claims about the share that one step contributes to a total saving. With
// one thread, the step from half to best makes up 25 % of the saving from naive to best, and with
// two threads 87.5 %.
func TestPartOfAGain(t *testing.T) {
	sessions := threadsOf(map[string]map[int]float64{"naive": {1: 10, 2: 10}, "half": {1: 4, 2: 9}, "best": {1: 2, 2: 2}})
	c := experiment.Claim{ID: "C", Published: 0.5, Bound: experiment.Above, Unit: "%", Metric: "allocs", Of: "half", Over: "best", Whole: "naive"}
	all := judge(c, sessions)
	if got := holdsAt(all); len(all) != 2 || got[1] != "no" || got[2] != "yes" {
		t.Errorf("%v of %+v", got, all)
	}
	for _, j := range all {
		if want := map[int]string{1: "25 % ± 0 %, workers 1", 2: "87.5 % ± 0 %, workers 2"}[j.Workers]; j.MeasuredText() != want {
			t.Errorf("%s, want %s", j.MeasuredText(), want)
		}
	}
	c.Over = "naive"
	if j := judge(c, sessions)[0]; j.N != 0 || !strings.HasPrefix(j.Holds(), "not measured") {
		t.Errorf("a part of a gain that is none: %s", j.Holds())
	}
}

// The ratio of our contender is shown next to the claim, for the same number of threads. It is not
// judged.
func TestOursIsShownNextToClaim(t *testing.T) {
	sessions := threadsOf(map[string]map[int]float64{"a": {1: 4, 2: 2}, "b": {1: 1, 2: 1}, "ours": {1: 0.5, 2: 0.1}})
	c := experiment.Claim{ID: "C", What: "a over b", Published: 4, Unit: "x", Metric: "cpu", Of: "a", Over: "b", Ours: "a", OursOver: "ours"}
	for _, j := range judge(c, sessions) {
		if want := map[int]string{1: "8 x ± 0 %", 2: "20 x ± 0 %"}[j.Workers]; j.Beside != want {
			t.Errorf("%d threads: ours is %q, want %q", j.Workers, j.Beside, want)
		}
	}
	r := Build(experiment.Experiment{Name: "x", Baseline: "b", Metric: "cpu", Claims: []experiment.Claim{c}}, sessions, "")
	for form, write := range map[string]func(io.Writer, Report) error{"text": wideText, "Markdown": Markdown, "HTML": HTML} {
		var out bytes.Buffer
		if err := write(&out, r); err != nil || !strings.Contains(strings.ReplaceAll(out.String(), "\u00a0", " "), "20 x ± 0 %") || !strings.Contains(strings.ToLower(out.String()), "ours here") {
			t.Errorf("%s lacks ours: %v\n%s", form, err, &out)
		}
	}
}

// A published table whose contenders were not run here shows only the published figures.
func TestSummaryWithoutRuns(t *testing.T) {
	s := summarize(&experiment.Summary{Claim: "C3", Old: "a", New: []string{"b"}, Rows: []experiment.SummaryRow{{What: "total", Metric: "cpu", Old: 4, New: 1}}}, nil)
	if s == nil || s.Title != "C3, not run here" || strings.Join(s.Rows[0], "|") != "total|4 s|1 s|75 %|||" {
		t.Errorf("%+v", s)
	}
}
