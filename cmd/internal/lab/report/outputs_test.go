package report

import (
	"slices"
	"strings"
	"testing"

	"github.com/coppice-go/coppice/cmd/internal/lab/experiment"
	"github.com/coppice-go/coppice/cmd/internal/lab/record"
)

// TestOutputs verifies that without an expected output, the report names the contenders whose
// outputs differ from the others.
func TestOutputs(t *testing.T) {
	e := experiment.Experiment{Name: "x", Title: "Which?", Metric: "cpu", Contenders: []experiment.Contender{
		{Name: "a"}, {Name: "b"}, {Name: "c"}, {Name: "d"}, {Name: "e", Group: "two"}, {Name: "f", Group: "two"},
	}}
	const differ, unsteady = "outputs differ, and no expected command says which is right (expected = [...] in contenders.toml): ", "the output differs from round to round, so it proves no work: "
	for _, test := range []struct {
		runs string // contender and output of each run
		want []string
	}{
		{"a1 b1 a1 b1", nil},
		{"a- b1", nil}, // an older lab recorded no output
		{"a1 b2", []string{differ + "a; else b"}},
		{"a1 b2 c1 d3", []string{differ + "a and c; else b; else d"}},
		{"a1 b1 e2 f2", nil}, // another group may have another answer
		{"a1 b1 e2 f3", []string{"outputs of two differ, and no expected command says which is right (expected = [...] in contenders.toml): e; else f"}},
		{"a1 a2 b1 b1", []string{unsteady + "a"}},
		{"a1 a2 b1 c2 d3 d4", []string{differ + "b; else c", unsteady + "a and d"}},
	} {
		session := record.Session{Environment: record.Environment{Session: "s"}}
		for i, word := range strings.Fields(test.runs) {
			r := record.Run{Experiment: "x", Contender: word[:1], Class: "open", Session: "s", Round: i + 1, Status: record.OK, Output: word[1:],
				Figures: map[string]float64{"cpu": 1}}
			if r.Output == "-" {
				r.Output = ""
			}
			failed := r
			failed.Status, failed.Output = record.Crashed, "half"
			warm := r
			warm.Round, warm.Output = 0, "warm"
			session.Runs = append(session.Runs, warm, r)
			if i > 99 {
				session.Runs = append(session.Runs, failed)
			}
		}
		if got := Outputs(e, []record.Session{session, session}); !slices.Equal(got, test.want) {
			t.Errorf("%s: %q, want %q", test.runs, got, test.want)
		}
		r := Build(e, []record.Session{session}, "")
		for _, want := range test.want {
			if !slices.Contains(r.Warnings, want) {
				t.Errorf("%s: warnings %q, want %q", test.runs, r.Warnings, want)
			}
		}
		expected := e
		expected.Expected = []string{"expect"}
		if got := Outputs(expected, []record.Session{session}); got != nil {
			t.Errorf("%s, with an expected output: %q", test.runs, got)
		}
	}
}

// A contender without the ranking metric must not be ranked, and a declared metric that no run
// reports must be named.
func TestMissingMetric(t *testing.T) {
	session := record.Session{Environment: record.Environment{Session: "s"}}
	for _, name := range []string{"a", "b"} {
		figures := map[string]float64{"cpu": 1, "wall": 2}
		if name == "a" {
			figures["op_s"] = 3
		}
		session.Runs = append(session.Runs, record.Run{Experiment: "x", Contender: name, Class: "open", Session: "s", Round: 1, Status: record.OK, Figures: figures})
	}
	e := experiment.Experiment{Name: "x", Title: "Which?", Metric: "op_s", Contenders: []experiment.Contender{{Name: "a"}, {Name: "b"}},
		Columns: []experiment.Column{{Metric: "op_s", Name: "o"}, {Metric: "gone_s", Name: "g"}}, Reported: []string{"other_s"}}
	r := Build(e, []record.Session{session}, "")
	if len(r.Rankings) != 1 || len(r.Rankings[0].Rows) != 1 || r.Rankings[0].Rows[0].Contender != "a" {
		t.Errorf("rankings %+v, want a alone", r.Rankings)
	}
	if len(r.Failures) != 1 || r.Failures[0].Reason != `no run has "op_s", the metric that ranks the experiment; runs have cpu, wall` {
		t.Errorf("failures %+v", r.Failures)
	}
	if want := "no run has the declared metric gone_s or other_s; is the name right? runs have cpu, op_s, wall"; !slices.Contains(r.Warnings, want) {
		t.Errorf("warnings %q, want %q", r.Warnings, want)
	}
}
