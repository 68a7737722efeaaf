package measure

import (
	"math"
	"slices"

	"github.com/coppice-go/coppice/cmd/internal/metric"
	"github.com/coppice-go/coppice/cmd/internal/stats"
	"github.com/coppice-go/coppice/cmd/internal/stats/paired"
)

// An Outcome is the result of comparing a metric of a head with the same metric of the base.
type Outcome string

// These are the values of Outcome.
const (
	Better Outcome = "better" // proven to be better
	Worse  Outcome = "worse"  // proven to be worse
	Equal  Outcome = "equal"  // equal exactly, or the interval lies within MinEffect
	Open   Outcome = "open"   // none of these is proven
)

// A Metric compares one metric of two sides. Lower values are better, unless Better says otherwise.
type Metric struct {
	Name    string    `json:"name"` // cpu, wall, rss, gc, allocs, bytes; "unit:" and a unit for what a benchmark reports itself
	Exact   bool      `json:"exact"`
	Base    []float64 `json:"base"` // values of the base, by round
	Head    []float64 `json:"head"`
	Before  float64   `json:"before"` // median of Base
	After   float64   `json:"after"`
	Ratio   float64   `json:"ratio"` // head/base: exact, or estimated from pairs; 0 if unknown
	Lo      float64   `json:"lo"`    // lower end of the interval of Ratio
	Hi      float64   `json:"hi"`    // upper end; 0 if the interval is unbounded
	P       float64   `json:"p"`     // p value of the test; 0 if exact
	Holm    float64   `json:"holm"`  // P, adjusted for all tests of the proof
	Outcome Outcome   `json:"outcome"`
	Again   *Again    `json:"again,omitempty"` // second test of a loss, nil if none was made
	// Better is the direction of a metric that the benchmark itself reports. If it is empty, the
	// direction is unknown, and the metric is not judged.
	Better metric.Direction `json:"better,omitempty"`
}

// An Again is the result of the rounds that were to confirm a loss. It does not include the rounds
// in which the loss was found.
type Again struct {
	Base      []float64 `json:"base"` // values of the base, by round
	Head      []float64 `json:"head"`
	Ratio     float64   `json:"ratio"` // head/base, estimated from pairs; 0 if there are none
	P         float64   `json:"p"`     // one-sided p value, adjusted for all losses of this subject and side
	Confirmed bool      `json:"confirmed"`
}

// againAlpha is the level of the test that confirms a loss. Without a real loss, at most 2.5 % of
// proofs claim one, and 5 % of these claims are confirmed: 1 proof in 800. A first test at a level
// of 0.1 % would have about the same error rate, but ten rounds cannot reach that level after
// Holm's adjustment. Each proof would then need twice as many rounds, whereas now only proofs with
// a loss need them.
const againAlpha = 0.05

// Timed reports whether a metric is always judged by a statistical test.
func Timed(name string) bool { return metric.Named(name).Kind == metric.Timed }

// ReportOnly reports whether a metric is shown but never judged.
func ReportOnly(name string) bool { return metric.Named(name).Kind == metric.ReportOnly }

// These are the tolerances of exact metrics. Allocation counts vary by a few objects between runs,
// because the runtime occasionally allocates for itself, and maps and pools vary a little. Without
// a tolerance, such a difference would be a proven loss.
const (
	exactPart   = 0.0002 // as a fraction of the value
	exactSpread = 3      // as a multiple of the base's own spread
	mostSpread  = 0.01   // maximum spread of an exact metric, as a fraction of the value
)

// exactRuns is the number of runs that decide the outcome of an exact metric. It does not grow with
// the number of rounds: more runs have a larger spread, so a longer proof would detect less.
const exactRuns = 3

// Metrics compares all metrics of a subject on the given side with the metrics of the base.
func (d *Data) Metrics(subject string, side int) []Metric {
	look := d.look(subject)
	if d.tests == nil {
		d.tests = d.holm()
	}
	var all []Metric
	names := slices.Concat(metric.OfKind(metric.Timed), metric.OfKind(metric.ReportOnly), metric.OfKind(metric.Counted), d.reported(subject, side))
	for _, name := range names {
		m := Metric{Name: name, Base: d.Values(subject, 0, name), Head: d.Values(subject, side, name)}
		if len(m.Base) == 0 || len(m.Base) != len(m.Head) {
			continue
		}
		m.Before, m.After = stats.Median(m.Base), stats.Median(m.Head)
		if ReportOnly(name) && m.Before == 0 && m.After == 0 {
			continue
		}
		switch {
		case Timed(name):
			m.test(look.Alpha, d.plan.MinEffect, d.tests[testOf{subject, side, name}])
		case ReportOnly(name):
			m.tell(look.Alpha)
		case Reported(name):
			m.Better = d.plan.Better(name)
			m.report(look.Alpha, d.plan.MinEffect, d.tests[testOf{subject, side, name}])
		default:
			m.count(d.operations(subject))
		}
		all = append(all, m)
	}
	d.confirmed(subject, side, all)
	return all
}

// confirmed withdraws the losses that the second set of rounds had to confirm but did not. The test
// is one-sided, because a gain in the second set of rounds does not confirm a loss. It is adjusted
// only for the number of losses of this subject and side: the first test has already bounded how
// often each of them is claimed by chance.
func (d *Data) confirmed(subject string, side int, all []Metric) {
	var claims []*Metric
	var p []float64
	for i := range all {
		m := &all[i]
		if !d.again[testOf{subject, side, m.Name}] {
			continue
		}
		m.Again = &Again{Base: d.later(subject, 0, m.Name), Head: d.later(subject, side, m.Name)}
		one := 1. // p value if there are no pairs and thus no evidence
		if e, err := paired.Compare(m.Again.Base, m.Again.Head, againAlpha); err == nil {
			m.Again.Ratio = e.Ratio
			if one = e.P / 2; e.Ratio == 1 || m.better(e.Ratio) {
				one = 1 - one
			}
		}
		claims, p = append(claims, m), append(p, one)
	}
	for i, adjusted := range stats.Holm(p) {
		m := claims[i]
		m.Again.P, m.Again.Confirmed = adjusted, adjusted <= againAlpha
		if !m.Again.Confirmed {
			m.Outcome = Open
		}
	}
}

// operations returns the number of operations in a run of a subject. Some metrics are divided by
// this number.
func (d *Data) operations(subject string) float64 {
	if n := d.Values(subject, 0, "operations"); len(n) > 0 {
		return n[0]
	}
	return 1
}

// look returns the look that a subject has reached: the number of pairs, and the error rate that is
// spent at this look.
func (d *Data) look(subject string) stats.Look {
	n := d.Rounds(subject)
	reached := stats.Look{N: n, Alpha: d.plan.Looks[0].Alpha}
	for _, l := range d.plan.Looks {
		if l.N <= n {
			reached.Alpha = l.Alpha
		}
	}
	return reached
}

// A testOf identifies a statistical test.
type testOf struct {
	subject string
	side    int
	metric  string
}

// A tested is the result of a statistical test, with the p value adjusted by Holm's method.
type tested struct {
	effect paired.Effect
	holm   float64
}

// holm performs all tests of the proof, and adjusts their p values together. A proof of twenty
// benchmarks with three metrics each performs sixty tests, of which three are expected to claim a
// false difference at a level of 5 %. Exact counts, and metrics that are only reported, are not
// tested, so they do not weaken the other tests.
func (d *Data) holm() map[testOf]tested {
	var names []testOf
	var effects []paired.Effect
	var p []float64
	for _, s := range d.plan.Subjects {
		for side := 1; side < d.plan.Sides; side++ {
			for _, name := range append(metric.OfKind(metric.Timed), d.judged(s.Name, side)...) {
				base, head := d.Values(s.Name, 0, name), d.Values(s.Name, side, name)
				e, err := paired.Compare(base, head, d.look(s.Name).Alpha)
				if err != nil {
					continue // the metric was not measured
				}
				names, effects, p = append(names, testOf{s.Name, side, name}), append(effects, e), append(p, e.P)
			}
		}
	}
	all := map[testOf]tested{}
	for i, adjusted := range stats.Holm(p) {
		all[names[i]] = tested{effects[i], adjusted}
	}
	return all
}

// test sets the outcome of a metric from the result of its statistical test.
//
// Equivalence comes first: if the whole interval lies within the smallest effect that matters, the
// outcome is Equal, even if the difference is significant. A significant difference of 0.3 % is
// neither a gain nor a reason to reject a change.
func (m *Metric) test(alpha, least float64, t tested) {
	m.Outcome = Open
	e := t.effect
	if e.N == 0 {
		return
	}
	m.Ratio, m.P, m.Holm = e.Ratio, e.P, t.holm
	if !math.IsInf(e.Hi, 0) {
		m.Lo, m.Hi = e.Lo, e.Hi
		if e.Lo > 1/(1+least) && e.Hi < 1+least {
			m.Outcome = Equal
			return
		}
	}
	switch {
	case t.holm > alpha:
	case e.Ratio == 1:
	case m.better(e.Ratio):
		m.Outcome = Better
	default:
		m.Outcome = Worse
	}
}

// tell sets the ratio of a metric that is not judged. Its p value is neither adjusted nor shown,
// because the ratio makes no claim.
func (m *Metric) tell(alpha float64) {
	m.Outcome = Open
	e, err := paired.Compare(m.Base, m.Head, alpha)
	if err != nil {
		return // some runs lack the metric
	}
	m.Ratio = e.Ratio
	if !math.IsInf(e.Hi, 0) {
		m.Lo, m.Hi = e.Lo, e.Hi
	}
}

// count sets the outcome of a counted metric. If the values of the runs vary too much for a count,
// the outcome is Open: the program depends on time or chance, and neither an exact comparison nor a
// test of three runs is valid.
func (m *Metric) count(operations float64) {
	base, head := m.Base[:min(exactRuns, len(m.Base))], m.Head[:min(exactRuns, len(m.Head))]
	m.Before, m.After = stats.Median(base), stats.Median(head)
	if m.Before <= m.slack()/operations {
		m.Before = 0 // only the runtime's own allocations, to which a ratio has no meaning
	}
	if m.Before > 0 {
		m.Ratio = m.After / m.Before
	}
	spread := slices.Max(base) - slices.Min(base)
	m.Outcome = Open
	if max(spread, slices.Max(head)-slices.Min(head)) > max(mostSpread*max(m.Before, m.After), m.slack()/operations) {
		return
	}
	m.Exact = true
	tolerance := m.Tolerance(operations)
	switch difference := m.After - m.Before; {
	case difference > tolerance:
		m.Outcome = Worse
	case difference < -tolerance:
		m.Outcome = Better
	default:
		m.Outcome = Equal
	}
}

// Tolerance returns the largest difference at which two values of an exact metric are treated as
// equal, in a run with the given number of operations. The slack is for the whole run, so it is
// divided by the number of operations.
func (m *Metric) Tolerance(operations float64) float64 {
	if Reported(m.Name) {
		return exactPart * math.Abs(m.Before)
	}
	base := m.Base[:min(exactRuns, len(m.Base))]
	if len(base) == 0 {
		return 0
	}
	return max(m.slack()/max(operations, 1), exactPart*m.Before, exactSpread*(slices.Max(base)-slices.Min(base)))
}

// slack returns the amount that the runtime itself may allocate in a run.
func (m *Metric) slack() float64 {
	if m.Name == "bytes" {
		return 4 << 10
	}
	return 8
}
