package report

import (
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/coppice-go/coppice/cmd/internal/lab/compare"
	"github.com/coppice-go/coppice/cmd/internal/lab/experiment"
)

// columns returns the headings of the report's tables.
func columns(r Report) []string {
	header := []string{"contender", "rank", "runs", "x"}
	for _, m := range metrics(r) {
		header = append(header, m.Name)
	}
	return header
}

// metrics returns the columns for which any row of the report has figures. The ranking metric comes
// first.
func metrics(r Report) []experiment.Column { return r.metricsOf(r.Rankings...) }

// metricsOf returns the columns for which any row of the rankings has figures. The ranking metric
// comes first.
func (r Report) metricsOf(rankings ...Ranking) []experiment.Column {
	has := func(metric string) bool {
		for _, k := range rankings {
			for _, row := range k.Rows {
				if _, ok := row.Metrics[metric]; ok {
					return true
				}
			}
		}
		return false
	}
	var list []experiment.Column
	for _, c := range slices.Concat([]experiment.Column{r.column(r.Metric), r.column("rss")}, r.Experiment.Columns, shown()) {
		known := slices.ContainsFunc(list, func(o experiment.Column) bool { return o.Metric == c.Metric })
		if has(c.Metric) && !known {
			list = append(list, c)
		}
	}
	return list
}

// cells returns the cells of a row in the report's tables.
func cells(r Report, row compare.Row) []string {
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

// place formats the rank of a row. A trailing "=" means that a row above has the same rank.
func place(row compare.Row) string {
	switch {
	case row.Rank == 0:
		return ""
	case row.Tied:
		return strconv.Itoa(row.Rank) + "="
	default:
		return strconv.Itoa(row.Rank)
	}
}

// Notes that explain the ranks in a report.
const (
	tieNote   = "= : not proven to be worse than the first of this rank"
	apartNote = "no rank: of another session, so that it has no rounds in common with the rows that are compared"
)

// ranked reports whether the rows have ranks, which requires enough runs.
func (k Ranking) ranked() bool {
	return slices.ContainsFunc(k.Rows, func(row compare.Row) bool { return row.Rank > 0 })
}

// Ties returns notes that explain shared and missing ranks, if the ranking has any.
func (k Ranking) Ties() string {
	var notes []string
	if slices.ContainsFunc(k.Rows, func(row compare.Row) bool { return row.Tied }) {
		notes = append(notes, tieNote)
	}
	if k.ranked() && slices.ContainsFunc(k.Rows, func(row compare.Row) bool { return row.Rank == 0 }) {
		notes = append(notes, apartNote)
	}
	return strings.Join(notes, "; ")
}

// machineOf describes the machine and the tools of the last session in one line.
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

// measuredOn lists the machines of the sessions, without duplicates. Figures mean little without
// the machine on which they were measured.
func measuredOn(r Report) string {
	var all []string
	for _, env := range r.Sessions {
		v := env.Values
		if v["cpu"] == "" {
			continue
		}
		text := v["cpu"]
		for _, part := range []struct{ key, unit string }{{"cores", " cores"}, {"memory", ""}, {"go", ""}} {
			if v[part.key] != "" {
				text += ", " + v[part.key] + part.unit
			}
		}
		if text = strings.Replace(text, ", 1 cores", ", 1 core", 1); !slices.Contains(all, text) {
			all = append(all, text)
		}
	}
	if len(all) == 0 {
		return ""
	}
	return "Measured on " + strings.Join(all, "; ") + "."
}

// level returns the confidence level of the intervals in a ranking. The intervals are based on
// order statistics, which allow only certain levels. Rows with the same number of runs have the
// same level.
func (k Ranking) level(metric string) string {
	level := 0.0
	for i, row := range k.Rows {
		s := row.Metrics[metric]
		if i > 0 && s.Level != level || math.IsInf(s.Lo, 0) || math.IsInf(s.Hi, 0) {
			return "at least 95 %"
		}
		level = s.Level
	}
	return strconv.FormatFloat(100*level, 'f', 1, 64) + " %"
}
