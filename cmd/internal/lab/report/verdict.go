package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/coppice-go/coppice/cmd/internal/lab/compare"
	"github.com/coppice-go/coppice/cmd/internal/lab/record"
	"github.com/coppice-go/coppice/cmd/internal/stats"
	"github.com/coppice-go/coppice/cmd/internal/stats/paired"
)

// Main returns the indices of the rankings that a report shows first, one for each group. It
// selects the largest depth that has at least half as many rows as any other depth, and for each
// group the ranking with the fewest threads or, among several of these, with the most rows.
func (r Report) Main() (all []int) {
	rows, most := map[int]int{}, 0
	for _, k := range r.Rankings {
		rows[k.Depth] += len(k.Rows)
		most = max(most, rows[k.Depth])
	}
	depth := -1
	for d, n := range rows {
		if 2*n >= most {
			depth = max(depth, d)
		}
	}
	for i, k := range r.Rankings {
		if k.Depth != depth {
			continue
		}
		at := slices.IndexFunc(all, func(j int) bool { return r.Rankings[j].Group == k.Group })
		switch {
		case at < 0:
			all = append(all, i)
		case preferred(k, r.Rankings[all[at]]):
			all[at] = i
		}
	}
	return all
}

// preferred reports whether k should be shown first instead of other, which is a ranking of the
// same group.
func preferred(k, other Ranking) bool {
	if k.Workers != other.Workers {
		return k.Workers < other.Workers
	}
	return len(k.Rows) > len(other.Rows)
}

// A finding describes how our best contender in a ranking compares with the others.
type finding struct {
	in           Ranking
	of, base     compare.Row
	time, memory compare.Ratio // ratios to the baseline
	next         compare.Row   // the best row below ours that shares rounds with it, if any
	behind       compare.Ratio // ratio of next to our best row
	second       compare.Row   // if the baseline is the best row: the best row below it that shares rounds with it, if any
	behindBase   compare.Ratio // ratio of second to the baseline
	isBaseline   bool          // our best row is the baseline
	ahead        []string      // names of the rows that are proven to be better
	compared     int           // number of other rows that share rounds with ours
	level        int           // number of these rows that are not proven to differ from ours
	least        int           // minimum number of runs to prove a difference from each of these rows; 0 if our row has as many
	rival        compare.Row   // the best row that is not ours, is in the given language and shares rounds with ours, if any
	toRival      compare.Ratio // ratio of rival to our best row
}

// find returns the finding for a ranking. It describes our best contender in the given language, or
// in any language if language is "". If there is none, it describes the best contender of all. ok
// is false if the ranking has no rows.
func (r Report) find(k Ranking, language string, sessions []record.Session) (f finding, ok bool) {
	if len(k.Rows) == 0 {
		return f, false
	}
	f.in, f.of = k, k.Rows[0]
	i := slices.IndexFunc(k.Rows, func(row compare.Row) bool {
		return r.isOurs(row.Contender) && (language == "" || r.languageOf(row.Contender) == language)
	})
	if i >= 0 {
		f.of = k.Rows[i]
	}
	f.next, f.behind = r.best(k.Rows[max(i, 0)+1:], f.of, sessions, func(compare.Row) bool { return true })
	base := r.baselineOf(f.of.Contender)
	f.isBaseline = base == f.of.Contender
	if i := slices.IndexFunc(k.Rows, func(row compare.Row) bool { return row.Contender == base }); i >= 0 {
		f.base = k.Rows[i]
	}
	if f.base.Contender == k.Rows[0].Contender {
		f.second, f.behindBase = r.best(k.Rows[1:], f.base, sessions, func(compare.Row) bool { return true })
	}
	f.time = f.of.ToBaseline
	if r.Metric != "rss" && f.base.Contender != "" {
		f.memory = compare.Between(sessions, f.of, f.base, "rss")
	}
	f.compareAll(r.Metric, sessions)
	if r.isOurs(f.of.Contender) {
		f.rival, f.toRival = r.best(k.Rows, f.of, sessions, func(row compare.Row) bool {
			return !r.isOurs(row.Contender) && (language == "" || r.languageOf(row.Contender) == language)
		})
	}
	return f, true
}

// best returns the first row that wanted accepts and that shares rounds with the row to. It also
// returns the ratio of the first row to the second.
func (r Report) best(rows []compare.Row, to compare.Row, sessions []record.Session, wanted func(compare.Row) bool) (compare.Row, compare.Ratio) {
	for _, row := range rows {
		if row.Contender == to.Contender || !wanted(row) {
			continue
		}
		if ratio := compare.Between(sessions, row, to, r.Metric); ratio.N > 0 {
			return row, ratio
		}
	}
	return compare.Row{}, compare.Ratio{}
}

// compareAll tests every other row of the ranking against our best row. The tests form one family,
// so their p values are adjusted by Holm's method.
func (f *finding) compareAll(metric string, sessions []record.Session) {
	var rows []compare.Row
	var ratios []compare.Ratio
	var p []float64
	for _, row := range f.in.Rows {
		if row.Contender == f.of.Contender {
			continue
		}
		ratio := compare.Between(sessions, row, f.of, metric)
		if ratio.N == 0 {
			continue // did not run in the same rounds
		}
		rows, ratios = append(rows, row), append(ratios, ratio)
		if ratio.Proven() {
			p = append(p, ratio.P)
		} else {
			p = append(p, 1) // with ties, P may be small although the interval includes 1
		}
	}
	f.compared = len(rows)
	const alpha = 1 - stats.Confidence
	for i, adjusted := range stats.Holm(p) {
		switch {
		case adjusted > alpha:
			f.level++
		case ratios[i].Estimate < 1:
			f.ahead = append(f.ahead, code(rows[i].Contender))
		}
	}
	if len(p) > 0 {
		if least := paired.Fewest(alpha / float64(len(p))); least > f.of.Metrics[metric].N {
			f.least = least
		}
	}
}

func code(name string) string { return "`" + name + "`" }

// verdict returns a summary of the results. Names are in backquotes.
func (r Report) verdict(sessions []record.Session) string {
	var all []finding
	var groups []string
	main := r.Main()
	for _, i := range main {
		if f, ok := r.find(r.Rankings[i], r.Experiment.Lead, sessions); ok {
			all, groups = append(all, f), append(groups, r.Rankings[i].Group)
		}
	}
	switch len(all) {
	case 0:
		return "No contender has a run that counts."
	case 1:
		k := r.Rankings[main[0]]
		sentences := []string{r.sentence(all[0]), r.rivals(all[0]), all[0].incomparable(len(k.Rows)), r.nearest(all[0]), r.otherLanguages(all[0], sessions), r.otherClasses(k)}
		return strings.Join(slices.DeleteFunc(sentences, func(s string) bool { return s == "" }), " ")
	default:
		return r.overview(all, groups)
	}
}

// sentence states how our best contender compares with the baseline.
func (r Report) sentence(f finding) string {
	name, metric := code(f.of.Contender), r.InWords(r.Metric)
	switch {
	case f.isBaseline && f.baselineLeads():
		return fmt.Sprintf("%s, the baseline itself, is the best: it needs %s of %s%s.", name, r.figureOf(f.of, f.in), metric, r.distance(f))
	case f.isBaseline:
		return fmt.Sprintf("%s, the baseline, needs %s of %s%s.", name, r.figureOf(f.of, f.in), metric, r.distance(f))
	case f.time.N == 0:
		return fmt.Sprintf("%s needs %s of %s, and shares no rounds with a baseline.", name, r.figureOf(f.of, f.in), metric)
	case !f.time.Proven():
		return fmt.Sprintf("No difference in %s is proven between %s and %s, %s%s.", metric, name, code(f.base.Contender), r.figureOf(f.base, f.in), f.inMemory("; the first takes", "the"))
	}
	return fmt.Sprintf("%s takes %s the %s of %s, %s%s.", name, formatRatio(f.time.Estimate), metric, code(f.base.Contender), r.figureOf(f.base, f.in), f.inMemory(", and", "its"))
}

// figureOf formats the median of a row, with its unit and the depth and number of threads of the
// ranking.
func (r Report) figureOf(row compare.Row, in Ranking) string {
	figure := Figure(r.Metric, row.Metrics[r.Metric].Median)
	if at := in.place(); at != "" {
		return figure + " (" + at + ")"
	}
	return figure
}

// place returns the depth and the number of threads of a ranking in words. Either is omitted if the
// ranking does not have it.
func (k Ranking) place() string {
	var at []string
	if k.Depth > 0 {
		at = append(at, fmt.Sprintf("depth %d", k.Depth))
	}
	if k.Workers > 0 {
		at = append(at, threads(k.Workers))
	}
	return strings.Join(at, ", ")
}

// baselineLeads reports whether the baseline is the best row and proven to be better than the next
// one.
func (f finding) baselineLeads() bool { return f.behindBase.Proven() && f.behindBase.Estimate > 1 }

// timesAsMuch formats a ratio for use before "as much", such as "1.07 times" or "0.9".
func timesAsMuch(r compare.Ratio) string { return strings.TrimSuffix(formatRatio(r.Estimate), " of") }

// distance states how much more the next row takes than the best one.
func (r Report) distance(f finding) string {
	switch {
	case f.behind.N == 0:
		return ""
	case !f.behind.Proven():
		return fmt.Sprintf("; no difference to the next, %s, is proven", code(f.next.Contender))
	}
	return fmt.Sprintf("; the next, %s, takes %s as much", code(f.next.Contender), timesAsMuch(f.behind))
}

// otherLanguages returns a sentence about our best contender in any language, if the first sentence
// is limited to one language and this contender is better.
func (r Report) otherLanguages(f finding, sessions []record.Session) string {
	if r.Experiment.Lead == "" {
		return ""
	}
	all, _ := r.find(f.in, "", sessions)
	if all.of.Contender == f.of.Contender || all.isBaseline || !all.time.Proven() {
		return ""
	}
	return fmt.Sprintf("In another language %s takes %s it%s.", code(all.of.Contender), formatRatio(all.time.Estimate), all.inMemory(" and", "the"))
}

// inMemory returns the ratio of peak memory in words, or "" if there is none.
func (f finding) inMemory(before, whose string) string {
	switch {
	case !f.memory.Bounded():
		return ""
	case !f.memory.Proven():
		return "; no difference in peak memory is proven"
	}
	return fmt.Sprintf("%s %s %s peak memory", before, formatRatio(f.memory.Estimate), whose)
}

// rivals states how many of the other rows are better than our best row. Only rows that ran in the
// same rounds are considered.
func (r Report) rivals(f finding) string {
	less, _ := comparatives(r.Metric)
	if less == "less" {
		less = "better"
	}
	of, none := fmt.Sprintf("the other %d", f.compared), "None"
	if f.compared == 2 {
		of, none = "the other two", "Neither"
	}
	if f.compared == 0 {
		return ""
	}
	level := ""
	if f.level > 0 {
		level = fmt.Sprintf("; for %d, no difference is proven", f.level)
	}
	if f.least > 0 && f.compared == 1 {
		return fmt.Sprintf("%d runs are too few to prove whether the other is %s; at least %d are needed.", f.of.Metrics[r.Metric].N, less, f.least)
	}
	if f.least > 0 {
		return fmt.Sprintf("%d runs are too few to prove which of %s are %s; at least %d are needed.", f.of.Metrics[r.Metric].N, of, less, f.least)
	}
	if len(f.ahead) == 0 && f.compared == 1 {
		return fmt.Sprintf("The other is not proven to be %s.", less)
	}
	if len(f.ahead) == 0 {
		return fmt.Sprintf("%s of %s is proven to be %s%s.", none, of, less, level)
	}
	if f.compared == 1 {
		return fmt.Sprintf("%s is proven to be %s.", f.ahead[0], less)
	}
	return fmt.Sprintf("%s proven to be %s than it: %s%s.", ofOthers(len(f.ahead), f.compared), less, list(f.ahead, 5), level)
}

// incomparable states how many rows cannot be compared with our best row, because they share no
// rounds with it or have a value of zero.
func (f finding) incomparable(rows int) string {
	switch apart := rows - 1 - f.compared; apart {
	case 0:
		return ""
	case 1:
		return "1 more cannot be compared with it."
	default:
		return fmt.Sprintf("%d more cannot be compared with it.", apart)
	}
}

// ofOthers returns the beginning of a sentence about n of the others, including the verb, such as
// "One of the other two is". There must be at least two others.
func ofOthers(n, others int) string {
	switch {
	case n == others && others == 2:
		return "Both of the others are"
	case n == others:
		return fmt.Sprintf("All of the other %d are", others)
	case others == 2:
		return "One of the other two is"
	case n == 1:
		return fmt.Sprintf("1 of the other %d is", others)
	}
	return fmt.Sprintf("%d of the other %d are", n, others)
}

// nearest compares the best row that is not ours with our best row. The baseline is seldom the
// strongest rival. nearest returns "" if an earlier sentence already makes the comparison.
func (r Report) nearest(f finding) string {
	if f.rival.Contender == "" || f.rival.Contender == f.base.Contender || f.toRival.N == 0 || f.isBaseline && f.rival.Contender == f.next.Contender {
		return ""
	}
	in := ""
	if r.Experiment.Lead != "" {
		in = " in " + r.Experiment.Lead
	}
	rival := fmt.Sprintf("The nearest rival%s, %s,", in, code(f.rival.Contender))
	if !f.toRival.Proven() {
		return rival + " is not proven to differ from it."
	}
	return fmt.Sprintf("%s takes %s as much.", rival, timesAsMuch(f.toRival))
}

// otherClasses returns the results of our contenders in other classes. These are not ranked
// together with the first class, so the earlier sentences do not cover them.
func (r Report) otherClasses(shown Ranking) string {
	var all []string
	for _, k := range r.Rankings {
		if k.Class == shown.Class || k.Group != shown.Group || k.Depth != shown.Depth || k.Workers != shown.Workers {
			continue
		}
		var ours []string
		for _, row := range k.Rows {
			if r.isOurs(row.Contender) && row.Contender != r.baselineOf(row.Contender) && row.ToBaseline.Proven() {
				ours = append(ours, code(row.Contender)+" is "+compared(row.ToBaseline.Estimate, r.Metric, formatNumber))
			}
		}
		if len(ours) > 0 {
			all = append(all, fmt.Sprintf("In class %s %s than %s.", k.Class, list(ours, 3), code(r.BaselinesOf(k))))
		}
	}
	return strings.Join(all, " ")
}
