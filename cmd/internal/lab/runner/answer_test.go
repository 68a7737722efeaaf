package runner

import (
	"slices"
	"testing"

	"github.com/coppice-go/coppice/cmd/internal/process"
)

// If the expected command contains {group}, it must run once for each group.
func TestEachGroupHasItsAnswer(t *testing.T) {
	p := plan(t, "a", "b", "c")
	p.Runs, p.Warmup = 1, 0
	p.Experiment.Expected = []string{"expect", "{group}"}
	var asked []string
	m := &mock{answers: map[string]func(process.Command) (process.Outcome, error){
		"expect": func(c process.Command) (process.Outcome, error) {
			asked = append(asked, c.Args[1])
			return process.Outcome{Stdout: []byte(c.Args[1])}, nil
		},
		"a": func(process.Command) (process.Outcome, error) {
			return process.Outcome{Stdout: []byte("one"), Figures: map[string]float64{}}, nil
		},
		"b": func(process.Command) (process.Outcome, error) {
			return process.Outcome{Stdout: []byte("one"), Figures: map[string]float64{}}, nil
		},
		"c": func(process.Command) (process.Outcome, error) {
			return process.Outcome{Stdout: []byte("two"), Figures: map[string]float64{}}, nil
		},
	}}
	for i, group := range []string{"one", "two", "two"} {
		p.Contenders[i].Group = group
	}
	got, err := collect(t, m, p)
	slices.Sort(got)
	want := []string{"a 1 ok", `b 1 wrong: printed "one" in line 1; expected "two"`, "c 1 ok"}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%q, %v, want %q", got, err, want)
	}
	if !slices.Equal(asked, []string{"one", "two"}) {
		t.Errorf("asked for the answers of %q", asked)
	}
}
