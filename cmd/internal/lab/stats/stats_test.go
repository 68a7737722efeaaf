package stats

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/coppice-go/coppice/cmd/internal/lab/record"
)

func TestSummarize(t *testing.T) {
	s := Summarize([]float64{5, 1, 4, 2, 3, 9, 7})
	if s.N != 7 || s.Median != 4 || s.Min != 1 || s.Max != 9 || math.Abs(s.Mean-31.0/7) > 1e-12 || math.Abs(s.StdDev-2.8202) > 1e-3 {
		t.Errorf("%+v", s)
	}
	if s.Lo > 2 || s.Hi < 7 {
		t.Errorf("an interval of %v to %v is too narrow for seven values", s.Lo, s.Hi)
	}
	if got := Summarize(nil); got.N != 0 {
		t.Errorf("no values: %+v", got)
	}
}

// session makes runs of contenders. The functions draw their times for each round; all are
// multiplied by the drift of the round.
func session(rounds int, drift func(round int) float64, draw map[string]func() float64) []record.Session {
	s := record.Session{}
	for round := 1; round <= rounds; round++ {
		d := drift(round)
		for _, name := range []string{"a", "b"} {
			if f, ok := draw[name]; ok {
				s.Runs = append(s.Runs, record.Run{
					Contender: name, Session: "s", Round: round, Status: record.OK,
					Figures: map[string]float64{"cpu": d * f()},
				})
			}
		}
	}
	return []record.Session{s}
}

// wander simulates the drift of a machine: up to 30 % over a session.
func wander(random *rand.Rand) func(int) float64 {
	level := 1.0
	return func(int) float64 {
		level = min(max(level+0.1*(random.Float64()-0.5), 0.85), 1.15)
		return level
	}
}

// noisy draws times with 2 % of noise and a long upper tail: three times the noise of the
// instrument experiment on a quiet machine.
func noisy(random *rand.Rand, mean float64) func() float64 {
	return func() float64 { return mean * (1 + 0.02*random.NormFloat64() + 0.02*random.ExpFloat64()) }
}

// About 5 % of sessions may claim a difference between a contender and itself. If each does so with
// a probability of 5 %, more than 6 of 40 occur once in 200 times. A thousand sessions measure the
// rate.
func TestSameContenderTwice(t *testing.T) {
	claims := func(sessions int, seed uint64) (n int) {
		random := rand.New(rand.NewPCG(seed, 1))
		for range sessions {
			s := session(20, wander(random), map[string]func() float64{"a": noisy(random, 1), "b": noisy(random, 1)})
			if RatioOf(s, "b", "a", "cpu", 0).Proven() {
				n++
			}
		}
		return n
	}
	if n := claims(40, 1); n > 6 {
		t.Errorf("a difference was claimed in %d of 40 sessions", n)
	}
	if n := claims(1000, 2); n > 60 {
		t.Errorf("a difference was claimed in %d of 1000 sessions", n)
	}
}

// 5 % more is found with 20 runs, in nearly every session.
func TestFivePercentAreFound(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 1))
	found := 0
	for range 200 {
		s := session(20, wander(random), map[string]func() float64{"a": noisy(random, 1), "b": noisy(random, 1.05)})
		if r := RatioOf(s, "b", "a", "cpu", 0); r.Proven() && r.Median > 1 {
			found++
		}
	}
	if found < 190 {
		t.Errorf("5 %% were found in %d of 200 sessions", found)
	}
}

// Pairs cancel a drift that is larger than the difference.
func TestRatiosArePairwise(t *testing.T) {
	drift := func(round int) float64 { return float64(round) }
	one := func() float64 { return 1 }
	more := func() float64 { return 1.01 }
	r := RatioOf(session(10, drift, map[string]func() float64{"a": one, "b": more}), "b", "a", "cpu", 0)
	if math.Abs(r.Median-1.01) > 1e-9 || !r.Proven() || r.N != 10 {
		t.Errorf("ratio %+v", r)
	}
	if r := RatioOf(nil, "b", "a", "cpu", 0); r.Proven() || r.N != 0 {
		t.Errorf("no runs: %+v", r)
	}
}

func TestWarmupAndFailuresDoNotCount(t *testing.T) {
	s := session(8, func(int) float64 { return 1 }, map[string]func() float64{"a": func() float64 { return 2 }})
	s[0].Runs = append(s[0].Runs,
		record.Run{Contender: "a", Session: "s", Round: 0, Status: record.OK, Figures: map[string]float64{"cpu": 999}},
		record.Run{Contender: "b", Session: "s", Round: 1, Status: record.Wrong, Reason: "printed 41", Figures: map[string]float64{"cpu": 0.1}},
	)
	rows := Table(s, To("a"), "cpu")
	if len(rows) != 2 || rows[0].Metrics["cpu"].N != 8 || rows[0].Metrics["cpu"].Max != 2 {
		t.Errorf("rows %+v", rows)
	}
	if rows[1].Status != record.Wrong || rows[1].Reason != "printed 41" || len(rows[1].Metrics) != 0 {
		t.Errorf("the wrong contender has %+v", rows[1])
	}
}

// Runs with different counts of workers are separate rows, with separate ratios.
func TestWorkersAreApart(t *testing.T) {
	s := record.Session{}
	for round := 1; round <= 16; round++ {
		workers := 1 + (round-1)/8
		for name, cpu := range map[string]float64{"a": 1, "b": 2 * float64(workers*workers)} {
			s.Runs = append(s.Runs, record.Run{Contender: name, Workers: workers, Round: round, Status: record.OK, Figures: map[string]float64{"cpu": cpu}})
		}
	}
	rows := Table([]record.Session{s}, To("a"), "cpu")
	if len(rows) != 4 {
		t.Fatalf("%d rows, want 4", len(rows))
	}
	for _, row := range rows {
		if want := 2 * float64(row.Workers*row.Workers); row.Contender == "b" && (row.ToBaseline.Median != want || row.ToBaseline.N != 8) {
			t.Errorf("b with %d workers has ratio %+v, want %v", row.Workers, row.ToBaseline, want)
		}
	}
}

// A contender that failed once has no figures, even as a baseline.
func TestFailedContenderHasNoRatio(t *testing.T) {
	one := func() float64 { return 1 }
	s := session(8, func(int) float64 { return 1 }, map[string]func() float64{"a": one, "b": one})
	s[0].Runs = append(s[0].Runs, record.Run{Contender: "a", Session: "s", Round: 9, Status: record.Wrong})
	if r := RatioOf(s, "b", "a", "cpu", 0); r.N != 0 {
		t.Errorf("ratio to a failed contender: %+v", r)
	}
}

// A contender that was missing once and ran later is ranked.
func TestMissingToolThatCameLater(t *testing.T) {
	one := func() float64 { return 1 }
	s := session(8, func(int) float64 { return 1 }, map[string]func() float64{"a": one})
	s[0].Runs = append([]record.Run{{Contender: "a", Round: 1, Status: record.Missing, Reason: "no ghc"}}, s[0].Runs...)
	if rows := Table(s, To("a"), "cpu"); rows[0].Status != record.OK || rows[0].Metrics["cpu"].N != 8 {
		t.Errorf("%+v", rows[0])
	}
	s[0].Runs = s[0].Runs[:1]
	if rows := Table(s, To("a"), "cpu"); rows[0].Status != record.Missing {
		t.Errorf("%+v", rows[0])
	}
}

func TestDoubts(t *testing.T) {
	for name, c := range map[string]struct {
		values []float64
		want   string
	}{
		"few":      {[]float64{1, 1, 1}, "only 3 runs; an interval at 95 % needs 6 (-runs 6)"},
		"wide":     {[]float64{1, 1.1, 1.2, 1.3, 1.4, 1.5, 1.6}, "more runs narrow it (-runs 14)"},
		"two hats": {[]float64{1, 1.01, 1.02, 1.5, 1.51, 1.52, 1.01, 1.5}, "two groups, around 1.01 and 1.51"},
		"fine":     {[]float64{1, 1.01, 1.02, 1.01, 1, 1.02, 1.01}, ""},
	} {
		got := strings.Join(doubts(Summarize(c.values)), "; ")
		if c.want == "" && got != "" || !strings.Contains(got, c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

func TestBimodalIsRareInOneGroup(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 1))
	wrong := 0
	for range 500 {
		values := make([]float64, 0, 20)
		draw := noisy(random, 1)
		for range 20 {
			values = append(values, draw())
		}
		if _, _, ok := Bimodal(values); ok {
			wrong++
		}
	}
	if wrong > 5 {
		t.Errorf("%d of 500 samples of one group look like two", wrong)
	}
}

func ExampleRatio() {
	s := session(10, func(round int) float64 { return float64(round) }, map[string]func() float64{
		"a": func() float64 { return 2 }, "b": func() float64 { return 1 },
	})
	r := RatioOf(s, "b", "a", "cpu", 0)
	fmt.Println(r.Median, r.Proven())
	// Output: 0.5 true
}

// Rounds of different sessions have the same numbers and are not pairs.
func TestPairsAreOfOneSession(t *testing.T) {
	sessions := make([]record.Session, 0, 2)
	for i, speed := range []float64{1, 10} {
		s := record.Session{}
		for round := 1; round <= 8; round++ {
			for name, cpu := range map[string]float64{"a": speed, "b": 2 * speed} {
				s.Runs = append(s.Runs, record.Run{Contender: name, Session: fmt.Sprint(i), Round: round, Status: record.OK, Figures: map[string]float64{"cpu": cpu}})
			}
		}
		sessions = append(sessions, s)
	}
	if r := RatioOf(sessions, "b", "a", "cpu", 0); r.N != 16 || r.Lo != 2 || r.Hi != 2 {
		t.Errorf("b is twice a in both sessions, and the ratio is %+v", r)
	}
}

func TestOneOutlierIsNoGroup(t *testing.T) {
	if _, _, ok := Bimodal([]float64{1, 1.01, 1.02, 1.01, 1, 1.02, 1.01, 3}); ok {
		t.Error("one value of eight is a group")
	}
}

// The doubt depends on the longer side of an interval.
func TestIntervalThatIsWideOnOneSide(t *testing.T) {
	for _, s := range []Summary{{N: 10, Median: 1, Lo: 0.99, Hi: 1.5}, {N: 10, Median: 1, Lo: 0.5, Hi: 1.01}} {
		if got := strings.Join(doubts(s), "; "); !strings.Contains(got, "± 50 % wide") {
			t.Errorf("an interval from %v to %v around 1 gave %q", s.Lo, s.Hi, got)
		}
	}
}

// Too few runs for a confidence interval prove nothing, however far the values are above or below 1.
func TestTooFewRunsProveNothing(t *testing.T) {
	for n := 1; n <= fewest+1; n++ {
		for _, times := range []float64{0.01, 100} {
			value := 0.0
			draw := func() float64 { value += 0.001; return 1 + value }
			s := session(n, func(int) float64 { return 1 }, map[string]func() float64{
				"a": func() float64 { return 1 }, "b": func() float64 { return times * draw() },
			})
			r := RatioOf(s, "b", "a", "cpu", 0)
			if want := n >= fewest; r.Proven() != want || r.Bounded() != want {
				t.Errorf("%d runs, %v times as much: proven %v, bounded %v; %+v", n, times, r.Proven(), r.Bounded(), r)
			}
		}
	}
}
