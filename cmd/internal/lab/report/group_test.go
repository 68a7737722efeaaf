package report

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/coppice-go/coppice/cmd/internal/lab/experiment"
	"github.com/coppice-go/coppice/cmd/internal/lab/record"
)

// inGroups returns a report of two groups with the same ratios. The second group takes ten times as
// long.
func inGroups(baseline string) Report { return inGroupsOf(baseline, 8) }

// inGroupsOf is like inGroups, with the given number of rounds.
func inGroupsOf(baseline string, rounds int) Report {
	e := experiment.Experiment{Name: "x", Title: "What?", Metric: "cpu"}
	s := record.Session{Environment: record.Environment{Session: "s", Values: map[string]string{"command": "coppice lab run x"}}}
	for _, group := range []string{"one", "two"} {
		cpu := map[string]float64{"one": 1, "two": 10}[group]
		for name, factor := range map[string]float64{group + " original": 4, group + " chunk": 2} {
			e.Contenders = append(e.Contenders, experiment.Contender{Name: name, Group: group, Baseline: group + " original", Class: "open"})
			for round := 1; round <= rounds; round++ {
				s.Runs = append(s.Runs, record.Run{
					Experiment: "x", Contender: name, Class: "open", Session: "s", Round: round, Status: record.OK,
					Figures: map[string]float64{"cpu": cpu * factor},
				})
			}
		}
	}
	slices.Reverse(s.Runs) // the order of runs must not matter
	return Build(e, []record.Session{s}, baseline)
}

// Each group is ranked separately, with ratios to its own baseline.
func TestGroupsAreRankedSeparately(t *testing.T) {
	r := inGroups("")
	if len(r.Rankings) != 2 || r.Rankings[0].Group != "one" || len(r.Warnings) > 0 {
		t.Fatalf("rankings %+v, warnings %q", r.Rankings, r.Warnings)
	}
	for _, k := range r.Rankings {
		if len(k.Rows) != 2 || !strings.HasPrefix(k.Heading(), k.Group+", class open") {
			t.Fatalf("%s: %+v", k.Heading(), k.Rows)
		}
		for i, want := range []string{k.Group + " chunk, rank 1: 0.5", k.Group + " original, rank 2: 1"} {
			if c := cells(r, k.Rows[i]); c[0]+", rank "+c[1]+": "+c[3] != want {
				t.Errorf("%s: row %d is %q, want %q", k.Heading(), i, c, want)
			}
		}
	}
	for form, write := range map[string]func(io.Writer, Report) error{"text": wideText, "Markdown": Markdown, "HTML": HTML} {
		var out bytes.Buffer
		if err := write(&out, r); err != nil {
			t.Fatal(err)
		}
		to := map[string]string{"text": "to %s original,", "Markdown": "| against %s original |", "HTML": ">against %s original</th>"}[form]
		for _, group := range []string{"one", "two"} {
			if want := fmt.Sprintf(to, group); !strings.Contains(out.String(), want) {
				t.Errorf("%s does not say %q:\n%s", form, want, &out)
			}
		}
	}
}

// A baseline that the user chooses applies only to its own group. The other group keeps its
// declared baseline.
func TestBaselineOfOneGroup(t *testing.T) {
	r := inGroups("two chunk")
	for _, k := range r.Rankings {
		want := map[string]string{"one": "one original", "two": "two chunk"}[k.Group]
		if got := r.BaselinesOf(k); got != want {
			t.Errorf("group %s has baseline %q, want %q", k.Group, got, want)
		}
	}
	if c := cells(r, r.Rankings[0].Rows[0]); len(r.Rankings) != 2 || c[3] == "" {
		t.Errorf("%q", c)
	}
}
