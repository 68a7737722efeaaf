package meter

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
)

// ErrNonlinear means that the CPU time of a benchmark is not proportional to its number of
// operations.
var ErrNonlinear = errors.New("its CPU time does not grow in proportion to its operations")

// These constants control the runs of TwoPoint.
const (
	pointRuns = 3    // number of runs at each point, of which the median is used
	bend      = 0.15 // maximum deviation of the middle from the line, as a fraction of the rise
)

// TwoPoint returns the CPU time of one operation, in seconds, of a benchmark whose binary has no
// meter. It compares the CPU times of whole processes: (CPU(high) - CPU(low)) / (high - low). Work
// that a process does only once, such as set-up, cancels out. Work for each operation that is done
// while the benchmark's timer is stopped does not cancel out.
//
// The function run runs the binary for n operations, as with -test.benchtime=Nx, and returns the
// CPU time of the process in seconds. It is called three times each for low, high and the midpoint
// between them, in turn. The CPU time of the midpoint should be halfway between the other two. If
// it deviates by more than 15 % of their difference, the error is [ErrNonlinear]: operations do not
// cost the same every time, the machine is too busy, or low and high are too close.
func TwoPoint(ctx context.Context, run func(ctx context.Context, n int) (cpu float64, err error), low, high int) (float64, error) {
	// Package testing handles a run of a single operation differently.
	if low < 2 || high-low < 2 {
		return 0, fmt.Errorf("invalid operations %d and %d: the first must be at least 2, and the second larger by at least 2", low, high)
	}
	ns := [3]int{low, low + (high-low)/2, high}
	var cpu [3][]float64
	for range pointRuns {
		for i, n := range ns {
			c, err := run(ctx, n)
			if err == nil && !(c >= 0 && c <= math.MaxFloat64) {
				err = fmt.Errorf("invalid CPU time of %g seconds", c)
			}
			if err != nil {
				return 0, fmt.Errorf("%d operations: %w", n, err)
			}
			cpu[i] = append(cpu[i], c)
		}
	}
	var at [3]float64
	for i, c := range cpu {
		slices.Sort(c)
		at[i] = c[pointRuns/2]
	}
	rise := at[2] - at[0]
	straight := at[0] + rise*float64(ns[1]-ns[0])/float64(ns[2]-ns[0])
	if rise <= 0 || math.Abs(at[1]-straight) > bend*rise {
		return 0, fmt.Errorf("%w: %d operations take %.3g s, %d operations take %.3g s, and %d operations take %.3g s; run more operations, on a quiet machine",
			ErrNonlinear, ns[0], at[0], ns[1], at[1], ns[2], at[2])
	}
	return rise / float64(high-low), nil
}
