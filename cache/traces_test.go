package cache

import (
	"math"
	"math/rand/v2"
	"sort"
)

// A trace yields keys.
type trace func(yield func(uint64) bool)

// zipf requests n keys out of the given number; the i-th most popular one is requested 1/i^skew
// times as often as the first.
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

// scanned is a trace in which, at regular intervals, there is a run of length keys that are never
// requested again.
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

// inverse requests n keys as zipf does, with any skew.
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

// loop requests that many keys in turn.
func loop(n, of int) trace {
	return func(yield func(uint64) bool) {
		for i := range n {
			if !yield(uint64(i % of)) {
				return
			}
		}
	}
}

// shifting is a trace in which the popular keys change at regular intervals.
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

// window requests any of that many keys; with every fourth request one leaves and another one
// enters the window.
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

// joined is one trace after another, with distinct keys.
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
