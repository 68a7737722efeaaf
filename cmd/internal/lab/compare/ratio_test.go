package compare

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/coppice-go/coppice/cmd/internal/lab/record"
)

// simulated returns the number of sessions to simulate: all of them, or a fifth in short mode.
func simulated(sessions int) int {
	if testing.Short() {
		return sessions / 5
	}
	return sessions
}

// TestSameContenderTwice compares a contender with itself. A difference may be claimed in at most 5
// % of sessions, equally often in either direction, and also with few runs. More than 6 false
// claims in 40 sessions would occur once in 200 times; 2000 sessions measure the rate itself.
func TestSameContenderTwice(t *testing.T) {
	claims := func(sessions, runs int, seed uint64) (faster, slower int) {
		random := rand.New(rand.NewPCG(seed, 1))
		for range sessions {
			s := session(runs, wander(random), map[string]func() float64{"a": noisy(random, 1), "b": noisy(random, 1)})
			switch r := RatioOf(s, "b", "a", "cpu", 0); {
			case r.Proven() && r.Estimate < 1:
				faster++
			case r.Proven():
				slower++
			}
		}
		return faster, slower
	}
	if faster, slower := claims(40, 20, 1); faster+slower > 6 {
		t.Errorf("a difference was claimed in %d of 40 sessions", faster+slower)
	}
	// The exact distributions allow these shares of false claims in either direction: 1/64, 3/128,
	// 5/256 and 25/1024 with 6, 7, 8 and 10 runs.
	for runs, share := range map[int]float64{5: 0, 6: 1.0 / 64, 7: 3.0 / 128, 8: 5.0 / 256, 10: 25.0 / 1024, 20: 0.0242} {
		sessions := simulated(2000)
		faster, slower := claims(sessions, runs, 2)
		t.Logf("%d runs: %d faster and %d slower of %d", runs, faster, slower, sessions)
		want := share * float64(sessions)
		off := 3 * math.Sqrt(want)
		for what, n := range map[string]int{"faster": faster, "slower": slower} {
			if math.Abs(float64(n)-want) > off {
				t.Errorf("%d runs: %d of %d sessions of equals are %s, want %.0f give or take %.0f", runs, n, sessions, what, want, off)
			}
		}
	}
}

// A ratio needs figures above zero in every round that both contenders have. If rounds with a zero
// were left out, that choice would bias the result.
func TestZeroHasNoRatio(t *testing.T) {
	one := func() float64 { return 1 }
	for _, zero := range []string{"a", "b"} {
		s := session(8, func(int) float64 { return 1 }, map[string]func() float64{"a": one, "b": one})
		for i, r := range s[0].Runs {
			if r.Contender == zero && r.Round == 3 {
				s[0].Runs[i].Figures["cpu"] = 0
			}
		}
		if r := RatioOf(s, "b", "a", "cpu", 0); r.N != 0 {
			t.Errorf("%s is zero once, and the ratio is %+v", zero, r)
		}
	}
}

// TestFivePercentAreFound verifies the power of the comparison: a difference of 5 % is found in
// nearly every session of 20 runs, and in most sessions of 8 runs.
func TestFivePercentAreFound(t *testing.T) {
	for runs, least := range map[int]float64{6: 0.45, 7: 0.70, 8: 0.75, 10: 0.90, 20: 0.99} {
		const sessions = 500
		random := rand.New(rand.NewPCG(3, 1))
		found := 0
		for range sessions {
			s := session(runs, wander(random), map[string]func() float64{"a": noisy(random, 1), "b": noisy(random, 1.05)})
			if r := RatioOf(s, "b", "a", "cpu", 0); r.Proven() && r.Estimate > 1 {
				found++
			}
		}
		t.Logf("%d runs: found in %d of %d sessions", runs, found, sessions)
		if float64(found) < least*sessions {
			t.Errorf("%d runs: 5 %% were found in %d of %d sessions", runs, found, sessions)
		}
	}
}

// TestRatiosArePairwise verifies that comparing pairs of the same round cancels a drift that is
// larger than the difference.
func TestRatiosArePairwise(t *testing.T) {
	drift := func(round int) float64 { return float64(round) }
	one := func() float64 { return 1 }
	more := func() float64 { return 1.01 }
	r := RatioOf(session(10, drift, map[string]func() float64{"a": one, "b": more}), "b", "a", "cpu", 0)
	if math.Abs(r.Estimate-1.01) > 1e-9 || !r.Proven() || r.N != 10 {
		t.Errorf("ratio %+v", r)
	}
	if r := RatioOf(nil, "b", "a", "cpu", 0); r.Proven() || r.N != 0 {
		t.Errorf("no runs: %+v", r)
	}
}

// A contender that failed once has no ratio, even as a baseline.
func TestFailedContenderHasNoRatio(t *testing.T) {
	one := func() float64 { return 1 }
	s := session(8, func(int) float64 { return 1 }, map[string]func() float64{"a": one, "b": one})
	s[0].Runs = append(s[0].Runs, record.Run{Contender: "a", Session: "s", Round: 9, Status: record.Wrong})
	if r := RatioOf(s, "b", "a", "cpu", 0); r.N != 0 {
		t.Errorf("ratio to a failed contender: %+v", r)
	}
}

func ExampleRatio() {
	s := session(10, func(round int) float64 { return float64(round) }, map[string]func() float64{
		"a": func() float64 { return 2 }, "b": func() float64 { return 1 },
	})
	r := RatioOf(s, "b", "a", "cpu", 0)
	fmt.Printf("%.2f %v\n", r.Estimate, r.Proven())
	// Output: 0.50 true
}

// Rounds of different sessions have the same numbers, but must not be paired.
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

// Too few runs for a confidence interval prove nothing, however far the ratios are from one.
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
