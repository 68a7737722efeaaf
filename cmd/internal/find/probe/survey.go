package probe

import (
	"context"
	"time"

	"github.com/google/pprof/profile"
)

// surveyTime is the time for which a survey runs each benchmark. It is long enough for thirty to
// fifty samples, which distinguish a benchmark that spends a third of its time on memory from one
// that spends a tenth.
const surveyTime = 500 * time.Millisecond

// Survey runs a benchmark for surveyTime, and returns its CPU profile.
func Survey(ctx context.Context, b *Benchmark) (*profile.Profile, error) {
	return b.profile(ctx, surveyTime.String())
}
