package compare

import (
	"math"

	"github.com/coppice-go/coppice/cmd/internal/lab/record"
	"github.com/coppice-go/coppice/cmd/internal/stats"
	"github.com/coppice-go/coppice/cmd/internal/stats/paired"
)

// alpha is the allowed rate of false positives.
const alpha = 1 - stats.Confidence

// A Ratio is a metric of one contender divided by the same metric of another. It is computed over
// the rounds in which both ran, so that a drift of the machine's speed affects both alike.
type Ratio struct {
	N                int     // number of rounds
	Estimate, Lo, Hi float64 // the typical ratio of a round, and its confidence interval
	P                float64 // p-value of the test that the two are equal
	Workers          int     // threads of the first contender; 0 for its default
}

// Bounded reports whether there were enough rounds for a confidence interval. At least six are
// needed.
func (r Ratio) Bounded() bool { return r.N > 0 && !math.IsInf(r.Hi, 0) }

// Proven reports whether a difference is proven, that is, whether the confidence interval excludes
// 1.
func (r Ratio) Proven() bool { return r.Bounded() && (r.Lo > 1 || r.Hi < 1) }

// RatioOf returns the ratio of two contenders at a depth, for the first number of workers that both
// have. It returns the zero Ratio if there is none.
func RatioOf(sessions []record.Session, of, over, metric string, depth int) Ratio {
	if all := RatiosOf(sessions, of, over, metric, depth); len(all) > 0 {
		return all[0]
	}
	return Ratio{}
}

// RatiosOf returns the ratio of two contenders at a depth, for each number of workers that both
// have.
func RatiosOf(sessions []record.Session, of, over, metric string, depth int) (all []Ratio) {
	g := group(sessions)
	for _, k := range g.order {
		if k.Contender != of || k.Depth != depth {
			continue
		}
		if r := g.ratio(k, g.find(over, depth, k.Workers), metric); r.N > 0 {
			r.Workers = k.Workers
			all = append(all, r)
		}
	}
	return all
}

// Between returns the ratio of two rows, over the rounds in which both ran.
func Between(sessions []record.Session, of, over Row, metric string) Ratio {
	return group(sessions).ratio(of.key(), over.key(), metric)
}

// ratio returns the ratio of two contenders, over the rounds in which both ran. It returns the zero
// Ratio if one of the contenders failed, or if a figure in any of these rounds is not positive.
func (g grouped) ratio(of, over key, metric string) Ratio {
	base, head := g.pairs(of, over, metric)
	e, err := paired.Compare(base, head, alpha)
	if err != nil {
		return Ratio{}
	}
	return Ratio{N: e.N, Estimate: e.Ratio, Lo: e.Lo, Hi: e.Hi, P: e.P}
}

// pairs returns the figures of two contenders in each round in which both ran. base contains the
// figures of the second contender, and head the figures of the first. A failed contender has no
// figures.
func (g grouped) pairs(of, over key, metric string) (base, head []float64) {
	if _, failed := failure(g.runs[of]); failed {
		return nil, nil
	}
	figures := g.figures(over, metric)
	for _, r := range g.runs[of] {
		v, ok := r.Figures[metric]
		b, shared := figures[round{r.Session, r.Round}]
		if ok && shared && r.Counts() {
			base, head = append(base, b), append(head, v)
		}
	}
	return base, head
}

// A round identifies a round by its session and its number.
type round struct {
	session string
	number  int
}

// figures returns the values of a contender's metric by round. A failed contender has no figures.
func (g grouped) figures(of key, metric string) map[round]float64 {
	all := map[round]float64{}
	if _, failed := failure(g.runs[of]); failed {
		return all
	}
	for _, r := range g.runs[of] {
		if v, ok := r.Figures[metric]; ok && r.Counts() {
			all[round{r.Session, r.Round}] = v
		}
	}
	return all
}
