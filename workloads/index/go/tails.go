package main

import (
	"sync"

	"github.com/coppice-go/coppice/workloads/internal/selfreport"
	"github.com/coppice-go/coppice/workloads/internal/tails"
)

// tails fills an index and reads it, and times each operation individually. The times include
// interruptions by the collector and the system, for all strategies alike. Afterwards it times, for
// the same duration, a loop that only reads the clock.
func (w *work[K]) tails(asked []K, drawn []uint32) error {
	start := tails.Now()
	sets, gets := tails.New(), tails.New()
	before := selfreport.Resident()
	for round := range w.rounds {
		if round > 0 {
			if err := w.index.close(); err != nil {
				return err
			}
		}
		fresh := copies(asked)
		w.index = w.open(0)
		w.timed(sets, w.n, func(i int) { w.index.set(fresh[i], uint64(i)) })
	}
	if resident := selfreport.Resident(); resident > 0 {
		w.figures["resident_bytes"] = max(resident-before, 1)
	}
	for range w.rounds {
		w.timed(gets, w.n, func(i int) { w.index.get(asked[drawn[i]]) })
	}
	w.figures["set_p50_s"], w.figures["set_p99_s"], w.figures["set_p999_s"] = sets.At(50), sets.At(99), sets.At(99.9)
	w.figures["get_p50_s"], w.figures["get_p99_s"], w.figures["get_p999_s"] = gets.At(50), gets.At(99), gets.At(99.9)
	w.figures["longest_s"], w.figures["get_max_s"] = sets.Longest(), gets.Longest()
	clock := tails.Idle(tails.Now() - start)
	w.figures["clock_s"], w.figures["clock_p999_s"], w.figures["gap_s"] = clock.At(50), clock.At(99.9), clock.Longest()
	err := w.index.close()
	w.index = index[K]{}
	return err
}

// timed measures n operations, each one individually.
func (w *work[K]) timed(into *tails.Tail, n int, do func(i int)) {
	var lock sync.Mutex
	w.share(n, func(from, to int) {
		mine := tails.New()
		for i := from; i < to; i++ {
			before := tails.Now()
			do(i)
			mine.Add(tails.Now() - before) // includes the time of reading the clock once
		}
		lock.Lock()
		into.Join(mine)
		lock.Unlock()
	})
}
