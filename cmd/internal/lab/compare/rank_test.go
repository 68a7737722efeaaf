package compare

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/coppice-go/coppice/cmd/internal/lab/record"

	"github.com/coppice-go/coppice/internal/testkit/testsize"
)

// drawn simulates a session of contenders with the given mean times, on a machine that drifts, and
// ranks them.
func drawn(random *rand.Rand, runs int, means ...float64) (rows []Row, needed int) {
	return drawnOn(wander(random), random, runs, means...)
}

func drawnOn(drift func(round int) float64, random *rand.Rand, runs int, means ...float64) (rows []Row, needed int) {
	s := record.Session{}
	for round := 1; round <= runs; round++ {
		d := drift(round)
		for i, mean := range means {
			s.Runs = append(s.Runs, record.Run{
				Contender: fmt.Sprint("c", i), Session: "s", Round: round, Status: record.OK,
				Figures: map[string]float64{"cpu": d * noisy(random, mean)()},
			})
		}
	}
	return rankedRows(s)
}

// rankedRows ranks the contenders of the sessions.
func rankedRows(sessions ...record.Session) (rows []Row, needed int) {
	rows = Table(sessions, To("c0"), "cpu")
	slices.SortStableFunc(rows, func(a, b Row) int { return cmp.Compare(a.Metrics["cpu"].Median, b.Metrics["cpu"].Median) })
	return rows, Rank(sessions, rows, "cpu")
}

// add adds a run of a contender to a session.
func add(s *record.Session, contender, session string, round int, cpu float64) {
	s.Runs = append(s.Runs, record.Run{
		Contender: contender, Session: session, Round: round, Status: record.OK, Figures: map[string]float64{"cpu": cpu},
	})
}

// Rows of different sessions share no rounds, so they cannot be compared. Rows of the second
// session must get no rank, even the one with the lowest median, and must not shift the ranks of
// the others.
func TestRowsOfOtherRoundsAreNotRanked(t *testing.T) {
	var first, second record.Session
	for round := 1; round <= 10; round++ {
		for i, v := range []float64{1, 2, 3} {
			add(&first, fmt.Sprint("c", i), "s", round, v+0.001*float64(round))
		}
		add(&second, "other fast", "t", round, 0.5+0.001*float64(round))
		add(&second, "other slow", "t", round, 2.5+0.001*float64(round))
	}
	if rows, needed := rankedRows(first, second); text(rows) != " 0 1 2 0 3" || needed != 0 {
		t.Errorf("ranks%s, needs %d runs", text(rows), needed)
	}
}

// TestBetterRowStartsNoRank verifies that a row that is provably faster than the row above it stays
// in its rank. In this session, c1 has the higher median although it is 1 % faster in 18 of 20
// rounds.
func TestBetterRowStartsNoRank(t *testing.T) {
	var s record.Session
	for round := 1; round <= 20; round++ {
		v, part := float64(round), 0.99-0.0001*float64(round)
		if round == 10 || round == 11 {
			part = 1.2
		}
		add(&s, "c0", "s", round, v)
		add(&s, "c1", "s", round, v*part)
	}
	rows, _ := rankedRows(s)
	if r := Between([]record.Session{s}, rows[1], rows[0], "cpu"); rows[1].Contender != "c1" || !r.Proven() || r.Estimate > 1 {
		t.Fatalf("the last is %s, and %v of the first", rows[1].Contender, r)
	}
	if text(rows) != " 1 1=" {
		t.Errorf("ranks%s", text(rows))
	}
}

// text returns the ranks of the rows, in the order of the rows.
func text(rows []Row) (s string) {
	for _, r := range rows {
		s += fmt.Sprint(" ", r.Rank)
		if r.Tied {
			s += "="
		}
	}
	return s
}

func TestRank(t *testing.T) {
	for want, means := range map[string][]float64{
		" 1 2 3 4":    {1, 2, 3, 4},
		" 1 1= 3 3=":  {1, 1, 2, 2},
		" 1 2 2= 2=":  {1, 2, 2, 2},
		" 1 1= 1= 4":  {1, 1, 1, 2},
		" 1 1= 1= 1=": {1, 1, 1, 1},
		" 1":          {1},
	} {
		if rows, needed := drawn(rand.New(rand.NewPCG(1, 1)), 20, means...); text(rows) != want || needed != 0 {
			t.Errorf("%v: ranks%s, needs %d runs, want%s", means, text(rows), needed, want)
		}
	}
}

// Here each row is provably slower than the row two above it, but not than its direct neighbour.
// The third row must start a new rank, because it is compared with the first row of the rank.
func TestRanksAreNotTransitive(t *testing.T) {
	s := record.Session{}
	for round := 1; round <= 10; round++ {
		for i := range 4 {
			v := 1 + 0.01*float64(i) + 0.012*float64(i%2*(round%2*2-1)) // rows 2 and 4 move together
			s.Runs = append(s.Runs, record.Run{Contender: fmt.Sprint("c", i), Session: "s", Round: round, Status: record.OK, Figures: map[string]float64{"cpu": v}})
		}
	}
	sessions := []record.Session{s}
	rows := Table(sessions, To("c0"), "cpu")
	if Rank(sessions, rows, "cpu"); text(rows) != " 1 1= 3 3=" {
		t.Errorf("ranks%s", text(rows))
	}
}

// TestLevelsRise verifies that Holm's significance levels rise with each proven difference. In
// seven rounds, the third row differs from the first with p = 2/128, below the first level of 2.5
// %. That raises the level to 5 %, which the second row then meets with p = 4/128.
func TestLevelsRise(t *testing.T) {
	s := record.Session{}
	for round := 1; round <= 7; round++ {
		second := 1 + 0.01*float64(round)
		if round == 1 {
			second = 0.995
		}
		for i, v := range []float64{1, second, 2} {
			s.Runs = append(s.Runs, record.Run{Contender: fmt.Sprint("c", i), Session: "s", Round: round, Status: record.OK, Figures: map[string]float64{"cpu": v}})
		}
	}
	sessions := []record.Session{s}
	rows := Table(sessions, To("c0"), "cpu")
	if Rank(sessions, rows, "cpu"); text(rows) != " 1 2 3" {
		t.Errorf("ranks%s", text(rows))
	}
}

// TestRankNeedsRuns verifies how many runs a ranking needs under Holm's levels. With ten runs a p
// value is at least 1/512, so that 25 differences can be proven but 26 cannot.
func TestRankNeedsRuns(t *testing.T) {
	random := rand.New(rand.NewPCG(2, 1))
	means := func(n int) (all []float64) {
		for i := range n {
			all = append(all, float64(i+1))
		}
		return all
	}
	for _, c := range []struct{ contenders, runs, needed int }{{2, 5, 6}, {2, 6, 0}, {3, 6, 7}, {3, 7, 0}, {26, 10, 0}, {27, 10, 11}, {27, 11, 0}} {
		rows, needed := drawn(random, c.runs, means(c.contenders)...)
		if last := rows[len(rows)-1]; needed != c.needed || (last.Rank == 0) != (needed > 0) || needed == 0 && last.Rank != c.contenders {
			t.Errorf("%d contenders, %d runs: %d runs are needed, want %d; the last has rank %d", c.contenders, c.runs, needed, c.needed, last.Rank)
		}
	}
}

// TestRanksOfEqualContenders verifies the rate of false positives: a ranking of two equal
// contenders has a second rank in 5 % of sessions. With more contenders the rate is higher, because
// the slowest is compared with the fastest. If the machine drifts, the rate is lower.
func TestRanksOfEqualContenders(t *testing.T) {
	steady := func(*rand.Rand) func(int) float64 { return func(int) float64 { return 1 } }
	for i, c := range []struct {
		contenders int
		share      float64
	}{{10, 0.10}, {2, 0.05}, {5, 0.08}, {30, 0.17}} {
		t.Run(fmt.Sprint(c.contenders), func(t *testing.T) {
			testsize.OneOf(t, i, "it simulates many rankings")
			sessions := simulated(5000)
			wrong := secondRanks(steady, sessions, c.contenders)
			t.Logf("%d equal contenders have more than one rank in %d of %d sessions, and if the machine drifts in %d",
				c.contenders, wrong, sessions, secondRanks(wander, sessions, c.contenders))
			most := c.share * float64(sessions)
			if limit := int(most + 3*math.Sqrt(most*(1-c.share))); wrong > limit {
				t.Errorf("%d equal contenders have more than one rank in %d of %d sessions, want at most %d", c.contenders, wrong, sessions, limit)
			}
		})
	}
}

// secondRanks returns the number of sessions in which equal contenders get more than one rank.
func secondRanks(drift func(*rand.Rand) func(int) float64, sessions, contenders int) (wrong int) {
	random := rand.New(rand.NewPCG(3, 1))
	means := slices.Repeat([]float64{1}, contenders)
	for range sessions {
		if rows, _ := drawnOn(drift(random), random, 20, means...); rows[contenders-1].Rank != 1 {
			wrong++
		}
	}
	return wrong
}
