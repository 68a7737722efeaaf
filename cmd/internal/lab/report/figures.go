package report

import (
	"math"
	"strconv"
	"strings"

	"github.com/dustin/go-humanize"

	"github.com/coppice-go/coppice/cmd/internal/metric"
)

// A form is the number format of a column: all figures have the same unit and the same number of
// decimals, so that readers can compare their digits.
type form struct {
	unit     string // "" for none
	size     float64
	decimals int
}

// least is the smallest value, in multiples of a unit, for which this unit is chosen.
const least = 0.2

// formOf returns the number format for the values of a metric.
func formOf(metric string, values []float64) form {
	small, large, whole := math.Inf(1), 0.0, true
	for _, v := range values {
		if v = math.Abs(v); v > 0 {
			small, large = min(small, v), max(large, v)
		}
		whole = whole && v == math.Trunc(v)
	}
	if large == 0 {
		small, large = 1, 1
	}
	units := unitsOf(metric)
	if units[len(units)-1].name != "" {
		small = max(small, large/1e3) // smaller values get their own number of decimals
	}
	f := form{size: 1}
	for _, u := range units {
		if f.size, f.unit = u.size, u.name; small/u.size >= least {
			break
		}
	}
	if f.size <= 1 && whole && f.unit == units[len(units)-1].name {
		return f
	}
	f.decimals = min(max(2-max(int(math.Floor(math.Log10(small/f.size))), 0), 0), 2)
	return f
}

// unitsOf returns the units of a metric, from the largest to the smallest.
func unitsOf(name string) []unit {
	switch metric.Named(name).Unit {
	case metric.Seconds:
		return []unit{{1, "s"}, {1e-3, "ms"}, {1e-6, "µs"}, {1e-9, "ns"}}
	case metric.Bytes:
		return []unit{{1 << 30, "GiB"}, {1 << 20, "MiB"}, {1 << 10, "KiB"}, {1, "B"}}
	default:
		return []unit{{1e6, "million"}, {1, ""}}
	}
}

// text formats a figure without its unit. A figure that would be rounded to zero is formatted with
// two significant digits instead.
func (f form) text(v float64) string {
	v /= f.size
	if v != 0 && math.Abs(v) < math.Pow(10, -float64(f.decimals))/2 {
		return strconv.FormatFloat(roundTo(v, 2), 'f', -1, 64)
	}
	text := strconv.FormatFloat(v, 'f', f.decimals, 64)
	whole, fraction, _ := strings.Cut(text, ".")
	if n, err := strconv.ParseInt(whole, 10, 64); err == nil && len(whole) > 4 {
		whole = humanize.Comma(n)
	}
	if fraction != "" {
		return whole + "." + fraction
	}
	return whole
}

// withUnit formats a figure with its unit.
func (f form) withUnit(v float64) string { return strings.TrimSpace(f.text(v) + " " + f.unit) }

// heading returns the heading of a column, with the unit appended if there is one.
func (f form) heading(name string) string {
	if f.unit == "" {
		return name
	}
	return name + ", " + f.unit
}
