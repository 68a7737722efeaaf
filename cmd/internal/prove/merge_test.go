package prove

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/coppice-go/coppice/cmd/internal/metric"
	"github.com/coppice-go/coppice/cmd/internal/prove/measure"
)

// proofOf returns the result of a proof on one machine. The head takes ratio times the base's CPU
// time.
func proofOf(machine int, kind string, ratio float64, allocs measure.Outcome) *Result {
	r := rand.New(rand.NewPCG(uint64(machine), 3))
	cpu := measure.Metric{Name: "cpu"}
	for range 12 {
		v := math.Exp(0.1 * r.NormFloat64())
		cpu.Base, cpu.Head = append(cpu.Base, v*math.Exp(0.01*r.NormFloat64())), append(cpu.Head, ratio*v*math.Exp(0.01*r.NormFloat64()))
	}
	counts := measure.Metric{Name: "allocs", Exact: true, Before: 10, After: 10, Ratio: 1, Outcome: allocs}
	if allocs == measure.Worse {
		counts.After, counts.Ratio = 12, 1.2
	}
	return &Result{
		Schema: Schema, Started: time.Unix(int64(machine), 0), Environment: map[string]string{"cpu": kind, "host": fmt.Sprint(machine), "go": "go1.26.8"},
		Base: Side{Name: "base", Programs: map[string]Program{"p": {Sources: "b"}}},
		Comparisons: []Comparison{{
			Head: Side{Name: "head", Programs: map[string]Program{"p": {Sources: "h"}}}, Equality: Equality{Level: Results},
			Subjects: []Subject{{Name: "BenchmarkX", Package: "p", Metrics: []measure.Metric{cpu, counts}}},
		}},
	}
}

// proofs returns the results of three machines of kind A and three of kind B. The heads take a
// times the base's CPU time on A and b times on B.
func proofs(a, b float64) (all []*Result) {
	for m := range 3 {
		all = append(all, proofOf(m, "A", a, measure.Equal), proofOf(10+m, "B", b, measure.Equal))
	}
	return all
}

var options = &Options{Goal: "cpu", MinEffect: 0.05}

func TestMergedVerdicts(t *testing.T) {
	for what, c := range map[string]struct {
		all  []*Result
		want [3]Verdict // of all machines, of A and of B
	}{
		"a gain everywhere":         {proofs(0.7, 0.8), [3]Verdict{Keep, Keep, Keep}},
		"nothing anywhere":          {proofs(1, 1), [3]Verdict{Same, Same, Same}},
		"a loss on one kind":        {proofs(0.7, 1.3), [3]Verdict{Revert, Keep, Revert}},
		"more on one machine":       {append(proofs(0.7, 0.7), proofOf(20, "B", 0.7, measure.Worse)), [3]Verdict{Keep, Keep, Keep}},
		"a machine twice is once":   {append(proofs(0.7, 0.8), proofs(0.7, 0.8)...), [3]Verdict{Keep, Keep, Keep}},
		"two proofs of a machine":   {append(proofs(0.7, 0.8), repeatProof(proofOf(1, "A", 0.7, measure.Equal))), [3]Verdict{Keep, Keep, Keep}},
		"unequal on one machine":    {unequal(proofs(0.7, 0.8)), [3]Verdict{Revert, Revert, Keep}},
		"nothing shows it is equal": {unproven(proofs(0.7, 0.8)), [3]Verdict{Undecided, Undecided, Keep}},
	} {
		merged := Merge(c.all, options)
		if len(merged) != 1 || len(merged[0].Kinds) != 2 {
			t.Fatalf("%s: %d merged", what, len(merged))
		}
		m := merged[0]
		if got := [3]Verdict{m.Verdict, m.Kinds[0].Verdict, m.Kinds[1].Verdict}; got != c.want {
			t.Errorf("%s: %v, want %v; %+v", what, got, c.want, m)
		}
		if machines := m.Kinds[0].Machines + m.Kinds[1].Machines; m.Machines != machines || machines < 6 || machines > 7 {
			t.Errorf("%s: %d machines", what, m.Machines)
		}
	}
}

// repeatProof changes r to the result of another proof on the same machine.
func repeatProof(r *Result) *Result {
	r.Started = time.Unix(99, 0)
	return r
}

func unequal(all []*Result) []*Result {
	all[0].Comparisons[0].Equality.Unequal = []string{"line 1"}
	return all
}

func unproven(all []*Result) []*Result {
	all[0].Comparisons[0].Equality.Level = Unproven
	return all
}

// Results of other programs, or of another toolchain, must not be merged.
func TestDifferentProgramsAreSeparate(t *testing.T) {
	for what, change := range map[string]func(*Result){
		"base":      func(r *Result) { r.Base.Programs = map[string]Program{"p": {Sources: "other"}} },
		"head":      func(r *Result) { r.Comparisons[0].Head.Programs = map[string]Program{"p": {Sources: "other"}} },
		"toolchain": func(r *Result) { r.Environment["go"] = "go1.27.4" },
	} {
		all := proofs(0.7, 0.7)
		change(all[0])
		if merged := Merge(all, options); len(merged) != 2 || merged[0].Machines != 1 || merged[1].Machines != 5 || len(merged[0].Notes) == 0 {
			t.Errorf("%s: %+v", what, merged)
		}
	}
}

// The result of a single machine, which has its own sequence of looks, is taken over unchanged.
func TestOneProof(t *testing.T) {
	r := proofOf(1, "A", 0.5, measure.Equal)
	m := &r.Comparisons[0].Subjects[0].Metrics[0]
	m.Ratio, m.Lo, m.Hi, m.P, m.Holm, m.Outcome = 0.5, 0.4, 0.6, 0.02, 0.06, measure.Open
	merged := Merge([]*Result{r}, options)[0]
	if got := merged.All.Subjects[0].Metrics[0]; got.Outcome != measure.Open || got.Holm != 0.06 || merged.Verdict != Undecided {
		t.Errorf("%s, %+v", merged.Verdict, got)
	}
}

// When a single proof is merged, the rounds that measured a loss again decide as they do in the
// proof.
func TestOneProofMeasuredAgain(t *testing.T) {
	rounds := make([]float64, 10)
	gain := measure.Metric{Name: "cpu", Outcome: measure.Better, Ratio: 0.8, Lo: 0.7, Hi: 0.9, P: 0.001, Holm: 0.002}
	rss := func(later float64) measure.Metric {
		return measure.Metric{
			Name: "rss", Outcome: measure.Worse, Ratio: 1.06, Lo: 1.051, Hi: 1.09, P: 0.001, Holm: 0.002,
			Again: &measure.Again{Base: rounds, Head: rounds, Ratio: later, P: 0.001, Confirmed: true},
		}
	}
	rate := func(later float64) measure.Metric {
		m := rss(later)
		m.Name, m.Better, m.Ratio, m.Lo, m.Hi = metric.OfUnit("B/s"), metric.Higher, 0.9, 0.8, 0.94
		return m
	}
	for what, c := range map[string]struct {
		loss measure.Metric
		want Verdict
	}{
		"peak RSS, over once":  {rss(1.03), Keep},
		"peak RSS, over twice": {rss(1.07), Revert},
		"a rate, over once":    {rate(0.97), Keep},
		"a rate, over twice":   {rate(0.9), Revert},
	} {
		r := proofOf(1, "A", 1, measure.Equal)
		r.Comparisons[0].Subjects[0].Metrics = []measure.Metric{gain, c.loss}
		r.judge(options)
		merged := Merge([]*Result{r}, options)[0]
		if r.Verdict != c.want || merged.Verdict != c.want {
			t.Errorf("%s: the proof is %s and the merge %s, want %s", what, r.Verdict, merged.Verdict, c.want)
		}
		if got, want := merged.All.Subjects[0].Reasons, r.Comparisons[0].Subjects[0].Reasons; !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", what, got, want)
		}
	}
}
