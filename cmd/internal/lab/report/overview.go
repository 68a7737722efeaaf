package report

import (
	"fmt"
	"slices"
	"strings"
)

// overview summarizes the findings for several groups, each of which has its own baseline.
func (r Report) overview(all []finding, groups []string) string {
	var won, level, best, lost []string
	place := r.commonPlace(all)
	for i, f := range all {
		name := groups[i]
		if at := f.in.place(); place == "" && r.several() && at != "" {
			name += " at " + at
		}
		text := fmt.Sprintf("%s (%s by %s)", name, compared(f.time.Estimate, r.Metric, formatNumber), code(f.of.Contender))
		switch {
		case f.baselineLeads() && (f.isBaseline || f.time.Proven() && f.time.Estimate > 1):
			best = append(best, fmt.Sprintf("%s (%s)", name, f.afterBaseline()))
		case f.isBaseline || !f.time.Proven():
			level = append(level, name)
		case f.time.Estimate < 1:
			won = append(won, text)
		default:
			lost = append(lost, text)
		}
	}
	out := []string{fmt.Sprintf("In %d of %d parts%s the best of ours beats the baseline%s in %s", len(won), len(all), place, r.commonBaseline(all), r.InWords(r.Metric))}
	if len(won) > 0 {
		out[0] += ": " + list(won, len(won))
	}
	for _, rest := range []struct {
		words  string
		groups []string
	}{{"no difference is proven in ", level}, {"the baseline itself is the best in ", best}, {"it loses in ", lost}} {
		if len(rest.groups) > 0 {
			out = append(out, rest.words+list(rest.groups, len(rest.groups)))
		}
	}
	text := strings.Join(out, "; ") + "."
	if lo, hi, ok := memories(all); ok {
		text += fmt.Sprintf(" Its peak memory%s is %s to %s times the baseline's.", place, formatNumber(lo), formatNumber(hi))
	}
	if !slices.ContainsFunc(all, func(f finding) bool { return r.isOurs(f.of.Contender) }) {
		text = strings.NewReplacer("the best of ours", "the best", "Its peak memory", "The peak memory of the best").Replace(text)
	}
	return text
}

// afterBaseline describes the cost of the row that follows the baseline and, if that row is not our
// best one, the cost of our best row.
func (f finding) afterBaseline() string {
	text := fmt.Sprintf("the next, %s, takes %s as much", code(f.second.Contender), timesAsMuch(f.behindBase))
	if f.isBaseline || f.of.Contender == f.second.Contender {
		return text
	}
	return fmt.Sprintf("%s; the best of ours, %s, %s", text, code(f.of.Contender), timesAsMuch(f.time))
}

// several reports whether the rankings have different depths or numbers of threads.
func (r Report) several() bool {
	return slices.ContainsFunc(r.Rankings, func(k Ranking) bool { return k.place() != r.Rankings[0].place() })
}

// commonPlace returns the depth and the number of threads of the findings in parentheses, if all
// findings share them but other rankings of the report differ.
func (r Report) commonPlace(all []finding) string {
	place := all[0].in.place()
	if place == "" || !r.several() || slices.ContainsFunc(all, func(f finding) bool { return f.in.place() != place }) {
		return ""
	}
	return " (" + place + ")"
}

// commonBaseline returns the baseline that all findings share, without the group in its name, such
// as freecache for "freecache scan" and "freecache shift". It returns "" if the baselines differ.
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

// memories returns the smallest and the largest ratio of peak memory in the findings. ok is false
// if there is none.
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
