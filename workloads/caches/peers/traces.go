package main

import "math/rand/v2"

// A trace contains a function that returns a source of keys for goroutine g, counted from 0. The
// keys are the same in each process. The argument room is the number of keys and values that fit in
// the bound.
type trace struct {
	name   string
	value  int                             // size of a value in bytes
	source func(g, room int) func() uint64 // nil for the recorded trace
}

// valueBytes is the length of values, except in a trace of blocks.
const valueBytes = 250

// popular returns the number of keys: about fifteen for each key that fits in the cache.
func popular(room int) uint64 { return uint64(room) * 2_000_000 / 130_055 }

var traces = []trace{
	{"zipf-0.9", valueBytes, func(g, room int) func() uint64 { return zipf(g, room, 0.9) }},
	{"zipf-1.1", valueBytes, func(g, room int) func() uint64 { return zipf(g, room, 1.1) }},
	{"scan", valueBytes, scan},
	{"shift", valueBytes, shift},
	{"loop-0.8", valueBytes, func(g, room int) func() uint64 { return loop(g, room*8/10) }},
	{"loop-1.3", valueBytes, func(g, room int) func() uint64 { return loop(g, room*13/10) }},
	{"window-0.5", valueBytes, func(g, room int) func() uint64 { return window(g, room/2) }},
	{"window-0.9", valueBytes, func(g, room int) func() uint64 { return window(g, room*9/10) }},
	{"glimpse", 16 << 10, nil},
}

// passes is the maximum number of times that the recorded trace is replayed.
const passes = 16

// draw returns the keys that each goroutine requests, n in all.
func draw(t trace, n, room int) (all [goroutines][]uint64, err error) {
	source := t.source
	if source == nil {
		recorded, err := glimpse()
		if err != nil {
			return all, err
		}
		n = min(n, passes*len(recorded)/goroutines*goroutines)
		source = func(g, _ int) func() uint64 { return replay(g, recorded) }
	}
	for g := range all {
		next := source(g, room)
		all[g] = make([]uint64, 0, n/goroutines)
		for range n / goroutines {
			all[g] = append(all[g], next())
		}
	}
	return all, nil
}

// scan alternates 50,000 requests from a Zipf distribution with exponent 1.1 and 50,000 keys
// that are never requested again.
func scan(g, room int) func() uint64 {
	popular, n, next := zipf(g, room, 1.1), 0, uint64(g+1)<<40
	return func() uint64 {
		if n++; n%100_000 < 50_000 {
			next++
			return next
		}
		return popular()
	}
}

// shift draws from a Zipf distribution with exponent 1.1, and makes other keys popular after
// every 500,000 requests.
func shift(g, room int) func() uint64 {
	next, n := draws(g, room, 1.1), uint64(0)
	return func() uint64 {
		n++
		return mix(mix(next()) + n/500_000*popular(room)/3)
	}
}

// loop requests the same keys in turn, again and again; of is their number. The goroutines take
// turns.
func loop(g, of int) func() uint64 {
	i := g
	return func() uint64 {
		k := mix(uint64(i % of))
		i += goroutines
		return k
	}
}

// window requests random keys of a set, in which every fourth request replaces one key; of is
// the size of the set.
func window(g, of int) func() uint64 {
	r, i := rand.New(rand.NewPCG(uint64(g+1), 1)), g
	return func() uint64 {
		k := mix(uint64(i/4 + r.IntN(of)))
		i += goroutines
		return k
	}
}

// replay requests recorded keys again and again. The goroutines take turns.
func replay(g int, keys []uint64) func() uint64 {
	i := g
	return func() uint64 {
		k := mix(keys[i%len(keys)])
		i += goroutines
		return k
	}
}

// zipf draws keys, of which the i-th key has a weight of 1/i^skew.
func zipf(g, room int, skew float64) func() uint64 {
	next := draws(g, room, skew)
	return func() uint64 { return mix(next()) }
}

// draws returns a source of the numbers of the keys that zipf draws.
func draws(g, room int, skew float64) func() uint64 {
	r, of := rand.New(rand.NewPCG(uint64(g+1), 1)), popular(room)
	if skew > 1 {
		return rand.NewZipf(r, skew, 1, of-1).Uint64
	}
	sampler := newInverse(skew, of)
	return func() uint64 { return sampler.draw(r.Float64()) }
}

// mix scrambles a number, so that consecutive numbers look like random keys.
func mix(x uint64) uint64 {
	x = (x ^ x>>31) * 0x9e3779b97f4a7c15
	return x ^ x>>29
}
