package compare

import (
	"github.com/coppice-go/coppice/cmd/internal/lab/record"
	"github.com/coppice-go/coppice/cmd/internal/stats"
)

// A Part compares three contenders. Over spends less of the metric than Whole, and the part states
// how much of this saving the contender Of still spends. In each round that has all three
// contenders, the part is (of - over) / (whole - over).
type Part struct {
	Of, Over, Whole string
	Metric          string
	Depth           int
}

// PartsOf returns the part for each number of workers. Its Estimate is the median over the rounds.
// If Over saves nothing in a round, the quotient has no meaning, and that number of workers is left
// out.
func PartsOf(sessions []record.Session, p Part) (all []Ratio) {
	g := group(sessions)
	for _, k := range g.order {
		if k.Contender != p.Of || k.Depth != p.Depth {
			continue
		}
		parts, ok := g.parts(k, g.find(p.Over, p.Depth, k.Workers), g.find(p.Whole, p.Depth, k.Workers), p.Metric)
		if !ok {
			continue
		}
		s := stats.Summarize(parts)
		all = append(all, Ratio{N: s.N, Estimate: s.Median, Lo: s.Lo, Hi: s.Hi, Workers: k.Workers})
	}
	return all
}

// parts returns the parts of the rounds that have all three contenders.
func (g grouped) parts(of, over, whole key, metric string) (all []float64, ok bool) {
	spent, least, most := g.figures(of, metric), g.figures(over, metric), g.figures(whole, metric)
	for _, r := range g.runs[of] {
		at := round{r.Session, r.Round}
		v, a := spent[at]
		base, b := least[at]
		full, c := most[at]
		if !a || !b || !c || !r.Counts() {
			continue
		}
		if full <= base {
			return nil, false
		}
		all = append(all, (v-base)/(full-base))
	}
	return all, len(all) > 0
}
