package tails_test

import (
	"testing"
	"time"

	"github.com/coppice-go/coppice/workloads/internal/selfreport"
	"github.com/coppice-go/coppice/workloads/internal/tails"
)

// TestTail verifies that a tail reports the percentiles of the added times approximately, and the
// longest time exactly.
func TestTail(t *testing.T) {
	all, figures := tails.New(), selfreport.Report{}
	all.Report("nothing", figures)
	for i := range 1000 {
		one := tails.New()
		one.Add(time.Duration(i+1) * time.Microsecond)
		all.Join(one)
	}
	all.Report("x", figures)
	for name, want := range map[string]float64{"x_p50_s": 500e-6, "x_p99_s": 990e-6, "x_p999_s": 999e-6} {
		if got := figures[name]; got < want*0.99 || got > want*1.01 {
			t.Errorf("%s is %v, want %v", name, got, want)
		}
	}
	if figures["x_max_s"] != 1e-3 || len(figures) != 4 {
		t.Errorf("%v", figures)
	}
	all.Add(time.Hour)
	if all.At(100) < 59 || all.Longest() != time.Hour.Seconds() {
		t.Errorf("an hour is %v s, and the longest %v", all.At(100), all.Longest())
	}
}

// TestIdle verifies that the idle loop ends after the given time and has recorded times.
func TestIdle(t *testing.T) {
	start := tails.Now()
	clock := tails.Idle(time.Millisecond)
	if taken := tails.Now() - start; taken < time.Millisecond {
		t.Errorf("it ended after %v", taken)
	}
	if clock.At(50) <= 0 || clock.Longest() < clock.At(50)*0.98 {
		t.Errorf("the median is %v s, the longest %v", clock.At(50), clock.Longest())
	}
}
