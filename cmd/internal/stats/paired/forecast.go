package paired

import "math"

// Forecast returns the number of pairs that prove an effect of the size least (0.05 is a ratio of
// 1.05) at level alpha with the probability power, if further pairs have the same spread as the
// given ones. It returns 0, for no forecast, if Compare does not accept the pairs, if there are
// fewer than three, or if least is not above zero.
//
// The formula is a normal approximation, with the spread estimated from the width of an interval.
// Of the forecasts from ten pairs, up to one in three is off by a factor of two or more; of the
// forecasts from forty pairs, up to one in twelve. Both rates are highest for heavy tails. So a
// forecast serves as a hint and never ends a measurement.
func Forecast(base, head []float64, least, alpha, power float64) int {
	spread, ok := spreadOf(base, head)
	if !ok || !(least > 0) {
		return 0
	}
	steps := reach(alpha, power) * spread / math.Log1p(least)
	return max(Fewest(alpha), int(math.Ceil(steps*steps+smallSample(alpha))))
}

// Detectable is the inverse of Forecast: it returns the size of the effect that n pairs prove with
// the probability power. It returns +Inf if n pairs can prove no effect, however large, or if there
// is no forecast.
func Detectable(base, head []float64, n int, alpha, power float64) float64 {
	spread, ok := spreadOf(base, head)
	free := float64(n) - smallSample(alpha)
	if !ok || n < Fewest(alpha) || free <= 0 {
		return math.Inf(1)
	}
	return math.Expm1(reach(alpha, power) * spread / math.Sqrt(free))
}

// reach returns the distance of a ratio from 1, in standard errors, at which a difference is proven
// with the probability power.
func reach(alpha, power float64) float64 { return quantile(alpha/2) + quantile(1-power) }

// smallSample returns the number of further pairs that are needed because the spread is estimated
// and not known (Guenther, Sample Size Formulas for Normal Theory T Tests, The American
// Statistician 35, 1981).
func smallSample(alpha float64) float64 { z := quantile(alpha / 2); return z * z / 2 }

// Fewest returns the smallest number of pairs that can prove anything at level alpha. If the
// programs are equal, all n pairs differ in the same direction with a probability of 1/2^(n-1), and
// no result has a smaller p.
func Fewest(alpha float64) int { return 1 + int(math.Ceil(-math.Log2(alpha))) }

// spreadLevel is the level of the interval whose width measures the spread. A narrow interval needs
// fewer pairs than a wide one. Of the levels 0.05, 0.2 and 0.4, the last one resulted in the right
// median spread for four or more pairs, for distributions with and without heavy tails. A standard
// deviation would be too large for heavy tails.
const spreadLevel = 0.4

// Deviation returns the standard error of the estimated log ratio. ok is false for pairs that
// Compare does not accept, and for fewer than three.
func Deviation(base, head []float64) (deviation float64, ok bool) {
	spread, ok := spreadOf(base, head)
	return spread / math.Sqrt(float64(max(1, len(base)))), ok
}

// spreadOf returns the standard error of the estimated log ratio, times the square root of the
// number of pairs. It divides the width of an interval by the width, in standard errors, of a
// normal interval at the same level. This is the attained level, because few pairs allow only a few
// levels.
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
