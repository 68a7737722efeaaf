package history

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/coppice-go/coppice/cmd/internal/metric"
	"github.com/coppice-go/coppice/cmd/internal/prove/measure"
	"github.com/coppice-go/coppice/cmd/internal/stats/steps"
)

// Level is the probability that the analysis of a history without steps reports one, over all its
// benchmarks and metrics. It is small because a history is analyzed again after each commit: over
// 100 commits, about one history in 25 shows a step that does not exist
// (steps.TestLookingAfterEachCommit).
const Level = 0.003

// A History is the result of analyzing all entries of a history file.
type History struct {
	Entries  int      `json:"entries"`
	Commits  int      `json:"commits"`
	Level    float64  `json:"level"` // probability of a false alarm
	Tests    int      `json:"tests"` // number of tests that share Level
	Tracks   []Track  `json:"tracks"`
	Worse    int      `json:"worse"` // number of steps to worse values
	Better   int      `json:"better"`
	Warnings []string `json:"warnings"`
}

// A Track contains the entries of one metric of one benchmark, in the order of their times, and the
// steps that were found in them.
type Track struct {
	Package   string           `json:"package,omitempty"`
	Benchmark string           `json:"benchmark"`
	Metric    string           `json:"metric"`
	Better    metric.Direction `json:"better,omitempty"`
	Judged    bool             `json:"judged"` // whether the track is searched for steps
	Points    []Entry          `json:"points"`
	Steps     []Step           `json:"steps"`
}

// A Way is the method by which a step was proven.
type Way string

// These are the values of Way.
const (
	Ranks Way = "ranks"     // compares the ratios to the same base before and after
	Pairs Way = "pairs"     // tests the pairs of the only proof against a base
	Count Way = "different" // finds a change of an exact value
)

// A Step is a change in the level of a track: from one commit on, the values are higher or lower
// than before.
type Step struct {
	Way     Way             `json:"way"`
	At      string          `json:"at"`   // first commit that is known to have the new level
	From    string          `json:"from"` // the step is between From and To with 95 % confidence
	To      string          `json:"to"`
	Time    time.Time       `json:"time"` // when the commit in At was measured
	Machine string          `json:"machine"`
	Ratio   float64         `json:"ratio"`       // new level / old level; 0 if there is none
	P       float64         `json:"p,omitempty"` // p value, not adjusted; 0 for an exact value
	Before  int             `json:"before"`      // number of proofs; for Pairs, number of pairs
	After   int             `json:"after"`
	Outcome measure.Outcome `json:"outcome"` // better, worse, or open if the direction is unknown
	index   int             // index of the first point with the new level
}

// Index returns the index of the step's first point in its track.
func (s *Step) Index() int { return s.index }

// Analyze finds the steps in all metrics of all benchmarks.
func Analyze(entries []Entry) *History {
	h := &History{Entries: len(entries), Level: Level, Tracks: tracks(entries), Warnings: []string{}}
	commits := map[string]bool{}
	for i := range entries {
		commits[entries[i].Label()] = true
	}
	h.Commits = len(commits)
	for i := range h.Tracks {
		h.Tests += h.Tracks[i].tests()
	}
	level := Level / float64(max(h.Tests, 1))
	if level < steps.LeastP {
		h.Warnings = append(h.Warnings, fmt.Sprintf("%d tests share the level of %g %%, so no step can be found by ranks; keep the histories of fewer benchmarks in one file", h.Tests, 100*Level))
	}
	for i := range h.Tracks {
		t := &h.Tracks[i]
		t.find(level)
		for _, s := range t.Steps {
			switch s.Outcome {
			case measure.Worse:
				h.Worse++
			case measure.Better:
				h.Better++
			}
		}
	}
	return h
}

// tracks groups entries by package, benchmark and metric. The tracks are sorted by package and
// benchmark.
func tracks(entries []Entry) []Track {
	type name struct{ pkg, benchmark, metric string }
	at, all := map[name]int{}, []Track{}
	for _, e := range entries {
		n := name{e.Package, e.Benchmark, e.Metric}
		i, ok := at[n]
		if !ok {
			i, at[n] = len(all), len(all)
			all = append(all, Track{Package: e.Package, Benchmark: e.Benchmark, Metric: e.Metric, Steps: []Step{}})
		}
		t := &all[i]
		t.Better = e.Better // the last entry decides
		t.Points = append(t.Points, e)
	}
	for i := range all {
		t := &all[i]
		t.Judged = !measure.ReportOnly(t.Metric) && metric.Named(t.Metric).Kind != metric.None && t.Better != metric.Unknown
		slices.SortStableFunc(t.Points, func(a, b Entry) int { return a.Time.Compare(b.Time) })
	}
	slices.SortStableFunc(all, func(a, b Track) int {
		return cmp.Or(cmp.Compare(a.Package, b.Package), cmp.Compare(a.Benchmark, b.Benchmark))
	})
	return all
}

// groups divides the points for which chosen returns true into groups with comparable values. The
// parameter of is a function that returns the group key of an entry. The result contains the
// indices of the points in each group.
func (t *Track) groups(of func(*Entry) [4]string, chosen func(*Entry) bool) (all [][]int) {
	at := map[[4]string]int{}
	for i := range t.Points {
		e := &t.Points[i]
		if !chosen(e) {
			continue
		}
		k := of(e)
		if _, ok := at[k]; !ok {
			at[k] = len(all)
			all = append(all, nil)
		}
		all[at[k]] = append(all[at[k]], i)
	}
	return all
}

// place returns the key of a group of exact values: the machine, the system and the version of Go.
func place(e *Entry) [4]string { return [4]string{e.Machine, e.System, e.Go, ""} }

// placeAndBase returns the key of a group of estimates: the machine, the system, the version of Go
// and the base.
func placeAndBase(e *Entry) [4]string { return [4]string{e.Machine, e.System, e.Go, e.against()} }

// tested reports whether an entry is an estimate that has a ratio.
func tested(e *Entry) bool { return !e.Exact && e.Ratio > 0 }

func exact(e *Entry) bool { return e.Exact }

// timed returns the groups of estimates. Counted metrics are left out, even if their values varied
// between runs.
func (t *Track) timed() [][]int {
	if !t.Judged || metric.Named(t.Metric).Kind == metric.Counted {
		return nil
	}
	return t.groups(placeAndBase, tested)
}

// tests returns the number of tests that a track needs: one for each group that is long enough, and
// one for each proof whose base no other proof has. Level is divided by the number of tests of all
// tracks, so that it holds for the whole history.
func (t *Track) tests() (n int) {
	for _, g := range t.timed() {
		if len(g) >= steps.Series || len(g) == 1 && t.Points[g[0]].P > 0 {
			n++
		}
	}
	return n
}

// find finds the steps of a track. Each test has the given level.
func (t *Track) find(level float64) {
	for _, g := range t.timed() {
		switch {
		case len(g) >= steps.Series:
			t.byRanks(g, level)
		case len(g) == 1:
			t.byPairs(g[0], level)
		}
	}
	if t.Judged {
		for _, g := range t.groups(place, exact) {
			t.byCount(g)
		}
	}
	slices.SortStableFunc(t.Steps, func(a, b Step) int { return cmp.Compare(a.index, b.index) })
}

// byRanks finds the steps in a group of several commits that were compared with the same base. It
// tests the ratios to the base.
func (t *Track) byRanks(group []int, level float64) {
	ratios := make([]float64, len(group))
	for i, at := range group {
		ratios[i] = math.Log(t.Points[at].Ratio)
	}
	for _, s := range steps.Find(ratios, level) {
		e := &t.Points[group[s.At]]
		t.Steps = append(t.Steps, Step{
			Way: Ranks, At: e.Label(), From: t.Points[group[s.From]].Label(), To: t.Points[group[s.To]].Label(), Time: e.Time, Machine: e.Machine,
			Ratio: math.Exp(s.Shift), P: s.P, Before: s.Before, After: s.After, Outcome: t.outcome(s.Shift), index: group[s.At],
		})
	}
}

// byPairs tests the pairs of a proof whose base no other proof has. There is only one ratio to this
// base, and a single ratio has no ranks. If a loss was measured again, there are two independent
// tests, whose p values Fisher's method combines: the product q of the two p values has the p value
// q*(1-ln q).
func (t *Track) byPairs(at int, level float64) {
	e := &t.Points[at]
	if e.P <= 0 {
		return
	}
	q := min(1, float64(max(e.Looks, 1))*e.P)
	if e.AgainN > 0 {
		q *= e.AgainP
	}
	p := 0.
	if q > 0 {
		p = q * (1 - math.Log(q))
	}
	if p > level {
		return
	}
	t.Steps = append(t.Steps, Step{
		Way: Pairs, At: e.Label(), From: e.Label(), To: e.Label(), Time: e.Time, Machine: e.Machine, Ratio: e.Ratio, P: p, Before: e.N, After: e.N,
		Outcome: t.outcome(math.Log(e.Ratio)), index: at,
	})
}

// byCount finds the points at which an exact value differs from the value of the previous proof. It
// needs no test.
func (t *Track) byCount(group []int) {
	for i := 1; i < len(group); i++ {
		was, is := &t.Points[group[i-1]], &t.Points[group[i]]
		difference := is.HeadMedian - was.HeadMedian
		if math.Abs(difference) <= max(was.Tolerance, is.Tolerance) {
			continue
		}
		s := Step{
			Way: Count, At: is.Label(), From: is.Label(), To: is.Label(), Time: is.Time, Machine: is.Machine, Before: 1, After: 1,
			Outcome: t.outcome(difference), index: group[i],
		}
		if was.HeadMedian > 0 && is.HeadMedian >= 0 {
			s.Ratio = is.HeadMedian / was.HeadMedian
		}
		t.Steps = append(t.Steps, s)
	}
}

// outcome returns the outcome of a step to higher (up > 0) or lower (up < 0) values.
func (t *Track) outcome(up float64) measure.Outcome {
	switch {
	case t.Better == metric.Unknown || up == 0:
		return measure.Open
	case (up > 0) == (t.Better == metric.Higher):
		return measure.Better
	}
	return measure.Worse
}
