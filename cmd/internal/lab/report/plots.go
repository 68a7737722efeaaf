package report

import (
	"bytes"
	"cmp"
	"fmt"
	"html/template"
	"image/color"
	"io"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"

	"github.com/coppice-go/coppice/cmd/internal/lab/stats"
)

// A Plot is a picture of the report with its caption.
type Plot struct {
	Title, Caption string
	SVG            template.HTML
}

// ink is drawn in the colour of the page's text, so that a plot is readable in light and dark mode
// and on paper. No information in a plot is carried by colour alone.
var (
	ink  = color.RGBA{A: 255}
	Fill = color.RGBA{R: 1, G: 2, B: 3, A: 255} // becomes the page's accent
)

// plots draws the rankings.
func plots(r Report) (all []Plot, err error) {
	for _, k := range r.Rankings {
		for _, drawOne := range []func(Report, Ranking) (*Plot, error){ranking, scatter, distribution, curve} {
			p, err := drawOne(r, k)
			if err != nil {
				return nil, err
			}
			if p != nil {
				all = append(all, *p)
			}
		}
	}
	return all, nil
}

// Picture writes the first ranking of the greatest depth as a separate SVG file, dark on white.
func Picture(w io.Writer, r Report) error {
	if len(r.Rankings) == 0 {
		_, err := io.WriteString(w, `<svg xmlns="http://www.w3.org/2000/svg"/>`+"\n")
		return err
	}
	deepest := slices.MaxFunc(r.Rankings, func(a, b Ranking) int { return cmp.Compare(a.Depth, b.Depth) })
	p, err := ranking(r, deepest)
	if err != nil {
		return err
	}
	svg := strings.NewReplacer("var(--accent)", "#2f7d5b", "currentColor", "#1b1f1d",
		`<svg role="img"`, `<svg role="img" style="background:#fff"`).Replace(string(p.SVG))
	_, err = io.WriteString(w, svg)
	return err
}

// wide is the greatest ratio of the largest to the smallest value for a plot from zero.
const wide = 30

// ranking draws a bar for each contender, with the confidence interval of its median. If bars would
// be too short to distinguish, it draws dots on a logarithmic scale.
func ranking(r Report, k Ranking) (*Plot, error) {
	p := plot.New()
	points := make(plotter.XYs, 0, len(k.Rows))
	errs := make(plotter.XErrors, 0, len(k.Rows))
	names := make([]string, 0, len(k.Rows))
	for i := range k.Rows { // best on top
		row := k.Rows[len(k.Rows)-1-i]
		s := row.Metrics[r.Metric]
		names = append(names, Label(strings.TrimSpace(place(row)+" "+row.Contender)))
		points = append(points, plotter.XY{X: s.Median, Y: float64(i)})
		errs = append(errs, struct{ Low, High float64 }{bounded(s.Median - s.Lo), bounded(s.Hi - s.Median)})
	}
	caption := "Median " + r.Metric + " with its 95 % interval; shorter is better."
	least, greatest := points[len(points)-1].X, points[0].X
	logarithmic := least > 0 && greatest > wide*least
	var err error
	if logarithmic {
		caption = "Median " + r.Metric + " with its 95 % interval, on a logarithmic scale; further left is better."
		err = dots(p, points)
	} else {
		err = bars(p, points)
	}
	if err != nil {
		return nil, err
	}
	whiskers, err := plotter.NewXErrorBars(struct {
		plotter.XYs
		plotter.XErrors
	}{points, errs})
	if err != nil {
		return nil, err
	}
	p.Add(whiskers)
	p.NominalY(names...)
	p.X.Label.Text = r.Metric
	p.X.Tick.Marker = ticks(r.Metric)
	if logarithmic {
		p.X.Scale, p.X.Tick.Marker = plot.LogScale{}, powers(r.Metric)
		p.X.Min, p.X.Max = least/1.5, greatest*1.5
	} else {
		p.X.Min = 0
		p.X.Max *= 1.06 // room for the last tick's label
	}
	svg, err := Render(p, len(k.Rows))
	return &Plot{Title: "Ranking, " + k.Heading(), Caption: caption, SVG: svg}, err
}

func bars(p *plot.Plot, points plotter.XYs) error {
	values := make(plotter.Values, 0, len(points))
	for _, point := range points {
		values = append(values, point.X)
	}
	chart, err := plotter.NewBarChart(values, 14)
	if err != nil {
		return err
	}
	chart.Horizontal, chart.Color, chart.LineStyle.Width = true, Fill, 0
	p.Add(chart)
	return nil
}

func dots(p *plot.Plot, points plotter.XYs) error {
	scatter, err := plotter.NewScatter(points)
	if err != nil {
		return err
	}
	scatter.GlyphStyle = draw.GlyphStyle{Color: Fill, Radius: 4, Shape: draw.CircleGlyph{}}
	p.Add(plotter.NewGrid(), scatter)
	return nil
}

// powers labels a logarithmic axis at one, two and five times the powers of ten.
func powers(metric string) plot.Ticker {
	return plot.TickerFunc(func(lo, hi float64) (list []plot.Tick) {
		for power := math.Pow(10, math.Floor(math.Log10(lo))); power <= hi; power *= 10 {
			for _, v := range []float64{power, 2 * power, 5 * power} {
				if v >= lo && v <= hi {
					list = append(list, plot.Tick{Value: v, Label: Figure(metric, v)})
				}
			}
		}
		return list
	})
}

// scatter draws time against memory, with a named point for each contender.
func scatter(r Report, k Ranking) (*Plot, error) {
	var xys plotter.XYs
	var names []string
	for _, row := range k.Rows {
		if _, swept := row.Env["GOGC"]; swept && strings.Contains(row.Contender, " GOGC=") && len(k.Rows) > 7 {
			return nil, nil // the curve shows these
		}
		rss, ok := row.Metrics["rss"]
		if ok && rss.Median > 0 {
			xys = append(xys, plotter.XY{X: row.Metrics[r.Metric].Median, Y: rss.Median})
			names = append(names, row.Contender)
		}
	}
	if len(xys) < 2 {
		return nil, nil
	}
	p := plot.New()
	points, err := plotter.NewScatter(xys)
	if err != nil {
		return nil, err
	}
	points.GlyphStyle = draw.GlyphStyle{Color: Fill, Radius: 4, Shape: draw.CircleGlyph{}}
	labels, err := plotter.NewLabels(plotter.XYLabels{XYs: xys, Labels: names})
	if err != nil {
		return nil, err
	}
	labels.Offset = vg.Point{X: 7, Y: -3}
	p.Add(points, labels)
	p.X.Min, p.Y.Min = 0, 0
	p.X.Max *= 1.35 // room for the names
	p.Y.Max *= 1.1
	p.X.Label.Text, p.Y.Label.Text = r.Metric, "peak RSS"
	p.X.Tick.Marker, p.Y.Tick.Marker = ticks(r.Metric), ticks("rss")
	svg, err := Render(p, 8)
	return &Plot{
		Title:   "Time against memory, " + k.Heading(),
		Caption: "Medians; nearer to the lower left corner is better.",
		SVG:     svg,
	}, err
}

// distribution draws every run of each contender, in units of its median.
func distribution(r Report, k Ranking) (*Plot, error) {
	p := plot.New()
	var names []string
	var xys plotter.XYs
	for i := range k.Rows {
		row := k.Rows[len(k.Rows)-1-i]
		names = append(names, Label(row.Contender))
		s := row.Metrics[r.Metric]
		if s.Median == 0 {
			continue // no median to divide by
		}
		for j, v := range s.Values {
			lift := float64(j%5-2) * 0.08 // so that equal values do not hide each other
			xys = append(xys, plotter.XY{X: v / s.Median, Y: float64(i) + lift})
		}
	}
	points, err := plotter.NewScatter(xys)
	if err != nil {
		return nil, err
	}
	points.GlyphStyle = draw.GlyphStyle{Color: ink, Radius: 2.2, Shape: draw.RingGlyph{}}
	p.Add(points)
	p.NominalY(names...)
	p.X.Label.Text = r.Metric + " of a run / median of its contender"
	svg, err := Render(p, len(k.Rows))
	return &Plot{
		Title:   "Every run, " + k.Heading(),
		Caption: "Two clusters in a row say that something else was busy for part of the time.",
		SVG:     svg,
	}, err
}

// A setting is a contender under one value of GOGC.
type setting struct {
	family, label string
	gogc          float64
	at            plotter.XY
}

// settings returns the rows of contenders that differ by GOGC, in its order. It includes the rows
// with the default, which no environment has. A contender that is several programs has no curve.
func settings(r Report, k Ranking) (all []setting) {
	swept := func(family string) bool {
		return slices.ContainsFunc(k.Rows, func(row stats.Row) bool {
			return row.Env["GOGC"] != "" && family == familyOf(row)
		})
	}
	for _, row := range k.Rows {
		s := setting{family: familyOf(row), label: row.Env["GOGC"]}
		if r.programs.contenderOf(row.Contender) != row.Contender {
			continue
		}
		if !swept(s.family) {
			continue
		}
		switch n, err := strconv.ParseFloat(s.label, 64); {
		case s.label == "":
			s.label, s.gogc = "100, the default", 100
		case err != nil:
			s.gogc = math.Inf(1) // off
		default:
			s.gogc = n
		}
		s.at = plotter.XY{X: row.Metrics["rss"].Median, Y: row.Metrics[r.Metric].Median}
		all = append(all, s)
	}
	slices.SortStableFunc(all, func(a, b setting) int { return cmp.Compare(a.gogc, b.gogc) })
	return all
}

// familyOf returns the name of the contender without its setting.
func familyOf(row stats.Row) string {
	family, _, _ := strings.Cut(row.Contender, " GOGC=")
	return family
}

// curve draws time against memory along GOGC, for contenders that differ by it.
func curve(r Report, k Ranking) (*Plot, error) {
	families := map[string]plotter.XYs{}
	var order []string
	labels := plotter.XYLabels{}
	for _, s := range settings(r, k) {
		if _, seen := families[s.family]; !seen {
			order = append(order, s.family)
		}
		families[s.family] = append(families[s.family], s.at)
		labels.XYs, labels.Labels = append(labels.XYs, s.at), append(labels.Labels, s.label)
	}
	if len(order) == 0 || len(labels.XYs) < 3 {
		return nil, nil
	}
	p := plot.New()
	dashes := [][]vg.Length{nil, {4, 3}, {1, 2}}
	for i, family := range order {
		line, points, err := plotter.NewLinePoints(families[family])
		if err != nil {
			return nil, err
		}
		line.Dashes = dashes[i%len(dashes)]
		points.GlyphStyle = draw.GlyphStyle{Color: Fill, Radius: 3, Shape: []draw.GlyphDrawer{draw.CircleGlyph{}, draw.SquareGlyph{}, draw.TriangleGlyph{}}[i%3]}
		p.Add(line, points)
		p.Legend.Add(family, line, points)
	}
	text, err := plotter.NewLabels(labels)
	if err != nil {
		return nil, err
	}
	text.Offset = vg.Point{X: 6, Y: 4}
	p.Add(text)
	p.Legend.Top = true
	p.X.Max += 0.25 * (p.X.Max - p.X.Min) // room for the label of the last point
	p.Y.Min, p.Y.Max = 0, 1.15*p.Y.Max    // and for that of the highest point
	p.X.Label.Text, p.Y.Label.Text = "peak RSS", r.Metric
	p.X.Tick.Marker, p.Y.Tick.Marker = ticks("rss"), ticks(r.Metric)
	svg, err := Render(p, 8)
	return &Plot{
		Title:   "Time against memory along GOGC, " + k.Heading(),
		Caption: "Each point is one GOGC setting.",
		SVG:     svg,
	}, err
}

// ticks labels an axis in the units of a metric.
func ticks(metric string) plot.Ticker {
	return plot.TickerFunc(func(lo, hi float64) []plot.Tick {
		list := plot.DefaultTicks{}.Ticks(lo, hi)
		for i, t := range list {
			if t.Label != "" {
				list[i].Label = Figure(metric, t.Value)
			}
		}
		return list
	})
}

// Label is a name on an axis, with space: the browser may lack the fonts of the layout and use a wider one.
func Label(name string) string { return name + strings.Repeat(" ", len(name)/2+2) }

// bounded replaces infinite ends of an interval, so that it can be drawn.
func bounded(v float64) float64 {
	if math.IsInf(v, 0) {
		return 0
	}
	return v
}

// fixedSize matches the size that vgsvg gives a picture.
var fixedSize = regexp.MustCompile(`(?s)^.*?<svg width="([\d.]+)pt" height="([\d.]+)pt"`)

// Render draws the plot with room for the given number of rows, as SVG. The colours come from the
// page, and the width from the screen.
func Render(p *plot.Plot, rows int) (template.HTML, error) {
	p.BackgroundColor = nil
	height := 28
	if rows > 20 {
		height = 15
	}
	canvas := vgsvg.New(520, vg.Length(90+height*rows))
	p.Draw(draw.New(canvas))
	var out bytes.Buffer
	if _, err := canvas.WriteTo(&out); err != nil {
		return "", fmt.Errorf("drawing: %w", err)
	}
	svg := out.String()
	svg = fixedSize.ReplaceAllString(svg, `<svg role="img"`)
	svg = strings.ReplaceAll(svg, "#010203", "var(--accent)")
	svg = strings.ReplaceAll(svg, "#000000", "currentColor")
	svg = strings.ReplaceAll(svg, "fill:none;stroke:none", "fill:none")
	if strings.Contains(svg, "<svg width") {
		return "", fmt.Errorf("drawing: the picture has no size of the expected form: %s", strconv.Quote(svg[:min(200, len(svg))]))
	}
	return template.HTML(svg), nil
}
