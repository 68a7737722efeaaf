package measure_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/coppice-go/coppice/cmd/internal/prove/measure"
	"github.com/coppice-go/coppice/cmd/internal/stats"

	"github.com/coppice-go/coppice/internal/testkit/testsize"
)

// realPairs reads the CPU times of a recorded proof that compared a program with itself.
func realPairs(t *testing.T, name string) (pairs [][2]float64) {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var r measure.Run
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			t.Fatal(err)
		}
		if r.Round >= len(pairs) {
			pairs = append(pairs, [2]float64{})
		}
		pairs[r.Round][r.Side] = r.Figures["cpu"]
	}
	return pairs
}

// TestPowerOnRealRuns resamples the pairs of recorded sessions, in which both programs were the
// same, and multiplies the CPU time of one side by an effect. Without an effect, at most 5 % of the
// sessions may claim one. At that rate, more than 30 of 300 occur once in 8,000 times, and there
// are 48 rows. A loss must be confirmed in as many rounds again, and without an effect at most 1 %
// of the sessions may end with one. The log is the table in docs/PROVE.md.
func TestPowerOnRealRuns(t *testing.T) {
	testsize.OnlyInFull(t, "it draws thousands of sessions")
	files, err := filepath.Glob("testdata/*.jsonl")
	if err != nil || len(files) == 0 {
		t.Fatalf("no real runs: %v", err)
	}
	const sessions = 300
	effects := [...]float64{1, 1.02, 1.05, 1.1, 1.2}
	for _, file := range files {
		pairs := realPairs(t, file)
		for _, n := range []int{10, 20, 40, 80} {
			var found, lost [len(effects)]int
			row := ""
			for i, effect := range effects {
				drawn := &resampled{random: rand.New(rand.NewPCG(uint64(n), uint64(i))), pairs: pairs, effect: effect}
				for range sessions {
					m := drawn.session(t, n)
					if significant(m) {
						found[i]++
					}
					if reverted(m) {
						lost[i]++
					}
				}
				row += fmt.Sprintf(" %d %% (%d %%) |", 100*found[i]/sessions, 100*lost[i]/sessions)
			}
			t.Logf("| %s | %d |%s", strings.TrimSuffix(filepath.Base(file), ".jsonl"), n, row)
			if found[0] > 10*sessions/100 || lost[0] > sessions/100 {
				t.Errorf("%s, %d rounds: of %d sessions of equals %d claim a difference, and %d end with a loss", file, n, sessions, found[0], lost[0])
			}
		}
	}
}

// The table must count losses as a proof does: a loss whose whole interval is smaller than the
// smallest relevant effect does not count, however significant it is.
func TestSmallLossCountsAsEqual(t *testing.T) {
	pairs := [][2]float64{{1, 1.001}, {1.0013, 1}, {1, 1.0005}, {1.0002, 1}}
	for effect, lost := range map[float64]bool{1.02: false, 1.1: true} {
		drawn := &resampled{random: rand.New(rand.NewPCG(1, 2)), pairs: pairs, effect: effect}
		if m := drawn.session(t, 20); !significant(m) || reverted(m) != lost {
			t.Errorf("an effect of %v: p %v, %s", effect, m.P, m.Outcome)
		}
	}
}

// significant reports whether the first rounds of a session detect an effect. A proof with a single
// test needs no adjustment for multiple tests.
func significant(m measure.Metric) bool { return m.P <= powerLevel }

// reverted reports whether a session ends with a loss, which makes the verdict Revert.
func reverted(m measure.Metric) bool { return m.Outcome == measure.Worse }

// powerLevel is the significance level of the tests in the table.
const powerLevel = 0.05

// A resampled simulates a base and a head. Their rounds are drawn from recorded pairs.
type resampled struct {
	random *rand.Rand
	pairs  [][2]float64
	effect float64    // factor applied to the head's CPU time
	runs   int        // number of runs so far
	drawn  [2]float64 // CPU times of this round, by side
}

// run returns the CPU time of a side. The two sides of a round run one after the other. Which half
// of the drawn pair is the head's is random.
func (r *resampled) run(_ context.Context, side int) (map[string]float64, error) {
	if r.runs%2 == 0 {
		pair := r.pairs[r.random.IntN(len(r.pairs))]
		base := r.random.IntN(2)
		r.drawn = [2]float64{pair[base], pair[1-base] * r.effect}
	}
	r.runs++
	return map[string]float64{"cpu": r.drawn[side]}, nil
}

// session measures n rounds with one look and measures a loss again, as prove -rounds n does.
func (r *resampled) session(t *testing.T, n int) measure.Metric {
	t.Helper()
	d, err := measure.Measure(t.Context(), measure.Plan{
		Subjects: []measure.Subject{{Name: "x", Run: r.run}}, Sides: 2, Looks: []stats.Look{{N: n, Alpha: powerLevel}},
		MinEffect: 0.05, Decided: decided, Confirm: worse, Seed: uint64(n),
	})
	if err != nil {
		t.Fatal(err)
	}
	return d.Metrics("x", 1)[0]
}
