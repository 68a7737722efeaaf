package report

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/coppice-go/coppice/cmd/internal/lab/experiment"
	"github.com/coppice-go/coppice/cmd/internal/lab/stats"
)

// Text writes the report for a terminal of that many columns; 0 stands for unlimited. No line is
// wider, except where a word or figure is.
func Text(w io.Writer, r Report, width int) error {
	out := &strings.Builder{}
	Wrap(out, width, fmt.Sprintf("%s: %s", r.Experiment.Name, r.Experiment.Title))
	if seeds := r.seeds(); seeds != "" {
		Wrap(out, width, "order within rounds by -seed "+seeds)
	}
	for _, k := range r.Rankings {
		fmt.Fprintln(out)
		Wrap(out, width, fmt.Sprintf("%s, best first; medians, 95 %% intervals; x is %s to %s, round by round", k.Heading(), r.Metric, r.BaselinesOf(k)))
		header := strings.Split(strings.ToUpper(strings.Join(columns(r), "\t")), "\t")
		Grid(out, width, append([][]string{header}, each(k.Rows, func(row stats.Row) []string { return cells(r, row) })...))
		if note := k.Ties(); note != "" {
			Wrap(out, width, note)
		}
	}
	if len(r.Failures) > 0 {
		fmt.Fprintln(out, "\nnot ranked")
		for _, f := range r.Failures {
			Wrap(out, width, fmt.Sprintf("  %s: %s: %s", Name(f), f.Status, f.Reason))
		}
	}
	if len(r.Claims) > 0 {
		fmt.Fprintln(out, "\nwhat the write-ups said")
		claims(out, width, r.Claims)
	}
	if r.Summary != nil {
		fmt.Fprintln(out)
		Wrap(out, width, r.Summary.Title+": medians; % better is 1 - new/old, round by round")
		Grid(out, width, append([][]string{r.Summary.Header}, r.Summary.Rows...))
	}
	if len(r.Warnings) > 0 {
		fmt.Fprintln(out)
	}
	for _, warning := range r.Warnings {
		Wrap(out, width, "warning: "+warning)
	}
	_, err := io.WriteString(w, out.String())
	return err
}

// seeds returns the seeds of the sessions' orders.
func (r Report) seeds() string {
	var all []string
	for _, s := range r.Sessions {
		if seed := s.Values["seed"]; seed != "" && !slices.Contains(all, seed) {
			all = append(all, seed)
		}
	}
	return strings.Join(all, ", ")
}

// claims writes a table or, if that is too wide, a paragraph for each claim.
func claims(out io.Writer, width int, all []Claim) {
	rows := [][]string{{"CLAIM", "WHAT", "PUBLISHED", "HERE", "HOLDS"}}
	for _, c := range all {
		rows = append(rows, []string{c.ID, c.What, c.PublishedText(), c.MeasuredText(), c.Holds()})
	}
	if fits(width, widths(rows)) {
		Grid(out, width, rows)
		return
	}
	for _, row := range rows[1:] {
		here := ""
		if row[3] != "" {
			here = ", here " + row[3]
		}
		Wrap(out, width, fmt.Sprintf("%s: %s: published %s%s: %s", row[0], row[1], row[2], here, row[4]))
	}
}

// unfair returns the contenders of the report whose comparison is unfair.
func unfair(r Report) []experiment.Contender {
	return slices.DeleteFunc(slices.Clone(r.Experiment.Contenders), func(c experiment.Contender) bool {
		return c.Unfair == "" || !r.hasVariant(c.Name)
	})
}

// MarkdownTable writes a table.
func MarkdownTable(out io.Writer, header []string, rows [][]string) {
	fmt.Fprintf(out, "| %s |\n|%s\n", strings.Join(header, " | "), strings.Repeat(" --- |", len(header)))
	for _, row := range rows {
		escaped := make([]string, len(row))
		for i, cell := range row {
			escaped[i] = strings.ReplaceAll(cell, "|", `\|`)
		}
		fmt.Fprintf(out, "| %s |\n", strings.Join(escaped, " | "))
	}
}

// each returns the rows of a table.
func each(rows []stats.Row, cells func(stats.Row) []string) (all [][]string) {
	for _, row := range rows {
		all = append(all, cells(row))
	}
	return all
}

// Markdown writes the report as tables for a README.
func Markdown(w io.Writer, r Report) error {
	out := &strings.Builder{}
	fmt.Fprintf(out, "# %s\n\n%s\n", r.Experiment.Name, r.Experiment.Title)
	if r.Command != "" {
		fmt.Fprintf(out, "\nMade by `%s`.\n", r.Command)
	}
	if len(r.Sessions) > 0 {
		fmt.Fprintf(out, "\n%s\n", machineOf(r))
	}
	for _, k := range r.Rankings {
		fmt.Fprintf(out, "\n## In %s\n\nBy `%s`. Medians with 95 %% intervals; x is the ratio of %s to %s, round by round, ~ where no difference is proven.\n\n",
			k.Heading(), r.Command, r.Metric, r.BaselinesOf(k))
		MarkdownTable(out, columns(r), each(k.Rows, func(row stats.Row) []string { return cells(r, row) }))
		if note := k.Ties(); note != "" {
			fmt.Fprintf(out, "\n%s.\n", note)
		}
		fmt.Fprintf(out, "\nHow %s is spread:\n\n", r.Metric)
		MarkdownTable(out, spreadColumns, each(k.Rows, func(row stats.Row) []string { return spread(r, row) }))
	}
	if len(r.Failures) > 0 {
		fmt.Fprint(out, "\n## Not ranked\n\n")
		for _, f := range r.Failures {
			fmt.Fprintf(out, "- %s: %s: %s\n", Name(f), f.Status, f.Reason)
		}
	}
	if len(r.Claims) > 0 {
		fmt.Fprintf(out, "\n## What the write-ups said\n\nMeasured by `%s`.\n\n", r.Command)
		rows := make([][]string, 0, len(r.Claims))
		for _, c := range r.Claims {
			rows = append(rows, []string{c.ID, c.What, c.PublishedText(), c.MeasuredText(), c.Holds(), c.Why()})
		}
		MarkdownTable(out, []string{"claim", "what", "published", "here", "holds", "why not"}, rows)
	}
	if r.Summary != nil {
		fmt.Fprintf(out, "\n## %s\n\nMeasured by `%s`. Medians; %% better is 1 - new/old, round by round, ~ where no difference is proven.\n\n", r.Summary.Title, r.Command)
		MarkdownTable(out, r.Summary.Header, r.Summary.Rows)
	}
	if notes := unfair(r); len(notes) > 0 {
		fmt.Fprint(out, "\n## What is unfair\n\n")
		for _, c := range notes {
			fmt.Fprintf(out, "- %s: %s\n", c.Name, c.Unfair)
		}
	}
	if len(r.Warnings) > 0 {
		fmt.Fprint(out, "\n## Doubts\n\n")
		for _, warning := range r.Warnings {
			fmt.Fprintf(out, "- %s\n", warning)
		}
	}
	_, err := io.WriteString(w, out.String())
	return err
}
