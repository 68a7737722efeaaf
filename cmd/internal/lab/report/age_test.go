package report

import (
	"strings"
	"testing"
	"time"

	"github.com/coppice-go/coppice/cmd/internal/lab/experiment"
	"github.com/coppice-go/coppice/cmd/internal/lab/record"
)

func TestAge(t *testing.T) {
	e := experiment.Experiment{Name: "x", Title: "Which?", Metric: "cpu"}
	for want, sources := range map[string][][]string{ // hashes by session and contender a, b, c; "-" means that it did not run
		"": {{"1", "1", "1"}},
		"Sources changed since the measurement: `b`.":                                                                 {{"1", "2", "1"}},
		"Sources changed since the measurement: `b` and `c`.":                                                         {{"1", "2", "2"}},
		"Sources changed since the measurement: all 3 contenders.":                                                    {{"2", "3", "2"}},
		"Sources unknown, or changed since the measurement: all 3 contenders.":                                        {{"", "", ""}},
		"Sources changed since the measurement: `a`. Sources unknown, or changed since the measurement: `b`.":         {{"2", "", "1"}},
		"Sources unknown, or changed since the measurement: `a`.":                                                     {{"", "", "1"}, {"-", "1", "-"}},
		"Sources unknown, or changed since the measurement: `c`.":                                                     {{"1", "1", "1"}, {"1", "-", ""}},
		"Sources changed since the measurement: `a`. Sources unknown, or changed since the measurement: `b` and `c`.": {{"2", "", ""}},
	} {
		var sessions []record.Session
		for i, all := range sources {
			s := record.Session{Environment: record.Environment{Session: string(rune('s' + i)), Started: time.Unix(int64(i), 0)}}
			for j, hash := range all {
				if hash == "-" {
					continue
				}
				run := record.Run{Experiment: "x", Contender: string(rune('a' + j)), Class: "open", Session: s.Environment.Session, Round: 1, Status: record.OK,
					Sources: hash, Figures: map[string]float64{"cpu": 1}}
				s.Runs = append(s.Runs, run)
				run.Sources, run.Round = "warm-up", 0
				s.Runs = append(s.Runs, run)
			}
			sessions = append(sessions, s)
		}
		r := Build(e, sessions, "")
		r.Age(sessions, func(record.Run) (string, bool) { return "1", true })
		if r.Aged != want {
			t.Errorf("%v: %q, want %q", sources, r.Aged, want)
		}
		for form, text := range forms(t, r) {
			name := strings.NewReplacer("`", "").Replace(want)
			text = strings.NewReplacer("`", "", "<code>", "", "</code>", "").Replace(text)
			if shown := strings.Contains(text, name); !shown && form != "verdict" && form != "picture" {
				t.Errorf("%s does not say %q:\n%s", form, name, text)
			}
		}
	}
}

// A contender that has no sources in the tree now and had none when it was measured, such as a
// system command, is never reported as changed.
func TestWithoutSources(t *testing.T) {
	e := experiment.Experiment{Name: "x", Title: "Which?", Metric: "cpu"}
	session := record.Session{Environment: record.Environment{Session: "s"}}
	for name, hash := range map[string]string{"a": "", "b": "1"} {
		session.Runs = append(session.Runs, record.Run{Experiment: "x", Contender: name, Class: "open", Session: "s", Round: 1, Status: record.OK,
			Sources: hash, Figures: map[string]float64{"cpu": 1}})
	}
	for want, declared := range map[string]bool{
		"Sources changed since the measurement: `b`.":                                                         true,
		"Sources changed since the measurement: `b`. Sources unknown, or changed since the measurement: `a`.": false,
	} {
		r := Build(e, []record.Session{session}, "")
		r.Age([]record.Session{session}, func(record.Run) (string, bool) { return "", declared })
		if r.Aged != want {
			t.Errorf("%q, want %q", r.Aged, want)
		}
	}
}
