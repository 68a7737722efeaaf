package merge

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/coppice-go/coppice/cmd/internal/lab/report"
	"github.com/coppice-go/coppice/cmd/internal/render/markdown"
	"github.com/coppice-go/coppice/cmd/internal/render/page"
	"github.com/coppice-go/coppice/cmd/internal/stats/across"
)

// summary states how many machines, kinds of machines and sessions were merged.
func (r Report) summary() string {
	return fmt.Sprintf("%s of %s, %s; each ratio compares rounds on one machine; nothing is averaged across machines",
		count(len(r.Machines), "machine"), count(r.Kinds, "kind"), count(r.Sessions, "session"))
}

// legend explains the columns of the first table of a ranking.
func (r Report) legend() string {
	return fmt.Sprintf("least first; x is %s relative to the baseline, with its 95 %% interval, ~ where no difference is proven; the last interval has the x of a new machine 95 times out of 100", r.metric())
}

// metric returns the name of the ranking metric.
func (r Report) metric() string {
	return report.Report{Experiment: r.Experiment, Metric: r.Experiment.Metric}.MetricName()
}

// rows returns the table of a ranking. The first row is the header.
func (k Ranking) rows() [][]string {
	all := [][]string{{"contender", "to", "machines", "rounds", "x", "interval", "a new machine", "machines differ"}}
	for _, r := range k.Rows {
		if r.IsBaseline() {
			all = append(all, []string{r.Contender, "", "", "", "1", "", "", ""})
			continue
		}
		all = append(all, []string{
			r.Contender, r.Baseline, strconv.Itoa(len(r.Blocks)), strconv.Itoa(r.Rounds), Ratio(r.Estimate),
			formatInterval(r.Lo, r.Hi), formatInterval(r.PredictLo, r.PredictHi), Differ(r.Result),
		})
	}
	return all
}

// byKind returns the table with a row for each kind of machine, or nil if all machines are of one
// kind.
func (k Ranking) byKind(r Report) [][]string {
	if r.Kinds < 2 {
		return nil
	}
	return k.table("kind", func(row Row) (names []string, cells map[string]string) {
		cells = map[string]string{}
		for _, kind := range row.Result.Kinds {
			names = append(names, kind.Name)
			cells[kind.Name] = cell(kind.Estimate, fmt.Sprintf("%d×", kind.Machines))
		}
		return names, cells
	})
}

// byMachine returns the table with a row for each machine.
func (k Ranking) byMachine() [][]string {
	return k.table("machine", func(row Row) (names []string, cells map[string]string) {
		cells = map[string]string{}
		for _, b := range row.Blocks {
			names = append(names, b.Machine)
			cells[b.Machine] = cell(across.Estimate{Ratio: b.Own.Ratio, Lo: b.Own.Lo, Hi: b.Own.Hi}, fmt.Sprintf("%d×", b.Own.N))
		}
		return names, cells
	})
}

// cell formats an estimate for a table that has a column for each contender.
func cell(e across.Estimate, of string) string {
	text := Ratio(e)
	if interval := formatInterval(e.Lo, e.Hi); interval != "" {
		text += " (" + interval + ")"
	}
	return text + " " + of
}

// table returns a table with a column for each contender. The argument of is a function that
// returns, for a contender's row, the names of the table's rows and the contender's cells by name.
func (k Ranking) table(what string, of func(Row) ([]string, map[string]string)) [][]string {
	header := []string{what}
	var names []string
	var columns []map[string]string
	for _, row := range k.Rows {
		if row.IsBaseline() {
			continue
		}
		own, cells := of(row)
		header, columns = append(header, row.label(k)), append(columns, cells)
		for _, name := range own {
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	all := [][]string{header}
	for _, name := range names {
		line := []string{name}
		for _, c := range columns {
			line = append(line, c[name])
		}
		all = append(all, line)
	}
	return all
}

// label returns the contender of a row. If the ranking compares this contender with several
// baselines, it appends the baseline.
func (r Row) label(k Ranking) string {
	for _, other := range k.Rows {
		if other.Contender == r.Contender && other.Baseline != r.Baseline {
			return r.Contender + " to " + r.Baseline
		}
	}
	return r.Contender
}

const question = "does the ranking hold everywhere?"

// Text writes the report for a terminal of width columns; 0 means unlimited.
func (r Report) Text(w io.Writer, width int) error {
	out := &strings.Builder{}
	report.Wrap(out, width, fmt.Sprintf("%s: %s", r.Experiment.Name, r.Experiment.Title))
	report.Wrap(out, width, r.summary())
	for _, k := range r.Rankings {
		fmt.Fprintln(out)
		report.Wrap(out, width, k.Heading()+", "+r.legend())
		for i, table := range [][][]string{k.rows(), k.byKind(r), k.byMachine()} {
			if len(table) == 0 {
				continue
			}
			if i > 0 {
				fmt.Fprintln(out)
			}
			report.Grid(out, width, append([][]string{upper(table[0])}, table[1:]...))
		}
		if verdict, lines := k.answer(); verdict != "" {
			fmt.Fprintln(out)
			report.Wrap(out, width, question+" "+verdict)
			for _, line := range lines {
				report.Wrap(out, width, "  "+line)
			}
		}
	}
	if len(r.Notes) > 0 {
		fmt.Fprintln(out)
	}
	for _, note := range r.Notes {
		report.Wrap(out, width, "note: "+note)
	}
	_, err := io.WriteString(w, out.String())
	return err
}

// upper capitalizes a header for the terminal, but not the names of contenders in it.
func upper(header []string) []string {
	all := slices.Clone(header)
	if all[0] == "contender" {
		return strings.Split(strings.ToUpper(strings.Join(all, "\t")), "\t")
	}
	all[0] = strings.ToUpper(all[0])
	return all
}

// Markdown writes the report as Markdown.
func (r Report) Markdown(w io.Writer) error {
	out := &strings.Builder{}
	fmt.Fprintf(out, "# %s\n\n%s\n\n%s.\n", markdown.Text(r.Experiment.Name), markdown.Text(r.Experiment.Title), r.summary())
	for _, k := range r.Rankings {
		fmt.Fprintf(out, "\n## In %s\n\n", markdown.Text(k.Heading()))
		if r.Command != "" {
			fmt.Fprintf(out, "By `%s`; ", r.Command)
		}
		fmt.Fprintf(out, "%s.\n", r.legend())
		for _, table := range [][][]string{k.rows(), k.byKind(r), k.byMachine()} {
			if len(table) > 0 {
				fmt.Fprintln(out)
				page.SheetOf("", table).Markdown(out)
			}
		}
		if verdict, lines := k.answer(); verdict != "" {
			fmt.Fprintf(out, "\n**%s** %s.\n\n", "Does the ranking hold everywhere?", markdown.Text(verdict))
			for _, line := range lines {
				fmt.Fprintf(out, "- %s\n", markdown.Text(line))
			}
		}
	}
	if len(r.Notes) > 0 {
		fmt.Fprint(out, "\n## Notes\n\n")
	}
	for _, note := range r.Notes {
		fmt.Fprintf(out, "- %s\n", markdown.Text(note))
	}
	_, err := io.WriteString(w, out.String())
	return err
}
