// Package report renders results as text, as Markdown and as a self-contained HTML file. It is the
// last stage of the lab's pipeline, and measures nothing.
package report

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/coppice-go/coppice/cmd/internal/lab/compare"
	"github.com/coppice-go/coppice/cmd/internal/lab/experiment"
	"github.com/coppice-go/coppice/cmd/internal/lab/record"
	"github.com/coppice-go/coppice/cmd/internal/metric"
	"github.com/coppice-go/coppice/cmd/internal/process"
)

// A Report contains the results of an experiment. All output formats are rendered from it.
type Report struct {
	Experiment experiment.Experiment
	Metric     string
	Baseline   string // the contender that ratios of its group refer to, instead of the declared one; "" for none
	Sessions   []record.Environment
	Rankings   []Ranking // one for each group, class, depth and number of threads
	Failures   []compare.Row
	Claims     []Claim
	Summary    *Summary
	Warnings   []string
	Command    string // the command or commands that made the results
	Verdict    string // the results in one or two sentences; names are in backquotes
	Aged       string // which programs differ from those of the tree, if Age was called; names are in backquotes

	programs programs
	spots    map[spot][]string
	sessions []record.Session // sessions with the displayed names of contenders
}

// A Ranking contains the rows of one group and class at one depth and number of threads, best
// first.
type Ranking struct {
	Group   string // "" if the experiment has none
	Class   string
	Depth   int
	Workers int // the requested number of threads; 0 for the default
	Rows    []compare.Row
}

// Build builds the report of an experiment from sessions. A baseline other than "" replaces the
// declared baseline of its group.
func Build(e experiment.Experiment, sessions []record.Session, baseline string) Report {
	r := Report{Experiment: e, Metric: e.Metric, Baseline: baseline}
	var own []record.Session
	var commands []string
	for _, s := range sessions {
		s.Runs = slices.DeleteFunc(slices.Clone(s.Runs), func(r record.Run) bool { return r.Experiment != e.Name })
		if len(s.Runs) > 0 {
			for i, run := range s.Runs {
				s.Runs[i].Class = e.ClassOf(run.Contender, run.Class)
			}
			own = append(own, s)
			if command := s.Environment.Values["command"]; !slices.Contains(commands, command) {
				commands = append(commands, command)
			}
		}
	}
	r.Sessions = environments(own)
	r.Command = strings.Join(commands, " && ")
	var named []record.Session
	named, r.programs = tellApart(own)
	r.spots, r.sessions = spotted(named), named
	own = latest(own)
	for _, row := range compare.Table(named, r.baselineOf, e.Metric) {
		if row = withMetric(row, e.Metric); row.Status != record.OK {
			r.Failures = append(r.Failures, row)
			continue
		}
		r.rank(row)
		for _, w := range row.Warnings {
			r.Warnings = append(r.Warnings, Name(row)+": "+w)
		}
	}
	r.sortGroups()
	for _, ranking := range r.Rankings {
		slices.SortStableFunc(ranking.Rows, func(a, b compare.Row) int {
			return cmp.Compare(a.Metrics[e.Metric].Median, b.Metrics[e.Metric].Median)
		})
		if needed := compare.Rank(named, ranking.Rows, e.Metric); needed > 0 {
			r.Warnings = append(r.Warnings, fmt.Sprintf("%s: too few runs to rank the contenders; at least %d are needed (-runs %d)", ranking.Heading(), needed, needed))
		}
	}
	r.Warnings = append(r.Warnings, Outputs(e, own)...)
	r.Warnings = append(r.Warnings, unseen(e, own)...)
	r.Warnings = append(r.Warnings, r.doubts()...)
	r.Warnings = append(r.Warnings, r.loads()...)
	for _, env := range r.Sessions {
		for key, value := range env.Values {
			if name, ok := strings.CutPrefix(key, process.IgnoredPrefix); ok {
				r.Warnings = append(r.Warnings, fmt.Sprintf("%s=%s was set for the lab and kept from the contenders", strings.ToUpper(name), value))
			}
		}
	}
	for _, name := range r.baselines() {
		if !r.has(name) {
			r.Warnings = append(r.Warnings, fmt.Sprintf("the baseline, %s, has no runs that count, so there are no ratios", name))
		}
	}
	for _, c := range e.Claims {
		r.Claims = append(r.Claims, judge(c, own)...)
	}
	r.Summary = summarize(e.Summary, own)
	var shown []Ranking
	for _, i := range r.Main() {
		shown = append(shown, r.Rankings[i])
	}
	r.Verdict = r.marked(r.verdict(named), shown...)
	return r
}

// Between returns the ratio of a metric of two rows, over the rounds in which both ran.
func (r Report) Between(of, over compare.Row, metric string) compare.Ratio {
	return compare.Between(r.sessions, of, over, metric)
}

// withMetric sets the status of a row to Wrong if no run has the ranking metric.
func withMetric(row compare.Row, metric string) compare.Row {
	if row.Status == record.OK && row.Metrics[metric].N == 0 {
		row.Status = record.Wrong
		row.Reason = fmt.Sprintf("no run has %q, the metric that ranks the experiment; runs have %s", metric, strings.Join(slices.Sorted(maps.Keys(row.Metrics)), ", "))
	}
	return row
}

// unseen returns a warning about declared metrics that no run has. It returns none unless every
// contender that reports figures ran.
func unseen(e experiment.Experiment, sessions []record.Session) []string {
	seen, ran := map[string]bool{}, map[string]bool{}
	for _, s := range sessions {
		for _, r := range s.Runs {
			if !r.Counts() {
				continue
			}
			if c, ok := e.Declared(r.Contender); ok {
				ran[c.Name] = true
			}
			for metric := range r.Figures {
				seen[metric] = true
			}
		}
	}
	if slices.ContainsFunc(e.Contenders, func(c experiment.Contender) bool { return c.Reports && !ran[c.Name] }) {
		return nil
	}
	missing := slices.DeleteFunc(e.Named(), func(metric string) bool {
		return seen[metric] || metric == e.Metric || slices.Contains(experiment.Measured, metric)
	})
	if len(seen) == 0 || len(missing) == 0 {
		return nil
	}
	return []string{fmt.Sprintf("no run has the declared metric %s; is the name right? runs have %s",
		strings.Join(missing, " or "), strings.Join(slices.Sorted(maps.Keys(seen)), ", "))}
}

// Name returns the name of a contender, followed by the number of threads if one was requested.
func Name(row compare.Row) string {
	if row.Workers == 0 {
		return row.Contender
	}
	return fmt.Sprintf("%s, workers %d", row.Contender, row.Workers)
}

// Heading returns the heading of a ranking.
func (k Ranking) Heading() string {
	text := "class " + k.Class
	if k.Depth > 0 { // depth 0 means that the experiment has no sizes
		text += fmt.Sprintf(", depth %d", k.Depth)
	}
	if k.Group != "" {
		text = k.Group + ", " + text
	}
	if k.Workers > 0 {
		text += fmt.Sprintf(", workers %d", k.Workers)
	}
	return text
}

// sortGroups sorts the rankings by the order in which their groups are declared.
func (r *Report) sortGroups() {
	place := func(k Ranking) int {
		return slices.IndexFunc(r.Experiment.Contenders, func(c experiment.Contender) bool { return c.Group == k.Group })
	}
	slices.SortStableFunc(r.Rankings, func(a, b Ranking) int { return cmp.Compare(place(a), place(b)) })
}

// baselineOf returns the baseline of a contender. Both are displayed names.
func (r *Report) baselineOf(name string) string {
	return r.programs.baseline(name, r.declaredBaseline(name))
}

// declaredBaseline returns the original name of the baseline of a contender, which was either
// declared or chosen by the user. name is a displayed name.
func (r *Report) declaredBaseline(name string) string {
	contender := r.programs.contenderOf(name)
	if r.Baseline != "" && r.Experiment.GroupOf(r.Baseline) == r.Experiment.GroupOf(contender) {
		return r.Baseline
	}
	return r.Experiment.BaselineOf(contender)
}

// baselines returns the baselines of all ranked contenders, without duplicates.
func (r *Report) baselines() (all []string) {
	for _, k := range r.Rankings {
		for _, row := range k.Rows {
			if name := r.baselineOf(row.Contender); !slices.Contains(all, name) {
				all = append(all, name)
			}
		}
	}
	return all
}

// BaselinesOf returns the baselines of a ranking, joined with "or".
func (r Report) BaselinesOf(k Ranking) string {
	return strings.Join((&Report{Experiment: r.Experiment, Baseline: r.Baseline, Rankings: []Ranking{k}, programs: r.programs}).baselines(), " or ")
}

// has reports whether a contender is ranked.
func (r *Report) has(contender string) bool {
	return r.anyName(func(name string) bool { return name == contender })
}

// hasVariant reports whether a contender is ranked, either as declared or with a requested setting.
// In the latter case, the setting is a suffix of the displayed name.
func (r *Report) hasVariant(contender string) bool {
	return r.anyName(func(name string) bool {
		name = r.programs.contenderOf(name)
		return name == contender || strings.HasPrefix(name, contender+" GO")
	})
}

func (r *Report) anyName(ranked func(name string) bool) bool {
	return slices.ContainsFunc(r.Rankings, func(k Ranking) bool {
		return slices.ContainsFunc(k.Rows, func(row compare.Row) bool { return ranked(row.Contender) })
	})
}

func (r *Report) rank(row compare.Row) {
	group := r.Experiment.GroupOf(r.programs.contenderOf(row.Contender))
	i := slices.IndexFunc(r.Rankings, func(k Ranking) bool {
		return k.Group == group && k.Class == row.Class && k.Depth == row.Depth && k.Workers == row.Workers
	})
	if i < 0 {
		i = len(r.Rankings)
		r.Rankings = append(r.Rankings, Ranking{Group: group, Class: row.Class, Depth: row.Depth, Workers: row.Workers})
	}
	r.Rankings[i].Rows = append(r.Rankings[i].Rows, row)
}

// Figure formats a value of a metric with its unit.
func Figure(name string, v float64) string {
	switch metric.Named(name).Unit {
	case metric.Seconds:
		return scaled(v, []unit{{1, "s"}, {1e-3, "ms"}, {1e-6, "µs"}, {1e-9, "ns"}})
	case metric.Bytes:
		return scaled(v, []unit{{1 << 30, "GiB"}, {1 << 20, "MiB"}, {1 << 10, "KiB"}, {1, "B"}})
	default:
		return scaled(v, []unit{{1e9, "G"}, {1e6, "M"}, {1e3, "k"}, {1, ""}})
	}
}

type unit struct {
	size float64
	name string
}

func scaled(v float64, units []unit) string {
	u := units[len(units)-1]
	for _, candidate := range units {
		if math.Abs(v) >= candidate.size {
			u = candidate
			break
		}
	}
	return strings.TrimSpace(strconv.FormatFloat(significant(v/u.size), 'f', -1, 64) + " " + u.name)
}

// significant rounds a number to three significant digits.
func significant(v float64) float64 {
	if v == 0 || math.IsInf(v, 0) || math.IsNaN(v) {
		return v
	}
	scale := math.Pow(10, 2-math.Floor(math.Log10(math.Abs(v))))
	return math.Round(v*scale) / scale
}

// Interval formats the larger half-width of a confidence interval as a percentage of the median.
func Interval(median, lo, hi float64) string {
	switch {
	case math.IsInf(lo, 0) || math.IsInf(hi, 0):
		return "± ∞"
	case lo == hi:
		return "± 0 %" // also if all three are zero
	case median == 0:
		return "± ∞"
	}
	return fmt.Sprintf("± %.0f %%", 100*max(hi-median, median-lo)/median)
}

// Times formats a ratio to the baseline. It returns "~" if no difference is proven, and "" if the
// two did not run in the same rounds.
func Times(r compare.Ratio) string {
	if r.N == 0 {
		return "" // not run in the same rounds
	}
	if !r.Proven() {
		return "~"
	}
	return strconv.FormatFloat(significant(r.Estimate), 'f', -1, 64)
}
