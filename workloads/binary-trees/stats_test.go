package main

import (
	"math"
	"testing"
)

// TestShare verifies that the collector's share is a percentage of the total time. If the two times
// do not fit each other, because different clocks measured them, the share is "~". A share that is
// capped at 100 % would look like a measured one.
func TestShare(t *testing.T) {
	for _, c := range []struct {
		collector, all float64
		want           string
	}{
		{0, 2, "0.0 %"},
		{0.5, 2, "25.0 %"},
		{2, 2, "100.0 %"},
		{3.61, 2.47, "~"}, // two clocks on a busy machine; -stats used to print 100.0 %
		{0, 0, "~"},
		{1, 0, "~"},
		{-1, 2, "~"},
		{1, -2, "~"},
		{math.NaN(), 2, "~"},
		{1, math.Inf(1), "~"},
	} {
		if got := share(c.collector, c.all); got != c.want {
			t.Errorf("%v s of %v s are %q, want %q", c.collector, c.all, got, c.want)
		}
	}
}
