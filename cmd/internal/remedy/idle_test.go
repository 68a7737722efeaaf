package remedy

import (
	"math"
	"testing"
)

// TestInterval compares Interval with published tables of the intervals of Clopper and Pearson, in
// particular for shares of a tenth, none and all of 100 samples.
func TestInterval(t *testing.T) {
	for _, test := range []struct {
		part    float64
		samples int
		lo, hi  float64
	}{{0.1, 100, 0.0490, 0.1762}, {0, 100, 0, 0.0362}, {1, 100, 0.9638, 1}, {0.5, 0, 0, 1}} {
		lo, hi := Interval(test.part, test.samples)
		if math.Abs(lo-test.lo) > 5e-5 || math.Abs(hi-test.hi) > 5e-5 {
			t.Errorf("%v of %d: [%v, %v], want [%v, %v]", test.part, test.samples, lo, hi, test.lo, test.hi)
		}
	}
}
