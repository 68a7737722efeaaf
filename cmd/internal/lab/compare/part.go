package compare

import (
	"github.com/coppice-go/coppice/cmd/internal/lab/record"
	"github.com/coppice-go/coppice/cmd/internal/stats"
)

// A Part compares three contenders. The contender Over uses less of the metric than Whole. The part
// is the fraction of this saving that the contender Of still uses. In each round in which all three
// ran, it is (of - over) / (whole - over).
type Part struct {
	Of, Over, Whole string
	Metric          string
	Depth           int
}

// PartsOf computes the part for each number of workers. The Estimate is the median over the rounds.
// A number of workers is omitted if Over saves nothing in one of the rounds, because the quotient
// would be meaningless.
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

// parts returns the part in each round in which all three contenders ran. ok is false if there are
// no such rounds, or if the second contender saves nothing in one of them.
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
