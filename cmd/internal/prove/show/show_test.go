package show_test

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"golang.org/x/perf/benchfmt"

	"github.com/coppice-go/coppice/cmd/internal/prove"
	"github.com/coppice-go/coppice/cmd/internal/prove/measure"
	"github.com/coppice-go/coppice/cmd/internal/prove/show"
	"github.com/coppice-go/coppice/cmd/internal/render/sarifschema"
)

// proof returns a result with every possible element.
func proof() *prove.Result {
	timed := func(name string, before, after, ratio, lo, hi, p, holm float64, outcome measure.Outcome) measure.Metric {
		return measure.Metric{Name: name, Base: []float64{before, before}, Head: []float64{after, after}, Before: before, After: after, Ratio: ratio, Lo: lo, Hi: hi, P: p, Holm: holm, Outcome: outcome}
	}
	counted := func(name string, before, after float64, exact bool, outcome measure.Outcome) measure.Metric {
		m := measure.Metric{Name: name, Base: []float64{before, before}, Head: []float64{after, after}, Before: before, After: after, Exact: exact, Outcome: outcome}
		if before > 0 {
			m.Ratio = after / before
		}
		return m
	}
	return &prove.Result{
		Schema: prove.Schema,
		Base:   prove.Side{Name: "HEAD (0123456789ab)"},
		Comparisons: []prove.Comparison{
			{
				Head:     prove.Side{Name: "the working tree"},
				Equality: prove.Equality{Level: prove.Results, Done: []string{"tests of 1 package: 3 pass in both"}, Left: []string{"BenchmarkClock: not the same"}},
				Subjects: []prove.Subject{
					{
						Name: "BenchmarkKeep", Package: "example.org/m", File: "in ner/m_test.go", Line: 7, Operations: 100, Rounds: 2, Verdict: prove.Keep, Reasons: []string{"CPU/op -20.0 %"},
						Metrics: []measure.Metric{
							timed("cpu", 1e-6, 8e-7, 0.8, 0.7, 0.9, 0.002, 0.006, measure.Better),
							timed("wall", 1e-6, 9e-7, 0.9, 0.8, 1.1, 0.2, 0.4, measure.Open),
							timed("rss", 1<<20, 1<<20, 1, 0.99, 1.01, 0.9, 0.9, measure.Equal),
							counted("allocs", 10, 10.000001, true, measure.Equal),
							counted("bytes", 160, 1024, true, measure.Worse),
						},
					},
					{
						Name: "BenchmarkLost/a|b_c-2", Package: "example.org/m", File: "in ner/m_test.go", Line: 12, Rounds: 2, Verdict: prove.Revert, Reasons: []string{"B/op 16, was 0"},
						Metrics: []measure.Metric{
							counted("allocs", 0.0000001, 0, true, measure.Equal),
							counted("bytes", 0, 16, true, measure.Worse),
						},
						Warnings: []string{"an operation takes less than 1 ns"},
					},
					{Name: "BenchmarkOpen", Package: "example.org/m", Verdict: prove.Undecided, Reasons: []string{"more rounds tell"}, Metrics: []measure.Metric{counted("allocs", 10, 12, false, measure.Open)}},
				},
				Verdict: prove.Revert, Reasons: []string{"a proven loss in BenchmarkLost/a|b_c-2"},
			},
			{
				Head:     prove.Side{Name: "wrong.patch"},
				Equality: prove.Equality{Level: prove.Tests, Unequal: []string{"BenchmarkKeep: 100 % of\nthe results differ", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven"}},
				Verdict:  prove.Revert, Reasons: []string{"the programs are not equal"},
			},
			{Head: prove.Side{Name: "same.patch"}, Verdict: prove.Identical, Reasons: []string{"both have the same sources"}},
			{Head: prove.Side{Name: "unknown.patch"}, Equality: prove.Equality{Level: prove.Unproven}, Verdict: prove.Undecided, Reasons: []string{"nothing is known"}},
		},
		Verdict:  prove.Revert,
		Warnings: []string{"the machine was busy"},
	}
}

// TestForms compares the output formats with the files in testdata. If COPPICE_UPDATE is set, it
// updates the files for review.
func TestForms(t *testing.T) {
	for name, print := range map[string]func(io.Writer, *prove.Result) error{"screen.txt": inFile, "markdown.txt": show.Markdown, "github.txt": show.GitHub} {
		var got bytes.Buffer
		if err := print(&got, proof()); err != nil {
			t.Fatal(err)
		}
		file := filepath.Join("testdata", name)
		if os.Getenv("COPPICE_UPDATE") != "" {
			if err := os.WriteFile(file, got.Bytes(), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if got.String() != string(want) {
			t.Errorf("%s is\n%s", name, got.String())
		}
	}
}

// GitHub shows at most ten errors of a step. The message after "::" and the file name must be
// escaped.
func TestGitHub(t *testing.T) {
	r := proof()
	r.Comparisons[0].Subjects[1].File = "a,b:c%.go"
	var out bytes.Buffer
	if err := show.GitHub(&out, r); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(out.String(), "\n"); n != 10 {
		t.Errorf("%d lines", n)
	}
	for _, want := range []string{
		"::error file=a%2Cb%3Ac%25.go,line=12::BenchmarkLost/a|b_c-2: B/op 16, was 0\n",
		"::error::BenchmarkKeep: 100 %25 of%0Athe results differ\n",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
}

func TestSARIF(t *testing.T) {
	var out bytes.Buffer
	if err := show.SARIF(&out, proof(), proof()); err != nil {
		t.Fatal(err)
	}
	log, err := jsonschema.UnmarshalJSON(bytes.NewReader(out.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	schema := sarifschema.Official(t)
	if err := schema.Validate(log); err != nil {
		t.Errorf("%v in\n%s", err, out.String())
	}
	run := log.(map[string]any)["runs"].([]any)[0].(map[string]any)
	levels, marks := map[string]int{}, map[string]bool{}
	for _, r := range run["results"].([]any) {
		r := r.(map[string]any)
		levels[r["ruleId"].(string)+" "+r["level"].(string)]++
		marks[r["partialFingerprints"].(map[string]any)["coppice/v1"].(string)] = true
	}
	if levels["coppice/regression error"] != 2 || levels["coppice/unequal error"] != 22 || levels["coppice/undecided note"] != 2 || len(levels) != 3 {
		t.Errorf("%v", levels)
	}
	if len(marks) != 13 {
		t.Errorf("%d fingerprints", len(marks))
	}
	for _, want := range []string{`"uri": "in%20ner/m_test.go"`, `"startLine": 12`} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %s in\n%s", want, out.String())
		}
	}
	out.Reset()
	if err := show.SARIF(&out, &prove.Result{}); err != nil {
		t.Fatal(err)
	}
	if log, err = jsonschema.UnmarshalJSON(&out); err != nil {
		t.Fatal(err)
	}
	if err := schema.Validate(log); err != nil {
		t.Errorf("nothing found: %v", err)
	}
}

func TestBenchIsTheGoBenchmarkFormat(t *testing.T) {
	r := proof()
	r.Comparisons = r.Comparisons[:1]
	var out bytes.Buffer
	if err := show.Bench(&out, r); err != nil {
		t.Fatal(err)
	}
	text := out.String()
	seen := map[string]int{}
	reader := benchfmt.NewReader(&out, "bench.txt")
	for reader.Scan() {
		line, ok := reader.Result().(*benchfmt.Result)
		if !ok {
			t.Fatalf("%v in\n%s", reader.Result(), text)
		}
		seen[line.GetConfig("tree")+" "+string(line.Name)]++
		if cpu, ok := line.Value("sec/op"); ok && line.GetConfig("tree") == "the working tree" && cpu != 9e-7 {
			t.Errorf("wall/op is %v", cpu)
		}
		if line.GetConfig("pkg") != "example.org/m" {
			t.Errorf("%s is of package %q", line.Name, line.GetConfig("pkg"))
		}
	}
	for _, want := range []string{"HEAD (0123456789ab) Keep", "the working tree Keep", "the working tree Lost/a|b_c-2"} {
		if seen[want] != 2 {
			t.Errorf("%d lines of %q in\n%s", seen[want], want, text)
		}
	}
	r = proof()
	r.Comparisons[0].Subjects = []prove.Subject{{Name: "the command", Rounds: 1, Metrics: []measure.Metric{{Name: "cpu", Base: []float64{1}, Head: []float64{2}}}}}
	out.Reset()
	if err := show.Bench(&out, r); err != nil || !strings.Contains(out.String(), "BenchmarkCommand 1 ") {
		t.Errorf("%v\n%s", err, out.String())
	}
}
