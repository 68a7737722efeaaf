package metric

import (
	"strings"

	"golang.org/x/perf/benchunit"
)

// A Direction states which values of a metric are better. For all metrics in the table lower values
// are better.
type Direction string

// The directions. A unit without a declaration has no known direction.
const (
	Unknown Direction = ""
	Lower   Direction = "lower"
	Higher  Direction = "higher"
)

// reportedPrefix distinguishes metrics that benchmarks report from those in the table: a benchmark
// may report "cpu".
const reportedPrefix = "unit:"

// OfUnit returns the name of the metric that benchmarks report in a unit: by testing.B's
// ReportMetric, or as MB/s after SetBytes.
func OfUnit(unit string) string {
	_, unit = benchunit.Tidy(1, unit)
	return reportedPrefix + unit
}

// UnitOf returns the unit of a metric that benchmarks report, in its base form: B/s for MB/s.
func UnitOf(name string) (unit string, ok bool) { return strings.CutPrefix(name, reportedPrefix) }

// Own reports whether a unit belongs to a metric in the table. Proofs measure such metrics
// themselves, and ignore the values that a benchmark reports for them.
func Own(unit string) bool {
	_, unit = benchunit.Tidy(1, unit)
	for _, m := range All {
		if m.Bench == unit {
			return true
		}
	}
	return false
}

// Usual returns the usual direction of a unit: for rates, such as MB/s and requests/s, higher
// values are better.
func Usual(unit string) Direction {
	if strings.HasSuffix(unit, "/s") || strings.HasSuffix(unit, "/sec") {
		return Higher
	}
	return Unknown
}
