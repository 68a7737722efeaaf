package report

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/coppice-go/coppice/cmd/internal/lab/experiment"
	"github.com/coppice-go/coppice/cmd/internal/lab/record"
)

// runsOf returns a session of eight rounds. Each contender is given as name=program and takes twice
// as long as the one before it.
func runsOf(session int, values map[string]string, contenders ...string) record.Session {
	s := record.Session{Environment: record.Environment{
		Session: fmt.Sprint("s", session), Started: time.Unix(int64(session), 0), Values: values,
	}}
	cpu := 1.0
	for _, c := range contenders {
		name, program, _ := strings.Cut(c, "=")
		for round := 1; round <= 8; round++ {
			s.Runs = append(s.Runs, record.Run{
				Experiment: "x", Contender: name, Class: "open", Session: s.Environment.Session, Round: round, Status: record.OK,
				Program: program, Revision: fmt.Sprint("rev", session), Dirty: session == 2,
				Figures: map[string]float64{"cpu": cpu * (1 + 0.001*float64(round)) * float64(session)},
			})
		}
		cpu *= 2
	}
	return s
}

var twoContenders = experiment.Experiment{
	Name: "x", Title: "?", Baseline: "base", Metric: "cpu",
	Contenders: []experiment.Contender{{Name: "base", Unfair: "it is old"}, {Name: "other"}},
	Claims:     []experiment.Claim{{ID: "C", What: "twice", Published: 2, Unit: "x", Metric: "cpu", Of: "other", Over: "base"}},
}

// names returns the rows of the first ranking: name, number of runs and ratio.
func names(r Report) (all []string) {
	for _, row := range r.Rankings[0].Rows {
		c := cells(r, row)
		all = append(all, c[0]+" "+strings.Join(c[2:4], " ")) // without the rank
	}
	slices.Sort(all)
	return all
}

func TestProgramsAreNotPooled(t *testing.T) {
	for what, c := range map[string]struct {
		sessions []record.Session
		rows     string
		warnings []string
	}{
		"the same": {[]record.Session{runsOf(1, nil, "base=aaaaaaaaaa", "other=bbbbbbbbbb"), runsOf(2, nil, "base=aaaaaaaaaa", "other=bbbbbbbbbb")},
			"base 16 1,other 16 2", nil},
		"old": {[]record.Session{runsOf(1, nil, "base", "other"), runsOf(2, nil, "base", "other")},
			"base 16 1,other 16 2", nil},
		"another program": {[]record.Session{runsOf(1, nil, "base=aaaaaaaaaa", "other=bbbbbbbbbb"), runsOf(2, nil, "base=aaaaaaaaaa", "other=cccccccccc")},
			"base 16 1,other @bbbbbbb 8 2,other @ccccccc 8 2",
			[]string{"other: what it runs changed between sessions: @bbbbbbb (revision rev1), @ccccccc (revision rev2+); runs of different programs are not pooled, and share no rounds that could prove a difference; claims are about the last"}},
		"another baseline": {[]record.Session{runsOf(2, nil, "base=bbbbbbbbbb", "other=oooooooooo"), runsOf(1, nil, "base=aaaaaaaaaa", "other=oooooooooo")},
			"base @aaaaaaa 8 1,base @bbbbbbb 8 1,other 16 2",
			[]string{"base: what it runs changed", "other: x leaves out the sessions with another program of its baseline than base @bbbbbbb"}},
		"old and new": {[]record.Session{runsOf(1, nil, "base", "other"), runsOf(2, nil, "base=aaaaaaaaaa", "other=bbbbbbbbbb")},
			"base @aaaaaaa 8 1,base @unknown 8 1,other @bbbbbbb 8 2,other @unknown 8 2",
			[]string{"@unknown (of a lab that did not look), @aaaaaaa", "@unknown (of a lab that did not look), @bbbbbbb"}},
	} {
		r := Build(twoContenders, c.sessions, "")
		if got := strings.Join(names(r), ","); got != c.rows {
			t.Errorf("%s: rows %s, want %s", what, got, c.rows)
		}
		told := strings.Join(r.Warnings, "\n")
		for _, want := range c.warnings {
			if !strings.Contains(told, want) {
				t.Errorf("%s: no warning %q in\n%s", what, want, told)
			}
		}
		if len(c.warnings) == 0 && strings.Contains(told, "program") {
			t.Errorf("%s: warnings %q", what, r.Warnings)
		}
		if r.Claims[0].Holds() != "yes" || !r.hasVariant("base") {
			t.Errorf("%s: the claim is %q", what, r.Claims[0].Holds())
		}
	}
}

// TestProgramThatFails verifies that the failure of a new program is not attributed to the earlier
// program of the same contender. A contender that could not be built has no program.
func TestProgramThatFails(t *testing.T) {
	second := runsOf(2, nil, "base=aaaaaaaaaa")
	second.Runs = append(second.Runs, record.Run{Experiment: "x", Contender: "other", Class: "open", Session: "s2", Round: 1, Status: record.Crashed, Program: "cccccccccc", Reason: "signal"})
	third := runsOf(3, nil, "base=aaaaaaaaaa")
	third.Runs = append(third.Runs, record.Run{Experiment: "x", Contender: "other", Class: "open", Session: "s3", Round: 1, Status: record.Unbuilt, Reason: "no compiler"})
	r := Build(twoContenders, []record.Session{runsOf(1, nil, "base=aaaaaaaaaa", "other=bbbbbbbbbb"), second, third}, "")
	if got := strings.Join(names(r), ","); got != "base 24 1,other @bbbbbbb 8 2" {
		t.Errorf("rows %s", got)
	}
	if len(r.Failures) != 1 || r.Failures[0].Contender != "other @ccccccc" {
		t.Errorf("failures %+v", r.Failures)
	}
}

// A ratio refers to the baseline of the same session. If there are several, it refers to the last.
func TestBaselineOfTheSession(t *testing.T) {
	r := Build(twoContenders, []record.Session{
		runsOf(1, nil, "base=aaaaaaaaaa", "other=oooooooooo"), runsOf(2, nil, "base=bbbbbbbbbb", "other=pppppppppp"), runsOf(3, nil, "base=cccccccccc", "other=pppppppppp"),
	}, "")
	for name, want := range map[string]string{"other @ooooooo": "base @aaaaaaa", "other @ppppppp": "base @ccccccc", "base @bbbbbbb": "base @bbbbbbb"} {
		if got := r.baselineOf(name); got != want {
			t.Errorf("the ratio of %s is to %s, want %s", name, got, want)
		}
	}
}

func TestPooledMachinesWarn(t *testing.T) {
	one, two := map[string]string{"cpu": "one", "go": "go1.26", "load": "0.1"}, map[string]string{"cpu": "two", "go": "go1.26", "load": "0.2"}
	r := Build(twoContenders, []record.Session{runsOf(1, one, "base=a", "other=b"), runsOf(2, two, "base=a", "other=c")}, "")
	const want = "sessions that are pooled in a row differ in cpu: one, two (base)"
	if !slices.Contains(r.Warnings, want) || strings.Contains(strings.Join(r.Warnings, "\n"), "differ in go") {
		t.Errorf("warnings %q, want %q and none of go", r.Warnings, want)
	}
}

func TestCompare(t *testing.T) {
	one, two := map[string]string{"cpu": "one"}, map[string]string{"cpu": "two"}
	base := Side{"before", []record.Session{runsOf(1, one, "base=aaaaaaaaaa", "other=bbbbbbbbbb", "gone=x")}}
	head := Side{"after", []record.Session{runsOf(3, two, "base=aaaaaaaaaa", "other=cccccccccc", "new=x")}}
	d, err := Compare(twoContenders, base, head)
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	if err := d.Text(&out, 0); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"base: before, 1 session, revision rev1\n", "head: after, 1 session, revision rev3\n",
		"differs: cpu: one in base, two in head\n", NotPaired + "\n",
		"CPU time; p of Mann and Whitney, adjusted to 2 rows by Holm",
		"base       8, 8  1 s ± 0 %     3.01 s ± 0 %  +200 %      0.000  same binary: a difference is of the machine, or chance\n",
		"@bbbbbbb became @ccccccc\n", "note: new is only in after\n", "note: gone is only in before\n",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, &out)
		}
	}
	if _, err := Compare(twoContenders, base, Side{"none", []record.Session{runsOf(4, nil, "new=x")}}); err == nil || !strings.Contains(err.Error(), "no contender of x ran in both before and none") {
		t.Errorf("error %v", err)
	}
}

// Too few runs prove nothing, however large the difference is.
func TestCompareOfTooFewRuns(t *testing.T) {
	few := func(s record.Session) Side {
		s.Runs = slices.DeleteFunc(s.Runs, func(r record.Run) bool { return r.Round > 3 })
		return Side{s.Environment.Session, []record.Session{s}}
	}
	d, err := Compare(twoContenders, few(runsOf(1, nil, "base=a", "other=b")), few(runsOf(9, nil, "base=a", "other=b")))
	if err != nil {
		t.Fatal(err)
	}
	if want := "3 and 3 runs cannot prove a difference in 2 rows; more runs can (-runs N)"; !slices.Contains(d.Notes, want) || d.Tables[0].Rows[1][4] != "~" {
		t.Errorf("notes %q, want %q; rows %q", d.Notes, want, d.Tables[0].Rows)
	}
}
