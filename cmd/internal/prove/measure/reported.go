package measure

import (
	"maps"
	"math"
	"slices"

	"github.com/coppice-go/coppice/cmd/internal/metric"
)

// A metric that a benchmark itself reports either is constant, such as the hit ratio of fixed keys,
// or varies, such as a rate. The runs decide which: if all runs of a side have the same value, the
// metric is compared exactly. Otherwise the metric is tested like a time, if its direction is
// known. If the direction is unknown, the metric is only shown: a test could prove neither a gain
// nor a loss, and it would weaken all other tests, because Holm's adjustment depends on the number
// of tests.

// Reported reports whether a metric comes from b.ReportMetric.
func Reported(name string) bool { return metric.Named(name).Kind == metric.Reported }

// reported returns the names of the metrics that all runs of both sides report, in sorted order.
func (d *Data) reported(subject string, side int) (names []string) {
	if d.plan.Better == nil {
		return nil
	}
	n := d.Rounds(subject)
	for _, name := range d.reportedBy(subject, 0) {
		if len(d.Values(subject, 0, name)) == n && len(d.Values(subject, side, name)) == n {
			names = append(names, name)
		}
	}
	return names
}

// reportedBy returns the names of the metrics that a side reports in its first run.
func (d *Data) reportedBy(subject string, side int) []string {
	runs := d.runs[subject][side]
	if len(runs) == 0 {
		return nil
	}
	return slices.DeleteFunc(slices.Sorted(maps.Keys(runs[0].Figures)), func(name string) bool { return !Reported(name) })
}

// NotCompared returns the units that only some runs, or only one of the two sides, report.
func (d *Data) NotCompared(subject string, side int) (units []string) {
	all := d.reported(subject, side)
	for _, name := range slices.Concat(d.reportedBy(subject, 0), d.reportedBy(subject, side)) {
		if unit, _ := metric.UnitOf(name); !slices.Contains(all, name) && !slices.Contains(units, unit) {
			units = append(units, unit)
		}
	}
	return units
}

// judged returns the names of the reported metrics that are tested. Their directions are known, and
// their values vary between runs.
func (d *Data) judged(subject string, side int) (names []string) {
	for _, name := range d.reported(subject, side) {
		known := d.plan.Better(name) != metric.Unknown
		if known && !constant(d.Values(subject, 0, name), d.Values(subject, side, name)) {
			names = append(names, name)
		}
	}
	return names
}

// constant reports whether each side has the same value in all runs, and there are enough runs.
func constant(base, head []float64) bool {
	same := func(all []float64) bool { return slices.Min(all) == slices.Max(all) }
	return len(base) >= exactRuns && len(head) >= exactRuns && same(base) && same(head)
}

// report sets the outcome of a reported metric.
func (m *Metric) report(alpha, least float64, t tested) {
	switch {
	case constant(m.Base, m.Head):
		m.reportExactly()
	case m.Better == metric.Unknown:
		m.tell(alpha)
	default:
		m.test(alpha, least, t)
	}
}

// reportExactly sets the outcome of a reported metric that has the same value in all runs of a
// side.
func (m *Metric) reportExactly() {
	m.Exact = true
	if m.Before > 0 && m.After >= 0 {
		m.Ratio = m.After / m.Before
	}
	switch higher := m.After > m.Before; {
	case math.Abs(m.After-m.Before) <= exactPart*math.Abs(m.Before):
		m.Outcome = Equal
	case m.Better == metric.Unknown:
		m.Outcome = Open
	case higher == (m.Better == metric.Higher):
		m.Outcome = Better
	default:
		m.Outcome = Worse
	}
}

// better reports whether a ratio other than 1 is an improvement.
func (m *Metric) better(ratio float64) bool {
	if m.Better == metric.Higher {
		return ratio > 1
	}
	return ratio < 1
}

// Varies reports whether the metric differs between runs of the same program, so that it is
// estimated from rounds.
func (m *Metric) Varies() bool {
	return Timed(m.Name) || ReportOnly(m.Name) || Reported(m.Name) && !m.Exact
}

// Unproven reports whether the metric varies and no difference is proven. Such a difference is
// shown with a "~".
func (m *Metric) Unproven() bool { return m.Varies() && m.Outcome == Open }

// Tested reports whether the metric is judged by a statistical test.
func (m *Metric) Tested() bool {
	return Timed(m.Name) || Reported(m.Name) && !m.Exact && m.Better != metric.Unknown
}

// Gain returns the relative improvement of a metric that has improved. It is 0.25 if a time falls
// from 5 s to 4 s, and also if 4 hits become 5. Both directions use the same scale, so that one
// threshold (-least) fits both. Without a ratio, Gain returns +Inf.
func (m *Metric) Gain() float64 {
	switch {
	case m.Ratio == 0:
		return math.Inf(1)
	case m.Better == metric.Higher:
		return m.Ratio - 1
	}
	return 1/m.Ratio - 1
}

// Loss returns the relative deterioration of a metric that has become worse, on the same scale as
// Gain.
func (m *Metric) Loss() float64 { return m.loss(m.Ratio) }

// LeastLoss returns the smallest loss that is consistent with the runs: the loss at the near end of
// the interval. Without an interval, as for exact metrics, it returns the loss itself.
func (m *Metric) LeastLoss() float64 {
	switch {
	case m.Exact || m.Hi == 0:
		return m.Loss()
	case m.Better == metric.Higher:
		return m.loss(m.Hi)
	}
	return m.loss(m.Lo)
}

// LossAgain returns the loss in the rounds that confirm a loss. If there are no such rounds, it
// returns the result of Loss.
func (m *Metric) LossAgain() float64 {
	if m.Again == nil || len(m.Again.Base) == 0 {
		return m.Loss()
	}
	return m.loss(m.Again.Ratio)
}

func (m *Metric) loss(ratio float64) float64 {
	switch {
	case ratio == 0:
		return math.Inf(1)
	case m.Better == metric.Higher:
		return 1/ratio - 1
	}
	return ratio - 1
}
