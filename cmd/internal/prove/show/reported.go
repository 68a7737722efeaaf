package show

import (
	"fmt"
	"math"
	"strings"

	"golang.org/x/perf/benchunit"

	"github.com/coppice-go/coppice/cmd/internal/metric"
	"github.com/coppice-go/coppice/cmd/internal/prove/measure"
	"github.com/coppice-go/coppice/cmd/internal/render/figure"
)

// Values between these bounds are printed without a metric prefix: a hit ratio is printed as 0.333,
// not as 333 m.
const (
	leastPlain = 0.001
	mostPlain  = 1000
)

// reportedAmount formats a value that a benchmark reports. The value is printed without its unit,
// which is in the name of the row. Only times also have the unit after the prefix.
func reportedAmount(unit string, v float64) string {
	class := benchunit.ClassOf(unit)
	a := math.Abs(v)
	switch {
	case a == 0 || a < mostPlain && a >= leastPlain && !inSeconds(unit) || !figure.Finite(v):
		return fmt.Sprintf("%.4g", v)
	case inSeconds(unit):
		return figure.Scaled(v, class, "s")
	case unit == "B/s":
		return figure.Scaled(v, benchunit.Decimal, "B/s") // MB/s, as the testing package reports it
	}
	return figure.Scaled(v, class, "")
}

// inSeconds reports whether the values of a unit are times.
func inSeconds(unit string) bool {
	above, _, _ := strings.Cut(unit, "/")
	return above == "sec" || strings.HasSuffix(above, "-sec")
}

// notJudged returns the text that is shown as evidence for a metric whose direction is unknown.
func notJudged(m measure.Metric) string {
	unit, _ := metric.UnitOf(m.Name)
	text := fmt.Sprintf("not judged; use -higher %[1]s or -lower %[1]s", unit)
	if m.Exact {
		return "exact, " + text
	}
	return text
}

// direction returns a remark for a reported metric for which higher values are better. It returns
// "" for all other metrics: lower values are better.
func direction(m measure.Metric) string {
	if m.Better == metric.Higher {
		return ", higher is better"
	}
	return ""
}
