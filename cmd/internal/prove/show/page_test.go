package show_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/coppice-go/coppice/cmd/internal/prove"
	"github.com/coppice-go/coppice/cmd/internal/prove/show"
)

// TestPage verifies that the page shows the same verdicts, figures, equality and warnings as the
// screen, that it requests no other file, and that input text is escaped.
func TestPage(t *testing.T) {
	r := proof()
	r.Warnings = append(r.Warnings, "<img src=x onerror=alert(1)>")
	r.Comparisons[0].Subjects[0].Name += "<script>"
	var out bytes.Buffer
	if err := show.HTML(&out, r); err != nil {
		t.Fatal(err)
	}
	text := out.String()
	for want, n := range map[string]int{
		"<strong>REVERT</strong>: a proven loss in BenchmarkLost/a|b_c-2.":              1,
		"<strong>IDENTICAL</strong>: both have the same sources; nothing was measured.": 1,
		"1.25 times faster":                       2, // in the wide and the phone layout
		"no difference proven":                    4, // of the wall time and of a count
		"6.40 times more":                         2,
		"The programs are not equal.":             1,
		"The programs are not shown to be equal.": 1,
		"Doubts:": 1,
		"BenchmarkLost/a|b_c-2: an operation takes less than 1 ns": 1,
		"&lt;img src=x":               1,
		"<img":                        0,
		"<script>":                    1,
		"src=":                        1, // part of the escaped warning
		`<svg class="chart"`:          4,
		"proven, or exact":            2,
		"Before and after, every run": 1,
	} {
		if got := strings.Count(text, want); got != n {
			t.Errorf("%d times %q, want %d", got, want, n)
		}
	}
}

// Results of two toolchains are separate sections of the page, each with its Go version. A result
// without figures has no picture.
func TestPageOfToolchains(t *testing.T) {
	first, second := proof(), proof()
	first.Environment, second.Environment = map[string]string{"go": "go1.26.8"}, map[string]string{"go": "go1.27.4"}
	second.Comparisons = []prove.Comparison{{Head: prove.Side{Name: "new"}, Verdict: prove.Undecided, Reasons: []string{"nothing ran"}}}
	var out bytes.Buffer
	if err := show.HTML(&out, first, second); err != nil {
		t.Fatal(err)
	}
	if text := out.String(); !strings.Contains(text, "new against HEAD (0123456789ab), go1.27.4") || strings.Count(text, `<svg class="chart"`) != 4 {
		t.Errorf("it is\n%s", text[strings.Index(text, "<main>"):])
	}
}
