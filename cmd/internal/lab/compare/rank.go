package compare

import (
	"github.com/coppice-go/coppice/cmd/internal/lab/record"
	"github.com/coppice-go/coppice/cmd/internal/stats/paired"
)

// Rank assigns ranks to the rows of a ranking, which must be sorted by their medians, best first. A
// row that is proven to be worse than the first row of the current rank starts a new rank, whose
// number is the position of the row among the ranked rows. Any other row shares the current rank.
// Thus, the rows of a rank are not necessarily equal; they are merely not proven to be worse than
// the first row of the rank.
//
// A row without common rounds with the first row of the current rank cannot be compared with it and
// gets no rank. If a table has rows from several sessions, Rank selects the row that shares rounds
// with the largest number of other rows, and ranks only this row and the rows that share rounds
// with it.
//
// Each row except the first is tested once, over the rounds that it shares with the first row of
// the current rank. The significance levels follow Holm's method: after k of m tests are
// significant, the next one has the level alpha/(m-k). The rows are sorted by the same figures that
// are tested. Therefore, if many rows are equal, the test of the last row against the first finds a
// difference more often than alpha allows; docs/decisions/0018 gives the rate.
//
// If a row has fewer runs than the first of Holm's levels requires, no row gets a rank, and Rank
// returns the required number of runs; otherwise it returns 0. A row that shares fewer than the
// required number of rounds with the first row of the current rank always shares this rank, because
// a difference cannot be proven.
func Rank(sessions []record.Session, rows []Row, metric string) (needed int) {
	c := compared(group(sessions), rows, metric)
	tests := -1
	for i := range rows {
		if c.member(i) {
			tests++
		}
	}
	if tests > 0 {
		needed = paired.Fewest(alpha / float64(tests))
	}
	for i, row := range rows {
		if c.member(i) && row.Metrics[metric].N < needed {
			return needed
		}
	}
	for proven := -1; ; {
		ranks, count := c.ranks(alpha / float64(max(1, tests-max(0, proven))))
		if count <= proven {
			return 0
		}
		for i, r := range ranks {
			rows[i].Rank, rows[i].Tied = r.rank, r.tied
		}
		proven = count
	}
}

// comparisons compares pairs of rows of a ranking, and caches the results.
type comparisons struct {
	g      grouped
	rows   []Row
	metric string
	values []map[round]float64 // for each row, the metric in each round
	center int                 // index of the first row that shares rounds with the most rows
	known  map[[2]int]float64
}

func compared(g grouped, rows []Row, metric string) *comparisons {
	c := &comparisons{g: g, rows: rows, metric: metric, known: map[[2]int]float64{}}
	for i := range rows {
		c.values = append(c.values, g.figures(rows[i].key(), metric))
	}
	most := -1
	for i := range rows {
		n := 0
		for j := range rows {
			if c.shareRound(i, j) {
				n++
			}
		}
		if n > most {
			c.center, most = i, n
		}
	}
	return c
}

// shareRound reports whether two rows share a round.
func (c *comparisons) shareRound(i, j int) bool {
	for r := range c.values[i] {
		if _, shared := c.values[j][r]; shared {
			return true
		}
	}
	return false
}

// member reports whether a row takes part in the ranking.
func (c *comparisons) member(i int) bool { return i == c.center || c.shareRound(i, c.center) }

// worse returns the p value of the test that row i is worse than row j, or 1 if this is not proven.
func (c *comparisons) worse(i, j int) float64 {
	pair := [2]int{i, j}
	if _, ok := c.known[pair]; !ok {
		c.known[pair] = 1
		if r := c.g.ratio(c.rows[i].key(), c.rows[j].key(), c.metric); r.Proven() && r.Estimate > 1 {
			c.known[pair] = r.P
		}
	}
	return c.known[pair]
}

// A ranked holds the rank of a row, and whether a row above has the same rank.
type ranked struct {
	rank int
	tied bool
}

// ranks computes the ranks, with the given significance level for each test. proven is the number
// of tests that started a new rank.
func (c *comparisons) ranks(level float64) (all []ranked, proven int) {
	all = make([]ranked, len(c.rows))
	first, rank, place := -1, 0, 0
	for i := range c.rows {
		switch {
		case !c.member(i) || first >= 0 && !c.shareRound(i, first):
			continue
		case first < 0:
			first, rank = i, 1
		case c.worse(i, first) <= level:
			first, rank = i, place+1
			proven++
		}
		place++
		all[i] = ranked{rank, i != first}
	}
	return all, proven
}

func (r *Row) key() key { return key{r.Contender, r.Depth, r.Workers} }
