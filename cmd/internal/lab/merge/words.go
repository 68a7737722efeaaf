package merge

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/coppice-go/coppice/cmd/internal/stats/across"
)

// Times formats a ratio with three significant digits.
func Times(v float64) string {
	if v == 0 || math.IsInf(v, 0) || math.IsNaN(v) {
		return strconv.FormatFloat(v, 'g', 3, 64)
	}
	scale := math.Pow(10, 2-math.Floor(math.Log10(v)))
	return strconv.FormatFloat(math.Round(v*scale)/scale, 'f', -1, 64)
}

// formatInterval formats a confidence interval, or returns "" if there is none.
func formatInterval(lo, hi float64) string {
	if lo <= 0 || math.IsInf(hi, 0) {
		return ""
	}
	return Times(lo) + " to " + Times(hi)
}

// Ratio formats the ratio of an estimate. The mark ~ means that no difference is proven.
func Ratio(e across.Estimate) string {
	if e.Proven() {
		return Times(e.Ratio)
	}
	return "~ " + Times(e.Ratio)
}

// Differ describes how much the machines differ, and what this means for a new machine.
func Differ(r across.Result) string {
	by := fmt.Sprintf("by %s %%", Times(100*math.Expm1(r.Spread())))
	switch {
	case len(r.Blocks) < 2:
		return "one machine"
	case r.PUnlike > alpha:
		return "not proven"
	case math.IsInf(r.PredictHi, 0):
		return by
	case r.PredictLo > 1 || r.PredictHi < 1:
		return by + ", in size only"
	default:
		return by + "; a new machine may reverse it"
	}
}

// answer states whether the ranking holds on all machines, and lists the pairs for which this is
// false or not proven.
func (k Ranking) answer() (verdict string, lines []string) {
	swaps, open := 0, 0
	for _, o := range k.Orders {
		switch {
		case o.Swaps():
			swaps++
			lines = append(lines, fmt.Sprintf("%s and %s swap: %s is first on %s; %s on %s", o.First, o.Second, o.First, joinFirst(o.FirstOn), o.Second, joinFirst(o.SecondOn)))
		case o.Everywhere == 0:
			open++
		}
	}
	pairs := len(k.Orders)
	switch {
	case pairs == 0:
		return "", nil
	case swaps > 0:
		verdict = fmt.Sprintf("no: %d of %s swap between machines", swaps, count(pairs, "pair"))
	case open > 0:
		verdict = fmt.Sprintf("not proven: %d of %s have one order on every machine, and none is proven to swap", pairs-open, count(pairs, "pair"))
	default:
		verdict = fmt.Sprintf("yes: %d of %s have one order on every machine", pairs, count(pairs, "pair"))
	}
	listed := 0
	for _, o := range k.Orders {
		if o.Swaps() || o.Everywhere != 0 {
			continue
		}
		if listed++; listed > most {
			lines = append(lines, fmt.Sprintf("%d more pairs are not proven everywhere", open-most))
			break
		}
		lines = append(lines, fmt.Sprintf("%s and %s: %s", o.First, o.Second, order{o}.describe()))
	}
	if open > 0 && k.most < k.Fewest {
		lines = append(lines, fmt.Sprintf("a swap on one machine takes %d rounds to prove here (-runs %d); the most are %d", k.Fewest, k.Fewest, k.most))
	}
	return verdict, lines
}

// order extends across.Order with a method that describes the order in words.
type order struct{ across.Order }

func (o order) describe() string {
	var parts []string
	if len(o.FirstOn) > 0 {
		parts = append(parts, fmt.Sprintf("%s is first on %s", o.First, joinFirst(o.FirstOn)))
	}
	if len(o.SecondOn) > 0 {
		parts = append(parts, fmt.Sprintf("%s is first on %s", o.Second, joinFirst(o.SecondOn)))
	}
	if o.Open > 0 {
		parts = append(parts, "not proven on "+count(o.Open, "machine"))
	}
	return strings.Join(parts, "; ")
}

// count formats a number with its noun.
func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
