package compare

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/coppice-go/coppice/cmd/internal/lab/record"
	"github.com/coppice-go/coppice/cmd/internal/stats"
)

// session simulates the rounds of one or two contenders, a and b. The functions in draw return a
// contender's time for each round, which is multiplied by the drift of that round.
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

// wander simulates a machine whose speed drifts by up to 30 % during a session.
func wander(random *rand.Rand) func(int) float64 {
	level := 1.0
	return func(int) float64 {
		level = min(max(level+0.1*(random.Float64()-0.5), 0.85), 1.15)
		return level
	}
}

// noisy returns a function that draws times with 2 % of noise and a long upper tail. This is three
// times the noise that the instrument experiment measures on a quiet machine.
func noisy(random *rand.Rand, mean float64) func() float64 {
	return func() float64 { return mean * (1 + 0.02*random.NormFloat64() + 0.02*random.ExpFloat64()) }
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

// Runs with different numbers of workers are separate rows, each with its own ratio.
func TestWorkersAreSeparate(t *testing.T) {
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
		if want := 2 * float64(row.Workers*row.Workers); row.Contender == "b" && (math.Abs(row.ToBaseline.Estimate-want) > 1e-9 || row.ToBaseline.N != 8) {
			t.Errorf("b with %d workers has ratio %+v, want %v", row.Workers, row.ToBaseline, want)
		}
	}
}

// A contender whose tool was missing in one run, but which ran later, is ranked.
func TestToolMissingAtFirst(t *testing.T) {
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

func TestWarnings(t *testing.T) {
	for name, c := range map[string]struct {
		values []float64
		want   string
	}{
		"few":      {[]float64{1, 1, 1}, "only 3 runs; an interval at 95 % needs 6 (-runs 6)"},
		"wide":     {[]float64{1, 1.1, 1.2, 1.3, 1.4, 1.5, 1.6}, "measure anew with more runs (-runs 14)"},
		"two hats": {[]float64{1, 1.01, 1.02, 1.5, 1.51, 1.52, 1.01, 1.5}, "two groups, around 1.01 and 1.51"},
		"fine":     {[]float64{1, 1.01, 1.02, 1.01, 1, 1.02, 1.01}, ""},
	} {
		got := strings.Join(doubts(stats.Summarize(c.values)), "; ")
		if c.want == "" && got != "" || !strings.Contains(got, c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// A warning about a wide interval depends on its wider side.
func TestIntervalThatIsWideOnOneSide(t *testing.T) {
	for _, s := range []stats.Summary{{N: 10, Median: 1, Lo: 0.99, Hi: 1.5}, {N: 10, Median: 1, Lo: 0.5, Hi: 1.01}} {
		if got := strings.Join(doubts(s), "; "); !strings.Contains(got, "up to 50 % wide on one side") {
			t.Errorf("an interval from %v to %v around 1 gave %q", s.Lo, s.Hi, got)
		}
	}
}
