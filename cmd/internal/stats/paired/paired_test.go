package paired

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/coppice-go/coppice/internal/testkit/random"
	"github.com/coppice-go/coppice/internal/testkit/testsize"
)

// simulated returns the number of sessions to simulate: fewer than the given number if
// testing.Short is set.
func simulated(sessions int) int {
	if testing.Short() {
		return sessions / 5
	}
	return sessions
}

// rounds draws n pairs whose values have the given ratio. The noise has the coefficient of
// variation cv, and the given correlation within a pair, because both runs of a round share a part
// of the noise.
func rounds(n int, ratio, cv, correlation float64, draw func() float64) (base, head []float64) {
	base, head = make([]float64, n), make([]float64, n)
	for i := range n {
		shared := math.Sqrt(correlation) * draw()
		figure := func() float64 { return math.Exp(cv * (shared + math.Sqrt(1-correlation)*draw())) }
		base[i], head[i] = figure(), ratio*figure()
	}
	return base, head
}

// heavy draws from Student's t distribution with three degrees of freedom, which has heavy tails:
// it has no fourth moment.
func heavy(random *rand.Rand) func() float64 {
	return func() float64 {
		chi := 0.0
		for range 3 {
			v := random.NormFloat64()
			chi += v * v
		}
		return random.NormFloat64() / math.Sqrt(chi/3)
	}
}

// distributions contains constructors of random number sources. Each test gives every distribution
// its own generator, so the results do not depend on the iteration order of the map and are the
// same in every run.
var distributions = map[string]func(*rand.Rand) func() float64{
	"normal": func(random *rand.Rand) func() float64 { return random.NormFloat64 },
	"heavy":  heavy,
}

func compare(t testing.TB, base, head []float64, alpha float64) Effect {
	t.Helper()
	e, err := Compare(base, head, alpha)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func TestCompare(t *testing.T) {
	e := compare(t, []float64{1, 2, 4, 8, 16, 32, 64}, []float64{2, 4, 8, 16, 32, 64, 128}, 0.05)
	if want := (Effect{N: 7, Ratio: 2, Lo: 2, Hi: 2, P: 2.0 / 128}); e != want {
		t.Errorf("%+v, want %+v", e, want)
	}
	e = compare(t, []float64{3, 3, 3, 3, 3}, []float64{1, 1, 1, 1, 1}, 0.05)
	if math.Abs(e.Ratio-1.0/3) > 1e-15 || e.Lo != 0 || !math.IsInf(e.Hi, 1) || e.P != 2.0/32 {
		t.Errorf("five pairs have an interval: %+v", e)
	}
	if e := compare(t, []float64{5, 6, 7, 8, 9, 10}, []float64{5, 6, 7, 8, 9, 10}, 0.05); e.P != 1 || e.Lo != 1 || e.Hi != 1 {
		t.Errorf("equal pairs differ: %+v", e)
	}
}

// TestIntervalOfTiedRatios uses pairs with tied ratios for which the plain interval would exclude 1
// although the test is not significant. It verifies that Compare then extends the interval to 1.
func TestIntervalOfTiedRatios(t *testing.T) {
	ones := []float64{1, 1, 1, 1, 1, 1, 1, 1, 1, 1}
	e := compare(t, ones, []float64{2, 2, 2, 2, 2, 2, 0.25, 8, 8, 2}, 0.05)
	if e.P != 0.05859375 || e.Lo != 1 || e.Ratio != 2 {
		t.Errorf("%+v, want P 0.05859375 and an interval from 1", e)
	}
}

func TestCompareRefuses(t *testing.T) {
	for want, pair := range map[string][2][]float64{
		"cannot pair 1 base values with 2 head values": {{1}, {1, 2}},
		"no pairs":                                       {},
		"pair 2 (base 0, head 1) has no ratio":           {{1, 0}, {1, 1}},
		"pair 1 (base 1, head -1) has no ratio":          {{1}, {-1}},
		"pair 1 (base -1, head -1) has no ratio":         {{-1}, {-1}},
		"pair 1 (base NaN, head 1) has no ratio":         {{math.NaN()}, {1}},
		"pair 1 (base 1, head NaN) has no ratio":         {{1}, {math.NaN()}},
		"pair 1 (base +Inf, head +Inf) has no ratio":     {{math.Inf(1)}, {math.Inf(1)}},
		"pair 1 (base 1, head +Inf) has no ratio":        {{1}, {math.Inf(1)}},
		"pair 1 (base 1e-300, head 1e+300) has no ratio": {{1e-300}, {1e300}},
	} {
		if _, err := Compare(pair[0], pair[1], 0.05); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v, want %q", pair, err, want)
		}
	}
}

// TestIntervalAgreesWithTest verifies that an interval that excludes 1 has a p value of at most
// alpha, and that the reverse holds without ties. Exchanging base and head gives the reciprocal.
// Some inputs are small integers, because these often tie.
func TestIntervalAgreesWithTest(t *testing.T) {
	random.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 60).Draw(t, "n")
		widest := rapid.SampledFrom([]int{2, 5, 1 << 40}).Draw(t, "widest")
		base, head := make([]float64, n), make([]float64, n)
		sizes, tied := map[float64]bool{}, false
		for i := range n {
			b, h := float64(rapid.IntRange(1, widest).Draw(t, "base")), float64(rapid.IntRange(1, widest).Draw(t, "head"))
			base[i], head[i] = b, h
			tied = tied || b == h || sizes[max(b, h)/min(b, h)]
			sizes[max(b, h)/min(b, h)] = true
		}
		for _, alpha := range []float64{0.2, 0.05, 0.01} {
			e, err := Compare(base, head, alpha)
			if err != nil {
				t.Fatal(err)
			}
			apart := e.Lo > 1 || e.Hi < 1
			if apart && e.P > alpha || !apart && e.P <= alpha && !tied {
				t.Fatalf("level %v: %+v of %v and %v", alpha, e, base, head)
			}
			if e.Lo > e.Ratio || e.Ratio > e.Hi {
				t.Fatalf("the estimate is outside its interval: %+v", e)
			}
			r, err := Compare(head, base, alpha)
			if err != nil || r.P != e.P || math.Abs(r.Ratio*e.Ratio-1) > 1e-9 || math.Abs(r.Lo*e.Hi-1) > 1e-9 && !math.IsInf(e.Hi, 1) {
				t.Fatalf("exchanged: %+v is not the reciprocal of %+v, %v", r, e, err)
			}
		}
	})
}

// TestCoverage verifies that the interval covers the true ratio in 95 % of sessions, even for
// distributions with heavy tails and for few pairs.
func TestCoverage(t *testing.T) {
	testsize.OnlyInFull(t, "it simulates many sessions")
	sessions := simulated(2000)
	for name, from := range distributions {
		draw := from(rand.New(rand.NewPCG(1, 1)))
		for _, n := range []int{6, 7, 8, 12, 30, 60} {
			below, above := 0, 0
			for range sessions {
				base, head := rounds(n, 0.8, 0.13, 0.5, draw)
				switch e := compare(t, base, head, 0.05); {
				case e.Hi < 0.8:
					below++
				case e.Lo > 0.8:
					above++
				}
			}
			// Each side may miss in 2.5 % of sessions, plus three standard errors.
			side := 0.025 * float64(sessions)
			if limit := int(side + 3*math.Sqrt(side)); below > limit || above > limit {
				t.Errorf("%s, %d pairs: %d of %d intervals are below the ratio and %d above it; at most %d may be", name, n, below, sessions, above, limit)
			}
		}
	}
}

// TestPowerOnASharedMachine verifies that ten pairs are enough to find an effect of 20 %. The noise
// is 13 %, half of it common to a round, as measured on a machine shared with others.
func TestPowerOnASharedMachine(t *testing.T) {
	const sessions = 1000
	random := rand.New(rand.NewPCG(2, 1))
	found := 0
	for range sessions {
		base, head := rounds(10, 1.2, 0.13, 0.5, random.NormFloat64)
		if compare(t, base, head, 0.05).Verdict(0.05) == Slower {
			found++
		}
	}
	t.Logf("20 %% were found in %d of %d sessions", found, sessions)
	if found < 940 {
		t.Errorf("20 %% were found in %d of %d sessions", found, sessions)
	}
}

func TestVerdict(t *testing.T) {
	for want, e := range map[Verdict]Effect{
		Faster: {Lo: 0.97, Hi: 0.99}, Slower: {Lo: 1.01, Hi: 1.5}, Same: {Lo: 0.96, Hi: 1.04}, Open: {Lo: 0.94, Hi: 1.04},
	} {
		if got := e.Verdict(0.05); got != want {
			t.Errorf("%+v is %v, want %v", e, got, want)
		}
	}
	if got := (Effect{Lo: 0, Hi: math.Inf(1)}).Verdict(0.05); got != Open {
		t.Errorf("an unbounded interval is %v", got)
	}
	if got := (Effect{Lo: 0.98, Hi: 1.06}).Verdict(0.05); got != Open {
		t.Errorf("an interval up to 1.06 is %v", got)
	}
}

func ExampleCompare() {
	base := []float64{10.1, 12.9, 11.0, 10.4, 14.2, 10.9, 11.8, 10.2}
	head := []float64{8.3, 10.2, 9.1, 8.2, 11.6, 8.9, 9.2, 8.1}
	e, err := Compare(base, head, 0.05)
	if err != nil {
		panic(err)
	}
	fmt.Printf("%d pairs: %.2f, from %.2f to %.2f, p %.3f: %v\n", e.N, e.Ratio, e.Lo, e.Hi, e.P, e.Verdict(0.05))
	// Output: 8 pairs: 0.80, from 0.79 to 0.82, p 0.008: faster
}
