package report

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"slices"

	"github.com/coppice-go/coppice/cmd/internal/render/chart"
	"github.com/coppice-go/coppice/cmd/internal/render/page"
)

//go:embed index.html
var index string

var indexTemplate = template.Must(page.Parts("index", functions).Parse(index))

// An Entry is an experiment on the index page.
type Entry struct {
	Name   string // name of the folder with the results
	Link   string // link to the report
	Report Report
}

// A Link is a link from the index page to another page.
type Link struct{ Link, Text string }

// summary contains the data of an experiment for the template of the index page.
type summary struct {
	Link, Name, Title, Verdict, Aged, Notes string
	Picture                                 template.HTML
}

// Index writes an index page. It shows the verdict and a small plot of each experiment, and links
// to other pages.
func Index(w io.Writer, entries []Entry, others []Link) error {
	all := make([]summary, 0, len(entries))
	for _, e := range entries {
		s := summary{Link: e.Link, Name: e.Name, Title: e.Report.Experiment.Title, Verdict: e.Report.Verdict, Aged: e.Report.Aged, Notes: e.Report.notes()}
		if p, ok := e.Report.small(); ok {
			s.Picture = template.HTML(p.SVG(chart.Phone))
		}
		all = append(all, s)
	}
	return indexTemplate.Execute(w, struct {
		Experiments []summary
		Others      []Link
	}{all, others})
}

// notes returns the remarks that the index page shows beside the plot of a report.
func (r Report) notes() string {
	rows := map[string]bool{}
	for _, k := range r.Rankings {
		for _, row := range k.Rows {
			rows[row.Contender] = true
		}
	}
	text := fmt.Sprintf("%d contenders", len(rows))
	if s := r.standing(); s.judged > 0 {
		text += "; " + s.text()
	}
	return text
}

// mostSmall is the maximum number of rows in a small plot.
const mostSmall = 6

// small returns a version of the first plot with only the most important rows: the best one, the
// best of ours, and the baseline. If there are several groups, it shows our best row of each.
func (r Report) small() (p chart.Rows, ok bool) {
	p, _, ok = r.lead()
	if !ok {
		return p, false
	}
	if len(p.Panels) > 1 {
		var best []chart.Mark
		for _, panel := range p.Panels {
			i := slices.IndexFunc(panel.Marks, func(m chart.Mark) bool { return m.Kind == chart.Ours })
			if i >= 0 || len(panel.Marks) > 0 {
				best = append(best, panel.Marks[max(i, 0)])
			}
		}
		p.Panels = []chart.Panel{{Marks: best}}
	}
	marks := slices.Clone(p.Panels[0].Marks)
	if len(p.Panels[0].Marks) > mostSmall && p.Unit != chart.Ratio {
		marks = selectMarks(marks)
	}
	for i := range marks {
		marks[i].Rank, marks[i].Data = "", nil
	}
	p.Panels = []chart.Panel{{Marks: marks}}
	return p, true
}

// selectMarks selects the marks of a small plot. It takes the first mark and the first mark of a
// baseline, and then alternates between the best remaining mark of ours and the best remaining mark
// of the others.
func selectMarks(all []chart.Mark) (kept []chart.Mark) {
	chosen := map[int]bool{0: true}
	take := func(kind chart.Kind) {
		for i, m := range all {
			if m.Kind == kind && !chosen[i] {
				chosen[i] = true
				return
			}
		}
	}
	take(chart.Baseline)
	for len(chosen) < mostSmall {
		before := len(chosen)
		take(chart.Ours)
		if len(chosen) < mostSmall {
			take(chart.Other)
		}
		if len(chosen) == before {
			break
		}
	}
	for i, m := range all {
		if chosen[i] {
			kept = append(kept, m)
		}
	}
	return kept
}
