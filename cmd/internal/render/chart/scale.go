package chart

import (
	"math"
	"slices"
	"strconv"
	"strings"
)

// A Unit is the unit of an axis. It determines the positions and the labels of the ticks.
type Unit int

const (
	Count   Unit = iota // ticks at round numbers, with k, M and G
	Seconds             // ticks at round numbers of ns, µs, ms or s
	Bytes               // ticks at powers of two of B, KiB, MiB or GiB
	Ratio               // ticks at 1/10, 1/2, 1, 2 and 10 times, or at round percents of a narrow axis
)

// A Tick is a labelled value on an axis.
type Tick struct {
	Value float64
	Label string
}

// A scale maps values to positions along an axis.
type scale struct {
	from, to float64 // positions of the ends of the axis
	lo, hi   float64 // values at the ends of the axis
	log      bool
}

// at returns the position of the value v. A value beyond the axis is placed at the nearer end.
func (s scale) at(v float64) float64 {
	v = min(max(v, s.lo), s.hi)
	if s.hi <= s.lo {
		return s.from
	}
	part := (v - s.lo) / (s.hi - s.lo)
	if s.log {
		part = math.Log(v/s.lo) / math.Log(s.hi/s.lo)
	}
	return s.from + part*(s.to-s.from)
}

// wide is the maximum ratio of the largest to the smallest value on a linear axis.
const wide = 30

// logarithmic reports whether values from least to greatest need a logarithmic axis.
func logarithmic(least, greatest float64) bool { return least >= tiny && greatest > wide*least }

// tiny and huge bound the values that charts show, so that the ratio of any two of them is finite.
const tiny, huge = 1e-150, 1e150

// prefixes returns the sizes and the names of a unit's multiples, the largest first.
func prefixes(u Unit) ([]float64, []string) {
	switch u {
	case Seconds:
		return []float64{1, 1e-3, 1e-6, 1e-9}, []string{"s", "ms", "µs", "ns"}
	case Bytes:
		return []float64{1 << 30, 1 << 20, 1 << 10, 1}, []string{"GiB", "MiB", "KiB", "B"}
	default:
		return []float64{1e9, 1e6, 1e3, 1}, []string{"G", "M", "k", ""}
	}
}

// label returns the label of a tick at v.
func label(u Unit, v float64) string {
	switch {
	case u == Ratio:
		return ratio(v)
	case v == 0:
		return "0"
	}
	sizes, names := prefixes(u)
	i := 0
	for i < len(sizes)-1 && v < sizes[i]*(1-1e-9) {
		i++
	}
	return strings.TrimSpace(short(v/sizes[i]) + " " + names[i])
}

func short(v float64) string {
	return strconv.FormatFloat(v, 'g', 4, 64)
}

// ratio returns the label of a tick at v on an axis of ratios.
func ratio(v float64) string {
	switch {
	case math.Abs(v-1) < 1e-9:
		return "equal"
	case v <= 0.5 && nearly(1/v):
		return "1/" + strconv.FormatFloat(math.Round(1/v), 'f', -1, 64)
	case v >= 2:
		return short(v) + "×"
	case v < 1:
		return "−" + strconv.FormatFloat(math.Round((1-v)*1000)/10, 'f', -1, 64) + " %"
	default:
		return "+" + strconv.FormatFloat(math.Round((v-1)*1000)/10, 'f', -1, 64) + " %"
	}
}

func nearly(v float64) bool { return math.Abs(v-math.Round(v)) < 1e-6*v }

// A rule proposes positions for ticks. It returns round numbers from lo to hi. Their number is
// about most, and exceeds most by one or two at the most.
type rule func(u Unit, lo, hi float64, most int) []float64

// rules returns the rules for an axis, the best rule first. The last rules return less round
// numbers, or numbers at unequal distances, so that every axis with space for four ticks gets four.
func rules(u Unit, lo, hi float64, log bool) []rule {
	switch {
	case !(hi > lo) || !finite(lo) || !finite(hi) || log && lo < tiny/2:
		return nil
	case !log:
		return []rule{steps, finer}
	case u == Ratio && hi < 4*lo:
		return []rule{percents, ratios, finer, spread}
	}
	first := powers
	if u == Ratio {
		first = ratios
	}
	switch {
	case hi < wide*lo:
		return []rule{first, steps, finer, spread}
	case u == Bytes:
		return []rule{first, octaves, spread}
	default: // equal steps would be crowded at the end of the axis
		return []rule{first, spread}
	}
}

// fewTicks is the number of ticks that an axis should have. If a rule yields fewer ticks, the next
// rule is tried.
const fewTicks = 4

// ticks returns the ticks of the axis: as many as there is space for, but not many more than most.
// room returns the positions along the axis at which the label of a tick begins and ends.
func (s scale) ticks(u Unit, most int, room func(Tick) (from, to float64)) (best []Tick) {
	for _, numbers := range rules(u, s.lo, s.hi, s.log) {
		for n := 2 * max(most, fewTicks); n > 1; n-- {
			all := labeled(u, numbers(u, s.lo, s.hi, n))
			if len(all) > len(best) && len(all) <= max(most, fewTicks)+1 && separated(all, room) {
				best = all
			}
		}
		if len(best) >= fewTicks {
			break
		}
	}
	return best
}

// labeled returns labelled ticks at the given values.
func labeled(u Unit, values []float64) []Tick {
	all := make([]Tick, 0, len(values))
	for _, v := range values {
		all = append(all, Tick{v, label(u, v)})
	}
	return all
}

// separated reports whether all neighbouring labels are separated by a gap.
func separated(all []Tick, room func(Tick) (from, to float64)) bool {
	const gap = 6 // pixels
	for i := range len(all) - 1 {
		_, to := room(all[i])
		if from, _ := room(all[i+1]); from < to+gap {
			return false
		}
	}
	return true
}

// steps is a rule that returns the multiples of a round number.
func steps(u Unit, lo, hi float64, most int) (all []float64) {
	step := round(u, (hi-lo)/float64(most))
	for i := math.Ceil(lo / step); i*step <= hi*(1+1e-12); i++ {
		all = append(all, i*step)
	}
	return all
}

// round returns the smallest round number that is at least v.
func round(u Unit, v float64) float64 {
	if u == Bytes {
		return max(1, math.Exp2(math.Ceil(math.Log2(v)-1e-9)))
	}
	power := math.Pow(10, math.Floor(math.Log10(v)))
	for _, f := range []float64{1, 2, 2.5, 5} {
		if f*power >= v*(1-1e-9) {
			return f * power
		}
	}
	return 10 * power
}

// percents is a rule for ratios. It returns numbers that differ from 1, in both directions, by
// multiples of a round number.
func percents(_ Unit, lo, hi float64, most int) (all []float64) {
	step := round(Ratio, max(hi-lo, 1e-6)/float64(most))
	for i := math.Ceil((lo - 1) / step); 1+i*step <= hi; i++ {
		all = append(all, 1+i*step)
	}
	return all
}

// finer is a rule like steps, but the distance between the numbers may be less round. For ratios,
// the numbers start from 1 instead of 0.
func finer(u Unit, lo, hi float64, most int) (all []float64) {
	origin, span := 0.0, hi-lo
	if u == Ratio {
		origin, span = 1, max(span, 1e-6)
	}
	step := lessRound(u, span/float64(most))
	for i := math.Ceil((lo - origin) / step); origin+i*step <= hi*(1+1e-12); i++ {
		all = append(all, origin+i*step)
	}
	return all
}

// lessRound is like round but also accepts less round numbers, such as 1.2, 3 or 8 times a power of
// ten.
func lessRound(u Unit, v float64) float64 {
	next, power := 10.0, math.Pow(10, math.Floor(math.Log10(v)))
	factors := []float64{1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8}
	if u == Bytes {
		next, power = 2, max(1, math.Exp2(math.Floor(math.Log2(v))))
		if factors = []float64{1}; power >= 4 { // smaller powers give fractions of bytes
			factors = []float64{1, 1.25, 1.5}
		}
	}
	for _, f := range factors {
		if f*power >= v*(1-1e-9) {
			return f * power
		}
	}
	return next * power
}

// octaves is a rule that returns powers of two, at equal distances on a logarithmic axis, starting
// with the smallest power in the range. It never returns more than most numbers.
func octaves(_ Unit, lo, hi float64, most int) (all []float64) {
	first, last := math.Ceil(math.Log2(lo)), math.Floor(math.Log2(hi))
	step := max(1, math.Ceil((last-first)/float64(most-1)))
	for e := first; e <= last; e += step {
		all = append(all, math.Exp2(e))
	}
	return all
}

// spread is a rule that returns numbers with short labels, at about equal distances on a
// logarithmic axis. It never returns more than most numbers.
func spread(u Unit, lo, hi float64, most int) (all []float64) {
	const margin = 0.3 // fraction of the distance between numbers, at both ends
	for i := range most {
		part := (float64(i) + margin) / (float64(most) - 1 + 2*margin)
		v := shortened(u, lo*math.Pow(hi/lo, part))
		if v >= lo && v <= hi && (len(all) == 0 || v > all[len(all)-1]) {
			all = append(all, v)
		}
	}
	return all
}

// shortened returns a number near v that has a short label.
func shortened(u Unit, v float64) float64 {
	grain := math.Pow(10, math.Floor(math.Log10(v))-1) // rounds to two significant digits
	switch {
	case u == Ratio && v <= 0.25:
		return 1 / math.Round(1/v)
	case u == Ratio && v < 2:
		grain = 0.05
	case u == Bytes:
		grain = max(1, math.Exp2(math.Floor(math.Log2(v))-3))
	}
	return math.Round(v/grain) * grain
}

// powers is a rule that returns powers of two for Bytes, and otherwise powers of ten. If there is
// space, it adds 2 and 5 times, or 3 times, each power of ten.
func powers(u Unit, lo, hi float64, most int) (all []float64) {
	if u == Bytes {
		for power := 1.0; len(all) == 0 || len(all) > most; power++ {
			all = all[:0]
			for e := math.Ceil(math.Log2(lo) / power); e*power <= math.Log2(hi); e++ {
				all = append(all, math.Exp2(e*power))
			}
			if len(all) == 0 {
				return nil
			}
		}
		return all
	}
	for _, factors := range [][]float64{{1, 2, 5}, {1, 3}, {1}} {
		all = all[:0]
		for e := math.Floor(math.Log10(lo)); math.Pow(10, e) <= hi; e++ {
			for _, f := range factors {
				if v := f * math.Pow(10, e); v >= lo && v <= hi {
					all = append(all, v)
				}
			}
		}
		if len(all) <= most+1 {
			return all
		}
	}
	return thin(all, most)
}

// ratios is a rule that returns 1, round numbers above 1, and their reciprocals.
func ratios(_ Unit, lo, hi float64, most int) (all []float64) {
	for _, factors := range [][]float64{{2, 3, 4, 5, 7, 10}, {2, 3, 5, 10}, {2, 5, 10}, {3, 10}, {10}, {100}} {
		all = []float64{1}
		for power := 1.0; power <= max(hi, 1/lo); power *= factors[len(factors)-1] {
			for _, f := range factors {
				all = append(all, f*power, 1/(f*power))
			}
		}
		all = slices.DeleteFunc(all, func(v float64) bool { return v < lo || v > hi })
		slices.Sort(all)
		if len(all) <= most {
			break
		}
	}
	return all
}

// thin removes every second value, repeatedly, until no more than most values are left.
func thin(all []float64, most int) []float64 {
	for len(all) > most && len(all) > 2 {
		kept := all[:0:0]
		for i := 0; i < len(all); i += 2 {
			kept = append(kept, all[i])
		}
		all = kept
	}
	return all
}

// finite reports whether a chart can show v.
func finite(v float64) bool { return math.Abs(v) <= huge }
