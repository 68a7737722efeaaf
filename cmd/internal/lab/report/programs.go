package report

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/coppice-go/coppice/cmd/internal/lab/record"
)

// programs records which program of each contender ran in which session. The program of a contender
// may change between sessions. Its runs are then not pooled, because they measured different
// programs. Instead, the report shows each program as a separate contender, with the hash of the
// program after the name.
type programs struct {
	contender map[string]string    // contender by displayed name, if it has several programs
	variants  map[string][]variant // programs of each contender, oldest first
	sessions  map[string][]string  // sessions with counted runs, by displayed name of the contender
}

// A variant is one of the programs of a contender.
type variant struct {
	name, program string
	tree          string // the first revision that ran it, with a plus sign if the tree had changes
}

// tellApart gives each program of a contender its own displayed name, if the contender has several
// programs in the sessions. It returns the sessions with the displayed names, and the programs that
// these names stand for.
func tellApart(sessions []record.Session) ([]record.Session, programs) {
	p := programs{contender: map[string]string{}, variants: map[string][]variant{}, sessions: map[string][]string{}}
	for _, s := range oldestFirst(sessions) {
		for _, r := range s.Runs {
			known := slices.ContainsFunc(p.variants[r.Contender], func(v variant) bool { return v.program == r.Program })
			if r.Built() && !known {
				p.variants[r.Contender] = append(p.variants[r.Contender], variant{short(r.Program), r.Program, treeOf(r)})
			}
		}
	}
	for contender, all := range p.variants {
		for i := range all {
			if len(all) == 1 {
				all[i].name = contender
				continue
			}
			all[i].name = contender + " " + all[i].name
			p.contender[all[i].name] = contender
		}
	}
	named := slices.Clone(sessions)
	for i, s := range sessions {
		named[i].Runs = nil
		for _, r := range s.Runs {
			all := p.variants[r.Contender]
			if len(all) > 1 && !r.Built() {
				continue // its program is unknown
			}
			if at := slices.IndexFunc(all, func(v variant) bool { return v.program == r.Program }); at >= 0 {
				r.Contender = all[at].name
			}
			if r.Counts() && !slices.Contains(p.sessions[r.Contender], r.Session) {
				p.sessions[r.Contender] = append(p.sessions[r.Contender], r.Session)
			}
			named[i].Runs = append(named[i].Runs, r)
		}
	}
	return named, p
}

// Apart is like tellApart. It also returns a note for each contender that has several programs. The
// function contenderOf maps a displayed name to the original name. The function together returns
// the programs of a baseline that ran in the same session as a contender.
func Apart(sessions []record.Session) (named []record.Session, contenderOf func(name string) string, together func(name, baseline string) []string, notes []string) {
	named, p := tellApart(sessions)
	for _, contender := range slices.Sorted(maps.Keys(p.variants)) {
		if text := p.several(contender); text != "" {
			notes = append(notes, text)
		}
	}
	return named, p.contenderOf, p.baselinePrograms, notes
}

// latest returns the sessions with only the runs of each contender's most recent program.
func latest(sessions []record.Session) []record.Session {
	last := map[string]string{}
	for _, s := range oldestFirst(sessions) {
		for _, r := range s.Runs {
			if r.Built() {
				last[r.Contender] = r.Program
			}
		}
	}
	all := slices.Clone(sessions)
	for i := range all {
		all[i].Runs = slices.DeleteFunc(slices.Clone(all[i].Runs), func(r record.Run) bool {
			return r.Built() && r.Program != last[r.Contender]
		})
	}
	return all
}

func oldestFirst(sessions []record.Session) []record.Session {
	sorted := slices.Clone(sessions)
	slices.SortStableFunc(sorted, func(a, b record.Session) int { return a.Environment.Started.Compare(b.Environment.Started) })
	return sorted
}

// short returns an abbreviated hash, as it is shown after the name of a contender.
func short(program string) string {
	if program == "" {
		return "@unknown"
	}
	return "@" + program[:min(7, len(program))]
}

// treeOf returns the revision of a run, with a plus sign if the tree had uncommitted changes.
func treeOf(r record.Run) string {
	if r.Dirty {
		return r.Revision + "+"
	}
	return r.Revision
}

// contenderOf returns the contender that a displayed name stands for.
func (p programs) contenderOf(name string) string {
	if c, ok := p.contender[name]; ok {
		return c
	}
	return name
}

// baseline returns the last program of a baseline that ran in the same session as the named
// contender. Ratios must not span sessions.
func (p programs) baseline(name, baseline string) string {
	if all := p.baselinePrograms(name, baseline); len(all) > 0 {
		return all[len(all)-1]
	}
	return baseline
}

// baselinePrograms returns the programs of a baseline that ran in the same session as the named
// contender.
func (p programs) baselinePrograms(name, baseline string) (all []string) {
	for _, s := range p.variants[baseline] {
		if slices.ContainsFunc(p.sessions[s.name], func(session string) bool { return slices.Contains(p.sessions[name], session) }) {
			all = append(all, s.name)
		}
	}
	return all
}

// doubts returns warnings about contenders that are shown as several, ratios that leave out
// sessions, and rows that pool sessions of different machines.
func (r *Report) doubts() (all []string) {
	var told []string
	for _, k := range r.Rankings {
		for _, row := range k.Rows {
			contender := r.programs.contenderOf(row.Contender)
			if text := r.programs.several(contender); text != "" && !slices.Contains(told, contender) {
				if len(r.Experiment.Claims) > 0 {
					text += "; claims are about the last"
				}
				all, told = append(all, text), append(told, contender)
			}
			base := r.programs.baselinePrograms(row.Contender, r.declaredBaseline(row.Contender))
			if n := len(base); n > 1 && r.programs.contenderOf(base[n-1]) != contender {
				all = append(all, fmt.Sprintf("%s: x leaves out the sessions with another program of its baseline than %s", Name(row), base[n-1]))
			}
		}
	}
	return append(all, r.pooled()...)
}

// several returns a note that explains why a contender is shown as several. It returns "" if the
// contender has only one program.
func (p programs) several(contender string) string {
	if len(p.variants[contender]) < 2 {
		return ""
	}
	var list []string
	for _, s := range p.variants[contender] {
		text := short(s.program)
		switch {
		case s.program == "":
			text += " (of a lab that did not look)"
		case s.tree != "":
			text += " (revision " + s.tree + ")"
		}
		list = append(list, text)
	}
	return fmt.Sprintf("%s: what it runs changed between sessions: %s; runs of different programs are not pooled, and share no rounds that could prove a difference",
		contender, strings.Join(list, ", "))
}

// machine lists the environment keys whose values should be equal in all pooled sessions.
var machine = []string{"host", "cpu", "cores", "kernel", "goos", "goarch", "go", "go-experiment", "gcc", "clang"}

// pooled returns warnings about rows that pool sessions with different values of the keys in
// machine.
func (r *Report) pooled() (all []string) {
	rows := map[string][]string{}
	var order []string
	for _, k := range r.Rankings {
		for _, row := range k.Rows {
			for _, key := range machine {
				values := r.values(key, r.programs.sessions[row.Contender])
				if len(values) < 2 {
					continue
				}
				what := fmt.Sprintf("sessions that are pooled in a row differ in %s: %s", key, strings.Join(values, ", "))
				if _, seen := rows[what]; !seen {
					order = append(order, what)
				}
				if !slices.Contains(rows[what], row.Contender) {
					rows[what] = append(rows[what], row.Contender)
				}
			}
		}
	}
	for _, what := range order {
		names := rows[what]
		if len(names) > 3 {
			names = append(slices.Clone(names[:3]), fmt.Sprintf("%d more", len(names)-3))
		}
		all = append(all, fmt.Sprintf("%s (%s)", what, strings.Join(names, ", ")))
	}
	return all
}

// values returns the distinct values of an environment key in some sessions.
func (r *Report) values(key string, sessions []string) (all []string) {
	for _, s := range r.Sessions {
		value := s.Values[key]
		if value == "" {
			value = "unknown"
		}
		if slices.Contains(sessions, s.Session) && !slices.Contains(all, value) {
			all = append(all, value)
		}
	}
	return all
}
