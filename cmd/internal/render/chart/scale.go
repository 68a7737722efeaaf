package chart

import (
	"math"
	"slices"
	"strconv"
	"strings"
)

// A Unit is the unit of an axis. It determines the places of ticks, and their labels.
type Unit int

const (
	Count   Unit = iota // ticks at round numbers, with k, M and G
	Seconds             // ticks at round numbers of ns, µs, ms or s
	Bytes               // ticks at powers of two of B, KiB, MiB or GiB
	Ratio               // ticks at 1/10, 1/2, 1, 2 and 10 times, or at round percents of a narrow axis
)

// A Tick is a place on an axis with its label.
type Tick struct {
	Value float64
	Label string
}

// A scale maps values to places.
type scale struct {
	from, to float64 // places
	lo, hi   float64 // values
	log      bool
}

// at returns the place of a value. Values beyond the axis are at its ends.
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

// wide is the maximum ratio of the largest to the smallest value for an axis from zero.
const wide = 30

// logarithmic reports whether values need a logarithmic axis.
func logarithmic(least, greatest float64) bool { return least >= tiny && greatest > wide*least }

// tiny and huge bound the values that pictures show, so that the ratio of any two of them is
// finite.
const tiny, huge = 1e-150, 1e150

// prefixes returns the sizes of a unit, largest first.
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

// label writes a tick's value.
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

// ratio writes a tick of an axis of ratios.
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

// A rule returns round numbers between two values: up to the given number of them, or one or two
// more.
type rule func(u Unit, lo, hi float64, most int) []float64

// rules returns the rules for an axis, the best one first.
func rules(u Unit, lo, hi float64, log bool) []rule {
	switch {
	case !(hi > lo) || !finite(lo) || !finite(hi) || log && lo < tiny/2:
		return nil
	case !log:
		return []rule{steps}
	case u == Ratio && hi < 4*lo:
		return []rule{percents, ratios}
	}
	first := powers
	if u == Ratio {
		first = ratios
	}
	if hi >= wide*lo { // equal steps would be crowded at the end of the axis
		return []rule{first}
	}
	return []rule{first, steps}
}

// fewTicks is how many ticks are enough: with fewer, an axis tries its next rule.
const fewTicks = 4

// ticks returns the ticks of an axis: as many as there is room for, up to about the number most.
// The function room returns where the label of a tick begins and ends along the axis.
func (s scale) ticks(u Unit, most int, room func(Tick) (from, to float64)) (best []Tick) {
	for _, numbers := range rules(u, s.lo, s.hi, s.log) {
		for n := 2 * max(most, fewTicks); n > 1; n-- {
			all := labeled(u, numbers(u, s.lo, s.hi, n))
			if len(all) > len(best) && len(all) <= max(most+1, fewTicks) && apart(all, room) {
				best = all
			}
		}
		if len(best) >= fewTicks {
			break
		}
	}
	return best
}

// labeled returns ticks at values.
func labeled(u Unit, values []float64) []Tick {
	all := make([]Tick, 0, len(values))
	for _, v := range values {
		all = append(all, Tick{v, label(u, v)})
	}
	return all
}

// apart reports whether labels have room between them.
func apart(all []Tick, room func(Tick) (from, to float64)) bool {
	const gap = 6 // pixels
	for i := range len(all) - 1 {
		_, to := room(all[i])
		if from, _ := room(all[i+1]); from < to+gap {
			return false
		}
	}
	return true
}

// steps returns multiples of a round number.
func steps(u Unit, lo, hi float64, most int) (all []float64) {
	step := round(u, (hi-lo)/float64(most))
	for i := math.Ceil(lo / step); i*step <= hi*(1+1e-12); i++ {
		all = append(all, i*step)
	}
	return all
}

// round returns the least round number that is not below v.
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

// percents returns numbers at round distances from 1, on both sides of it.
func percents(_ Unit, lo, hi float64, most int) (all []float64) {
	step := round(Ratio, max(hi-lo, 1e-6)/float64(most))
	for i := math.Ceil((lo - 1) / step); 1+i*step <= hi; i++ {
		all = append(all, 1+i*step)
	}
	return all
}

// powers returns powers of two or ten. Between powers of ten it adds the multiples by 2 and 5, or
// by 3, if there is room.
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

// ratios returns round ratios on both sides of 1.
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

// thin removes every second value until their number is at most the parameter most.
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

// finite reports whether a picture can show a number.
func finite(v float64) bool { return math.Abs(v) <= huge }
