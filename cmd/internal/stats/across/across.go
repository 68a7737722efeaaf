// Package across combines the results of several machines. Each machine is treated as a block:
// package paired computes ratios within the rounds of a machine, and only the logarithms of these
// ratios are combined. A time measured on one machine is never compared with a time measured on
// another. Pooling the rounds of all machines would treat the rounds of one machine as independent,
// and result in intervals that are several times too narrow.
//
// The model is a random-effects meta-analysis with three levels: the typical ratio, a processor
// kind's deviation from it, and a machine's deviation from its kind. The two variances are
// estimated by the method of Paule and Mandel (Consensus Values and Weighting Factors, Journal of
// Research of the National Bureau of Standards 87, 1982), one level at a time. The intervals follow
// Hartung and Knapp (Statistics in Medicine 20, 2001) and Sidik and Jonkman (2002): they use the
// observed spread, and Student's distribution with the degrees of freedom of the level that
// determines the interval (see Combine). The usual method of DerSimonian and Laird treats the
// variance as known, and its intervals are too narrow for few machines (IntHout, Ioannidis and
// Borm, BMC Medical Research Methodology 14, 2014). docs/decisions/0029 gives the coverage of both
// methods.
//
// We do not use a library: gonum has the distributions but no meta-analysis, and we found none for
// Go.
package across

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/coppice-go/coppice/cmd/internal/stats"
	"github.com/coppice-go/coppice/cmd/internal/stats/paired"
)

// A Block contains the result of all rounds on one machine for one ratio.
type Block struct {
	Machine, Kind string // Kind is "" if the kind of processor is unknown; such machines are one kind
	Own           paired.Effect

	log, variance float64   // logarithm of the estimated ratio, and its variance
	rounds        []float64 // the logarithm of the ratio of each round
}

// leastVariance is the minimum variance of an estimate. It is used if all rounds agree, because a
// ratio is known to a millionth at best. Without it, the weight of such a machine would be
// infinite.
const leastVariance = 1e-12

// Fewest is the minimum number of rounds from which the spread of a machine is estimated.
const Fewest = 4

// NewBlock returns the Block of one machine. It pairs base[i] with head[i]. ok is false if a pair
// has no ratio, or if there are fewer than Fewest pairs.
func NewBlock(machine, kind string, base, head []float64, alpha float64) (b Block, ok bool) {
	own, err := paired.Compare(base, head, alpha)
	if err != nil {
		return b, false
	}
	deviation, ok := paired.Deviation(base, head)
	if !ok || own.N < Fewest {
		return b, false
	}
	b = Block{Machine: machine, Kind: kind, Own: own, log: math.Log(own.Ratio), variance: max(leastVariance, deviation*deviation)}
	for i, v := range base {
		b.rounds = append(b.rounds, math.Log(head[i]/v))
	}
	return b, true
}

// An Estimate is an estimated ratio with its interval.
type Estimate struct {
	Ratio, Lo, Hi float64 // Lo and Hi are the interval; 0 and +Inf if there is none
	P             float64 // p value of the test that the ratio is 1; 1 without a test
	Freedom       float64 // degrees of freedom of the interval; 0 if the interval comes from the rounds of one machine
}

// Bounded reports whether the estimate has an interval.
func (e Estimate) Bounded() bool { return e.Ratio > 0 && e.Lo > 0 && !math.IsInf(e.Hi, 0) }

// Proven reports whether the interval excludes a ratio of 1.
func (e Estimate) Proven() bool { return e.Bounded() && (e.Lo > 1 || e.Hi < 1) }

// A Scope states the population for which the overall estimate holds. It depends on the machines:
// two kinds are not a sample from which a third one could be predicted.
type Scope string

// These are the scopes.
const (
	OneMachine  Scope = "one machine"        // the estimate of the machine's rounds
	OneKind     Scope = "machines of a kind" // any machine of the only kind
	TwoKinds    Scope = "two kinds"          // the mean of both kinds; no third kind is predicted
	ManyKinds   Scope = "kinds of machines"  // the measured kinds are a sample of all kinds
	EachAnother Scope = "machines"           // all have different kinds, so they are a sample of machines
)

// A Result is the combined result of all machines.
type Result struct {
	Estimate
	Scope           Scope
	Blocks          []Block
	Kinds           []Kind
	Within, Between float64 // standard deviations of the log ratio: between machines of one kind, and between kinds
	PredictLo       float64 // a new machine's ratio lies between PredictLo and PredictHi with a probability of 1-alpha
	PredictHi       float64 // +Inf without a prediction interval
	PUnlike         float64 // p value of the test that all machines have one ratio; 1 if untested
}

// A Kind is the combined result of all machines of one kind. If there is only one machine, it is
// the result of the rounds on this machine.
type Kind struct {
	Estimate
	Name     string
	Machines int
}

// Spread returns the standard deviation of the log ratio from machine to machine, over all kinds.
func (r Result) Spread() float64 { return math.Hypot(r.Within, r.Between) }

// Combine combines one or more blocks. The parameter alpha is the error rate of each interval.
//
// The level that determines the interval depends on the machines. For one machine, it is the spread
// of its rounds. For one kind of machine, it is the spread between machines. For two kinds, it is
// the spread within the kinds, and the interval is for the mean of the two kinds: two kinds are not
// a sample of kinds, and an interval with one degree of freedom would be too wide to use. For three
// kinds or more, or for machines that are all of different kinds, it is the spread between these.
func Combine(blocks []Block, alpha float64) Result {
	r := Result{Blocks: blocks, PUnlike: 1, PredictHi: math.Inf(1)}
	if len(blocks) == 1 {
		r.Scope, r.Estimate = OneMachine, ofOneMachine(blocks[0])
		r.Kinds = []Kind{{Estimate: r.Estimate, Name: blocks[0].Kind, Machines: 1}}
		return r
	}
	n := newNest(blocks)
	r.Kinds, r.Within, r.PUnlike = n.kinds(blocks, alpha), math.Sqrt(n.within), equalRatiosP(blocks)
	switch {
	case len(n.groups) == 1:
		r.Scope, r.Estimate = OneKind, r.Kinds[0].Estimate
		r.predict(n.level[0].y, max(n.scale*n.level[0].v, n.noise), n.freedom, []spread{spreadOf(n.groups, n.freedom)}, alpha)
	case len(n.groups) == 2 && n.freedom > 0:
		r.Scope = TwoKinds
		variance := n.scale * (n.level[0].v + n.level[1].v) / 4
		r.Estimate = student((n.level[0].y+n.level[1].y)/2, uncertainty{variance, n.freedom, n.noise}, alpha)
		half := (n.level[0].y - n.level[1].y) / 2
		r.Between = math.Sqrt(max(0, half*half-variance))
	default:
		r.sample(n, alpha)
	}
	return r
}

// sample sets the overall estimate and its prediction interval. It treats the kinds as a sample of
// kinds, or the machines as a sample of machines if no two are of one kind.
func (r *Result) sample(n nest, alpha float64) {
	above := float64(len(n.level) - 1)
	all := [][]point{n.level}
	spreads := []spread{spreadOf(all, above)}
	r.Scope = EachAnother
	if n.freedom > 0 {
		r.Scope, spreads = ManyKinds, append(spreads, spreadOf(n.groups, n.freedom))
	}
	between := excess(all, above)
	center, variance := mean(n.level, between)
	variance *= dispersion(all, between) / above
	_, noise := mean(n.level, 0)
	r.Estimate, r.Between = student(center, uncertainty{variance, above, noise}, alpha), math.Sqrt(between)
	r.predict(center, max(variance, noise), above, spreads, alpha)
}

// A nest groups the machines by their kinds.
type nest struct {
	groups  [][]point
	names   []string
	level   []point // one point for each kind
	freedom float64 // degrees of freedom of the machines within their kinds
	within  float64 // variance between machines of one kind
	scale   float64 // factor for variances: the dispersion within kinds, divided by its degrees of freedom
	noise   float64 // variance of the mean of all machines if they all had the same ratio
}

func newNest(blocks []Block) nest {
	n := nest{scale: 1}
	n.groups, n.names = byKind(weighed(blocks))
	if n.freedom = float64(len(blocks) - len(n.groups)); n.freedom > 0 {
		n.within = excess(n.groups, n.freedom)
		n.scale = dispersion(n.groups, n.within) / n.freedom
	}
	for _, g := range n.groups {
		center, variance := mean(g, n.within)
		n.level = append(n.level, point{center, variance})
	}
	_, n.noise = mean(slices.Concat(n.groups...), 0)
	return n
}

// kinds returns the estimates of the kinds. A kind with one machine has the estimate of that
// machine.
func (n nest) kinds(blocks []Block, alpha float64) (all []Kind) {
	for i, name := range n.names {
		k := Kind{Name: name, Machines: len(n.groups[i])}
		if k.Machines == 1 {
			k.Estimate = ofOneMachine(blocks[slices.IndexFunc(blocks, func(b Block) bool { return b.Kind == name })])
		} else {
			_, noise := mean(n.groups[i], 0)
			k.Estimate = student(n.level[i].y, uncertainty{n.scale * n.level[i].v, n.freedom, noise}, alpha)
		}
		all = append(all, k)
	}
	return all
}

// A point is an estimate and its variance.
type point struct{ y, v float64 }

// weighed returns a copy of the blocks with new variances. Each block gets the variance that its
// number of rounds would result in on a machine with the typical spread.
//
// Textbooks use the variance of each machine instead. If it is estimated from ten rounds, it is off
// by half. The largest weights then go to machines whose rounds agree by chance, and the intervals
// are too narrow: 88 of 100 covered the truth where 95 should have. A machine that is really noisy
// widens the interval, because its estimate lies further from the others.
func weighed(blocks []Block) []Block {
	of := make([]float64, len(blocks)) // variance of one round, for each block
	for i, b := range blocks {
		of[i] = b.variance * float64(b.Own.N)
	}
	typical := stats.Median(of)
	all := slices.Clone(blocks)
	for i, b := range blocks {
		all[i].variance = max(leastVariance, typical/float64(b.Own.N))
	}
	return all
}

// byKind groups the blocks by their kinds, in order of appearance.
func byKind(blocks []Block) (groups [][]point, names []string) {
	for _, b := range blocks {
		i := slices.Index(names, b.Kind)
		if i < 0 {
			i, names, groups = len(names), append(names, b.Kind), append(groups, nil)
		}
		groups[i] = append(groups[i], point{b.log, b.variance})
	}
	return groups, names
}

// ofOneMachine returns the estimate from the rounds on one machine.
func ofOneMachine(b Block) Estimate {
	return Estimate{Ratio: b.Own.Ratio, Lo: b.Own.Lo, Hi: b.Own.Hi, P: b.Own.P}
}

// mean returns the weighted mean of a group, and its variance. The weight of a point with the
// variance v is 1/(v+more).
func mean(group []point, more float64) (center, variance float64) {
	sum := 0.0
	for _, p := range group {
		w := 1 / (p.v + more)
		sum, center = sum+w, center+w*p.y
	}
	return center / sum, 1 / sum
}

// dispersion returns the weighted sum of squared distances from the mean of each group (Cochran's
// Q). If the parameter more is the true variance between the points, the expected sum is the number
// of degrees of freedom.
func dispersion(groups [][]point, more float64) (sum float64) {
	for _, g := range groups {
		center, _ := mean(g, more)
		for _, p := range g {
			sum += (p.y - center) * (p.y - center) / (p.v + more)
		}
	}
	return sum
}

// excess returns the variance between the estimates, beyond the variance of each: the value at
// which their dispersion equals the degrees of freedom (Paule and Mandel). It is 0 if the
// dispersion at a variance of 0 does not exceed the degrees of freedom. dispersion falls as the
// variance grows, so bisection finds the value.
func excess(groups [][]point, freedom float64) float64 {
	if dispersion(groups, 0) <= freedom {
		return 0
	}
	lo, hi := 0.0, leastVariance
	for dispersion(groups, hi) > freedom {
		lo, hi = hi, 2*hi
	}
	for range 40 {
		if middle := (lo + hi) / 2; dispersion(groups, middle) > freedom {
			lo = middle
		} else {
			hi = middle
		}
	}
	return hi
}

// An uncertainty describes the error of a centre.
type uncertainty struct {
	variance, freedom float64 // variance of the centre, and its degrees of freedom
	noise             float64 // variance due to the level below, which is rounds or machines
}

// student returns the estimate of a centre, on the scale of ratios. The interval is never narrower
// than the normal interval that results from the noise of the level below. Otherwise three machines
// that agree by chance would result in an interval that is narrower than the interval of any of
// them (Wiksten, Rücker and Schwarzer, Statistics in Medicine 35, 2016). p follows the same rule,
// so that the interval and the test agree.
func student(center float64, u uncertainty, alpha float64) Estimate {
	t, z := distuv.StudentsT{Sigma: 1, Nu: u.freedom}, distuv.UnitNormal
	deviation, least := math.Sqrt(max(u.variance, leastVariance)), math.Sqrt(max(u.noise, leastVariance))
	half := max(-t.Quantile(alpha/2)*deviation, -z.Quantile(alpha/2)*least)
	p := 2 * max(t.CDF(-math.Abs(center)/deviation), z.CDF(-math.Abs(center)/least))
	return Estimate{Ratio: math.Exp(center), Lo: math.Exp(center - half), Hi: math.Exp(center + half), P: min(1, p), Freedom: u.freedom}
}
