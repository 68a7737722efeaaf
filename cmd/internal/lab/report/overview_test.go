package report

import (
	"strings"
	"testing"

	"github.com/coppice-go/coppice/cmd/internal/lab/experiment"
	"github.com/coppice-go/coppice/cmd/internal/lab/record"
)

// overviewOf returns a report of the groups one and two at each depth. In both groups the baseline
// takes 1 s. In group one, ours takes 0.5 s and rival 2 s. In group two, they take the given times.
func overviewOf(ours, rival float64, depths ...int) Report {
	e := experiment.Experiment{Name: "x", Title: "What?", Metric: "cpu"}
	s := record.Session{Environment: record.Environment{Session: "s", Values: map[string]string{"command": "coppice lab run x"}}}
	for _, group := range []struct {
		name  string
		takes [3]float64
	}{{"one", [3]float64{1, 0.5, 2}}, {"two", [3]float64{1, ours, rival}}} {
		for i, role := range []string{"base", "ours", "rival"} {
			name := group.name + " " + role
			e.Contenders = append(e.Contenders, experiment.Contender{Name: name, Group: group.name, Baseline: group.name + " base", Class: "open", Ours: role == "ours"})
			for _, depth := range depths {
				for round := 1; round <= 8; round++ {
					s.Runs = append(s.Runs, record.Run{
						Experiment: "x", Contender: name, Class: "open", Depth: depth, Session: "s", Round: round, Status: record.OK,
						Figures: map[string]float64{"cpu": group.takes[i]},
					})
				}
			}
		}
	}
	return Build(e, []record.Session{s}, "")
}

// If the baseline itself is the best, the verdict must say so and give the factor of the next
// contender.
func TestVerdictOverGroupsThatTheBaselineLeads(t *testing.T) {
	const won = "In 1 of 2 parts the best of ours beats the baseline, `base`, in CPU time: one (2 times faster by `one ours`); "
	for want, r := range map[string]Report{
		"the baseline itself is the best in two (the next, `two ours`, takes 1.07 times as much).":                                           overviewOf(1.07, 1.5, 20),
		"the baseline itself is the best in two (the next, `two rival`, takes 1.07 times as much; the best of ours, `two ours`, 1.5 times).": overviewOf(1.5, 1.07, 20),
		"it loses in two (2 times slower by `two ours`).":                                                                                    overviewOf(2, 0.5, 20),
		"no difference is proven in two.": overviewOf(1, 1, 20),
	} {
		if r.Verdict != won+want {
			t.Errorf("%s\nwant %s", r.Verdict, won+want)
		}
	}
}

// If there are results at several depths, the verdict over groups must name its depth.
func TestVerdictOverGroupsNamesItsDepth(t *testing.T) {
	const want = "In 2 of 2 parts (depth 20) the best of ours beats the baseline, `base`, in CPU time: one (2 times faster by `one ours`) and two (4 times faster by `two ours`)."
	if got := overviewOf(0.25, 2, 10, 20).Verdict; got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
}

// If findings have different depths or numbers of threads, the verdict must name them for each
// finding.
func TestVerdictOverGroupsAtDifferentPlaces(t *testing.T) {
	r := Report{Rankings: []Ranking{{Depth: 20, Workers: 1}, {Depth: 20, Workers: 2}}}
	all := []finding{{in: r.Rankings[0]}, {in: r.Rankings[1]}}
	if got := r.commonPlace(all); got != "" {
		t.Errorf("the common place is %q", got)
	}
	if got, want := r.commonPlace(all[:1]), " (depth 20, one thread)"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	const want = "no difference is proven in one at depth 20, one thread and two at depth 20, 2 threads."
	if got := r.overview(all, []string{"one", "two"}); !strings.HasSuffix(got, want) {
		t.Errorf("%s\nwant %s", got, want)
	}
}
