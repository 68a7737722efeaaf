package measure_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/coppice-go/coppice/cmd/internal/prove/measure"
	"github.com/coppice-go/coppice/cmd/internal/stats/paired"

	"github.com/coppice-go/coppice/internal/testkit/testsize"
)

// realPairs reads the CPU times of a proof that compared a program with itself.
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

// Sessions are drawn from the pairs of real ones, in which both programs were the same, with an
// effect multiplied into one side. Without an effect at most 5 % may claim one; 8 % of 300 occur
// once in a hundred times. A loss must be seen again in as many rounds, and without an effect no
// more than 1 % of sessions may end with one. The log is the tables in docs/PROVE.md.
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
			for i, effect := range effects {
				random := rand.New(rand.NewPCG(uint64(n), uint64(i)))
				for range sessions {
					e := drawn(t, random, pairs, n, effect)
					if e.P > 0.05 {
						continue
					}
					found[i]++
					if again := drawn(t, random, pairs, n, effect); e.Ratio > 1 && again.Ratio > 1 && again.P/2 <= 0.05 {
						lost[i]++
					}
				}
			}
			row := func(of [len(effects)]int) (row string) {
				for _, n := range of {
					row += fmt.Sprintf(" %d %% |", 100*n/sessions)
				}
				return row
			}
			name := strings.TrimSuffix(filepath.Base(file), ".jsonl")
			t.Logf("| %s | %d |%s", name, n, row(found))
			t.Logf("| %s, a loss, seen twice | %d |%s", name, n, row(lost))
			if found[0] > 8*sessions/100 || lost[0] > sessions/100 {
				t.Errorf("%s, %d rounds: of %d sessions of equals %d claim a difference, and %d end with a loss", file, n, sessions, found[0], lost[0])
			}
		}
	}
}

// drawn compares pairs that are drawn, with an effect in one side.
func drawn(t *testing.T, random *rand.Rand, pairs [][2]float64, n int, effect float64) paired.Effect {
	t.Helper()
	base, head := make([]float64, n), make([]float64, n)
	for j := range n {
		p := pairs[random.IntN(len(pairs))]
		side := random.IntN(2)
		base[j], head[j] = p[side], p[1-side]*effect
	}
	e, err := paired.Compare(base, head, 0.05)
	if err != nil {
		t.Fatal(err)
	}
	return e
}
