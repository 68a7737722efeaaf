package across

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// points is the number of draws that represent the unknown values of a new machine. The draws are
// the points of a Halton sequence instead of random numbers, so the same blocks always result in
// the same interval.
const points = 200

// A spread is the confidence distribution of a variance between machines or kinds. It lists the
// variance at each quantile of a grid.
type spread []float64

// steps is the number of quantiles in a spread.
const steps = 32

// spreadOf returns the confidence distribution of the excess variance of the estimates. With the
// true variance, the dispersion has a chi-squared distribution; so each quantile of chi squared,
// inverted by excess, is a quantile of the variance.
func spreadOf(groups [][]point, freedom float64) spread {
	chi := distuv.ChiSquared{K: freedom}
	s := make(spread, steps)
	for i := range s {
		s[i] = excess(groups, chi.Quantile((float64(i)+0.5)/steps))
	}
	return s
}

// at returns the variance at quantile u.
func (s spread) at(u float64) float64 { return s[min(steps-1, int(u*steps))] }

// predict sets the prediction interval for a new machine's ratio. The parameter variance is the
// variance of the centre, and freedom is the number of its degrees of freedom.
//
// The textbook interval treats the estimated variance between machines as the true one. The
// estimate is often zero, and the interval then covers 80 of 100 new machines where 95 are meant.
// Here the variance is drawn from its confidence distribution (Nagashima, Noma and Furukawa,
// Prediction Intervals for Random-Effects Meta-Analysis, Statistical Methods in Medical Research
// 28, 2019). The price is a wide interval if there are few kinds.
func (r *Result) predict(center, variance, freedom float64, spreads []spread, alpha float64) {
	t := distuv.StudentsT{Sigma: 1, Nu: freedom}
	at, deviation := make([]float64, points), make([]float64, points)
	for i := range points {
		sum := 0.0
		for j, s := range spreads {
			sum += s.at(halton(i+1, []int{2, 3}[j]))
		}
		at[i], deviation[i] = center+math.Sqrt(variance)*t.Quantile(halton(i+1, 5)), math.Sqrt(max(sum, leastVariance))
	}
	below := func(x float64) (p float64) {
		for i := range at {
			p += distuv.UnitNormal.CDF((x-at[i])/deviation[i]) / points
		}
		return p
	}
	r.PredictLo, r.PredictHi = math.Exp(solve(below, alpha/2, center)), math.Exp(solve(below, 1-alpha/2, center))
}

// solve returns the value at which the distribution function, which is passed in below, reaches p.
// The search starts at center.
func solve(below func(float64) float64, p, center float64) float64 {
	reach := math.Sqrt(leastVariance)
	for below(center-reach) > p || below(center+reach) < p {
		reach *= 2
	}
	lo, hi := center-reach, center+reach
	for range 40 {
		if middle := (lo + hi) / 2; below(middle) < p {
			lo = middle
		} else {
			hi = middle
		}
	}
	return (lo + hi) / 2
}

// halton returns element i of the Halton sequence with the given base. The sequence fills the unit
// interval evenly. The dimensions need bases without a common factor: 2, 3 and 5.
func halton(i, base int) (x float64) {
	for part := 1 / float64(base); i > 0; part /= float64(base) {
		x += part * float64(i%base)
		i /= base
	}
	return x
}
