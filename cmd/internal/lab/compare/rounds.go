package compare

import "github.com/coppice-go/coppice/cmd/internal/lab/record"

// A Which identifies a row of a table.
type Which struct {
	Contender      string
	Depth, Workers int
}

// Rounds contains the runs of some sessions, for callers that pair the runs themselves.
type Rounds struct{ g grouped }

// RoundsOf groups the runs of sessions by contender, depth and number of workers.
func RoundsOf(sessions []record.Session) Rounds { return Rounds{group(sessions)} }

// All returns the first run of each group, in order of appearance.
func (r Rounds) All() (all []record.Run) {
	for _, k := range r.g.order {
		all = append(all, r.g.runs[k][0])
	}
	return all
}

// Failure returns the run because of which a contender is excluded, if there is one.
func (r Rounds) Failure(of Which) (record.Run, bool) { return failure(r.g.runs[key(of)]) }

// Pairs returns the figures of two contenders in each round in which both ran. If the second
// contender has no parameter for workers, the number of workers is ignored for it.
func (r Rounds) Pairs(of Which, over, metric string) (base, head []float64) {
	return r.g.pairs(key(of), r.g.find(over, of.Depth, of.Workers), metric)
}
