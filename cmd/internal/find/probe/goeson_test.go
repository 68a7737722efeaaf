package probe

import (
	"testing"
	"time"
)

// TestGoesOn verifies that a profile with too few samples continues if the time limit suffices to
// get enough of them.
func TestGoesOn(t *testing.T) {
	o := &Options{Samples: 1200, Longest: 40 * time.Second, Least: 1000, Time: 3 * time.Minute}
	for _, c := range []struct {
		samples, runs int
		took, time    time.Duration
		more          bool
		needs         time.Duration
	}{
		{0, 0, 0, o.Time, true, 0},
		{1200, 5, time.Second, o.Time, false, 0},
		{100, 1, time.Second, o.Time, true, 0},
		{1000, 9, 40 * time.Second, o.Time, false, 0},
		{500, 9, 40 * time.Second, o.Time, true, 0},
		{900, 20, 170 * time.Second, 3 * time.Minute, false, 170 * time.Second * 1000 / 900},
		{100, 9, 40 * time.Second, o.Time, false, 400 * time.Second},
		{100, 9, 40 * time.Second, 10 * time.Minute, true, 0},
		{0, 9, 40 * time.Second, o.Time, false, 40000 * time.Second},
		{500, 2, 10 * time.Second, 10 * time.Second, false, 20 * time.Second},
	} {
		o.Time = c.time
		more, needs := o.goesOn(c.samples, c.runs, c.took)
		if more != c.more || (needs-c.needs).Abs() > time.Second {
			t.Errorf("%d samples of %d runs in %v of %v: goes on %t, needs %v; want %t, %v", c.samples, c.runs, c.took, c.time, more, needs, c.more, c.needs)
		}
		o.Time = 3 * time.Minute
	}
}

// TestOptionsAllowEnoughSamples verifies that Full and Quick allow enough time for the required
// samples.
func TestOptionsAllowEnoughSamples(t *testing.T) {
	for name, o := range map[string]Options{"Full": Full, "Quick": Quick} {
		o.Least = 1000
		if more, needs := o.goesOn(100, 1, 3*time.Second); !more {
			t.Errorf("%s: the profile ends with 100 samples after 3 s, and says that it needs %v", name, needs)
		}
	}
}

// TestTimeLeft verifies that left returns the time until goesOn ends the profile, if samples
// continue to arrive at the same rate.
func TestTimeLeft(t *testing.T) {
	o := &Options{Samples: 1200, Longest: 40 * time.Second, Least: 1000, Time: 3 * time.Minute}
	for _, c := range []struct {
		samples    int
		took, want time.Duration
	}{
		{0, 3 * time.Second, 0},
		{300, 3 * time.Second, 9 * time.Second},
		{100, 5 * time.Second, 45 * time.Second},
		{100, 20 * time.Second, 20 * time.Second},
		{500, 30 * time.Second, 30 * time.Second},
		{1000, 36 * time.Second, 4 * time.Second},
		{100, 41 * time.Second, 0},
	} {
		if got := o.timeLeft(c.samples, c.took); (got - c.want).Abs() > time.Millisecond {
			t.Errorf("%d samples in %v: %v are left, want %v", c.samples, c.took, got, c.want)
		}
	}
}
