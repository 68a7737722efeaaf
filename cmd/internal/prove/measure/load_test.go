package measure_test

import (
	"context"
	"math/rand/v2"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/coppice-go/coppice/cmd/internal/prove/measure"
	"github.com/coppice-go/coppice/cmd/internal/stats"

	"github.com/coppice-go/coppice/internal/testkit/testsize"
)

// roleVar is an environment variable that turns the test binary into one of its child processes.
const roleVar = "COPPICE_MEASURE_ROLE"

func TestMain(m *testing.M) {
	switch os.Getenv(roleVar) {
	case "work":
		work()
	case "loop":
		for parent := os.Getppid(); os.Getppid() == parent; { // until it or the test is killed
		}
	default:
		os.Exit(m.Run())
	}
}

// A tree is the data that work allocates.
type tree struct{ left, right *tree }

func grown(depth int) *tree {
	if depth == 0 {
		return &tree{}
	}
	return &tree{grown(depth - 1), grown(depth - 1)}
}

// work runs for a few milliseconds, partly in the garbage collector.
func work() {
	var keep *tree
	for range 8 {
		keep = grown(13)
	}
	if keep.left == nil {
		panic("no tree")
	}
}

// busyLoops keeps n busy loops running in child processes, which start and stop at random intervals
// of 10 ms to a second.
func busyLoops(t *testing.T, n int) {
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error, n)
	for i := range n {
		random := rand.New(rand.NewPCG(uint64(i), 5))
		pause := func() time.Duration { return time.Duration(10+random.IntN(990)) * time.Millisecond }
		go func() {
			var err error
			for ctx.Err() == nil && err == nil {
				cmd := exec.Command(os.Args[0])
				cmd.Env = append(os.Environ(), roleVar+"=loop")
				if err = cmd.Start(); err != nil {
					break
				}
				time.Sleep(pause())
				err = cmd.Process.Kill()
				_ = cmd.Wait() // it was killed
				time.Sleep(pause())
			}
			done <- err
		}()
	}
	t.Cleanup(func() {
		stop()
		for range n {
			if err := <-done; err != nil {
				t.Error(err)
			}
		}
	})
}

// TestEqualsUnderLoad compares a program with itself, in real processes next to four busy loops
// that start and stop. Of 200 proofs, at most 5 % may claim a difference, and one a loss.
func TestEqualsUnderLoad(t *testing.T) {
	testsize.OneOf(t, 1, "it takes half an hour")
	busyLoops(t, 4)
	gains, losses, taken := 0, 0, 0
	for seed := range uint64(200) {
		rounds := 0
		d, err := measure.Measure(t.Context(), measure.Plan{
			Sides: 2, Looks: stats.Looks(0.05, 0), Decided: decided, Confirm: worse, MinEffect: 0.05, Seed: seed,
			Subjects: []measure.Subject{{Name: "x", Run: process}},
			Step:     func(round, _ int, _ string) { rounds = round + 1 },
		})
		if err != nil {
			t.Fatal(err)
		}
		found := map[measure.Outcome]int{}
		for _, m := range d.Metrics("x", 1) {
			found[m.Outcome]++
			if m.Again != nil && !m.Again.Confirmed {
				taken++
			}
			if m.Outcome == measure.Better || m.Outcome == measure.Worse {
				t.Logf("proof %d, %d rounds: %s %+.1f %%, p %.2g", seed, rounds, m.Name, 100*(m.Ratio-1), m.P)
			}
		}
		switch {
		case found[measure.Worse] > 0:
			losses++
		case found[measure.Better] > 0:
			gains++
		}
	}
	t.Logf("of 200 proofs of equals %d claim a gain and %d a loss; %d losses were not confirmed", gains, losses, taken)
	if gains+losses > 10 || losses > 1 {
		t.Errorf("of 200 proofs of equals %d claim a gain and %d a loss", gains, losses)
	}
}

// process runs work in a child process and returns its CPU and wall times.
func process(ctx context.Context, _ int) (map[string]float64, error) {
	cmd := exec.CommandContext(ctx, os.Args[0])
	cmd.Env = append(os.Environ(), roleVar+"=work")
	began := time.Now()
	if err := cmd.Run(); err != nil {
		return nil, err
	}
	wall := time.Since(began).Seconds()
	return map[string]float64{"cpu": (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds(), "wall": wall, "operations": 1}, nil
}
