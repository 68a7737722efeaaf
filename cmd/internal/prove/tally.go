package prove

import (
	"fmt"

	"github.com/coppice-go/coppice/cmd/internal/metric"
	"github.com/coppice-go/coppice/cmd/internal/prove/measure"
)

// A tally groups the subjects of a head by their verdicts, and phrases the reasons for the verdict
// of the head. The zero value is empty.
type tally struct {
	by     map[Verdict][]string // names of the subjects with each verdict
	atRisk []string             // subjects with losses that may exceed limits, whatever their verdict
	small  bool                 // whether a subject has a proven loss that is within its limit
}

// add adds a subject with its verdict to the tally.
func (t *tally) add(o *Options, name string, v Verdict, metrics []measure.Metric) {
	if t.by == nil {
		t.by = map[Verdict][]string{}
	}
	t.by[v] = append(t.by[v], name)
	b := o.weigh(metrics)
	if len(b.risks) > 0 {
		t.atRisk = append(t.atRisk, name)
	}
	t.small = t.small || len(b.within) > 0
}

// has reports whether any subject has the given verdict.
func (t *tally) has(v Verdict) bool { return len(t.by[v]) > 0 }

// loss returns the reason for the verdict Revert.
func (t *tally) loss() string { return "a proven loss in " + joinFirst(t.by[Revert]) }

// gain returns the reason for the verdict Keep.
func (t *tally) gain() string {
	text := "a proven gain in " + joinFirst(t.by[Keep]) + ", and no loss"
	switch {
	case len(t.atRisk) > 0:
		text += " that is proven to be over its limit; one in " + joinFirst(t.atRisk) + " may be"
	case t.small:
		text += " over its limit"
	}
	return text
}

// sameReason returns the reason for the verdict Same. It names the goal, because the verdict rests
// on no other metric.
func (t *tally) sameReason(o *Options) string {
	text := fmt.Sprintf("every estimated difference in %s is smaller than %s", metric.Named(o.Goal).Op, percent(o.MinEffect))
	if len(t.atRisk) > 0 {
		text += ", and no loss is proven to be over its limit; one in " + joinFirst(t.atRisk) + " may be"
	}
	return text
}
