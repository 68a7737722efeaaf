package cache

import (
	"math"
	"math/rand/v2"
	"sort"
)

// A trace is a sequence of requested keys.
type trace func(yield func(uint64) bool)

// zipf returns a trace of n requests. The parameter of is the number of distinct keys. The i-th
// most popular key is requested 1/i^skew times as often as the most popular one.
func zipf(n int, skew float64, of uint64) trace {
	return func(yield func(uint64) bool) {
		r := rand.New(rand.NewPCG(1, 2))
		z := rand.NewZipf(r, skew, 1, of-1)
		for range n {
			if !yield(z.Uint64()) {
				return
			}
		}
	}
}

// scanned adds a scan to t after each series of every requests. A scan requests length keys that
// are never requested again.
func scanned(t trace, every, length int) trace {
	return func(yield func(uint64) bool) {
		n, next := 0, uint64(1)<<40
		for k := range t {
			if n++; n%every == 0 {
				for range length {
					if next++; !yield(next) {
						return
					}
				}
			}
			if !yield(k) {
				return
			}
		}
	}
}

// inverse returns a trace with the same distribution as zipf, but accepts any skew, including those
// up to 1.
func inverse(n int, skew float64, of int) trace {
	return func(yield func(uint64) bool) {
		r := rand.New(rand.NewPCG(1, 2))
		sums, sum := make([]float64, of), 0.0
		for i := range sums {
			sum += math.Pow(float64(i+1), -skew)
			sums[i] = sum
		}
		for range n {
			if !yield(uint64(sort.SearchFloat64s(sums, r.Float64()*sum))) {
				return
			}
		}
	}
}

// loop returns a trace of n requests that repeatedly requests the keys 0 to of-1 in order.
func loop(n, of int) trace {
	return func(yield func(uint64) bool) {
		for i := range n {
			if !yield(uint64(i % of)) {
				return
			}
		}
	}
}

// shifting changes the keys of t at regular intervals, so that other keys become popular.
func shifting(t trace, every int) trace {
	return func(yield func(uint64) bool) {
		n := 0
		for k := range t {
			if n++; !yield(k + uint64(n/every)<<32) {
				return
			}
		}
	}
}

// window returns a trace of n requests, each for a random key of a window of consecutive keys. The
// parameter of is the size of the window, which advances by one key with every fourth request.
func window(n, of int) trace {
	return func(yield func(uint64) bool) {
		r := rand.New(rand.NewPCG(1, 2))
		for i := range n {
			if !yield(uint64(i/4 + r.IntN(of))) {
				return
			}
		}
	}
}

// joined concatenates traces and makes their keys distinct.
func joined(all ...trace) trace {
	return func(yield func(uint64) bool) {
		for i, t := range all {
			for k := range t {
				if !yield(k + uint64(i)<<48) {
					return
				}
			}
		}
	}
}
