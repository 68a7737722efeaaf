package paired

import "math"

// Forecast returns how many pairs prove an effect of least (0.05 is a ratio of 1.05) at level alpha
// with a probability of power, if further pairs spread like these. It returns 0, for no forecast,
// without three pairs that Compare accepts, or where least is not above zero.
//
// A forecast from ten pairs is off by a factor of two or more up to one time in three, and one from
// forty pairs up to one time in twelve; the worse figures are those of heavy tails.
func Forecast(base, head []float64, least, alpha, power float64) int {
	spread, ok := spreadOf(base, head)
	if !ok || !(least > 0) {
		return 0
	}
	steps := reach(alpha, power) * spread / math.Log1p(least)
	return max(Fewest(alpha), int(math.Ceil(steps*steps+smallSample(alpha))))
}

// Detectable is the reverse: the effect that n pairs prove with that probability. It is +Inf where
// n pairs prove none, however large, and where there is no forecast.
func Detectable(base, head []float64, n int, alpha, power float64) float64 {
	spread, ok := spreadOf(base, head)
	free := float64(n) - smallSample(alpha)
	if !ok || n < Fewest(alpha) || free <= 0 {
		return math.Inf(1)
	}
	return math.Expm1(reach(alpha, power) * spread / math.Sqrt(free))
}

// reach returns how many standard errors away from 1 a ratio must be to be proven with a
// probability of power.
func reach(alpha, power float64) float64 { return quantile(alpha/2) + quantile(1-power) }

// smallSample is how many pairs it costs that the spread is not known beforehand (Guenther, Sample
// Size Formulas for Normal Theory T Tests, The American Statistician 35, 1981).
func smallSample(alpha float64) float64 { z := quantile(alpha / 2); return z * z / 2 }

// Fewest returns how many pairs can prove anything at level alpha: all n pairs have one direction
// in one of 2^(n-1) sessions by chance.
func Fewest(alpha float64) int { return 1 + int(math.Ceil(-math.Log2(alpha))) }

// spreadLevel is that of the interval whose width measures the spread. A narrow interval is right
// for fewer pairs than a wide one: of 0.05, 0.2 and 0.4, this was right in the median from four
// pairs on, for distributions with and without heavy tails. A standard deviation is too large for
// heavy tails.
const spreadLevel = 0.4

// Deviation returns the standard error of the estimated log ratio. ok is false for pairs that
// Compare does not accept, and for fewer than three.
func Deviation(base, head []float64) (deviation float64, ok bool) {
	spread, ok := spreadOf(base, head)
	return spread / math.Sqrt(float64(max(1, len(base)))), ok
}

// spreadOf returns the standard error of the estimated log ratio, times the root of the count of
// pairs. The width of an interval is twice as many standard errors as its level says.
func spreadOf(base, head []float64) (spread float64, ok bool) {
	d, err := logRatios(base, head)
	if err != nil {
		return 0, false
	}
	rejects, attained := rejected(len(d), spreadLevel)
	if rejects == 0 {
		return 0, false
	}
	_, lo, hi := interval(walsh(d), len(d), spreadLevel)
	return math.Sqrt(float64(len(d))) * (hi - lo) / (2 * quantile(attained/2)), true
}
