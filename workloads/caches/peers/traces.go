package main

import (
	"math/rand/v2"
)

// A trace returns a source of keys for one goroutine: the same keys in each process.
type trace struct {
	name, what string
	source     func(seed uint64) func() uint64
}

// universe is how many keys there are, some fifteen for each entry that a cache has room for by default.
const universe = 2_000_000

var traces = []trace{
	{"zipf-0.9", "popular keys, by Zipf's law with 0.9", func(seed uint64) func() uint64 { return zipf(seed, 0.9) }},
	{"zipf-1.1", "the same with 1.1: few keys are most of the requests", func(seed uint64) func() uint64 { return zipf(seed, 1.1) }},
	{"scan", "Zipf with 1.1, and after each 50,000 requests 50,000 keys that nobody ever asks for again", func(seed uint64) func() uint64 {
		popular, n, next := zipf(seed, 1.1), 0, seed<<40
		return func() uint64 {
			if n++; n%100_000 < 50_000 {
				next++
				return next
			}
			return popular()
		}
	}},
	{"shift", "Zipf with 1.1, and after each 500,000 requests other keys are popular", func(seed uint64) func() uint64 {
		popular, n := zipf(seed, 1.1), uint64(0)
		return func() uint64 {
			n++
			return mix(popular() + n/500_000*universe/3)
		}
	}},
}

// zipf draws from keys of which number i comes with a weight of 1/i^skew.
func zipf(seed uint64, skew float64) func() uint64 {
	r := rand.New(rand.NewPCG(seed, 1))
	if skew > 1 {
		z := rand.NewZipf(r, skew, 1, universe-1)
		return func() uint64 { return mix(z.Uint64()) }
	}
	sampler := newInverse(skew)
	return func() uint64 { return mix(sampler.draw(r.Float64())) }
}

// mix makes numbers that follow each other look like keys.
func mix(x uint64) uint64 {
	x = (x ^ x>>31) * 0x9e3779b97f4a7c15
	return x ^ x>>29
}
