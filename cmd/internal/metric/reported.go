package metric

import (
	"strings"

	"golang.org/x/perf/benchunit"
)

// A Direction states whether lower or higher values of a metric are better. For all metrics in the
// table, lower values are better.
type Direction string

// These are the directions. A unit without a declaration has no known direction.
const (
	Unknown Direction = ""
	Lower   Direction = "lower"
	Higher  Direction = "higher"
)

// reportedPrefix distinguishes metrics that benchmarks report from metrics in the table, because a
// benchmark may report a unit called "cpu".
const reportedPrefix = "unit:"

// OfUnit returns the name of the metric that a benchmark reports in the given unit, with
// testing.B's ReportMetric, or as MB/s after SetBytes.
func OfUnit(unit string) string {
	_, unit = benchunit.Tidy(1, unit)
	return reportedPrefix + unit
}

// UnitOf returns the unit of a metric that benchmarks report, in its base form: B/s for MB/s. For
// any other metric, ok is false.
func UnitOf(name string) (unit string, ok bool) { return strings.CutPrefix(name, reportedPrefix) }

// Own reports whether a metric in the table has the given unit. Proofs measure such metrics
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

// Usual returns the usual direction of a unit. For rates, such as MB/s and requests/s, higher
// values are better.
func Usual(unit string) Direction {
	if strings.HasSuffix(unit, "/s") || strings.HasSuffix(unit, "/sec") {
		return Higher
	}
	return Unknown
}
