package merge

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"math"

	"github.com/coppice-go/coppice/cmd/internal/render/chart"
	"github.com/coppice-go/coppice/cmd/internal/render/page"
)

//go:embed page.html
var pageText string

var pageTemplate = template.Must(page.Parts("page", nil).Parse(pageText))

// A section is the part of the page for one ranking.
type section struct {
	Heading string
	Tables  []page.Sheet
	Answer  string
	Lines   []string
	Plots   []page.Plot
}

// HTML writes the report as a single self-contained file.
func (r Report) HTML(w io.Writer) error {
	sections := make([]section, 0, len(r.Rankings))
	for _, k := range r.Rankings {
		s := section{Heading: k.Heading()}
		for i, table := range [][][]string{k.rows(), k.byKind(r), k.byMachine()} {
			if len(table) > 0 {
				s.Tables = append(s.Tables, page.SheetOf([]string{"Ratios", "By kind of machine", "By machine"}[i]+", "+k.Heading(), table))
			}
		}
		s.Answer, s.Lines = k.answer()
		for _, row := range k.Rows {
			if row.IsBaseline() {
				continue
			}
			s.Plots = append(s.Plots, forest(k, row, r.metric()))
		}
		sections = append(sections, s)
	}
	return pageTemplate.Execute(w, struct {
		Report
		Summary, Legend string
		Sections        []section
		Table           page.Sheet
	}{r, r.summary(), r.legend(), sections, r.machinesTable()})
}

// machinesTable returns the table of machines.
func (r Report) machinesTable() page.Sheet {
	rows := [][]string{{"machine", "kind", "sessions"}}
	for _, m := range r.Machines {
		rows = append(rows, []string{m.Name, m.Kind, fmt.Sprint(m.Sessions)})
	}
	return page.SheetOf("The machines", rows)
}

// mostDrawn is the maximum number of machines in a plot. If there are more, only the kinds of
// machines are drawn.
const mostDrawn = 60

// A bar is one line of a forest plot.
type bar struct {
	name          string
	ratio, lo, hi float64
	all           bool // the bar summarizes several machines
}

// bars returns the lines of a row's forest plot, from top to bottom.
func bars(row Row) (all []bar) {
	if len(row.Blocks) <= mostDrawn {
		for _, b := range row.Blocks {
			all = append(all, bar{b.Machine, b.Own.Ratio, b.Own.Lo, b.Own.Hi, false})
		}
	}
	if len(row.Result.Kinds) > 1 {
		for _, k := range row.Result.Kinds {
			if k.Machines > 1 {
				all = append(all, bar{fmt.Sprintf("%s (%d)", k.Name, k.Machines), k.Ratio, k.Lo, k.Hi, true})
			}
		}
	}
	if len(row.Blocks) > 1 {
		all = append(all, bar{"all machines", row.Ratio, row.Lo, row.Hi, true})
		if !math.IsInf(row.PredictHi, 0) {
			all = append(all, bar{"a new machine", row.Ratio, row.PredictLo, row.PredictHi, true})
		}
	}
	return all
}

// forest draws a forest plot of a contender's ratio on each machine, on each kind of machine, on
// all machines, and on a new machine. The scale is logarithmic.
func forest(k Ranking, row Row, metric string) page.Plot {
	p := chart.Rows{
		Name: row.label(k) + " by machine, " + k.Heading(), Unit: chart.Ratio, Log: true, Reference: 1,
		Axis: metric + " relative to " + row.Baseline, Panels: []chart.Panel{{}},
	}
	for _, b := range bars(row) {
		m := chart.Mark{Name: b.name, Value: b.ratio, Lo: b.lo, Hi: b.hi, Text: fmt.Sprintf("%.3f", b.ratio), Tip: fmt.Sprintf("%s: %s, %s", b.name, Times(b.ratio), formatInterval(b.lo, b.hi))}
		if b.all {
			m.Kind = chart.Several
		}
		p.Panels[0].Marks = append(p.Panels[0].Marks, m)
	}
	return page.Drawn(row.label(k)+" by machine, "+k.Heading(),
		"Circles are machines, squares are several machines; lines are 95 % intervals. Values left of the dashed line are less than "+row.Baseline+".", p)
}
