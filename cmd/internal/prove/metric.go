package prove

import (
	"fmt"

	"github.com/coppice-go/coppice/cmd/internal/metric"
	"github.com/coppice-go/coppice/cmd/internal/prove/measure"
)

// change formats the difference between the two values of a metric.
func change(m measure.Metric) string {
	if m.Ratio == 0 {
		return fmt.Sprintf("%s %.4g, was %.4g", metric.Named(m.Name).Op, m.After, m.Before)
	}
	return fmt.Sprintf("%s %+.1f %%", metric.Named(m.Name).Op, 100*(m.Ratio-1))
}

// seenAgain describes the result of the rounds that were to confirm a loss. It returns "" if the
// loss did not have to be confirmed.
func seenAgain(m measure.Metric) string {
	switch {
	case m.Again == nil:
		return ""
	case len(m.Again.Base) == 0:
		return ", and not measured again"
	case m.Again.Confirmed:
		return fmt.Sprintf(", and %+.1f %% in %s more", 100*(m.Again.Ratio-1), counted(len(m.Again.Base), "round"))
	}
	return fmt.Sprintf(", but %+.1f %% in %s more", 100*(m.Again.Ratio-1), counted(len(m.Again.Base), "round"))
}

// overBudget reports whether a loss in a metric is proven to exceed its budget, the loss that a
// gain in the goal may cost. Unless the budget is 0, both the whole interval and the loss in the
// rounds that confirm it must exceed the budget.
func overBudget(m measure.Metric, goal string) bool {
	most, limited := budget(m, goal)
	return limited && (most == 0 || m.LeastLoss() > most && m.LossAgain() > most)
}

// perhapsOver reports whether a proven loss may exceed its budget: the estimated loss does, but
// overBudget does not consider this proven. More rounds would decide it
// (docs/decisions/0067-a-limit-is-tested-as-a-limit.md).
func perhapsOver(m measure.Metric, goal string) bool {
	most, limited := budget(m, goal)
	return limited && m.Loss() > most && !overBudget(m, goal)
}

// budget returns the largest loss in a metric, as a fraction, that a gain in the goal may cost, and
// whether there is a limit at all. The budget of the goal itself and of CPU time is 0.
func budget(m measure.Metric, goal string) (most float64, limited bool) {
	switch m.Name {
	case "cpu", goal:
		return 0, true
	case "bytes":
		return bytesBudget, true
	case "rss":
		return rssBudget, true
	}
	return reportedBudget, measure.Reported(m.Name)
}

// limited reports whether losses in a metric have a limit.
func limited(m measure.Metric, goal string) bool {
	_, limited := budget(m, goal)
	return limited
}

// overLimit describes the limit that a loss exceeds. It returns "" if the limit is 0, or if the
// metric has no ratio.
func overLimit(m measure.Metric, goal string) string {
	if most, _ := budget(m, goal); most > 0 && m.Ratio > 0 {
		return fmt.Sprintf(", over the limit of %s", percent(most))
	}
	return ""
}

// risk describes a loss that may exceed its limit.
func risk(m measure.Metric, goal string) string {
	most, _ := budget(m, goal)
	return fmt.Sprintf("%s may be over the limit of %s%s", change(m), percent(most), seenAgain(m))
}
