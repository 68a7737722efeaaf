package report

import (
	"strings"
	"testing"
	"time"

	"github.com/coppice-go/coppice/cmd/internal/lab/experiment"
	"github.com/coppice-go/coppice/cmd/internal/lab/record"
)

// loaded returns a report of two contenders, old and new. Each session is given as its load and its
// host. Only the first session measures both contenders.
func loaded(sessions ...[2]string) Report {
	e := experiment.Experiment{Name: "x", Title: "Which?", Baseline: "old", Metric: "cpu",
		Contenders: []experiment.Contender{{Name: "old", Class: "open"}, {Name: "new", Class: "open", Ours: true}},
		Claims:     []experiment.Claim{{ID: "C1", What: "old over new", Published: 2, Unit: "x", Metric: "cpu", Of: "old", Over: "new"}}}
	e.Summary = &experiment.Summary{Claim: "C1", Old: "old", New: []string{"new"}, Rows: []experiment.SummaryRow{{What: "all", Metric: "cpu", Old: 2, New: 1}}}
	all := make([]record.Session, 0, len(sessions))
	for i, of := range sessions {
		s := record.Session{Environment: record.Environment{Session: "s" + of[0], Started: time.Unix(int64(i), 0), Values: map[string]string{
			"load": of[0], "cores": "2", "host": of[1], "goos": "linux", "command": "coppice lab run x",
		}}}
		for round := 1; round <= 8; round++ {
			for name, cpu := range map[string]float64{"old": 2, "new": 1} {
				depth := 5
				if name == "new" && i > 0 {
					continue // only the first session runs it
				}
				s.Runs = append(s.Runs, record.Run{Experiment: "x", Contender: name, Class: "open", Depth: depth, Session: s.Environment.Session, Round: round,
					Status: record.OK, Figures: map[string]float64{"cpu": cpu * (1 + float64(round)/100), "rss": 1e6 * cpu}})
			}
		}
		all = append(all, s)
	}
	return Build(e, all, "")
}

// forms returns the report in each output format.
func forms(t *testing.T, r Report) map[string]string {
	t.Helper()
	all := map[string]string{"verdict": r.Verdict}
	var text, markdown, html, picture, index strings.Builder
	for _, err := range []error{Text(&text, r, 0), Markdown(&markdown, r), HTML(&html, r), Picture(&picture, r), Index(&index, []Entry{{Name: "x", Link: "x", Report: r}}, nil)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	all["text"], all["markdown"], all["page"], all["picture"], all["index"] = text.String(), markdown.String(), html.String(), picture.String(), index.String()
	return all
}

// TestBusyMachineIsMarked verifies that every output format marks figures that were measured on a
// busy machine, and marks nothing if the machine was quiet.
func TestBusyMachineIsMarked(t *testing.T) {
	const quiet = "0.5 9 9 1/1 1"
	for form, text := range forms(t, loaded([2]string{quiet, "a"})) {
		if strings.Contains(text, "easured on") {
			t.Errorf("%s of a quiet machine:\n%s", form, text)
		}
	}
	// The minimum number of marks in each format: in sentences, tables and captions.
	for form, least := range map[string]int{"verdict": 1, "text": 4, "markdown": 6, "page": 9, "picture": 1, "index": 2} {
		text := strings.ToLower(forms(t, loaded([2]string{"8.05 9 9 1/1 1", "a"}))[form])
		if n := strings.Count(text, "measured on a busy machine"); n < least || strings.Contains(text, "partly") {
			t.Errorf("%s has %d marks, want %d:\n%s", form, n, least, text)
		}
	}
}

// On the page of a busy machine, the note must follow every table and end every caption.
func TestEveryTableOfABusyMachine(t *testing.T) {
	page := forms(t, loaded([2]string{"8.05 9 9 1/1 1", "a"}))["page"]
	tables := strings.Split(page, "</table>")[1:]
	for i, after := range tables {
		if !strings.HasPrefix(after, "</div>\n<p class=\"note\">Measured on a busy machine: load 8.1.</p>") {
			t.Errorf("after table %d of %d: %.120s", i+1, len(tables), after)
		}
	}
	captions := strings.Split(page, "<figcaption>")[1:]
	for _, caption := range captions {
		if caption, _, _ = strings.Cut(caption, "</figcaption>"); !strings.HasSuffix(caption, "Measured on a busy machine.") {
			t.Errorf("caption %s", caption)
		}
	}
	if len(tables) != 4 || len(captions) < 3 {
		t.Errorf("%d tables, %d captions", len(tables), len(captions))
	}
}

// If the rows of a table come from different sessions, each row names its machine or says whether
// it was busy.
func TestRowsOfDifferentSessions(t *testing.T) {
	r := loaded([2]string{"0.5 9 9 1/1 1", "a"}, [2]string{"3.25 9 9 1/1 1", "a"})
	if !strings.HasSuffix(r.Verdict, " Partly measured on a busy machine.") {
		t.Error(r.Verdict)
	}
	table := r.table(r.Rankings[0])
	last := func(i int) string { return table.Rows[i].Cells[len(table.Columns)-1].Text }
	if len(table.Rows) != 2 || last(0) != "quiet" || last(1) != "quiet; busy, load 3.2" || table.Note != "Partly measured on a busy machine: the last column says which rows." {
		t.Errorf("%+v", table)
	}
	r = loaded([2]string{"0.5 9 9 1/1 1", "a"}, [2]string{"0.25 9 9 1/1 1", "b"})
	table = r.table(r.Rankings[0])
	if last(0) != "machine a" || last(1) != "machine a; machine b" || table.Note != "" {
		t.Errorf("%+v", table)
	}
	if text := forms(t, r)["text"]; !strings.Contains(text, "MEASURED ON") || !strings.Contains(text, "machine a; machine b") {
		t.Error(text)
	}
}

// The claim compares both contenders. The second session ran only one of them, so its load must not
// mark the claim.
func TestClaimsAreMarkedByTheirOwnSessions(t *testing.T) {
	r := loaded([2]string{"0.5 9 9 1/1 1", "a"}, [2]string{"3.25 9 9 1/1 1", "a"})
	if table := r.claimsTable(); table.Note != "" {
		t.Errorf("%+v", table)
	}
}

func TestLoadIsUnknown(t *testing.T) {
	r := loaded([2]string{"", "a"})
	if len(r.Warnings) == 0 || r.Warnings[len(r.Warnings)-1] != "session s: linux does not report how busy the machine was" {
		t.Errorf("%q", r.Warnings)
	}
}

// A host can be slow although it is idle. Only the time of a process that does nothing shows this.
func TestSlowHost(t *testing.T) {
	session := func(name, cpu, instrument string) record.Environment {
		return record.Environment{Session: name, Values: map[string]string{"cpu": cpu, "instrument": instrument, "load": "0.1", "cores": "2"}}
	}
	r := Report{Sessions: []record.Environment{
		session("slow", "EPYC", "17.0 ms wall, 18.0 ms CPU for a process that does nothing"),
		session("fast", "EPYC", "6.0 ms wall, 8.0 ms CPU for a process that does nothing"),
		session("usual", "EPYC", "9.0 ms wall, 11.0 ms CPU for a process that does nothing"),
		session("other", "Xeon", "30.0 ms wall, 31.0 ms CPU for a process that does nothing"),
		session("unknown", "EPYC", "unknown"),
		session("old", "EPYC", ""),
		session("unnamed", "", "30.0 ms wall, 31.0 ms CPU for a process that does nothing"),
		session("nameless", "", "3.0 ms wall, 3.0 ms CPU for a process that does nothing"),
	}}
	want := "session slow ran on a slower host than session fast: a process that does nothing took 18.0 ms of CPU time, and 8.0 ms there; compare programs within a session"
	if got := r.loads(); len(got) != 1 || got[0] != want {
		t.Errorf("the doubts are %q", got)
	}
}

// A claim for a number of threads is based only on sessions that ran both of its contenders with
// that number.
func TestSessionsOfClaims(t *testing.T) {
	run := func(contender string, workers int) record.Run {
		return record.Run{Contender: contender, Depth: 5, Workers: workers, Round: 1, Status: record.OK}
	}
	session := func(name string, runs ...record.Run) record.Session {
		return record.Session{Environment: record.Environment{Session: name}, Runs: runs}
	}
	sessions := []record.Session{
		session("one", run("old", 1), run("new", 1)), session("two", run("old", 2), run("new", 2)), session("half", run("old", 2), run("new", 1)),
	}
	c := experiment.Claim{Of: "old", Over: "new"}
	for workers, want := range map[int]string{1: "one", 2: "two"} {
		if got := claimSessions(c, 5, workers, sessions); len(got) != 1 || got[0] != want {
			t.Errorf("with %d threads: %v, want %s", workers, got, want)
		}
	}
}
