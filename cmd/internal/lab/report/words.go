package report

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/coppice-go/coppice/cmd/internal/lab/compare"
	"github.com/coppice-go/coppice/cmd/internal/lab/experiment"
	"github.com/coppice-go/coppice/cmd/internal/metric"
	"github.com/coppice-go/coppice/cmd/internal/render/figure"
)

// shown returns the additional metrics that tables show if any row has a value for them.
func shown() (all []experiment.Column) {
	for _, m := range metric.All {
		if m.Shown {
			all = append(all, experiment.Column{Metric: m.Name, Name: m.Title})
		}
	}
	return all
}

// column returns the column of a metric: the column that the experiment declares or, if there is
// none, a column with the default heading.
func (r Report) column(name string) experiment.Column {
	for _, c := range r.Experiment.Columns {
		if c.Metric == name {
			return c
		}
	}
	return experiment.Column{Metric: name, Name: metric.Named(name).Title}
}

// MetricName returns the heading of the ranking metric.
func (r Report) MetricName() string { return r.column(r.Metric).Name }

// InWords returns the name of a metric for use in a sentence.
func (r Report) InWords(metric string) string {
	c := r.column(metric)
	if c.Words != "" {
		return c.Words
	}
	return c.Name
}

// isOurs reports whether a contender is ours, that is, one that the report focuses on. name is a
// displayed name.
func (r Report) isOurs(name string) bool {
	c, _ := r.Experiment.Declared(r.programs.contenderOf(name))
	return c.Ours
}

// languageOf returns the language of a contender. name is a displayed name.
func (r Report) languageOf(name string) string {
	c, _ := r.Experiment.Declared(r.programs.contenderOf(name))
	return c.Language
}

// comparatives returns the adjectives for a smaller and a larger value of a metric, such as
// "faster" and "slower".
func comparatives(name string) (less, more string) {
	if metric.Named(name).Unit == metric.Seconds {
		return "faster", "slower"
	}
	return "less", "more"
}

// unproven is shown instead of a ratio if no difference is proven.
const unproven = "no difference proven"

// Against describes the ratio of two values of a metric, such as "13.2 times faster". It returns ""
// if the two were not measured in the same rounds.
func Against(r compare.Ratio, metric string) string {
	switch {
	case r.N == 0:
		return "" // did not run in the same rounds
	case !r.Proven():
		return unproven
	}
	return compared(r.Estimate, metric, figure.Factor)
}

// compared describes a ratio in words, such as "1.4 times slower". number formats the factor.
func compared(ratio float64, metric string, number func(float64) string) string {
	less, more := comparatives(metric)
	if ratio < 1 {
		return number(1/ratio) + " times " + less
	}
	return number(ratio) + " times " + more
}

// formatNumber formats a number for a sentence, with two digits. It uses three if two digits would
// hide a difference from 1.
func formatNumber(v float64) string {
	digits := 2
	if v > 0.995 && v < 1.1 {
		digits = 3
	}
	return strconv.FormatFloat(roundTo(v, digits), 'f', -1, 64)
}

// formatRatio formats a ratio for a sentence, such as "1/17 of", "0.69 of" or "1.4 times".
func formatRatio(v float64) string {
	switch {
	case v <= 0.2:
		return "1/" + formatNumber(1/v) + " of"
	case v < 1:
		return formatNumber(v) + " of"
	default:
		return formatNumber(v) + " times"
	}
}

// roundTo rounds v to the given number of significant digits.
func roundTo(v float64, digits int) float64 {
	if v == 0 || math.IsInf(v, 0) || math.IsNaN(v) {
		return v
	}
	scale := math.Pow(10, float64(digits-1)-math.Floor(math.Log10(math.Abs(v))))
	return math.Round(v*scale) / scale
}

// list joins names with commas and a final "and". If len(names) is at least most+2, list includes
// only the first names and the count of the rest.
func list(names []string, most int) string {
	if len(names) > most+1 {
		names = append(slices.Clone(names[:most]), strconv.Itoa(len(names)-most)+" more")
	}
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:len(names)-1], ", ") + " and " + names[len(names)-1]
}

// threads returns a number of threads in words, or "" for 0.
func threads(n int) string {
	switch n {
	case 0:
		return ""
	case 1:
		return "one thread"
	default:
		return strconv.Itoa(n) + " threads"
	}
}
