// Package figure formats numbers for people to read, for example with a unit or as a percentage.
package figure

import (
	"fmt"
	"math"
	"strings"

	"github.com/dustin/go-humanize"
	"golang.org/x/perf/benchunit"
)

// Unknown stands for a figure that is not a number.
const Unknown = "?"

// Finite reports whether a figure is a number.
func Finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

// Scaled returns a figure with its unit and the prefix that makes it short: 2.313 ms, 575.8 KiB,
// 11.19 k.
func Scaled(v float64, class benchunit.Class, unit string) string {
	if !Finite(v) {
		return Unknown
	}
	text := benchunit.Scale(v, class)
	number := strings.TrimRight(text, "kKMGTPEmµnpi")
	return strings.TrimSuffix(number+" "+text[len(number):]+unit, " ")
}

// Limits for the digits of figures. Above these limits, further digits are noise.
const (
	mostCount   = 1e15
	mostDecimal = 100 // with one decimal below it
)

// Count writes a count: 218,387, or, for a small mean, 0.75 or 2.5.
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

// mostPercent is the percentage from which Percents uses scientific notation.
const mostPercent = 10000

// Percents returns a part of a whole, times a hundred, with the requested number of decimals: 20.7
// for 0.207.
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

// Part formats a fraction as a percentage: 20.7 % for 0.207.
func Part(part float64) string { return Percents(part, 1) + " %" }

// Factor formats a factor, which is at least one, with three significant digits: 1.25, 12.5, 125.
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

// Rough formats a factor with two significant digits, or as a whole number from 100 on: 1.8, 63,
// 123.
func Rough(v float64) string {
	if v >= 99.5 {
		return fmt.Sprintf("%.0f", v)
	}
	return fmt.Sprintf("%.2g", v)
}

// Times returns a ratio in words: for 0.8, "1.25 times faster" if the parameter less is "faster".
func Times(ratio float64, less, more string) string {
	if ratio < 1 {
		return Factor(1/ratio) + " times " + less
	}
	return Factor(ratio) + " times " + more
}
