package merge

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/coppice-go/coppice/cmd/internal/lab/report"
)

//go:embed page.html
var page string

var pageTemplate = template.Must(template.New("page").Funcs(template.FuncMap{"style": report.Style}).Parse(page))

// A section of the page is a ranking.
type section struct {
	Heading string
	Tables  [][][]string
	Answer  string
	Lines   []string
	Plots   []report.Plot
}

// HTML writes the report as a single self-contained file.
func (r Report) HTML(w io.Writer) error {
	var sections []section
	for _, k := range r.Rankings {
		s := section{Heading: k.Heading()}
		for _, table := range [][][]string{k.rows(), k.byKind(r), k.byMachine()} {
			if len(table) > 0 {
				s.Tables = append(s.Tables, table)
			}
		}
		s.Answer, s.Lines = k.answer()
		for _, row := range k.Rows {
			if row.IsBaseline() {
				continue
			}
			p, err := forest(k, row, r.Experiment.Metric)
			if err != nil {
				return err
			}
			s.Plots = append(s.Plots, p)
		}
		sections = append(sections, s)
	}
	return pageTemplate.Execute(w, struct {
		Report
		Summary, Legend string
		Sections        []section
	}{r, r.summary(), r.legend(), sections})
}

// mostDrawn is how many machines a picture has at most; of more it has the kinds alone.
const mostDrawn = 60

// A bar is a line of a forest plot.
type bar struct {
	name          string
	ratio, lo, hi float64
	all           bool // says something of several machines
}

// bars are the lines of the picture of a row, from the top.
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

// forest draws the ratio of a contender on each machine, each kind, all machines, and a new one, on a logarithmic scale.
func forest(k Ranking, row Row, metric string) (report.Plot, error) {
	p := plot.New()
	all := bars(row)
	least, greatest := 1.0, 1.0
	names := make([]string, 0, len(all))
	points, errs := make(plotter.XYs, 0, len(all)), make(plotter.XErrors, 0, len(all))
	var machines, several plotter.XYs
	for i := range all { // from the bottom
		b := all[len(all)-1-i]
		names = append(names, report.Label(b.name))
		at := plotter.XY{X: b.ratio, Y: float64(i)}
		if b.all {
			several = append(several, at)
		} else {
			machines = append(machines, at)
		}
		points = append(points, at)
		whisker := struct{ Low, High float64 }{}
		if b.lo > 0 && !math.IsInf(b.hi, 0) {
			whisker.Low, whisker.High = b.ratio-b.lo, b.hi-b.ratio
		}
		errs = append(errs, whisker)
		least, greatest = min(least, b.ratio-whisker.Low), max(greatest, b.ratio+whisker.High)
	}
	whiskers, err := plotter.NewXErrorBars(struct {
		plotter.XYs
		plotter.XErrors
	}{points, errs})
	if err != nil {
		return report.Plot{}, err
	}
	one, err := plotter.NewLine(plotter.XYs{{X: 1, Y: -0.5}, {X: 1, Y: float64(len(all)) - 0.5}})
	if err != nil {
		return report.Plot{}, err
	}
	one.Dashes = []vg.Length{3, 3}
	p.Add(one, whiskers)
	for _, group := range []struct {
		at    plotter.XYs
		shape draw.GlyphDrawer
		size  vg.Length
	}{{machines, draw.CircleGlyph{}, 3}, {several, draw.SquareGlyph{}, 4}} {
		if len(group.at) == 0 {
			continue
		}
		dots, err := plotter.NewScatter(group.at)
		if err != nil {
			return report.Plot{}, err
		}
		dots.GlyphStyle = draw.GlyphStyle{Color: report.Fill, Radius: group.size, Shape: group.shape}
		p.Add(dots)
	}
	p.NominalY(names...)
	p.X.Label.Text = metric + " to " + row.Baseline
	p.X.Scale, p.X.Tick.Marker = plot.LogScale{}, plot.TickerFunc(ticks)
	p.X.Min, p.X.Max = least/1.05, greatest*1.05
	svg, err := report.Render(p, len(all))
	return report.Plot{
		Title:   row.label(k) + " by machine, " + k.Heading(),
		Caption: "Circles are machines, squares say something of several; lines are 95 % intervals. Left of the dashed line is less than " + row.Baseline + ".",
		SVG:     svg,
	}, err
}

// ticks are at round numbers that a logarithmic axis of few percents has room for, too.
func ticks(lo, hi float64) (list []plot.Tick) {
	if hi > 3*lo {
		for power := math.Pow(10, math.Floor(math.Log10(lo))); power <= hi; power *= 10 {
			for _, v := range []float64{power, 2 * power, 5 * power} {
				if v >= lo && v <= hi {
					list = append(list, plot.Tick{Value: v, Label: Times(v)})
				}
			}
		}
		return list
	}
	list = plot.DefaultTicks{}.Ticks(lo, hi)
	for i, t := range list {
		if t.Label != "" {
			list[i].Label = Times(t.Value)
		}
	}
	return list
}
