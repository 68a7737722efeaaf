package probe

import (
	"context"

	"github.com/coppice-go/coppice/cmd/internal/gobench"
)

// A Benchmark is a Subject: a benchmark in a tree whose test binaries have been built. Only its
// timed part is measured.
type Benchmark struct {
	*gobench.Benchmark
	Tree *gobench.Tree
}

// NewBenchmark returns a Subject for the benchmark, which it sets to run on one processor.
func NewBenchmark(t *gobench.Tree, b *gobench.Benchmark) *Benchmark {
	b.Procs = 1
	return &Benchmark{b, t}
}

// Calibrate sets the number of operations per run.
func (b *Benchmark) Calibrate(ctx context.Context) error { return b.Benchmark.Calibrate(ctx, b.Tree) }

// Operations returns the number of operations per run.
func (b *Benchmark) Operations() int { return b.N }

// Limit limits the number of operations per run.
func (b *Benchmark) Limit(operations int) { b.N = min(b.N, operations) }

// Figures runs the benchmark and returns its metrics.
func (b *Benchmark) Figures(ctx context.Context, env map[string]string) (map[string]float64, error) {
	return b.Benchmark.Figures(ctx, b.Tree, env)
}
