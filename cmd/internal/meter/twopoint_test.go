package meter

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os/exec"
	"strings"
	"testing"

	"github.com/coppice-go/coppice/internal/testkit/testsize"
)

func TestTwoPoint(t *testing.T) {
	for name, c := range map[string]struct {
		cpu  func(n, call int) float64
		want float64
		err  error
	}{
		"set-up cancels out":   {func(n, _ int) float64 { return 5 + 0.01*float64(n) }, 0.01, nil},
		"one bad run of three": {func(n, call int) float64 { return 5 + 0.01*float64(n) + 100*float64(call/3%3/2) }, 0.01, nil},
		"noise":                {func(n, call int) float64 { return 0.01 * float64(n) * (1 + 0.02*float64(call%2)) }, 0.01, nil},
		"quadratic":            {func(n, _ int) float64 { return float64(n) * float64(n) }, 0, ErrNonlinear},
		"no work":              {func(n, _ int) float64 { return 5 }, 0, ErrNonlinear},
		"less for more":        {func(n, _ int) float64 { return 1 / float64(n) }, 0, ErrNonlinear},
		"a step":               {func(n, _ int) float64 { return math.Floor(float64(n) / 1000) }, 0, ErrNonlinear},
	} {
		calls := 0
		got, err := TwoPoint(t.Context(), func(_ context.Context, n int) (float64, error) {
			calls++
			return c.cpu(n, calls-1), nil
		}, 100, 1000)
		if !errors.Is(err, c.err) || math.Abs(got-c.want) > 0.05*c.want {
			t.Errorf("%s: %v, error %v, want %v, %v", name, got, err, c.want, c.err)
		}
		if calls != 9 {
			t.Errorf("%s: %d runs, want 9", name, calls)
		}
	}
}

func TestTwoPointErrors(t *testing.T) {
	broken := errors.New("it has ended with status 2")
	for _, c := range []struct {
		low, high int
		cpu       float64
		err       error
		want      string
	}{
		{1, 100, 1, nil, "operations 1 and 100: the first must be at least 2"},
		{10, 11, 1, nil, "the second larger by at least 2"},
		{100, 10, 1, nil, "100 and 10"},
		{10, 100, 1, broken, "10 operations: it has ended"},
		{10, 100, math.NaN(), nil, "NaN seconds"},
		{10, 100, -1, nil, "-1 seconds"},
		{10, 100, math.Inf(1), nil, "+Inf seconds"},
	} {
		_, err := TwoPoint(t.Context(), func(context.Context, int) (float64, error) { return c.cpu, c.err }, c.low, c.high)
		if err == nil || !strings.Contains(err.Error(), c.want) || c.err != nil && !errors.Is(err, c.err) {
			t.Errorf("%+v: error %v", c, err)
		}
	}
}

// TestTwoPointOfBinary verifies that TwoPoint and the meter find similar CPU times for the same
// benchmark. Other processes on the machine, which compete for its caches, and the hypervisor
// sometimes distort one of the two, so the test passes if one of several attempts agrees.
func TestTwoPointOfBinary(t *testing.T) {
	testsize.OnlyInFull(t, "it compares CPU times of two processes")
	const attempts = 10
	binary := built(t, "kinds")
	run := func(ctx context.Context, n int) (float64, error) {
		cmd := exec.CommandContext(ctx, binary, "-test.run=^$", "-test.bench=Allocs", fmt.Sprintf("-test.benchtime=%dx", n))
		err := cmd.Run()
		return (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds(), err
	}
	for attempt := 1; ; attempt++ {
		got, err := TwoPoint(t.Context(), run, 200, 2000)
		if err != nil && !errors.Is(err, ErrNonlinear) {
			t.Fatal(err)
		}
		samples, _ := measure(t, binary, "Allocs", nil, "-test.benchtime=2000x")
		want := samples[0].CPU / 2000
		if err == nil && got >= want/2 && got <= want*2 {
			return
		}
		if attempt == attempts {
			t.Fatalf("%v s of CPU for each operation, error %v; the meter found %v", got, err, want)
		}
	}
}
