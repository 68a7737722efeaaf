package measure

import (
	"math"
	"slices"

	"github.com/coppice-go/coppice/cmd/internal/metric"
	"github.com/coppice-go/coppice/cmd/internal/stats"
	"github.com/coppice-go/coppice/cmd/internal/stats/paired"
)

// An Outcome says what is known of a metric of a head against that of the base.
type Outcome string

// The outcomes.
const (
	Better Outcome = "better" // proven
	Worse  Outcome = "worse"  // proven
	Equal  Outcome = "equal"  // exactly, or the interval lies within what matters
	Open   Outcome = "open"   // neither is proven
)

// A Metric is one figure of two sides. Lower is better, unless Better says something else.
type Metric struct {
	Name    string    `json:"name"` // cpu, wall, rss, gc, allocs, bytes; unit: and a unit for what a benchmark reports itself
	Exact   bool      `json:"exact"`
	Base    []float64 `json:"base"` // by round
	Head    []float64 `json:"head"`
	Before  float64   `json:"before"` // median of Base
	After   float64   `json:"after"`
	Ratio   float64   `json:"ratio"` // of the two: exactly, or estimated from pairs; 0 if unknown
	Lo      float64   `json:"lo"`    // interval of Ratio
	Hi      float64   `json:"hi"`    // 0 if it is not bounded
	P       float64   `json:"p"`     // of the test; 0 if exact
	Holm    float64   `json:"holm"`  // P, adjusted for all tests of the proof
	Outcome Outcome   `json:"outcome"`
	Again   *Again    `json:"again,omitempty"` // of a loss that must be seen twice
	// Better says which values are better of what a benchmark reports itself; empty for not known,
	// and then it is not judged.
	Better metric.Direction `json:"better,omitempty"`
}

// An Again is what further rounds say of a loss. The rounds that found it have no part in it.
type Again struct {
	Base      []float64 `json:"base"` // by round
	Head      []float64 `json:"head"`
	Ratio     float64   `json:"ratio"` // estimated from pairs; 0 if there are none
	P         float64   `json:"p"`     // of the one-sided test, adjusted for all losses of the subject on its side
	Confirmed bool      `json:"confirmed"`
}

// againAlpha is the probability with which the rounds that shall confirm a loss show one by chance.
const againAlpha = 0.05

// Timed tells whether a metric is tested.
func Timed(name string) bool { return metric.Named(name).Kind == metric.Timed }

// ReportOnly tells whether a metric is shown but never judged.
func ReportOnly(name string) bool { return metric.Named(name).Kind == metric.ReportOnly }

// Tolerances of exact metrics: what a run may differ by from the next, in one operation or in all.
const (
	exactPart   = 0.0002 // of the value
	exactSpread = 3      // times the base's own spread
	mostSpread  = 0.01   // of the value; beyond it the metric is no exact one
)

// exactRuns is how many runs have a say in what is exact.
const exactRuns = 3

// Metrics compares all metrics of a subject on a side with the base's.
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

// confirmed takes the losses back that were to be seen twice and were not.
func (d *Data) confirmed(subject string, side int, all []Metric) {
	var claims []*Metric
	var p []float64
	for i := range all {
		m := &all[i]
		if !d.again[testOf{subject, side, m.Name}] {
			continue
		}
		m.Again = &Again{Base: d.later(subject, 0, m.Name), Head: d.later(subject, side, m.Name)}
		one := 1. // nothing is shown by no pairs
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

// operations is how many operations a run has, for figures that are divided by it.
func (d *Data) operations(subject string) float64 {
	if n := d.Values(subject, 0, "operations"); len(n) > 0 {
		return n[0]
	}
	return 1
}

// look is the one that has been reached: how many pairs there are, and which error rate is spent on
// it.
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

// A testOf names one test of all.
type testOf struct {
	subject string
	side    int
	metric  string
}

// A tested is one test and its p value.
type tested struct {
	effect paired.Effect
	holm   float64
}

// holm makes all tests of the proof, and adjusts their p values together.
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
					continue // there are no such figures
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

// test fills in the outcome of a test.
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

// tell fills in the ratio of a metric that is not judged.
func (m *Metric) tell(alpha float64) {
	m.Outcome = Open
	e, err := paired.Compare(m.Base, m.Head, alpha)
	if err != nil {
		return // in some runs there was none
	}
	m.Ratio = e.Ratio
	if !math.IsInf(e.Hi, 0) {
		m.Lo, m.Hi = e.Lo, e.Hi
	}
}

// count fills in the outcome of a metric that is counted. A spread that is too wide for that leaves
// it open.
func (m *Metric) count(operations float64) {
	base, head := m.Base[:min(exactRuns, len(m.Base))], m.Head[:min(exactRuns, len(m.Head))]
	m.Before, m.After = stats.Median(base), stats.Median(head)
	if m.Before <= m.slack()/operations {
		m.Before = 0 // no more than the runtime's own: nothing is a part of it
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

// Tolerance is by how much two values of an exact metric differ at most that count as one, where a
// run has so many operations.
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

// slack is what the runtime itself allocates in a run, now and then.
func (m *Metric) slack() float64 {
	if m.Name == "bytes" {
		return 4 << 10
	}
	return 8
}
