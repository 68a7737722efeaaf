package main

import "math"

// An inverse draws from a Zipf distribution with an exponent of less than 1, which math/rand does
// not support. It inverts the integral of x^-skew, which is close to the sum.
type inverse struct {
	skew, whole float64
	of          uint64
}

func newInverse(skew float64, of uint64) inverse {
	return inverse{skew, math.Pow(float64(of)+1, 1-skew) - 1, of}
}

// draw maps u, a number from 0 to 1, to a number less than i.of.
func (i inverse) draw(u float64) uint64 {
	x := math.Pow(1+u*i.whole, 1/(1-i.skew)) - 1
	return min(uint64(max(x, 0)), i.of-1)
}
