package report

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/coppice-go/coppice/cmd/internal/lab/compare"
	"github.com/coppice-go/coppice/cmd/internal/lab/experiment"
	"github.com/coppice-go/coppice/cmd/internal/lab/record"
	"github.com/coppice-go/coppice/cmd/internal/metric"
	"github.com/coppice-go/coppice/cmd/internal/stats"
)

// A Claim is a published figure with today's figure, for one number of threads.
type Claim struct {
	experiment.Claim
	Measured       float64
	Lo, Hi         float64
	N              int
	Depth, Workers int    // depth and number of threads of the measurement
	Direction      string // yes, no, ~ if unproven, or "" if there is none
	Size           string // yes, near, no, sizeOpen or ""
	NotRun         string // name of a contender that has no run
	WhyNotMeasured string
	Beside         string // today's figure of ours, with its unit; "" if there is none

	sessions []string // sessions used to judge the claim
	several  bool     // the claim is also judged at other depths
}

// judge compares a claim with the results, for every number of threads that was run. It uses the
// depth of the claim if that was run. A claim without a depth is judged at every depth. If the
// claim was not measured, the result is a single Claim that states the reason.
func judge(c experiment.Claim, sessions []record.Session) (all []Claim) {
	for _, name := range c.Contenders() {
		if len(depthsOf(sessions, name)) == 0 {
			return []Claim{{Claim: c, NotRun: name}}
		}
	}
	depths := depthsFor(c, sessions)
	for _, depth := range depths {
		all = append(all, judgeAt(depth, len(depths) > 1, c, sessions)...)
	}
	return all
}

// judgeAt judges a claim at one depth. several states whether the claim is also judged at other
// depths; if so, its text mentions the depth.
func judgeAt(depth int, several bool, c experiment.Claim, sessions []record.Session) (all []Claim) {
	j := Claim{Claim: c, Depth: depth, several: several}
	if c.Over == "" && c.Depth != 0 && c.Depth != depth {
		j.WhyNotMeasured = fmt.Sprintf("published at depth %d, run at %d", c.Depth, depth)
		return []Claim{j}
	}
	for _, m := range figuresOf(c, c.Of, c.Over, depth, sessions) {
		at := j
		at.N, at.Measured, at.Lo, at.Hi, at.Workers = m.N, m.Estimate, m.Lo, m.Hi, m.Workers
		at.decide()
		at.Beside = at.ourFigure(sessions)
		at.sessions = claimSessions(c, depth, at.Workers, sessions)
		all = append(all, at)
	}
	if len(all) > 0 {
		slices.SortFunc(all, func(a, b Claim) int { return a.Workers - b.Workers }) // a round's order is random
		return all
	}
	j.WhyNotMeasured = j.missing()
	return []Claim{j}
}

// missing returns the reason that a claim has no figure.
func (c Claim) missing() (why string) {
	switch {
	case c.Over == "":
		why = c.Of + " has no figure of " + c.Metric
	case c.Whole != "":
		why = "they were not run together, one failed, or nothing is saved"
	default:
		why = "they were not run together, one failed, or one has a figure of zero"
	}
	if c.several {
		why += fmt.Sprintf(", depth %d", c.Depth)
	}
	return why
}

// depthsFor returns the depths at which a claim is judged. This is the depth of the claim or, if
// that was not run, the largest depth at which all its contenders ran. A claim without a depth is
// judged at every such depth, unless its figure is only shown.
func depthsFor(c experiment.Claim, sessions []record.Session) []int {
	depths := depthsOf(sessions, c.Of)
	for _, name := range c.Contenders() {
		other := depthsOf(sessions, name)
		if both := slices.DeleteFunc(slices.Clone(depths), func(d int) bool { return !slices.Contains(other, d) }); len(both) > 0 {
			depths = both
		}
	}
	switch {
	case slices.Contains(depths, c.Depth):
		return []int{c.Depth}
	case c.Depth == 0 && !(Claim{Claim: c}).OfAMachine():
		return depths
	}
	return depths[len(depths)-1:]
}

// figuresOf returns today's figures for a claim, one for each number of threads.
func figuresOf(c experiment.Claim, of, over string, depth int, sessions []record.Session) (all []compare.Ratio) {
	switch {
	case c.Whole != "":
		return compare.PartsOf(sessions, compare.Part{Of: of, Over: over, Whole: c.Whole, Metric: c.Metric, Depth: depth})
	case over != "":
		return compare.RatiosOf(sessions, of, over, c.Metric, depth)
	}
	for _, row := range compare.Table(sessions, compare.To(of), c.Metric) {
		s, ok := row.Metrics[c.Metric]
		if !ok || row.Contender != of || row.Depth != depth {
			continue
		}
		r := compare.Ratio{N: s.N, Estimate: s.Median, Lo: s.Lo, Hi: s.Hi, Workers: row.Workers}
		if c.Runs > 0 && c.Runs < s.N {
			s = stats.Summarize(s.Values[:c.Runs])
			r.N = s.N
		}
		switch c.Statistic {
		case experiment.Min:
			r.Estimate = s.Min
		case experiment.Max:
			r.Estimate = s.Max
		case experiment.Mean:
			r.Estimate = s.Mean
		}
		all = append(all, r)
	}
	return all
}

// decide sets the result of a claim for which there is a figure.
func (c *Claim) decide() {
	switch {
	case c.OfAMachine():
		return
	case !c.bounded():
		c.Direction = "~"
	case c.Bound != "":
		c.decideBound()
	case c.Unit == "x" && c.Published == 1:
		c.decideEqual()
	default:
		if c.Unit == "x" {
			c.Direction = direction(compare.Ratio{N: c.N, Estimate: c.Measured, Lo: c.Lo, Hi: c.Hi}, c.Published > 1)
		}
		c.Size = c.size()
	}
}

// size compares the size of today's figure with the published one. If the estimate is within the
// tolerance, the size is near, or the same ("yes") if the confidence interval also contains the
// published figure, so that no difference is proven. If the estimate is outside the tolerance, but
// the interval contains the published figure, the size is open. The interval is an interval of the
// median, so it is ignored for other statistics.
func (c Claim) size() string {
	inside := c.Statistic == "" && c.contains()
	switch {
	case math.Abs(c.Measured-c.Published) > c.tolerance()*c.Published:
		if inside {
			return sizeOpen
		}
		return "no"
	case inside:
		return "yes"
	case c.Unit == "x" && !c.savesAlike():
		return "no"
	default:
		return "near"
	}
}

// contains reports whether the confidence interval contains the published figure.
func (c Claim) contains() bool {
	rounding := 1e-9 * c.Published // tolerance for ratios, which are computed with logarithms
	return c.Lo-rounding <= c.Published && c.Published <= c.Hi+rounding
}

// excluded reports whether the published figure is ruled out although no direction is proven: the
// confidence interval does not contain the figure, and the estimate of the ratio, or of the saving,
// is outside the tolerance. A claim of equality is not excluded if a part of its interval is within
// the tolerance.
func (c Claim) excluded() bool {
	return c.Direction == "~" && c.bounded() && c.Statistic == "" && c.Size == "no" && !c.contains()
}

// savesAlike reports whether today's ratio and the published ratio are equally far from 1, within
// the tolerance. Two ratios may be close although the savings differ: 0.57 is within a quarter of
// 0.75, but a program that takes 0.57 of the time saves 43 %, not 25 %.
func (c Claim) savesAlike() bool {
	saved := func(ratio float64) float64 { return 1 - min(ratio, 1/ratio) }
	return (c.Measured > 1) == (c.Published > 1) && math.Abs(saved(c.Measured)-saved(c.Published)) <= c.tolerance()*saved(c.Published)
}

// decideBound sets the result of a claim whose published figure is a limit. The whole confidence
// interval must be on one side of the limit.
func (c *Claim) decideBound() {
	above, below := c.Lo > c.Published, c.Hi < c.Published
	switch {
	case !above && !below && c.Lo != c.Hi:
		c.Direction = "~"
	default:
		c.Size = yesOrNo(c.Bound == experiment.Above && above || c.Bound == experiment.Below && below)
	}
}

// decideEqual sets the result of a claim that two figures are equal. The whole confidence interval
// must be within the tolerance of 1, because a missing proof of a difference does not prove
// equality. If the interval does not contain 1, a small difference is proven.
func (c *Claim) decideEqual() {
	near := func(v float64) bool { return math.Abs(v-1) <= c.tolerance() }
	switch {
	case near(c.Lo) && near(c.Hi):
		if c.Size = "near"; c.Lo <= 1 && 1 <= c.Hi {
			c.Size = "yes"
		}
	case c.Lo > 1+c.tolerance() || c.Hi < 1-c.tolerance():
		c.Size = "no"
	default:
		c.Direction = "~"
	}
}

// tolerance returns the fraction of the published figure by which today's figure may differ.
func (c Claim) tolerance() float64 {
	if c.Tolerance == 0 {
		return 0.25
	}
	return c.Tolerance
}

func yesOrNo(yes bool) string {
	if yes {
		return "yes"
	}
	return "no"
}

func direction(r compare.Ratio, above bool) string {
	switch {
	case !r.Proven():
		return "~"
	case r.Lo > 1 == above:
		return "yes"
	default:
		return "no"
	}
}

// ourFigure returns the corresponding figure of our own contender, or "" if there is none.
func (c Claim) ourFigure(sessions []record.Session) string {
	if c.Ours == "" {
		return ""
	}
	for _, m := range figuresOf(c.Claim, c.Ours, c.OursOver, c.Depth, sessions) {
		if m.Workers == c.Workers {
			return Claim{Claim: c.Claim, N: m.N, Measured: m.Estimate, Lo: m.Lo, Hi: m.Hi}.MeasuredText()
		}
	}
	return ""
}

func depthsOf(sessions []record.Session, contender string) (depths []int) {
	for _, s := range sessions {
		for _, r := range s.Runs {
			if r.Contender == contender && r.Counts() && !slices.Contains(depths, r.Depth) {
				depths = append(depths, r.Depth)
			}
		}
	}
	slices.Sort(depths)
	return depths
}

// OfAMachine reports whether the figure depends on the machine on which it was published, because
// it is a time or the memory size of a process and is not compared with another figure. Such a
// figure is shown, but never judged.
func (c Claim) OfAMachine() bool {
	return c.Machine || c.Over == "" && c.Unit == "" && (metric.Named(c.Metric).Unit == metric.Seconds || c.Metric == "rss" || c.Metric == "virtual_bytes")
}

// bounded reports whether there were enough runs for a confidence interval.
func (c Claim) bounded() bool { return c.N > 0 && !math.IsInf(c.Lo, 0) && !math.IsInf(c.Hi, 0) }

// Holds returns the result of the comparison in words.
func (c Claim) Holds() string {
	switch {
	case c.NotRun != "":
		return "not run: no run of " + c.NotRun + " counts"
	case c.WhyNotMeasured != "":
		return "not measured: " + c.WhyNotMeasured
	case c.OfAMachine():
		return shownOnly
	case !c.bounded():
		return "not proven: too few runs"
	case c.excluded():
		return sizeExcluded
	case c.Direction == "~":
		return "not proven"
	case c.Direction == "no":
		return "no: the other way round"
	case c.Size == "yes":
		return "yes"
	case c.Size == "near":
		return c.nearly()
	case c.Size == sizeOpen && c.Direction == "":
		return "not proven"
	case c.Size == sizeOpen:
		return sizeNotProven
	case c.Direction == "yes":
		return directionOnly
	case c.Bound != "" || c.Unit == "x":
		return "no"
	default:
		return "size no"
	}
}

// differs reports whether the figure is proven to differ from the published one.
func (c Claim) differs() bool {
	if c.OfAMachine() || !c.bounded() {
		return false
	}
	return c.Direction == "no" || c.excluded() || c.Direction != "~" && (c.Size == "no" || c.Size == "near")
}

// nearly returns the result for a figure that is within the tolerance.
func (c Claim) nearly() string {
	return "within " + strconv.FormatFloat(100*c.tolerance(), 'f', -1, 64) + " %"
}

const (
	shownOnly     = "shown only: of another machine"
	directionOnly = "direction yes, size no"
	sizeNotProven = "direction yes, size not proven"
	sizeExcluded  = "no: the published size is excluded"

	sizeOpen = "open" // the estimate is too far off, but its interval contains the published figure
)

// An Outcome classifies the result of a claim.
type Outcome string

// Outcomes of claims that are judged, from the best to the worst, and of claims that are not
// judged.
const (
	Yes       Outcome = "yes"
	Within    Outcome = "within"    // within the tolerance, but with a proven difference
	Direction Outcome = "direction" // only the direction holds
	No        Outcome = "no"
	NotProven Outcome = "not proven"
	NotRun    Outcome = "not run" // not run or not measured
	Shown     Outcome = "shown"   // shown but not judged, because it is of another machine
)

// Outcomes lists all outcomes in this order.
var Outcomes = []Outcome{Yes, Within, Direction, No, NotProven, NotRun, Shown}

// Outcome returns the outcome of the claim.
func (c Claim) Outcome() Outcome {
	switch text := c.Holds(); {
	case c.NotRun != "" || c.WhyNotMeasured != "":
		return NotRun
	case text == shownOnly:
		return Shown
	case text == "yes":
		return Yes
	case text == c.nearly():
		return Within
	case text == directionOnly || text == sizeNotProven:
		return Direction
	case strings.HasPrefix(text, "not proven"):
		return NotProven
	default:
		return No
	}
}

// A standing counts the published figures of a report by their outcomes. A figure that was run with
// several numbers of threads is counted once, with its worst outcome.
type standing struct{ judged, holds, near, direction, missing int }

func (r Report) standing() (s standing) {
	const (
		holds = iota // ranks of outcomes, from the best to the worst
		near
		direction
		no
		missing
	)
	rank := map[Outcome]int{Yes: holds, Within: near, Direction: direction, No: no, NotProven: no, NotRun: missing}
	type figure struct{ id, what string }
	worst := map[figure]int{}
	for _, c := range r.Claims {
		if c.OfAMachine() {
			continue
		}
		at, key := rank[c.Outcome()], figure{c.ID, c.What}
		worst[key] = max(worst[key], at)
	}
	count := make([]int, missing+1)
	for _, at := range worst {
		count[at]++
	}
	return standing{judged: len(worst), holds: count[holds], near: count[near], direction: count[direction], missing: count[missing]}
}

// text formats the counts in one line.
func (s standing) text() string {
	text := fmt.Sprintf("%d of %d published figures hold", s.holds, s.judged)
	if s.near > 0 {
		text += fmt.Sprintf(", %d more nearly", s.near)
	}
	if s.direction > 0 {
		text += fmt.Sprintf(", %d more in direction", s.direction)
	}
	if s.missing > 0 {
		text += fmt.Sprintf(", %d are not measured", s.missing)
	}
	return text
}
