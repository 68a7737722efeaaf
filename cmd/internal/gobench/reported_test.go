package gobench

import (
	"maps"
	"testing"

	"github.com/coppice-go/coppice/cmd/internal/metric"
)

// TestUnitLines verifies that unit lines are parsed as benchstat parses them, with units converted
// to base units. A line without a valid direction has no effect.
func TestUnitLines(t *testing.T) {
	a := &Tree{}
	a.readUnits([]byte("PASS\nno Unit here\n"))
	if a.Better != nil {
		t.Errorf("units of nothing: %v", a.Better)
	}
	a.readUnits([]byte("goos: linux\nUnit hits/op better=higher assume=exact\nUnit ns/key better=lower\nUnit odd better=sideways\nBenchmarkA 1 2 hits/op\n"))
	a.readUnits([]byte("Unit misses better=lower\n"))
	want := map[string]metric.Direction{"hits/op": metric.Higher, "sec/key": metric.Lower, "misses": metric.Lower}
	if !maps.Equal(a.Better, want) {
		t.Errorf("%v, want %v", a.Better, want)
	}
}

// TestReportedFigures verifies that reported metrics are converted to base units, and that they
// never replace a figure that the tool measures itself.
func TestReportedFigures(t *testing.T) {
	figures := map[string]float64{"wall": 1}
	addReported(figures, map[string]float64{"MB/s": 2, "ns/op": 0, "cpu": 3, "hits/op": 0.25})
	want := map[string]float64{"wall": 1, "unit:B/s": 2e6, "unit:cpu": 3, "unit:hits/op": 0.25}
	if !maps.Equal(figures, want) {
		t.Errorf("%v, want %v", figures, want)
	}
}

// TestReportedWithoutMeter verifies that without a meter, custom metrics are taken from the
// benchmark's output line.
func TestReportedWithoutMeter(t *testing.T) {
	all := plainSamples([]byte("BenchmarkA 10 100 ns/op 5.00 MB/s 0.25 hits/op 8 B/op 1 allocs/op\n"))
	if len(all) != 1 || !maps.Equal(all[0].Reported, map[string]float64{"B/s": 5e6, "hits/op": 0.25}) {
		t.Errorf("%+v", all)
	}
}
