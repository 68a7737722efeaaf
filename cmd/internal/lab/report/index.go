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

// An Entry is one experiment of an index page.
type Entry struct {
	Name   string // of the folder of its results
	Link   string // to its report
	Report Report
}

// A Link refers to a different page.
type Link struct{ Link, Text string }

// summary is the data of an experiment on the index page.
type summary struct {
	Link, Name, Title, Verdict, Aged, Notes string
	Picture                                 template.HTML
}

// Index writes a page about several experiments, with the verdict and a small picture of each, and
// with links to other pages.
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

// notes returns the remarks that are shown beside the picture of a report.
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

// mostSmall is the largest number of rows of a small picture.
const mostSmall = 6

// small returns the first picture with only the most important rows: the best, the best of ours,
// and the baseline. If there are several groups, it shows the best of ours in each.
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
		marks = few(marks)
	}
	for i := range marks {
		marks[i].Rank, marks[i].Data = "", nil
	}
	p.Panels = []chart.Panel{{Marks: marks}}
	return p, true
}

// few selects the marks of a small picture: the first mark, the first mark of a baseline, and then,
// in turn, the best remaining mark of ours and the best remaining mark of the others.
func few(all []chart.Mark) (kept []chart.Mark) {
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
