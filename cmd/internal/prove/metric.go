package prove

import (
	"fmt"

	"github.com/coppice-go/coppice/cmd/internal/metric"
	"github.com/coppice-go/coppice/cmd/internal/prove/measure"
)

// change describes the difference of a metric.
func change(m measure.Metric) string {
	if m.Ratio == 0 {
		return fmt.Sprintf("%s %.4g, was %.4g", metric.Named(m.Name).Op, m.After, m.Before)
	}
	return fmt.Sprintf("%s %+.1f %%", metric.Named(m.Name).Op, 100*(m.Ratio-1))
}

// seenAgain describes the result of the rounds that confirm a loss. It is empty if there were none.
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

// overBudget reports whether a loss in a metric is more than a gain in the goal may cost.
func overBudget(m measure.Metric, goal string) bool {
	switch m.Name {
	case "cpu", goal:
		return true
	case "bytes":
		return m.Before == 0 || m.Ratio > bytesBudget
	case "rss":
		return m.Ratio > rssBudget
	}
	return measure.Reported(m.Name) && m.Loss() > reportedBudget
}
