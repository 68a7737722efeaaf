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

// Main returns the indices of the rankings that a report shows first: of each group the class with
// most rows, with the fewest threads, at the largest depth that has at least half as many rows as
// any.
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

// preferred reports whether a ranking is shown rather than another of its group.
func preferred(k, other Ranking) bool {
	if k.Workers != other.Workers {
		return k.Workers < other.Workers
	}
	return len(k.Rows) > len(other.Rows)
}

// A finding describes our best row in a ranking.
type finding struct {
	in           Ranking
	of, base     compare.Row
	time, memory compare.Ratio // to the baseline
	next         compare.Row   // the best of the rows below it, if there is one
	behind       compare.Ratio // of the next to it
	isBaseline   bool          // the best of ours is the baseline
	ahead        []string      // the rows that are proven to be better
	level        int           // how many rows are not proven to differ from it
	enough       int           // the runs that can prove a difference to each of so many rows; 0 if there are as many
	rival        compare.Row   // the best of the rows that are not ours, of the language, if there is one
	toRival      compare.Ratio // of the rival to it
}

// find inspects one ranking for the best of ours, of a language if that is not "". Without one it
// is the best of all; ok is false if the ranking has no row.
func (r Report) find(k Ranking, language string, sessions []record.Session) (f finding, ok bool) {
	if len(k.Rows) == 0 {
		return f, false
	}
	f.in, f.of = k, k.Rows[0]
	i := slices.IndexFunc(k.Rows, func(row compare.Row) bool {
		return r.ours(row.Contender) && (language == "" || r.languageOf(row.Contender) == language)
	})
	if i >= 0 {
		f.of = k.Rows[i]
	}
	if i = max(i, 0); i+1 < len(k.Rows) {
		f.next = k.Rows[i+1]
		f.behind = compare.Between(sessions, f.next, f.of, r.Metric)
	}
	base := r.baselineOf(f.of.Contender)
	f.isBaseline = base == f.of.Contender
	if i := slices.IndexFunc(k.Rows, func(row compare.Row) bool { return row.Contender == base }); i >= 0 {
		f.base = k.Rows[i]
	}
	f.time = f.of.ToBaseline
	if r.Metric != "rss" && f.base.Contender != "" {
		f.memory = compare.Between(sessions, f.of, f.base, "rss")
	}
	f.compareAll(r.Metric, sessions)
	i = slices.IndexFunc(k.Rows, func(row compare.Row) bool {
		return row.Contender != f.of.Contender && !r.ours(row.Contender) && (language == "" || r.languageOf(row.Contender) == language)
	})
	if i >= 0 && r.ours(f.of.Contender) {
		f.rival, f.toRival = k.Rows[i], compare.Between(sessions, k.Rows[i], f.of, r.Metric)
	}
	return f, true
}

// compareAll tests each other row. The tests are one family, so their p values are Holm's.
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
			continue // not run in the same rounds
		}
		rows, ratios = append(rows, row), append(ratios, ratio)
		if ratio.Proven() {
			p = append(p, ratio.P)
		} else {
			p = append(p, 1) // with ties, P may be small where the interval includes 1
		}
	}
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
		if enough := paired.Fewest(alpha / float64(len(p))); enough > f.of.Metrics[metric].N {
			f.enough = enough
		}
	}
}

func code(name string) string { return "`" + name + "`" }

// verdict returns the results in one or two sentences. Names are in backquotes.
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
		sentences := []string{r.sentence(all[0]), r.rivals(all[0], len(k.Rows)), r.nearest(all[0]), r.otherLanguages(all[0], sessions), r.otherClasses(k)}
		return strings.Join(slices.DeleteFunc(sentences, func(s string) bool { return s == "" }), " ")
	default:
		return r.overview(all, groups)
	}
}

// sentence compares the best of ours with the baseline: by how much, in which metric, and where.
func (r Report) sentence(f finding) string {
	name, metric := code(f.of.Contender), r.InWords(r.Metric)
	switch {
	case f.isBaseline:
		return fmt.Sprintf("%s, the baseline, needs %s of %s%s.", name, r.figureOf(f.of, f.in), metric, r.distance(f))
	case f.time.N == 0:
		return fmt.Sprintf("%s needs %s of %s, and shares no rounds with a baseline.", name, r.figureOf(f.of, f.in), metric)
	case !f.time.Proven():
		return fmt.Sprintf("No difference in %s is proven between %s and %s, %s%s.", metric, name, code(f.base.Contender), r.figureOf(f.base, f.in), f.inMemory("; the first takes", "the"))
	}
	return fmt.Sprintf("%s takes %s the %s of %s, %s%s.", name, part(f.time.Estimate), metric, code(f.base.Contender), r.figureOf(f.base, f.in), f.inMemory(", and", "its"))
}

// figureOf writes the median of a row with its unit and the ranking.
func (r Report) figureOf(row compare.Row, in Ranking) string {
	figure := Figure(r.Metric, row.Metrics[r.Metric].Median)
	if at := in.place(); at != "" {
		return figure + " (" + at + ")"
	}
	return figure
}

// place returns the depth and the number of threads of a ranking in words, as far as it has them.
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

// distance describes by how much the best is better than the next.
func (r Report) distance(f finding) string {
	switch {
	case f.behind.N == 0:
		return ""
	case !f.behind.Proven():
		return fmt.Sprintf("; no difference to the next, %s, is proven", code(f.next.Contender))
	}
	return fmt.Sprintf("; the next, %s, takes %s as much", code(f.next.Contender), strings.TrimSuffix(part(f.behind.Estimate), " of"))
}

// otherLanguages returns the result of our best contender in any language, if the first sentence is
// about one language and there is a better one.
func (r Report) otherLanguages(f finding, sessions []record.Session) string {
	if r.Experiment.Lead == "" {
		return ""
	}
	all, _ := r.find(f.in, "", sessions)
	if all.of.Contender == f.of.Contender || all.isBaseline || !all.time.Proven() {
		return ""
	}
	return fmt.Sprintf("In another language %s takes %s it%s.", code(all.of.Contender), part(all.time.Estimate), all.inMemory(" and", "the"))
}

// inMemory returns the ratio of memory in words, if there is one.
func (f finding) inMemory(before, whose string) string {
	switch {
	case !f.memory.Bounded():
		return ""
	case !f.memory.Proven():
		return "; no difference in peak memory is proven"
	}
	return fmt.Sprintf("%s %s %s peak memory", before, part(f.memory.Estimate), whose)
}

// rivals returns how many of the rows are better than the best of ours.
func (r Report) rivals(f finding, rows int) string {
	less, _ := than(r.Metric)
	if less == "less" {
		less = "better"
	}
	of := fmt.Sprintf("the %d others", rows-1)
	if rows == 1 {
		return ""
	}
	level := ""
	if f.level > 0 {
		level = fmt.Sprintf("; for %d no difference is proven", f.level)
	}
	if f.enough > 0 {
		return fmt.Sprintf("%d runs are too few to prove which of %s are %s; %d are enough.", f.of.Metrics[r.Metric].N, of, less, f.enough)
	}
	if len(f.ahead) == 0 && rows == 2 {
		return fmt.Sprintf("The other is not proven to be %s.", less)
	}
	if len(f.ahead) == 0 {
		return fmt.Sprintf("None of %s is proven to be %s%s.", of, less, level)
	}
	verb := "are"
	if len(f.ahead) == 1 {
		verb = "is"
	}
	if rows == 2 {
		return fmt.Sprintf("%s is proven to be %s.", f.ahead[0], less)
	}
	return fmt.Sprintf("%d of %s %s proven to be %s than it: %s%s.", len(f.ahead), of, verb, less, list(f.ahead, 5), level)
}

// nearest compares the best row that is not ours with the best of ours, unless an earlier sentence
// does: a baseline is seldom the strongest rival.
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
	return fmt.Sprintf("%s takes %s as much.", rival, strings.TrimSuffix(part(f.toRival.Estimate), " of"))
}

// otherClasses returns the results of ours in the other classes, which are never ranked with the
// first: a reader who looks for one of them would not find it above.
func (r Report) otherClasses(shown Ranking) string {
	var all []string
	for _, k := range r.Rankings {
		if k.Class == shown.Class || k.Group != shown.Group || k.Depth != shown.Depth || k.Workers != shown.Workers {
			continue
		}
		var ours []string
		for _, row := range k.Rows {
			if r.ours(row.Contender) && row.Contender != r.baselineOf(row.Contender) && row.ToBaseline.Proven() {
				ours = append(ours, code(row.Contender)+" is "+compared(row.ToBaseline.Estimate, r.Metric, about))
			}
		}
		if len(ours) > 0 {
			all = append(all, fmt.Sprintf("In class %s %s than %s.", k.Class, list(ours, 3), code(r.BaselinesOf(k))))
		}
	}
	return strings.Join(all, " ")
}

// overview summarizes several groups, each with its own baseline.
func (r Report) overview(all []finding, groups []string) string {
	var won, level, lost []string
	for i, f := range all {
		text := fmt.Sprintf("%s (%s by %s)", groups[i], compared(f.time.Estimate, r.Metric, about), code(f.of.Contender))
		switch {
		case f.isBaseline || !f.time.Proven():
			level = append(level, groups[i])
		case f.time.Estimate < 1:
			won = append(won, text)
		default:
			lost = append(lost, text)
		}
	}
	base := r.commonBaseline(all)
	out := []string{fmt.Sprintf("In %d of %d parts the best of ours beats the baseline%s in %s", len(won), len(all), base, r.InWords(r.Metric))}
	if len(won) > 0 {
		out[0] += ": " + list(won, len(won))
	}
	if len(level) > 0 {
		out = append(out, "no difference is proven in "+list(level, len(level)))
	}
	if len(lost) > 0 {
		out = append(out, "it loses in "+list(lost, len(lost)))
	}
	text := strings.Join(out, "; ") + "."
	if lo, hi, ok := memories(all); ok {
		text += fmt.Sprintf(" Its peak memory is %s to %s times the baseline's.", about(lo), about(hi))
	}
	if !slices.ContainsFunc(all, func(f finding) bool { return r.ours(f.of.Contender) }) {
		text = strings.NewReplacer("the best of ours", "the best", "Its peak memory", "The peak memory of the best").Replace(text)
	}
	return text
}

// commonBaseline returns the baseline of all parts between commas, without the part's name:
// freecache of "freecache scan" and "freecache shift". It is "" if they have no such name in
// common.
func (r Report) commonBaseline(all []finding) string {
	name := ""
	for i, f := range all {
		part := strings.Join(strings.Fields(strings.ReplaceAll(f.base.Contender, f.in.Group, "")), " ")
		if i > 0 && part != name {
			return ""
		}
		name = part
	}
	if name == "" {
		return ""
	}
	return ", " + code(name) + ","
}

// memories returns the smallest and the largest memory ratio of several findings.
func memories(all []finding) (lo, hi float64, ok bool) {
	for _, f := range all {
		if f.isBaseline || !f.memory.Bounded() {
			continue
		}
		if !ok {
			lo, hi, ok = f.memory.Estimate, f.memory.Estimate, true
		}
		lo, hi = min(lo, f.memory.Estimate), max(hi, f.memory.Estimate)
	}
	return lo, hi, ok
}
