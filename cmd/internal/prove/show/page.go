package show

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/coppice-go/coppice/cmd/internal/metric"
	"github.com/coppice-go/coppice/cmd/internal/prove"
	"github.com/coppice-go/coppice/cmd/internal/prove/measure"
	"github.com/coppice-go/coppice/cmd/internal/render/chart"
	"github.com/coppice-go/coppice/cmd/internal/render/figure"
	"github.com/coppice-go/coppice/cmd/internal/render/page"
)

//go:embed page.html
var pageText string

var pageTemplate = template.Must(page.Parts("proof", nil).Parse(pageText))

// A section is the section of the page that shows one comparison.
type section struct {
	Sides, Go, Verdict, Because, Equality string
	Lead, Rounds                          *page.Plot
	Tables                                []page.Sheet
	Doubts, Unequal, Checks               []string
}

// HTML writes results as one self-contained page: the verdict, a plot of each metric relative to
// the base, and the tables.
func HTML(w io.Writer, all ...*prove.Result) error {
	var v struct {
		Title    string
		Proofs   []section
		Warnings []string
		Facts    [][2]string
	}
	v.Title = "Before and after"
	for _, r := range all {
		for _, c := range r.Comparisons {
			s := sectionOf(r, c)
			if len(all) > 1 {
				s.Go = r.Environment["go"]
			}
			v.Proofs = append(v.Proofs, s)
		}
		v.Warnings = append(v.Warnings, r.Warnings...)
	}
	if len(all) > 0 {
		v.Facts = append(v.Facts, [2]string{"tool", all[0].Tool})
		for _, key := range slices.Sorted(maps.Keys(all[0].Environment)) {
			v.Facts = append(v.Facts, [2]string{key, all[0].Environment[key]})
		}
	}
	return pageTemplate.Execute(w, v)
}

func sectionOf(r *prove.Result, c prove.Comparison) section {
	s := section{
		Sides: c.Head.Name + " against " + r.Base.Name, Verdict: strings.ToUpper(string(c.Verdict)), Because: strings.Join(c.Reasons, "; "),
		Unequal: c.Equality.Unequal, Checks: slices.Concat(c.Equality.Done, c.Equality.Left),
	}
	switch {
	case c.Verdict == prove.Identical:
		s.Because += "; nothing was measured"
	case len(c.Equality.Unequal) > 0:
		s.Equality = "The programs are not equal."
	case c.Equality.Level == prove.Unproven:
		s.Equality = "The programs are not shown to be equal."
	default:
		s.Equality = fmt.Sprintf("Equal by %s.", c.Equality.Level)
	}
	for _, subject := range c.Subjects {
		s.Tables = append(s.Tables, sheetOf(subject))
		for _, doubt := range subject.Warnings {
			s.Doubts = append(s.Doubts, subject.Name+": "+doubt)
		}
	}
	s.Lead, s.Rounds = against(c.Subjects), runs(c.Subjects)
	return s
}

// sheetOf returns a table of a benchmark's metrics.
func sheetOf(s prove.Subject) page.Sheet {
	t := page.Sheet{
		Caption: s.Name + ": " + strings.ToUpper(string(s.Verdict)) + reasons(s),
		Columns: []page.Head{{Name: "metric"}, {Name: "before", Figure: true}, {Name: "after", Figure: true}, {Name: "difference", Figure: true}, {Name: "interval, %", Figure: true}, {Name: "proof"}},
	}
	number := func(v float64) string { return strconv.FormatFloat(v, 'g', 8, 64) }
	for _, m := range s.Metrics {
		t.Rows = append(t.Rows, page.Line{Cells: []page.Cell{
			{Text: metric.Named(m.Name).Op}, {Text: amount(m, m.Before), Sort: number(m.Before)}, {Text: amount(m, m.After), Sort: number(m.After)},
			{Text: difference(m), Sort: number(m.Ratio)}, {Text: interval(m)}, {Text: evidence(m, s.Rounds)},
		}})
	}
	return t
}

// against returns a plot of each metric after the change, relative to its value before. It returns
// nil if no metric has a ratio.
func against(subjects []prove.Subject) *page.Plot {
	p := chart.Rows{Name: "Each metric after the change, relative to before; the tables have the values", Axis: "after, relative to before",
		Unit: chart.Ratio, Log: true, Reference: 1, Star: "proven, or exact"}
	for _, s := range subjects {
		panel := chart.Panel{Heading: s.Name + ": " + strings.ToUpper(string(s.Verdict))}
		for _, m := range s.Metrics {
			if !(m.Ratio > 0) || !figure.Finite(m.Ratio) {
				continue
			}
			panel.Marks = append(panel.Marks, ratioMark(s, m))
		}
		if len(panel.Marks) > 0 {
			p.Panels = append(p.Panels, panel)
		}
	}
	if len(p.Panels) == 0 {
		return nil
	}
	plot := page.Drawn("", "Each metric with its 95 % interval, on a logarithmic scale; values left of the dashed line are less than before.", p)
	return &plot
}

func ratioMark(s prove.Subject, m measure.Metric) chart.Mark {
	mark := chart.Mark{
		Name: metric.Named(m.Name).Op, Value: m.Ratio, Text: inWords(m),
		Tip: fmt.Sprintf("%s, %s: %s before, %s after; %s; %s", s.Name, metric.Named(m.Name).Op, amount(m, m.Before), amount(m, m.After), difference(m), evidence(m, s.Rounds)),
	}
	if m.Hi > 0 {
		mark.Lo, mark.Hi = m.Lo, m.Hi
	}
	if m.Outcome == measure.Better || m.Outcome == measure.Worse {
		mark.Kind = chart.Ours
	}
	return mark
}

// inWords describes a difference in words, as in "1.20 times faster" or "not proven".
func inWords(m measure.Metric) string {
	switch {
	case m.Exact && (m.Outcome == measure.Equal || m.Ratio == 1):
		return "equal"
	case measure.ReportOnly(m.Name), measure.Reported(m.Name) && m.Better == metric.Unknown:
		return difference(m) + ", not judged"
	case m.Outcome == measure.Equal:
		return "no relevant difference"
	case m.Outcome == measure.Open:
		return "no difference proven"
	}
	less, more := "less", "more"
	if m.Name == "cpu" || m.Name == "wall" {
		less, more = "faster", "slower"
	}
	return figure.Times(m.Ratio, less, more)
}

// runs returns a plot of the CPU times of all runs, before and after the change. Without CPU times
// it plots the wall times, and without runs it returns nil.
func runs(subjects []prove.Subject) *page.Plot {
	p := chart.Rows{Name: "Every run before and after the change", Unit: chart.Seconds}
	for _, s := range subjects {
		i := slices.IndexFunc(s.Metrics, func(m measure.Metric) bool { return m.Name == "cpu" || m.Name == "wall" })
		if i < 0 {
			continue
		}
		m := s.Metrics[i]
		p.Axis = metric.Named(m.Name).Op
		p.Panels = append(p.Panels, chart.Panel{Heading: s.Name, Marks: []chart.Mark{
			{Name: "before", Runs: m.Base, Text: amount(m, m.Before)}, {Name: "after", Runs: m.Head, Text: amount(m, m.After), Kind: chart.Ours},
		}})
	}
	if len(p.Panels) == 0 {
		return nil
	}
	p.Star = "after"
	plot := page.Drawn("", "A ring for each run; at the right the medians.", p)
	return &plot
}
