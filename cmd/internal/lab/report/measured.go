package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/coppice-go/coppice/cmd/internal/lab/compare"
	"github.com/coppice-go/coppice/cmd/internal/lab/experiment"
	"github.com/coppice-go/coppice/cmd/internal/lab/record"
	"github.com/coppice-go/coppice/cmd/internal/process/quiet"
)

// A spot identifies a row by its displayed name, its depth and its number of threads.
type spot struct {
	name           string // displayed name
	depth, workers int
}

// spotted returns, for each row, the sessions in which it has runs whose figures are used, in
// order.
func spotted(named []record.Session) map[spot][]string {
	all := map[spot][]string{}
	for _, s := range named {
		for _, run := range s.Runs {
			at := spot{run.Contender, run.Depth, run.Workers}
			if run.Counts() && !slices.Contains(all[at], s.Environment.Session) {
				all[at] = append(all[at], s.Environment.Session)
			}
		}
	}
	return all
}

// commonSessions returns the IDs of the sessions in which every one of the contenders has a valid
// run. A run is valid if its figures are used and fits returns true for it.
func commonSessions(sessions []record.Session, fits func(record.Run) bool, contenders ...string) (all []string) {
	for _, s := range sessions {
		ran := func(name string) bool {
			return slices.ContainsFunc(s.Runs, func(r record.Run) bool { return r.Counts() && r.Contender == name && fits(r) })
		}
		if !slices.ContainsFunc(contenders, func(name string) bool { return !ran(name) }) {
			all = append(all, s.Environment.Session)
		}
	}
	return all
}

// A provenance describes where the rows of a table were measured. It is shown as a note below the
// table and, if rows differ, as an additional column.
type provenance struct {
	note   string   // a sentence, or ""
	column []string // one cell for each row, or nil
}

// measured returns the provenance of a table with the given rows.
func (r Report) measured(rows []compare.Row) provenance { return r.provenance(r.sessionsOf(rows)) }

// sessionsOf returns the IDs of the sessions in which each row was measured.
func (r Report) sessionsOf(rows []compare.Row) [][]string {
	sets := make([][]string, 0, len(rows))
	for _, row := range rows {
		sets = append(sets, r.spots[spot{row.Contender, row.Depth, row.Workers}])
	}
	return sets
}

// provenance returns the provenance of a table. sets contains the session IDs of each row.
func (r Report) provenance(sets [][]string) (p provenance) {
	used := r.used(sets)
	differ := slices.DeleteFunc(slices.Clone(machine), func(key string) bool {
		return !slices.ContainsFunc(used, func(env record.Environment) bool { return env.Values[key] != used[0].Values[key] })
	})
	mark := markOf(used)
	if mark == "" && len(differ) == 0 {
		return p
	}
	var texts []string
	for _, set := range sets {
		var own []string
		for _, env := range r.used([][]string{set}) {
			if text := describeMachine(env, differ, mark != ""); !slices.Contains(own, text) {
				own = append(own, text)
			}
		}
		texts = append(texts, strings.Join(own, "; "))
	}
	same := slices.Compact(slices.DeleteFunc(slices.Clone(texts), func(text string) bool { return text == "" }))
	switch {
	case len(same) == 1 && mark != "":
		p.note = upper(mark) + ": " + strings.ReplaceAll(same[0], "busy, ", "") + "."
	case len(same) == 1:
		p.note = "Measured on several machines: " + same[0] + "."
	case mark != "":
		p.note, p.column = upper(mark)+".", texts
	default:
		p.column = texts
	}
	return p
}

// markOf returns the mark for figures from the given sessions. It is "" unless some of the sessions
// began on a busy machine.
func markOf(used []record.Environment) string {
	busy := 0
	for _, env := range used {
		if quiet.Kept(env.Values).Busy() {
			busy++
		}
	}
	switch {
	case busy == 0:
		return ""
	case busy < len(used):
		return "partly " + quiet.Mark
	default:
		return quiet.Mark
	}
}

// used returns the environments of the sessions in the sets, without duplicates.
func (r Report) used(sets [][]string) (all []record.Environment) {
	for _, env := range r.Sessions {
		if slices.ContainsFunc(sets, func(set []string) bool { return slices.Contains(set, env.Session) }) {
			all = append(all, env)
		}
	}
	return all
}

// describeMachine describes the machine of a session. It mentions only the keys in differ, in which
// the sessions differ, and the load of the machine if load is true.
func describeMachine(env record.Environment, differ []string, load bool) string {
	var parts []string
	for _, key := range differ {
		value := env.Values[key]
		switch {
		case value == "":
			value = key + " unknown"
		case key == "host":
			value = "machine " + value
		case key == "cores":
			value += " cores"
		case key == "kernel":
			value = "kernel " + value
		}
		parts = append(parts, value)
	}
	if load {
		parts = append(parts, quiet.Kept(env.Values).Short())
	}
	return strings.Join(parts, ", ")
}

// busy returns the busy-machine mark if at least one figure of the rankings was measured on a busy
// machine, and "" otherwise.
func (r Report) busy(rankings ...Ranking) string {
	var sets [][]string
	for _, k := range rankings {
		sets = append(sets, r.sessionsOf(k.Rows)...)
	}
	return markOf(r.used(sets))
}

// Busy reports whether a row has runs that were measured on a busy machine.
func (r Report) Busy(row compare.Row) bool { return r.busy(Ranking{Rows: []compare.Row{row}}) != "" }

// marked appends the busy-machine mark to a sentence about rankings, if at least one of their
// figures was measured on a busy machine.
func (r Report) marked(sentence string, rankings ...Ranking) string {
	if mark := r.busy(rankings...); mark != "" {
		return strings.TrimSpace(sentence + " " + upper(mark) + ".")
	}
	return sentence
}

// Loads returns warnings about sessions that began on a busy machine or ran on a slow one.
func Loads(sessions []record.Session) []string {
	return Report{Sessions: environments(sessions)}.loads()
}

// environments returns the environment of each session.
func environments(sessions []record.Session) (all []record.Environment) {
	for _, s := range sessions {
		all = append(all, s.Environment)
	}
	return all
}

// loads returns warnings about the load and the speed of the machine in each session.
func (r Report) loads() (all []string) {
	for _, env := range r.Sessions {
		load, system := quiet.Kept(env.Values), env.Values["goos"]
		switch {
		case load.Busy():
			all = append(all, fmt.Sprintf("session %s was %s: %s", env.Session, quiet.Mark, load.Began()))
		case !load.Known && system != "":
			all = append(all, fmt.Sprintf("session %s: %s does not report how busy the machine was", env.Session, system))
		}
		if w := env.Values["warning"]; w != "" && !load.Known {
			all = append(all, w)
		}
	}
	return append(all, speeds(r.Sessions)...)
}

// upper capitalizes the first letter of a string.
func upper(text string) string { return strings.ToUpper(text[:1]) + text[1:] }

// provenanceNote returns the note for a table that also has the provenance column.
func (p provenance) provenanceNote() string {
	if p.note == "" || p.column == nil {
		return p.note
	}
	return strings.TrimSuffix(p.note, ".") + ": the last column says which rows."
}

// mark adds the provenance to a table.
func (p provenance) mark(t *Sheet) {
	t.Note = p.provenanceNote()
	if p.column == nil {
		return
	}
	t.Columns = append(t.Columns, Head{Name: "measured on"})
	for i := range t.Rows {
		t.Rows[i].Cells = append(t.Rows[i].Cells, Cell{Text: p.column[i]})
	}
}

// claimSessions returns the IDs of the sessions from which a claim was judged at a depth and a
// number of threads.
func claimSessions(c experiment.Claim, depth, workers int, sessions []record.Session) []string {
	return commonSessions(sessions, func(r record.Run) bool { return r.Depth == depth && r.Workers == workers }, c.Contenders()...)
}
