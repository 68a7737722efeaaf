package compare

import "github.com/coppice-go/coppice/cmd/internal/lab/record"

// A Which is what a Row is of.
type Which struct {
	Contender      string
	Depth, Workers int
}

// Rounds are the runs of some sessions, for those who pair them themselves.
type Rounds struct{ g grouped }

// RoundsOf groups runs by what they are of.
func RoundsOf(sessions []record.Session) Rounds { return Rounds{group(sessions)} }

// All returns what there are runs of, in order of appearance, each with its first run.
func (r Rounds) All() (all []record.Run) {
	for _, k := range r.g.order {
		all = append(all, r.g.runs[k][0])
	}
	return all
}

// Failure returns the run that excludes a contender.
func (r Rounds) Failure(of Which) (record.Run, bool) { return failure(r.g.runs[key(of)]) }

// Pairs returns the figures of the rounds that both have. The other may have no parameter for
// workers.
func (r Rounds) Pairs(of Which, over, metric string) (base, head []float64) {
	return r.g.pairs(key(of), r.g.find(over, of.Depth, of.Workers), metric)
}
