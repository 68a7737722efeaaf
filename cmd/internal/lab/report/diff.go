package report

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/coppice-go/coppice/cmd/internal/lab/compare"
	"github.com/coppice-go/coppice/cmd/internal/lab/experiment"
	"github.com/coppice-go/coppice/cmd/internal/lab/record"
	"github.com/coppice-go/coppice/cmd/internal/stats"
)

// A Side is one of the two results folders that a Diff compares.
type Side struct {
	Name     string
	Sessions []record.Session
}

// A Diff compares the results of an experiment in two folders, which share no rounds.
type Diff struct {
	Experiment experiment.Experiment
	Sides      [2]string // descriptions of the two folders and of what was measured in each
	Machine    []string  // differences between the machines and their tools
	Tables     []DiffTable
	Notes      []string // notes about missing comparisons, and warnings
}

// A DiffTable compares one metric of all contenders that are in both folders.
type DiffTable struct {
	Heading string
	Rows    [][]string // the first row is the header
}

// NotPaired warns the reader of a Diff.
const NotPaired = "not paired: drift of the machine counts as a difference; `coppice prove` interleaves"

// alpha is the significance level: above this p value, a difference is not proven.
const alpha = 1 - stats.Confidence

// Compare compares the results in two folders. It fails if they have no contender in common. If the
// program of a contender has changed over time, Compare uses the last program.
func Compare(e experiment.Experiment, base, head Side) (Diff, error) {
	d := Diff{Experiment: e}
	sides := [2]side{newSide(e, base), newSide(e, head)}
	var both []record.Session
	for i, s := range sides {
		d.Sides[i] = s.describe()
		d.Notes = append(d.Notes, s.several()...)
		both = append(both, s.sessions...)
	}
	d.Notes = append(d.Notes, Loads(both)...)
	pairs, notes := match(sides)
	if len(pairs) == 0 {
		return d, fmt.Errorf("no contender of %s ran in both %s and %s", e.Name, base.Name, head.Name)
	}
	d.Notes = append(d.Notes, notes...)
	d.Machine = sideDifferences(sides)
	for _, column := range metrics(Report{Experiment: e, Metric: e.Metric, Rankings: []Ranking{{Rows: headsOf(pairs)}}}) {
		table, few := tabulate(pairs, column, column.Metric == e.Metric)
		if len(table.Rows) > 1 {
			d.Tables = append(d.Tables, table)
		}
		d.Notes = append(d.Notes, few...)
	}
	return d, nil
}

// A side contains the runs of the experiment in one folder. For each contender, it has only the
// runs of the most recent program.
type side struct {
	name     string
	all      programs
	sessions []record.Session
	rows     []compare.Row
	program  map[string]string // hash of each contender's program
	trees    []string
}

func newSide(e experiment.Experiment, given Side) side {
	s := side{name: given.Name, program: map[string]string{}}
	for _, session := range given.Sessions {
		session.Runs = slices.DeleteFunc(slices.Clone(session.Runs), func(r record.Run) bool { return r.Experiment != e.Name })
		if len(session.Runs) > 0 {
			s.sessions = append(s.sessions, session)
		}
	}
	_, s.all = tellApart(s.sessions)
	s.sessions = latest(s.sessions)
	for _, session := range s.sessions {
		for _, r := range session.Runs {
			if r.Built() {
				s.program[r.Contender] = r.Program
			}
			if tree := treeOf(r); tree != "" && !slices.Contains(s.trees, tree) {
				s.trees = append(s.trees, tree)
			}
		}
	}
	s.rows = compare.Table(s.sessions, e.BaselineOf, e.Metric)
	return s
}

func (s side) describe() string {
	text := fmt.Sprintf("%s, %d session", s.name, len(s.sessions))
	if len(s.sessions) != 1 {
		text += "s"
	}
	if len(s.trees) == 0 {
		return text + ", revision unknown"
	}
	return text + ", revision " + strings.Join(s.trees, ", ")
}

// several returns notes about contenders whose programs have changed.
func (s side) several() (all []string) {
	for _, row := range s.rows {
		text := s.all.several(row.Contender)
		note := fmt.Sprintf("%s: %s; the last is compared", s.name, text)
		if text != "" && !slices.Contains(all, note) {
			all = append(all, note)
		}
	}
	return all
}

// A pair contains the two rows of a contender that ran in both folders.
type pair struct {
	base, head compare.Row
	programs   string // note about the contender's two programs
}

// match pairs the rows of contenders that ran in both folders. It returns notes about the
// contenders that cannot be compared.
func match(sides [2]side) (pairs []pair, notes []string) {
	for _, head := range sides[1].rows {
		i := slices.IndexFunc(sides[0].rows, func(base compare.Row) bool { return sameRow(base, head) })
		if i < 0 {
			notes = append(notes, fmt.Sprintf("%s is only in %s", full(head), sides[1].name))
			continue
		}
		base := sides[0].rows[i]
		failed := false
		for at, row := range []compare.Row{base, head} {
			if row.Status != record.OK {
				notes, failed = append(notes, fmt.Sprintf("%s is not compared: %s in %s: %s", full(row), row.Status, sides[at].name, row.Reason)), true
			}
		}
		if !failed {
			pairs = append(pairs, pair{base, head, two(sides[0].program[base.Contender], sides[1].program[head.Contender])})
		}
	}
	for _, base := range sides[0].rows {
		if !slices.ContainsFunc(sides[1].rows, func(head compare.Row) bool { return sameRow(base, head) }) {
			notes = append(notes, fmt.Sprintf("%s is only in %s", full(base), sides[0].name))
		}
	}
	return pairs, notes
}

func sameRow(a, b compare.Row) bool {
	return a.Contender == b.Contender && a.Depth == b.Depth && a.Workers == b.Workers
}

// full returns the name of a row, including its depth and number of threads.
func full(row compare.Row) string {
	if row.Depth == 0 {
		return Name(row)
	}
	return fmt.Sprintf("%s, depth %d", Name(row), row.Depth)
}

// two compares the two programs of a contender in words.
func two(base, head string) string {
	switch {
	case base == "" || head == "":
		return short(base) + ", " + short(head)
	case base == head:
		return "same binary: a difference is of the machine, or chance"
	default:
		return short(base) + " became " + short(head)
	}
}

func headsOf(pairs []pair) (rows []compare.Row) {
	for _, p := range pairs {
		rows = append(rows, p.head)
	}
	return rows
}

// sideDifferences returns the properties in which the machines and tools of the two folders differ.
func sideDifferences(sides [2]side) (all []string) {
	for _, key := range append(slices.Clone(machine), "memory", "huge-pages") {
		if base, head := sides[0].values(key), sides[1].values(key); base != head {
			all = append(all, fmt.Sprintf("%s: %s in base, %s in head", key, base, head))
		}
	}
	return all
}

// values returns the values that an environment key has in the sessions, sorted and joined with
// "and".
func (s side) values(key string) string {
	var all []string
	for _, session := range s.sessions {
		value := session.Environment.Values[key]
		if value == "" {
			value = "unknown"
		}
		if !slices.Contains(all, value) {
			all = append(all, value)
		}
	}
	slices.Sort(all)
	return strings.Join(all, " and ")
}

// tabulate compares one metric in both folders. ranks states whether it is the ranking metric,
// whose p values are adjusted for the number of rows; for other metrics, the heading states that p
// values are not adjusted. few contains notes about rows with too few runs to prove a difference.
func tabulate(pairs []pair, column experiment.Column, ranks bool) (table DiffTable, few []string) {
	var compared []stats.Unpaired
	var of []pair
	for _, p := range pairs {
		base, inBase := p.base.Metrics[column.Metric]
		head, inHead := p.head.Metrics[column.Metric]
		if inBase && inHead {
			compared, of = append(compared, stats.Compare(base, head)), append(of, p)
		}
	}
	table.Heading, table.Rows = column.Name+"; p of each row alone", [][]string{{"CONTENDER", "RUNS", "BASE", "HEAD", "DIFFERENCE", "P"}}
	if ranks {
		for _, u := range compared {
			if u.LeastP()*float64(len(compared)) > alpha {
				few = append(few, fmt.Sprintf("%d and %d runs cannot prove a difference in %d rows; more runs can (-runs N)", u.Base.N, u.Head.N, len(compared)))
			}
		}
		slices.Sort(few)
		few = slices.Compact(few)
		compared = stats.Adjusted(compared)
		table.Heading = fmt.Sprintf("%s; p of Mann and Whitney, adjusted to %d rows by Holm", column.Name, len(compared))
		table.Rows[0] = append(table.Rows[0], "PROGRAM")
	}
	for i, u := range compared {
		difference := "~"
		if u.P <= alpha && u.Base.Median > 0 {
			difference = percent(u.Difference())
		}
		row := []string{
			full(of[i].head), fmt.Sprintf("%d, %d", u.Base.N, u.Head.N), median(column.Metric, u.Base), median(column.Metric, u.Head),
			difference, strconv.FormatFloat(u.P, 'f', 3, 64),
		}
		if ranks {
			row = append(row, of[i].programs)
		}
		table.Rows = append(table.Rows, row)
	}
	return table, few
}

func median(metric string, s stats.Summary) string {
	return Figure(metric, s.Median) + " " + Interval(s.Median, s.Lo, s.Hi)
}

// percent formats a difference as a percentage with a sign.
func percent(v float64) string {
	text := strconv.FormatFloat(significant(100*v), 'f', -1, 64) + " %"
	if v >= 0 {
		return "+" + text
	}
	return text
}

// Text writes the comparison for a terminal of width columns; 0 means unlimited.
func (d Diff) Text(w io.Writer, width int) error {
	out := &strings.Builder{}
	Wrap(out, width, fmt.Sprintf("%s: %s", d.Experiment.Name, d.Experiment.Title))
	Wrap(out, width, "base: "+d.Sides[0])
	Wrap(out, width, "head: "+d.Sides[1])
	if len(d.Machine) == 0 {
		fmt.Fprintln(out, "same machine, same tools")
	}
	for _, difference := range d.Machine {
		Wrap(out, width, "differs: "+difference)
	}
	Wrap(out, width, NotPaired)
	for _, table := range d.Tables {
		fmt.Fprintln(out)
		Wrap(out, width, table.Heading+"; medians, intervals of at least 95 %; ~ where no difference is proven")
		Grid(out, width, table.Rows)
	}
	if len(d.Notes) > 0 {
		fmt.Fprintln(out)
	}
	for _, note := range d.Notes {
		Wrap(out, width, "note: "+note)
	}
	_, err := io.WriteString(w, out.String())
	return err
}
