package measure_test

import (
	"bufio"
	"encoding/json"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/coppice-go/coppice/cmd/internal/paired"
	"github.com/coppice-go/coppice/cmd/internal/prove/measure"

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
		pairs[r.Round][r.Arm] = r.Figures["cpu"]
	}
	return pairs
}

// Sessions are drawn from the pairs of real ones, in which both programs were the same, with an effect multiplied into
// one side. Without an effect at most 5 % may claim one; 8 % of 300 occur once in a hundred times. The log is the
// table in docs/PROVE.md.
func TestPowerOnRealRuns(t *testing.T) {
	testsize.OnlyInFull(t, "it draws thousands of sessions")
	files, err := filepath.Glob("testdata/*.jsonl")
	if err != nil || len(files) == 0 {
		t.Fatalf("no real runs: %v", err)
	}
	const sessions = 300
	for _, file := range files {
		pairs := realPairs(t, file)
		for _, n := range []int{10, 20, 40, 80} {
			var found [4]int
			for i, effect := range [4]float64{1, 1.05, 1.1, 1.2} {
				random := rand.New(rand.NewPCG(uint64(n), uint64(i)))
				for range sessions {
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
					if e.P <= 0.05 {
						found[i]++
					}
				}
			}
			t.Logf("| %s | %d | %d %% | %d %% | %d %% | %d %% |", strings.TrimSuffix(filepath.Base(file), ".jsonl"), n,
				100*found[0]/sessions, 100*found[1]/sessions, 100*found[2]/sessions, 100*found[3]/sessions)
			if found[0] > 8*sessions/100 {
				t.Errorf("%s, %d rounds: a difference was claimed in %d of %d sessions of equals", file, n, found[0], sessions)
			}
		}
	}
}
