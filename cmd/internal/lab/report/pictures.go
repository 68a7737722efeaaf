package report

import (
	"cmp"
	"fmt"
	"html/template"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/coppice-go/coppice/cmd/internal/lab/compare"
	"github.com/coppice-go/coppice/cmd/internal/metric"
	"github.com/coppice-go/coppice/cmd/internal/render/chart"
)

// unitOf returns the unit of a metric on the axis of a plot.
func unitOf(name string) chart.Unit {
	switch metric.Named(name).Unit {
	case metric.Seconds:
		return chart.Seconds
	case metric.Bytes:
		return chart.Bytes
	default:
		return chart.Count
	}
}

// mark returns the properties of a row that are shown in all plots.
func (r Report) mark(k Ranking, row compare.Row) chart.Mark {
	s := row.Metrics[r.Metric]
	m := chart.Mark{
		Name: row.Contender, Rank: place(row), Language: row.Language, Value: s.Median, Lo: s.Lo, Hi: s.Hi,
		Text: r.figure(k, s.Median), Tip: r.tip(row), Data: r.data(k, row),
	}
	switch {
	case r.isOurs(row.Contender):
		m.Kind = chart.Ours
	case row.Contender == r.baselineOf(row.Contender):
		m.Kind = chart.Baseline
	}
	return m
}

// figure formats a median for the label beside its mark. All labels have the same unit and number
// of decimals, unless the values of the ranking span too wide a range.
func (r Report) figure(k Ranking, v float64) string {
	const most = 200
	if first, last := k.Rows[0].Metrics[r.Metric].Median, k.Rows[len(k.Rows)-1].Metrics[r.Metric].Median; last > most*first {
		return Figure(r.Metric, v)
	}
	return k.form(r.Metric).withUnit(v)
}

// tip returns the tooltip of a row.
func (r Report) tip(row compare.Row) string {
	s := row.Metrics[r.Metric]
	text := fmt.Sprintf("%s: %s %s %s", row.Contender, r.MetricName(), Figure(r.Metric, s.Median), Interval(s.Median, s.Lo, s.Hi))
	switch {
	case row.Contender == r.baselineOf(row.Contender):
		text += "; the baseline"
	case Against(row.ToBaseline, r.Metric) != "":
		text += "; " + Against(row.ToBaseline, r.Metric) + " against " + r.baselineOf(row.Contender)
	}
	if rss, ok := row.Metrics["rss"]; ok && r.Metric != "rss" {
		text += "; peak memory " + Figure("rss", rss.Median)
	}
	return text
}

// lead returns the first plot of the report. It shows the main ranking or, if there are several,
// all groups side by side, with the ratios of each group to its own baseline.
func (r Report) lead() (p chart.Rows, caption string, ok bool) {
	main := r.Main()
	switch len(main) {
	case 0:
		return p, "", false
	case 1:
		p, caption = r.ranking(r.Rankings[main[0]])
		return p, caption, true
	}
	p = chart.Rows{
		Name: r.Experiment.Name + ": " + r.MetricName() + " of each contender against the baseline of its part", Unit: chart.Ratio, Log: true, Reference: 1,
		Axis: r.MetricName() + " against that of the baseline",
	}
	for _, i := range main {
		k := r.Rankings[i]
		panel := chart.Panel{Heading: k.Group + ", against " + r.BaselinesOf(k)}
		for _, row := range k.Rows {
			m := r.mark(k, row)
			if m.Kind == chart.Baseline || row.Contender == r.baselineOf(row.Contender) {
				continue // the baseline is drawn as the dashed line
			}
			m.Value, m.Lo, m.Hi = row.ToBaseline.Estimate, row.ToBaseline.Lo, row.ToBaseline.Hi
			if m.Text = Against(row.ToBaseline, r.Metric); row.ToBaseline.N == 0 {
				m.Value, m.Text = math.NaN(), "not in the same rounds"
			}
			panel.Marks = append(panel.Marks, m)
		}
		p.Panels = append(p.Panels, panel)
	}
	var shown []Ranking
	for _, i := range main {
		shown = append(shown, r.Rankings[i])
	}
	p.Axis = r.onAxis(p.Axis, shown...)
	return p, r.marked("Typical ratio of a round with its 95 % interval, on a logarithmic scale; left of the dashed line is less than the baseline.", shown...), true
}

// ranking returns the plot of a ranking, which has a bar with a confidence interval for each
// contender, and its caption.
func (r Report) ranking(k Ranking) (chart.Rows, string) {
	p := chart.Rows{
		Name: r.Experiment.Name + ": " + r.MetricName() + " of each contender, " + k.Heading() + "; the table has the figures",
		Axis: r.onAxis(r.MetricName(), k), Unit: unitOf(r.Metric), Panels: []chart.Panel{{}},
	}
	for _, row := range k.Rows {
		p.Panels[0].Marks = append(p.Panels[0].Marks, r.mark(k, row))
	}
	caption := "Median " + r.MetricName() + " with its 95 % interval; shorter is better."
	if p.Logarithmic() {
		caption = "Median " + r.MetricName() + " with its 95 % interval, on a logarithmic scale; further left is better."
	}
	return p, r.marked(caption, k)
}

// onAxis appends the busy-machine mark to an axis label, because a plot may be copied without its
// caption.
func (r Report) onAxis(name string, rankings ...Ranking) string {
	if mark := r.busy(rankings...); mark != "" {
		return name + ", " + mark
	}
	return name
}

// Picture writes the first plot of the report as an SVG file.
func Picture(w io.Writer, r Report) error {
	p, _, ok := r.lead()
	if !ok {
		_, err := io.WriteString(w, `<svg xmlns="http://www.w3.org/2000/svg"/>`+"\n")
		return err
	}
	_, err := io.WriteString(w, p.SVG(chart.Alone))
	return err
}

// plots returns the plots of a ranking, except for the first plot of the report.
func (r Report) plots(k Ranking, first bool) (all []Plot) {
	if !first {
		p, caption := r.ranking(k)
		all = append(all, Plot{Title: "Ranking", Caption: caption, SVG: template.HTML(p.SVG(chart.Page))})
	}
	for _, s := range []func(Ranking) *Plot{r.scatter, r.curve, r.everyRun} {
		if p := s(k); p != nil {
			all = append(all, *p)
		}
	}
	for i := range all {
		all[i].Where = k.Heading()
		if i > 0 || first {
			all[i].Caption = r.marked(all[i].Caption, k)
		}
	}
	return all
}

// scatter returns the plot of time against memory, or nil if there is none.
func (r Report) scatter(k Ranking) *Plot {
	s := chart.Scatter{Across: r.MetricName(), Up: "peak memory", AcrossUnit: unitOf(r.Metric), UpUnit: chart.Bytes,
		Name: r.MetricName() + " against peak memory, " + k.Heading() + "; the table has the figures"}
	for _, row := range k.Rows {
		if rss, ok := row.Metrics["rss"]; ok && rss.Median > 0 {
			m := r.mark(k, row)
			m.Rank, m.Up = "", rss.Median
			s.Marks = append(s.Marks, m)
		}
	}
	if len(s.Marks) < 2 || r.Metric == "rss" {
		return nil
	}
	svg := s.SVG(chart.Page)
	return &Plot{Title: r.MetricName() + " against memory", SVG: template.HTML(svg),
		Caption: strings.TrimSpace("Medians; nearer to the lower left corner is better. " + s.Caption())}
}

// everyRun returns the plot of every run of each contender, relative to the contender's median. It
// returns nil if no median is positive.
func (r Report) everyRun(k Ranking) *Plot {
	p := chart.Rows{Name: "Every run of each contender against its median, " + k.Heading(), Unit: chart.Ratio, Log: true, Reference: 1,
		Axis: r.MetricName() + " of a run against the median of its contender", Panels: []chart.Panel{{}}}
	for _, row := range k.Rows {
		s := row.Metrics[r.Metric]
		if s.Median <= 0 || s.Min <= 0 {
			continue // a ratio to zero is undefined, and a log scale cannot show zero
		}
		m := r.mark(k, row)
		m.Rank, m.Tip, m.Text = "", "", fmt.Sprintf("%d runs", s.N)
		for _, v := range s.Values {
			m.Runs = append(m.Runs, v/s.Median)
		}
		p.Panels[0].Marks = append(p.Panels[0].Marks, m)
	}
	if len(p.Panels[0].Marks) == 0 {
		return nil
	}
	return &Plot{Title: "Every run", Caption: "Two clusters in a row may be another load on the processor, or the program itself.", SVG: template.HTML(p.SVG(chart.Page))}
}

// A setting is a row of a contender that ran with a particular value of GOGC.
type setting struct {
	family, label string
	gogc          float64
	row           compare.Row
}

// settings returns the rows of contenders that ran with several values of GOGC, in ascending order
// of GOGC. They include the rows without GOGC, which ran with the default value. Contenders with
// several programs are omitted.
func (r Report) settings(k Ranking) (all []setting) {
	swept := func(family string) bool {
		return slices.ContainsFunc(k.Rows, func(row compare.Row) bool {
			return row.Env["GOGC"] != "" && family == familyOf(row)
		})
	}
	for _, row := range k.Rows {
		s := setting{family: familyOf(row), label: row.Env["GOGC"], row: row}
		if r.programs.contenderOf(row.Contender) != row.Contender || !swept(s.family) {
			continue
		}
		switch n, err := strconv.ParseFloat(s.label, 64); {
		case s.label == "":
			s.label, s.gogc = "100, the default", 100
		case err != nil:
			s.gogc = math.Inf(1) // GOGC=off
		default:
			s.gogc = n
		}
		all = append(all, s)
	}
	slices.SortStableFunc(all, func(a, b setting) int { return cmp.Compare(a.gogc, b.gogc) })
	return all
}

// familyOf returns the name of the contender without its GOGC setting.
func familyOf(row compare.Row) string {
	family, _, _ := strings.Cut(row.Contender, " GOGC=")
	return family
}

// curve returns the plot of time against memory for different values of GOGC, or nil if there are
// too few rows.
func (r Report) curve(k Ranking) *Plot {
	s := chart.Scatter{Across: "peak memory", Up: r.MetricName(), AcrossUnit: chart.Bytes, UpUnit: unitOf(r.Metric),
		Name: r.MetricName() + " against peak memory along GOGC, " + k.Heading()}
	for _, one := range r.settings(k) {
		m := r.mark(k, one.row)
		m.Name, m.Rank = one.family+" "+one.label, ""
		m.Up, m.Value, m.Lo, m.Hi = m.Value, one.row.Metrics["rss"].Median, 0, 0
		i := slices.IndexFunc(s.Paths, func(p chart.Path) bool { return p.Name == one.family })
		if i < 0 {
			i, s.Paths = len(s.Paths), append(s.Paths, chart.Path{Name: one.family})
		}
		s.Paths[i].Marks = append(s.Paths[i].Marks, len(s.Marks))
		s.Marks = append(s.Marks, m)
	}
	if len(s.Marks) < 3 {
		return nil
	}
	svg := s.SVG(chart.Page)
	return &Plot{Title: r.MetricName() + " against memory along GOGC", Caption: strings.TrimSpace("Each point is one GOGC setting. " + s.Caption()), SVG: template.HTML(svg)}
}
