package report

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/coppice-go/coppice/cmd/internal/lab/compare"
	"github.com/coppice-go/coppice/cmd/internal/lab/experiment"
)

// Text writes the report for a terminal of width columns; 0 means unlimited. A line is wider only
// if it contains a single word or figure that does not fit.
func Text(w io.Writer, r Report, width int) error {
	out := &strings.Builder{}
	Wrap(out, width, fmt.Sprintf("%s: %s", r.Experiment.Name, r.Experiment.Title))
	Wrap(out, width, strings.ReplaceAll(r.Verdict, "`", ""))
	if r.Aged != "" {
		Wrap(out, width, strings.ReplaceAll(r.Aged, "`", ""))
	}
	if seeds := r.seeds(); seeds != "" {
		Wrap(out, width, "order within rounds by -seed "+seeds)
	}
	for _, k := range r.Rankings {
		fmt.Fprintln(out)
		Wrap(out, width, fmt.Sprintf("%s, best first; medians, intervals of at least 95 %%; x is %s to %s, round by round", k.Heading(), r.MetricName(), r.BaselinesOf(k)))
		header := strings.Split(strings.ToUpper(strings.Join(columns(r), "\t")), "\t")
		rows := append([][]string{header}, mapRows(k.Rows, func(row compare.Row) []string { return cells(r, row) })...)
		measured := r.measured(k.Rows)
		for i, text := range measured.column {
			rows[0], rows[i+1] = append(rows[0][:len(columns(r)):len(columns(r))], "MEASURED ON"), append(rows[i+1], text)
		}
		Grid(out, width, rows)
		if note := measured.provenanceNote(); note != "" {
			Wrap(out, width, note)
		}
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
		Wrap(out, width, r.claimsNote())
		if note := r.claimsMeasured().note; note != "" {
			Wrap(out, width, note)
		}
	}
	if r.Summary != nil {
		fmt.Fprintln(out)
		Wrap(out, width, r.Summary.Title+": medians; % better is 1 - new/old, round by round")
		Grid(out, width, append([][]string{r.Summary.Header}, r.Summary.Rows...))
		if note := r.summaryTable().Note; note != "" {
			Wrap(out, width, note)
		}
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

// seeds returns the seeds that determined the order of the runs within each round, separated by
// commas.
func (r Report) seeds() string {
	var all []string
	for _, s := range r.Sessions {
		if seed := s.Values["seed"]; seed != "" && !slices.Contains(all, seed) {
			all = append(all, seed)
		}
	}
	return strings.Join(all, ", ")
}

// unfair returns the contenders in the report that are declared as unfair comparisons.
func unfair(r Report) []experiment.Contender {
	return slices.DeleteFunc(slices.Clone(r.Experiment.Contenders), func(c experiment.Contender) bool {
		return c.Unfair == "" || !r.hasVariant(c.Name)
	})
}

// mapRows calls cells for each row and returns the results.
func mapRows(rows []compare.Row, cells func(compare.Row) []string) (all [][]string) {
	for _, row := range rows {
		all = append(all, cells(row))
	}
	return all
}
