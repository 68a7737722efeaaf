package compare

import (
	"github.com/coppice-go/coppice/cmd/internal/lab/record"
	"github.com/coppice-go/coppice/cmd/internal/stats/paired"
)

// Rank gives the rows of a ranking, sorted by their medians with the best first, their ranks. A row
// starts a new rank, its place in the ranking, when it differs provably from the first row of the
// current rank; otherwise it shares that rank. So rows of one rank are not said to be equal to each
// other: each is only not proven to differ from the first.
//
// Each row but the first is tested once, over the rounds that both rows have, and the levels of
// these tests are Holm's: with k of m tests proven, the next is proven at alpha/(m-k). Rows are
// sorted by the figures that are then tested, so the last of many equal rows differs from the first
// more often than alpha: docs/decisions/0018 has how often.
//
// If a row has fewer runs than the first of Holm's levels needs, nothing gets a rank, and Rank
// returns how many runs are needed; otherwise it returns 0.
func Rank(sessions []record.Session, rows []Row, metric string) (needed int) {
	tests := len(rows) - 1
	if tests > 0 {
		needed = paired.Fewest(alpha / float64(tests))
	}
	for _, row := range rows {
		if row.Metrics[metric].N < needed {
			return needed
		}
	}
	g := group(sessions)
	known := map[[2]*Row]float64{}
	p := func(row, first *Row) float64 {
		pair := [2]*Row{row, first}
		if _, ok := known[pair]; !ok {
			known[pair] = 1
			if r := g.ratio(row.key(), first.key(), metric); r.Proven() {
				known[pair] = r.P
			}
		}
		return known[pair]
	}
	for proven := -1; ; {
		level := alpha / float64(max(1, tests-max(0, proven)))
		firsts, count := make([]int, len(rows)), 0
		for i := 1; i < len(rows); i++ {
			if firsts[i] = firsts[i-1]; p(&rows[i], &rows[firsts[i]]) <= level {
				firsts[i] = i
				count++
			}
		}
		if count <= proven {
			return 0
		}
		for i, first := range firsts {
			rows[i].Rank, rows[i].Tied = first+1, first < i
		}
		proven = count
	}
}

func (r *Row) key() key { return key{r.Contender, r.Depth, r.Workers} }
