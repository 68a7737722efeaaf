// Package figure formats numbers for readers, for example with a unit or as a percentage.
package figure

import (
	"fmt"
	"math"
	"strings"

	"github.com/dustin/go-humanize"
	"golang.org/x/perf/benchunit"
)

// Unknown is the string that stands for a figure that is NaN or infinite.
const Unknown = "?"

// Finite reports whether v is neither NaN nor infinite.
func Finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

// Scaled formats a figure with its unit and with the prefix that keeps the number short: 2.313 ms,
// 575.8 KiB, 11.19 k.
func Scaled(v float64, class benchunit.Class, unit string) string {
	if !Finite(v) {
		return Unknown
	}
	text := benchunit.Scale(v, class)
	number := strings.TrimRight(text, "kKMGTPEmµnpi")
	return strings.TrimSuffix(number+" "+text[len(number):]+unit, " ")
}

// Above these limits, Count omits digits that would be noise.
const (
	mostCount   = 1e15
	mostDecimal = 100 // means from 1 to this limit have one decimal
)

// Count formats a count, such as 218,387. A count that is a small mean has decimals, such as 0.75
// or 2.5.
func Count(v float64) string {
	switch a := math.Abs(v); {
	case !Finite(v):
		return Unknown
	case v == math.Trunc(v) && a < mostDecimal:
		return fmt.Sprintf("%.0f", math.Abs(v)*sign(v))
	case a < 1:
		return fmt.Sprintf("%.2g", v)
	case a < mostDecimal:
		return fmt.Sprintf("%.1f", v)
	case a < mostCount:
		return humanize.Comma(int64(math.Round(v)))
	}
	return fmt.Sprintf("%.3g", v)
}

func sign(v float64) float64 {
	if v < 0 {
		return -1
	}
	return 1
}

// mostPercent is the smallest percentage that Percents formats in scientific notation.
const mostPercent = 10000

// Percents formats a fraction as a percentage without the percent sign, with the given number of
// decimals: 20.7 for 0.207.
func Percents(part float64, decimals int) string {
	v := 100 * part
	switch {
	case !Finite(v):
		return Unknown
	case math.Abs(v) >= mostPercent:
		return fmt.Sprintf("%.1g", v)
	}
	text := fmt.Sprintf("%.*f", decimals, v)
	if strings.Trim(text, "-0.") == "" {
		text = strings.TrimPrefix(text, "-")
	}
	return text
}

// Part formats a fraction as a percentage with one decimal: 20.7 % for 0.207.
func Part(part float64) string { return Percents(part, 1) + " %" }

// Factor formats a factor of at least 1 with three significant digits: 1.25, 12.5, 125.
func Factor(v float64) string {
	switch {
	case v >= 100:
		scale := math.Pow(10, math.Floor(math.Log10(v))-2)
		return fmt.Sprintf("%.0f", math.Round(v/scale)*scale)
	case v >= 10:
		return fmt.Sprintf("%.1f", v)
	default:
		return fmt.Sprintf("%.2f", v)
	}
}

// Rough formats a factor with two significant digits or, from 100 on, as a whole number: 1.8, 63,
// 123.
func Rough(v float64) string {
	if v >= 99.5 {
		return fmt.Sprintf("%.0f", v)
	}
	return fmt.Sprintf("%.2g", v)
}

// Times describes a ratio in words. If ratio is 0.8 and less is "faster", it returns "1.25 times
// faster". If ratio is at least 1, it uses more.
func Times(ratio float64, less, more string) string {
	if ratio < 1 {
		return Factor(1/ratio) + " times " + less
	}
	return Factor(ratio) + " times " + more
}
