package main

import "math/rand/v2"

// A trace returns a source of keys for one of the goroutines, counted from 0: the same keys in each
// process. room is how many keys and values the bound has bytes for.
type trace struct {
	name   string
	value  int                             // bytes of a value
	source func(g, room int) func() uint64 // nil for the recorded trace
}

// valueBytes is how long values are, but for those of a trace of blocks.
const valueBytes = 250

// popular is how many keys there are, some fifteen for each that the cache has room for.
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

// draw returns the keys that each goroutine asks for, n in all.
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

// scan is Zipf with 1.1, and after each 50,000 requests 50,000 keys that are never requested
// again.
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

// shift is Zipf with 1.1, and after each 500,000 requests other keys are popular.
func shift(g, room int) func() uint64 {
	next, n := draws(g, room, 1.1), uint64(0)
	return func() uint64 {
		n++
		return mix(mix(next()) + n/500_000*popular(room)/3)
	}
}

// loop requests a number of keys in turn, which is of; the goroutines take turns.
func loop(g, of int) func() uint64 {
	i := g
	return func() uint64 {
		k := mix(uint64(i % of))
		i += goroutines
		return k
	}
}

// window requests any key of a set, in which one key is replaced at every fourth request; of is the
// size of the set.
func window(g, of int) func() uint64 {
	r, i := rand.New(rand.NewPCG(uint64(g+1), 1)), g
	return func() uint64 {
		k := mix(uint64(i/4 + r.IntN(of)))
		i += goroutines
		return k
	}
}

// replay asks for recorded keys again and again; the goroutines take turns.
func replay(g int, keys []uint64) func() uint64 {
	i := g
	return func() uint64 {
		k := mix(keys[i%len(keys)])
		i += goroutines
		return k
	}
}

// zipf draws from keys of which number i comes with a weight of 1/i^skew.
func zipf(g, room int, skew float64) func() uint64 {
	next := draws(g, room, skew)
	return func() uint64 { return mix(next()) }
}

// draws returns the numbers of such keys.
func draws(g, room int, skew float64) func() uint64 {
	r, of := rand.New(rand.NewPCG(uint64(g+1), 1)), popular(room)
	if skew > 1 {
		return rand.NewZipf(r, skew, 1, of-1).Uint64
	}
	sampler := newInverse(skew, of)
	return func() uint64 { return sampler.draw(r.Float64()) }
}

// mix makes numbers that follow each other look like keys.
func mix(x uint64) uint64 {
	x = (x ^ x>>31) * 0x9e3779b97f4a7c15
	return x ^ x>>29
}
