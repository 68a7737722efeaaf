package report

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/coppice-go/coppice/cmd/internal/lab/experiment"
	"github.com/coppice-go/coppice/cmd/internal/lab/stats"
)

// shown has the metrics that tables show in addition to those of the experiment, if any row has
// them, in this order and with these headings.
var shown = []experiment.Column{
	{Metric: "cpu", Name: "cpu"}, {Metric: "wall", Name: "wall"}, {Metric: "rss", Name: "peak RSS"},
	{Metric: "allocs", Name: "allocations"}, {Metric: "bytes", Name: "allocated"},
	{Metric: "gc_cycles", Name: "GC cycles"}, {Metric: "gc_cpu_s", Name: "GC CPU"},
}

// columns returns the headings of a table of the report.
func columns(r Report) []string {
	header := []string{"contender", "rank", "runs", "x"}
	for _, m := range metrics(r) {
		header = append(header, m.Name)
	}
	return header
}

// metrics returns the columns for which the report has figures. The ranking metric is first.
func metrics(r Report) []experiment.Column {
	has := func(metric string) bool {
		for _, k := range r.Rankings {
			for _, row := range k.Rows {
				if _, ok := row.Metrics[metric]; ok {
					return true
				}
			}
		}
		return false
	}
	list := slices.DeleteFunc(slices.Concat(r.Experiment.Columns, shown), func(c experiment.Column) bool { return !has(c.Metric) })
	slices.SortStableFunc(list, func(a, b experiment.Column) int {
		switch r.Metric {
		case a.Metric:
			return -1
		case b.Metric:
			return 1
		}
		return 0
	})
	return list
}

// cells returns a row of a table of the report.
func cells(r Report, row stats.Row) []string {
	times := Times(row.ToBaseline)
	if row.Contender == r.baselineOf(row.Contender) {
		times = "1"
	}
	list := []string{row.Contender, place(row), strconv.Itoa(row.Metrics[r.Metric].N), times}
	for _, m := range metrics(r) {
		s, ok := row.Metrics[m.Metric]
		if !ok {
			list = append(list, "")
			continue
		}
		text := Figure(m.Metric, s.Median)
		if m.Metric == r.Metric {
			text += " " + Interval(s.Median, s.Lo, s.Hi)
		}
		list = append(list, text)
	}
	return list
}

// place formats the rank of a row, with a mark if it shares it with a row above.
func place(row stats.Row) string {
	switch {
	case row.Rank == 0:
		return ""
	case row.Tied:
		return strconv.Itoa(row.Rank) + "="
	default:
		return strconv.Itoa(row.Rank)
	}
}

// tieNote explains the mark.
const tieNote = "= : no difference proven to the first of this rank"

// Ties returns the explanation of the mark, if a row has it.
func (k Ranking) Ties() string {
	if slices.ContainsFunc(k.Rows, func(row stats.Row) bool { return row.Tied }) {
		return tieNote
	}
	return ""
}

// spreadColumns returns the headings of the table of the distribution of a metric.
var spreadColumns = []string{"contender", "min", "median", "max", "mean", "standard deviation"}

// spread returns a row of that table, for the ranking metric.
func spread(r Report, row stats.Row) []string {
	s := row.Metrics[r.Metric]
	cells := []string{row.Contender}
	for _, v := range []float64{s.Min, s.Median, s.Max, s.Mean, s.StdDev} {
		cells = append(cells, Figure(r.Metric, v))
	}
	return cells
}

// PublishedText returns the published figure with its unit.
func (c Claim) PublishedText() string { return c.text(c.Published) }

// MeasuredText returns today's figure with its unit and confidence interval.
func (c Claim) MeasuredText() string {
	switch {
	case c.N == 0:
		return ""
	case c.Over != "" && !c.bounded():
		return "~"
	}
	text := c.text(c.Measured) + " " + Interval(c.Measured, c.Lo, c.Hi)
	if c.Workers > 0 {
		text += fmt.Sprintf(", workers %d", c.Workers)
	}
	return text
}

func (c Claim) text(v float64) string {
	if c.Unit == "x" {
		return strconv.FormatFloat(significant(v), 'f', -1, 64) + " x"
	}
	return Figure(c.Metric, v)
}

// Why returns the reason why the claim does not hold, if it does not.
func (c Claim) Why() string {
	var all []string
	if c.Depth != 0 && c.Claim.Depth != 0 && c.Depth != c.Claim.Depth && c.N > 0 {
		all = append(all, "measured at depth "+strconv.Itoa(c.Depth)+", published at "+strconv.Itoa(c.Claim.Depth)+".")
	}
	if c.N > 0 && c.Holds() != "yes" && c.WhyNot != "" {
		all = append(all, c.WhyNot)
	}
	return strings.Join(all, " ")
}

// machineOf describes the machine of the last session in one line.
func machineOf(r Report) string {
	values := r.Sessions[len(r.Sessions)-1].Values
	var parts []string
	for _, key := range slices.Sorted(maps.Keys(values)) {
		if key != "warning" && key != "command" {
			parts = append(parts, key+": "+values[key])
		}
	}
	return strings.Join(parts, "; ") + "."
}
