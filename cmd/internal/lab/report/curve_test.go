package report

import (
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/coppice-go/coppice/cmd/internal/lab/compare"
	"github.com/coppice-go/coppice/cmd/internal/stats"
)

// TestCurveHasEveryPoint verifies that the curve has a point for every setting of GOGC, including
// the default, which is not in the environment, and that no point or label is beyond the edge.
func TestCurveHasEveryPoint(t *testing.T) {
	r, k := Report{Metric: "cpu"}, Ranking{Class: "open"}
	add := func(name, gogc string, cpu, rss float64) {
		row := compare.Row{Contender: name, Metrics: map[string]stats.Summary{"cpu": {N: 9, Median: cpu}, "rss": {N: 9, Median: rss}}}
		if gogc != "" {
			row.Env = map[string]string{"GOGC": gogc}
		}
		k.Rows = append(k.Rows, row)
	}
	add("go naive GOGC=400", "400", 1, 400e6)
	add("go naive", "", 2, 100e6)
	add("go naive GOGC=50", "50", 4, 60e6)
	add("c malloc", "", 3, 50e6) // has no GOGC setting

	var order []string
	for _, s := range r.settings(k) {
		order = append(order, s.label)
	}
	if got := strings.Join(order, "; "); got != "50; 100, the default; 400" {
		t.Errorf("the curve goes along %s", got)
	}
	p := r.curve(k)
	if p == nil {
		t.Fatal("no curve")
	}
	svg := string(p.SVG)
	size := regexp.MustCompile(`viewBox="0 0 (\d+) `).FindStringSubmatch(svg)
	if size == nil {
		t.Fatalf("no size in %.200s", svg)
	}
	width, _ := strconv.ParseFloat(size[1], 64)
	for _, label := range order {
		text := regexp.MustCompile(`<text [^>]*x="([\d.]+)"[^>]*>go naive ` + label + `</text>`).FindStringSubmatch(strings.ReplaceAll(svg, "\n", " "))
		if text == nil {
			t.Errorf("no label %q", label)
			continue
		}
		if x, _ := strconv.ParseFloat(text[1], 64); x+6*float64(len("go naive "+label)) > width {
			t.Errorf("the label %q starts at %v of %v and does not fit", label, x, width)
		}
	}
}
