// Package tails times operations individually, and computes percentiles of their times.
// HdrHistogram keeps the times with two significant digits.
//
//	before := tails.Now()
//	do()
//	tail.Add(tails.Now() - before) // includes one reading of the clock
package tails

import (
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"github.com/coppice-go/coppice/workloads/internal/selfreport"
)

// A Tail contains the times of individual operations. Only one goroutine may use it at a time: each
// goroutine has its own Tail, and Join merges them.
type Tail struct {
	all     *hdrhistogram.Histogram // times with two significant digits
	longest time.Duration           // exact longest time
}

// longestTime is the longest time that the histogram distinguishes.
const longestTime = time.Minute

// New returns a Tail without times. Its memory does not grow.
func New() *Tail {
	const digits = 2
	return &Tail{all: hdrhistogram.New(1, int64(longestTime), digits)}
}

// began is the time at which the process began.
var began = time.Now()

// Now returns the time since the process began. It reads only the monotonic clock, in half the
// time of time.Now.
func Now() time.Duration { return time.Since(began) }

// Add adds the time of one operation. A time above a minute is recorded as a minute, except as the
// longest time.
func (t *Tail) Add(taken time.Duration) {
	_ = t.all.RecordValue(int64(min(max(taken, 1), longestTime)))
	t.longest = max(t.longest, taken)
}

// Join adds all times of another Tail.
func (t *Tail) Join(other *Tail) {
	t.all.Merge(other.all)
	t.longest = max(t.longest, other.longest)
}

// At returns a percentile of the times in seconds.
func (t *Tail) At(percent float64) float64 {
	return time.Duration(t.all.ValueAtPercentile(percent)).Seconds()
}

// Longest returns the longest time in seconds, without rounding.
func (t *Tail) Longest() float64 { return t.longest.Seconds() }

// Report adds the metrics of one kind of operation to figures, if there were any operations.
func (t *Tail) Report(name string, figures selfreport.Report) {
	if t.all.TotalCount() == 0 {
		return
	}
	for _, p := range []struct {
		name    string
		percent float64
	}{{"_p50_s", 50}, {"_p99_s", 99}, {"_p999_s", 99.9}} {
		figures[name+p.name] = t.At(p.percent)
	}
	figures[name+"_max_s"] = t.Longest()
}

// Idle measures operations that do nothing, for the given time. Its median is the cost of
// reading the clock, and its longest time is the longest interruption by the machine.
func Idle(during time.Duration) *Tail {
	t := New()
	for end := Now() + during; ; {
		before := Now()
		now := Now()
		t.Add(now - before)
		if now > end {
			return t
		}
	}
}
