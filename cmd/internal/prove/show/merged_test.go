package show_test

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/coppice-go/coppice/cmd/internal/prove"
	"github.com/coppice-go/coppice/cmd/internal/prove/measure"
	"github.com/coppice-go/coppice/cmd/internal/prove/show"
)

// If a loss was measured again, a merged result must show the p value of the second measurement, as
// a proof does.
func TestMergedShowsTheSecondMeasurement(t *testing.T) {
	all := prove.Part{
		Name: "all machines", Machines: 1, Verdict: prove.Revert, Reasons: []string{"a proven loss in BenchmarkX"},
		Subjects: []prove.MergedRatios{{
			Head: "head", Name: "BenchmarkX", Verdict: prove.Revert, Reasons: []string{"CPU/op +10.0 %"},
			Metrics: []measure.Metric{{
				Name: "cpu", Ratio: 1.1, Lo: 1.05, Hi: 1.2, P: 0.001, Holm: 0.002, Outcome: measure.Worse,
				Again: &measure.Again{Base: []float64{1}, Head: []float64{1.1}, P: 0.003, Confirmed: true},
			}},
		}},
	}
	m := &prove.Merged{Base: "base", Heads: []string{"head"}, Machines: 1, All: all, Kinds: []prove.Part{all}, Verdict: all.Verdict, Reasons: all.Reasons}
	for name, print := range map[string]func(io.Writer, *prove.Merged) error{"screen": mergedInFile, "markdown": show.MergedMarkdown} {
		var out bytes.Buffer
		if err := print(&out, m); err != nil {
			t.Fatal(err)
		}
		if want := "Holm-adjusted p 0.002, again p 0.003"; !strings.Contains(out.String(), want) {
			t.Errorf("%s: no %q in\n%s", name, want, out.String())
		}
	}
}
