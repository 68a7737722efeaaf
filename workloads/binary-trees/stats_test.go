package main

import (
	"math"
	"testing"
)

// The share of the collector is one of the time that the same clock has counted. Figures that do
// not fit each other have none: a share that is cut off at 100 % looks like a measured one.
func TestShare(t *testing.T) {
	for _, c := range []struct {
		collector, all float64
		want           string
	}{
		{0, 2, "0.0 %"},
		{0.5, 2, "25.0 %"},
		{2, 2, "100.0 %"},
		{3.61, 2.47, "~"}, // what -stats printed as 100.0 % on a busy machine: two clocks
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
