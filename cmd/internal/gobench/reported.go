package gobench

import (
	"bytes"

	"golang.org/x/perf/benchfmt"
	"golang.org/x/perf/benchunit"

	"github.com/coppice-go/coppice/cmd/internal/metric"
)

// addReported adds the metrics that the benchmark itself reports to figures, in base units. It
// ignores metrics that gobench measures, because some benchmarks report 0 ns/op to shorten their
// line.
func addReported(figures, reported map[string]float64) {
	for unit, v := range reported {
		if !metric.Own(unit) {
			v, unit = benchunit.Tidy(v, unit)
			figures[metric.OfUnit(unit)] = v
		}
	}
}

// unitWord is the prefix of the lines in the Go benchmark format that describe a unit.
var unitWord = []byte("Unit ")

// readUnits records whether higher or lower values of a unit are better, if a run has printed this.
// The format is the one that benchstat reads, such as "Unit hits/op better=higher".
func (t *Tree) readUnits(stdout []byte) {
	if !bytes.Contains(stdout, unitWord) {
		return
	}
	lines := benchfmt.NewReader(bytes.NewReader(stdout), "test")
	for lines.Scan() {
		continue // after the last line, Units returns all units
	}
	for key, said := range lines.Units() {
		if d := metric.Direction(said.Value); key.Key == "better" && (d == metric.Lower || d == metric.Higher) {
			if t.Better == nil {
				t.Better = map[string]metric.Direction{}
			}
			t.Better[key.Unit] = d
		}
	}
}
