package figure_test

import (
	"math"
	"testing"

	"golang.org/x/perf/benchunit"

	"github.com/coppice-go/coppice/cmd/internal/render/figure"
)

func TestFigures(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{figure.Scaled(0.0296, benchunit.Decimal, "s"), "29.60 ms"},
		{figure.Scaled(575.8*1024, benchunit.Binary, "B"), "575.8 KiB"},
		{figure.Scaled(11190, benchunit.Decimal, ""), "11.19 k"},
		{figure.Scaled(math.Inf(1), benchunit.Decimal, "s"), "?"},
		{figure.Count(218387.4), "218,387"},
		{figure.Count(0), "0"},
		{figure.Count(math.Copysign(0, -1)), "0"},
		{figure.Count(0.75), "0.75"},
		{figure.Count(7), "7"},
		{figure.Count(-7), "-7"},
		{figure.Count(2.5), "2.5"},
		{figure.Count(1e300), "1e+300"},
		{figure.Count(math.NaN()), "?"},
		{figure.Part(0.2069), "20.7 %"},
		{figure.Part(-0.0001), "0.0 %"},
		{figure.Part(1), "100.0 %"},
		{figure.Part(math.NaN()), "? %"},
		{figure.Part(math.MaxFloat64), "? %"},
		{figure.Part(1e100), "1e+102 %"},
		{figure.Percents(0.996, 0), "100"},
	} {
		if c.got != c.want {
			t.Errorf("%q, want %q", c.got, c.want)
		}
	}
}

// A ratio below 1 is described by its reciprocal, because readers expect "1.25 times faster" and
// not "0.8 times slower". Factors have three significant digits.
func TestTimes(t *testing.T) {
	for ratio, want := range map[float64]string{0.8: "1.25 times faster", 1.1: "1.10 times slower", 0.04: "25.0 times faster", 1 / 1234.0: "1230 times faster", 1: "1.00 times slower"} {
		if got := figure.Times(ratio, "faster", "slower"); got != want {
			t.Errorf("%v is %q, want %q", ratio, got, want)
		}
	}
}

func TestRough(t *testing.T) {
	for v, want := range map[float64]string{1.84: "1.8", 4: "4", 63.2: "63", 99.4: "99", 99.5: "100", 124.6: "125"} {
		if got := figure.Rough(v); got != want {
			t.Errorf("%v is %q, want %q", v, got, want)
		}
	}
}
