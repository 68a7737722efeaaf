package prove

import (
	"fmt"
	"strings"

	"github.com/coppice-go/coppice/cmd/internal/gobench"
	"github.com/coppice-go/coppice/cmd/internal/metric"
	"github.com/coppice-go/coppice/cmd/internal/prove/measure"
	"github.com/coppice-go/coppice/cmd/internal/stats"
	"github.com/coppice-go/coppice/cmd/internal/stats/paired"
)

// These budgets are the losses that a gain in the goal may cost. A change that saves CPU time often
// uses a little more memory; above these limits it is a trade-off that a person has to decide. The
// budget of CPU time is 0: see the function budget.
const (
	bytesBudget    = 0.05
	rssBudget      = 0.05
	reportedBudget = 0.05 // for metrics that the benchmark itself reports
)

// power is the probability that the forecast number of rounds proves the effect. 0.8 is the usual
// choice.
const power = 0.8

// judge sets the verdicts of all comparisons, and the gravest of them as the verdict of the result.
func (r *Result) judge(o *Options) {
	if warning := r.Environment["warning"]; warning != "" {
		r.Warnings = append(r.Warnings, warning)
	}
	defer r.complete()
	r.Verdict = Keep
	for i := range r.Comparisons {
		c := &r.Comparisons[i]
		for j := range c.Subjects {
			c.Subjects[j].judge(o)
		}
		c.judge(o)
		if c.Verdict == Undecided && r.Others > 0 {
			c.Reasons = append(c.Reasons, fmt.Sprintf("other programs used %.1f processors during the rounds", r.Others))
		}
		if gravity[c.Verdict] > gravity[r.Verdict] {
			r.Verdict = c.Verdict
		}
	}
}

// gravity ranks the verdicts. A result has the gravest verdict of its comparisons, so Keep means
// that each head is worth keeping.
var gravity = map[Verdict]int{Keep: 0, Identical: 1, Same: 2, Undecided: 3, Revert: 4}

// judge sets the verdict of a comparison and the reasons for it.
//
// The cases are in the order of their importance. Unequal results come first, because the speed of
// a wrong program has no meaning. A proven loss in one benchmark outweighs gains in others, because
// a caller of that benchmark's code gets only the loss. A gain without evidence of equality is
// undecided, because a head that does less work is also faster.
func (c *Comparison) judge(o *Options) {
	if len(c.Equality.Unequal) > 0 {
		c.Verdict = Revert
		c.Reasons = append(c.Reasons, "the programs are not equal")
		if c.Equality.byResultsOnly() {
			c.Reasons = append(c.Reasons, "if a result or its type differs on purpose, compare the tests alone: -equal tests")
		}
		return
	}
	var t tally
	for _, s := range c.Subjects {
		t.add(o, s.Name, s.Verdict, s.Metrics)
	}
	switch {
	case t.has(Revert):
		c.Verdict = Revert
		c.Reasons = append(c.Reasons, t.loss())
	case t.has(Keep) && c.Equality.Level == Unproven:
		c.Verdict = Undecided
		c.Reasons = append(c.Reasons, "faster, but not shown to be equal: no test passes in both, and no result was kept")
	case t.has(Keep):
		c.Verdict = Keep
		c.Reasons = append(c.Reasons, t.gain())
	case t.has(Undecided):
		c.Verdict = Undecided
		c.Reasons = append(c.Reasons, "neither a gain nor a loss is proven")
	default:
		c.Verdict = Same
		c.Reasons = append(c.Reasons, t.sameReason(o))
	}
}

// A balance summarizes the gains and the losses of a head in the metrics of one subject.
type balance struct {
	gains  []string        // proven gains in the goal
	small  string          // a proven gain in the goal that is below MinEffect; empty if there is none
	losses []string        // proven losses that exceed their limits
	risks  []string        // proven losses that may exceed their limits
	within []string        // proven losses that do not exceed their limits
	goal   measure.Outcome // outcome of the goal
}

// weigh returns the balance of a subject's metrics.
//
// Only the goal can have a gain, but each metric with a budget can have a loss. A gain in the goal
// below MinEffect is treated as equality: it is proven, but too small to be worth a review.
func (o *Options) weigh(metrics []measure.Metric) balance {
	b := balance{goal: measure.Open}
	for _, m := range metrics {
		if m.Name == o.Goal {
			b.goal = m.Outcome
		}
		switch {
		case m.Outcome == measure.Better && m.Name == o.Goal && m.Gain() < o.MinEffect:
			b.goal, b.small = measure.Equal, change(m) // too small to be worth having
		case m.Outcome == measure.Better && m.Name == o.Goal:
			b.gains = append(b.gains, change(m))
		case m.Outcome == measure.Worse && overBudget(m, o.Goal):
			b.losses = append(b.losses, change(m)+overLimit(m, o.Goal)+seenAgain(m))
		case m.Outcome == measure.Worse && perhapsOver(m, o.Goal):
			b.risks = append(b.risks, risk(m, o.Goal))
		case m.Outcome == measure.Worse && limited(m, o.Goal):
			b.within = append(b.within, change(m))
		}
		if m.Name == "bytes" && m.After*(1+1e-9) < o.LeastBytes {
			b.losses = append(b.losses, fmt.Sprintf("%.0f B per operation is below the %.0f of -least-bytes", m.After, o.LeastBytes))
		}
	}
	return b
}

// claims returns the metrics whose losses a second set of rounds must confirm. Exact counts need no
// confirmation. Gains are not measured again: a false gain fails no build, and coppice fix measures
// all kept changes together at its end.
func (o *Options) claims(metrics []measure.Metric) (names []string) {
	for _, m := range metrics {
		if m.Tested() && m.Outcome == measure.Worse && overBudget(m, o.Goal) {
			names = append(names, m.Name)
		}
	}
	return names
}

// decided reports whether further rounds are useless: there is a loss, or the goal has an outcome
// other than Open and no loss may exceed its limit.
func (o *Options) decided(metrics []measure.Metric) bool {
	b := o.weigh(metrics)
	return len(b.losses) > 0 || len(b.risks) == 0 && b.goal != measure.Open
}

// decide returns the verdict for the metrics, and the reasons for it. If nothing is proven, it
// calls the function open to get the reason. A loss takes precedence over a gain; the comment of
// Comparison.judge explains why. A loss that may exceed its limit does not change the verdict, but
// is mentioned in the reasons.
func (o *Options) decide(metrics []measure.Metric, open func() string) (Verdict, []string) {
	b := o.weigh(metrics)
	switch {
	case len(b.losses) > 0:
		if len(b.gains) > 0 {
			b.losses = append(b.losses, "beside a gain: "+strings.Join(b.gains, ", "))
		}
		return Revert, b.losses
	case len(b.gains) > 0:
		return Keep, append(b.gains, b.risks...)
	case b.small != "":
		same := fmt.Sprintf("%s is proven, but smaller than %s", b.small, percent(o.MinEffect))
		return Same, append([]string{same}, b.risks...)
	case b.goal == measure.Equal:
		same := fmt.Sprintf("the difference in %s is smaller than %s", metric.Named(o.Goal).Op, percent(o.MinEffect))
		return Same, append([]string{same}, b.risks...)
	default:
		return Undecided, append([]string{open()}, b.risks...)
	}
}

// judge sets the verdict of a benchmark or command and the reasons for it.
func (s *Subject) judge(o *Options) {
	s.Verdict, s.Reasons = o.decide(s.Metrics, func() string {
		if doubt := s.unconfirmed(); doubt != "" {
			return doubt
		}
		return s.forecast(o)
	})
}

// unconfirmed describes the losses that the second set of rounds did not confirm.
func (s *Subject) unconfirmed() string {
	var all []string
	for _, m := range s.Metrics {
		if m.Again != nil && !m.Again.Confirmed {
			all = append(all, fmt.Sprintf("%s in %s%s", change(m), counted(len(m.Base), "round"), seenAgain(m)))
		}
	}
	return strings.Join(all, ", ")
}

// forecast returns a hint for a subject whose goal is undecided: how many rounds would probably
// decide it.
func (s *Subject) forecast(o *Options) string {
	for _, m := range s.Metrics {
		if m.Name != o.Goal || m.Exact {
			continue
		}
		n := len(m.Base)
		seen := paired.Detectable(m.Base, m.Head, n, alpha, power)
		need := paired.Forecast(m.Base, m.Head, o.MinEffect, alpha, power)
		switch {
		case need == 0:
		case need > n && seen < 1:
			return fmt.Sprintf("%s detect a difference of %s; to detect %s takes about %d (-rounds %d)", counted(n, "round"), percent(seen), percent(o.MinEffect), need, need)
		case need > n:
			return fmt.Sprintf("to detect a difference of %s takes about %s (-rounds %d)", percent(o.MinEffect), counted(need, "round"), need)
		}
		return fmt.Sprintf("it may be as large as %s; run more rounds (-rounds %d)", percent(o.MinEffect), 2*n)
	}
	return "no " + metric.Named(o.Goal).Op + " was measured"
}

// layoutMatters is the duration of an operation, in seconds, below which the placement and
// alignment of code may have more effect than the change. In one case, an additional test function
// in another file made an operation of 2 ns 40 % faster.
const layoutMatters = 5e-9

// doubts returns reasons not to trust the values of a benchmark even though the tests are valid. In
// these cases the measurement is correct, but the benchmark does not measure what its author
// intends.
func doubts(b *gobench.Benchmark, data *measure.Data) (all []string) {
	if data.Rounds(b.Subject()) == 0 {
		return nil
	}
	cpu, allocs := data.Values(b.Subject(), 0, "cpu"), data.Values(b.Subject(), 0, "allocs")
	if len(cpu) == 0 {
		return []string{"this system does not report CPU time"}
	}
	now := stats.Summarize(cpu).Median
	if now < 1e-9 && len(allocs) > 0 && allocs[0] < 0.001 {
		all = append(all, "an operation takes less than 1 ns and allocates nothing: the compiler has removed the work; use its result, or write the loop with b.Loop")
	} else if now < layoutMatters {
		all = append(all, fmt.Sprintf("an operation takes %.1f ns: the placement of the code may outweigh the change; do more work per operation", 1e9*now))
	}
	if part := max(1-now/max(b.First, 1e-12), b.Fixed); now > 0 && part > 1./3 {
		all = append(all, fmt.Sprintf("%.0f %% of the time of short runs is set-up inside the timed part; call b.ResetTimer after it", 100*min(part, 1)))
	}
	process := data.Values(b.Subject(), 0, "process")
	if part := now * float64(b.N); len(process) > 0 && part < 0.2*stats.Summarize(process).Median {
		all = append(all, fmt.Sprintf("only %.0f %% of a process is timed; the rest is set-up, which makes the rounds slow", 100*part/stats.Summarize(process).Median))
	}
	if lower, upper, ok := stats.Bimodal(cpu); ok {
		all = append(all, fmt.Sprintf("the base's CPU times fall into two groups, a factor of %.2f apart: other processes probably ran for part of the time; repeat it on an idle machine", upper/lower))
	}
	return all
}

func percent(part float64) string {
	return strings.TrimSuffix(fmt.Sprintf("%.1f", 100*part), ".0") + " %"
}
