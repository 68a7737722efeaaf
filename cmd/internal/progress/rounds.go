package progress

import "time"

// Rounds estimates when the last round of a measurement will end. The zero value is ready to use.
type Rounds struct {
	first, last, of int
	began, end      time.Time // start and estimated end of the rounds since first; zero if unknown
}

// Left returns the estimated time until all rounds have ended: the mean duration of the rounds so
// far, times the number of remaining rounds. Call it at the start of each run, with the index of
// the run's round, from 0, and the number of rounds. Left returns 0, which means unknown, in the
// first round and if the rounds take longer than estimated.
//
// If the number of rounds changes, or if rounds are skipped, the estimate starts afresh, because
// later rounds may have more or fewer runs.
func (r *Rounds) Left(round, of int) time.Duration {
	now := time.Now()
	switch {
	case of != r.of || round > r.last+1:
		*r = Rounds{first: round, last: round, of: of, began: now}
	case round == r.last+1:
		each := now.Sub(r.began) / time.Duration(round-r.first)
		r.last, r.end = round, now.Add(each*time.Duration(of-round))
	}
	return max(0, r.end.Sub(now))
}
