package report

import (
	"fmt"
	"math"
	"strconv"

	"github.com/coppice-go/coppice/cmd/internal/lab/compare"
	"github.com/coppice-go/coppice/cmd/internal/render/page"
	"github.com/coppice-go/coppice/cmd/internal/stats"
)

// Tables and plots of a page.
type (
	Sheet = page.Sheet
	Head  = page.Head
	Line  = page.Line
	Cell  = page.Cell
	Plot  = page.Plot
)

// figureCell formats a value for a cell of a column.
func figureCell(f form, v float64) Cell {
	return Cell{Text: f.text(v), Sort: strconv.FormatFloat(v, 'g', 8, 64)}
}

// data returns the properties by which filters select a row.
func (r Report) data(k Ranking, row compare.Row) [][2]string {
	ours := "no"
	if r.isOurs(row.Contender) {
		ours = "yes"
	}
	return [][2]string{{"language", row.Language}, {"class", k.Class}, {"workers", strconv.Itoa(k.Workers)}, {"ours", ours}}
}

// table returns the main table of a ranking.
func (r Report) table(k Ranking) Sheet {
	t := Sheet{Caption: k.Heading(), Columns: []Head{{Name: "contender"}}}
	ranked := k.ranked()
	if ranked {
		t.Columns = append(t.Columns, Head{Name: "rank", Figure: true})
	}
	t.Columns = append(t.Columns, Head{Name: "against " + r.BaselinesOf(k), Figure: true})
	shown := r.metricsOf(k)
	forms := make([]form, len(shown))
	for i, m := range shown {
		forms[i] = k.form(m.Metric)
		t.Columns = append(t.Columns, Head{Name: forms[i].heading(m.Name), Figure: true})
		if m.Metric == r.Metric {
			t.Columns = append(t.Columns, Head{Name: "interval, %", Figure: true})
		}
	}
	t.Columns = append(t.Columns, Head{Name: "runs", Figure: true})
	for _, row := range k.Rows {
		line := Line{Ours: r.isOurs(row.Contender), Data: r.data(k, row), Cells: []Cell{{Text: row.Contender}}}
		if ranked {
			line.Cells = append(line.Cells, placeCell(row))
		}
		line.Cells = append(line.Cells, r.againstCell(row))
		for i, m := range shown {
			s, ok := row.Metrics[m.Metric]
			cells := []Cell{{}}
			if ok {
				cells[0] = figureCell(forms[i], s.Median)
			}
			if m.Metric == r.Metric {
				cells = append(cells, interval(s))
			}
			line.Cells = append(line.Cells, cells...)
		}
		n := strconv.Itoa(row.Metrics[r.Metric].N)
		line.Cells = append(line.Cells, Cell{Text: n, Sort: n})
		t.Rows = append(t.Rows, line)
	}
	r.measured(k.Rows).mark(&t)
	return t
}

// placeCell returns the cell with the rank of a row. Rows without a rank are sorted after all
// others.
func placeCell(row compare.Row) Cell {
	if row.Rank == 0 {
		return Cell{}
	}
	return Cell{Text: place(row), Sort: strconv.Itoa(row.Rank)}
}

// form returns the number format for the medians of a metric in the ranking.
func (k Ranking) form(metric string) form {
	var values []float64
	for _, row := range k.Rows {
		if s, ok := row.Metrics[metric]; ok {
			values = append(values, s.Median)
		}
	}
	return formOf(metric, values)
}

// againstCell returns the cell that compares a row with its baseline.
func (r Report) againstCell(row compare.Row) Cell {
	if row.Contender == r.baselineOf(row.Contender) {
		return Cell{Text: "baseline", Sort: "1"}
	}
	cell := Cell{Text: Against(row.ToBaseline, r.Metric)}
	if row.ToBaseline.N > 0 && row.ToBaseline.Bounded() {
		cell.Sort = strconv.FormatFloat(row.ToBaseline.Estimate, 'g', 8, 64)
	}
	return cell
}

// interval formats the distances of a confidence interval's bounds from the median, in percent of
// the median.
func interval(s stats.Summary) Cell {
	if s.N == 0 || math.IsInf(s.Lo, 0) || math.IsInf(s.Hi, 0) || s.Median == 0 {
		return Cell{Text: "∞"}
	}
	below, above := 100*(s.Median-s.Lo)/s.Median, 100*(s.Hi-s.Median)/s.Median
	return Cell{Text: fmt.Sprintf("−%.0f +%.0f", below, above), Sort: strconv.FormatFloat(max(below, above), 'g', 8, 64)}
}

// spreadTable returns a table that shows how the ranking metric is distributed over the runs of
// each contender.
func (r Report) spreadTable(k Ranking) Sheet {
	t := Sheet{Caption: "How " + r.MetricName() + " is spread, " + k.Heading(), Columns: []Head{{Name: "contender"}}}
	of := func(s stats.Summary) []float64 { return []float64{s.Min, s.Median, s.Max, s.Mean, s.StdDev} }
	var values []float64
	for _, row := range k.Rows {
		values = append(values, of(row.Metrics[r.Metric])[:4]...)
	}
	f := formOf(r.Metric, values)
	for _, name := range []string{"min", "median", "max", "mean", "standard deviation"} {
		t.Columns = append(t.Columns, Head{Name: f.heading(name), Figure: true})
	}
	for _, row := range k.Rows {
		line := Line{Ours: r.isOurs(row.Contender), Data: r.data(k, row), Cells: []Cell{{Text: row.Contender}}}
		for _, v := range of(row.Metrics[r.Metric]) {
			line.Cells = append(line.Cells, figureCell(f, v))
		}
		t.Rows = append(t.Rows, line)
	}
	r.measured(k.Rows).mark(&t)
	return t
}

// summaryTable returns the published table with today's figures.
func (r Report) summaryTable() Sheet {
	t := page.SheetOf(r.Summary.Title, append([][]string{r.Summary.Header}, r.Summary.Rows...))
	t.ID, t.Note = "summary", r.provenance([][]string{r.Summary.sessions}).note
	return t
}
