package main

import (
	"sync"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"github.com/coppice-go/coppice/workloads/internal/selfreport"
)

// A tail has the times of single operations.
type tail struct {
	all     *hdrhistogram.Histogram // with two digits
	longest time.Duration           // with all
}

// longestTime is what no operation takes.
const longestTime = time.Minute

func newTail() tail {
	const digits = 2
	return tail{all: hdrhistogram.New(1, int64(longestTime), digits)}
}

// began is when the process began. time.Since of it reads only the clock that never goes back, in
// half the time of time.Now.
var began = time.Now()

func (t *tail) add(taken time.Duration) {
	_ = t.all.RecordValue(int64(min(max(taken, 1), longestTime)))
	t.longest = max(t.longest, taken)
}

func (t *tail) join(other tail) {
	t.all.Merge(other.all)
	t.longest = max(t.longest, other.longest)
}

// at returns the time that so many of a hundred operations do not exceed, in seconds.
func (t *tail) at(percent float64) float64 {
	return time.Duration(t.all.ValueAtPercentile(percent)).Seconds()
}

// tails fills an index and asks it, and measures each operation by itself. What the collector and
// the system take meanwhile is in it, for everybody alike. Afterwards a loop that only reads the
// clock is measured for as long.
func (w *work[K]) tails(asked []K, drawn []uint32) error {
	start := time.Now()
	sets, gets := newTail(), newTail()
	before := selfreport.Resident()
	for round := range w.rounds {
		if round > 0 {
			if err := w.index.close(); err != nil {
				return err
			}
		}
		fresh := copies(asked)
		w.index = w.open(0)
		w.timed(&sets, w.n, func(i int) { w.index.set(fresh[i], uint64(i)) })
	}
	if resident := selfreport.Resident(); resident > 0 {
		w.figures["resident_bytes"] = max(resident-before, 1)
	}
	for range w.rounds {
		w.timed(&gets, w.n, func(i int) { w.index.get(asked[drawn[i]]) })
	}
	w.figures["set_p50_s"], w.figures["set_p99_s"], w.figures["set_p999_s"] = sets.at(50), sets.at(99), sets.at(99.9)
	w.figures["get_p50_s"], w.figures["get_p99_s"], w.figures["get_p999_s"] = gets.at(50), gets.at(99), gets.at(99.9)
	w.figures["longest_s"], w.figures["get_max_s"] = sets.longest.Seconds(), gets.longest.Seconds()
	clock := idle(time.Since(start))
	w.figures["clock_s"], w.figures["clock_p999_s"], w.figures["gap_s"] = clock.at(50), clock.at(99.9), clock.longest.Seconds()
	err := w.index.close()
	w.index = index[K]{}
	return err
}

// timed measures n operations, each by itself.
func (w *work[K]) timed(into *tail, n int, do func(i int)) {
	var lock sync.Mutex
	w.share(n, func(from, to int) {
		mine := newTail()
		for i := from; i < to; i++ {
			before := time.Since(began)
			do(i)
			mine.add(time.Since(began) - before) // and with it one reading of the clock
		}
		lock.Lock()
		into.join(mine)
		lock.Unlock()
	})
}

// idle measures operations that do nothing. Its median is what a reading of the clock costs, and
// its longest for how long the machine stood still.
func idle(during time.Duration) tail {
	t := newTail()
	for end := time.Since(began) + during; ; {
		before := time.Since(began)
		now := time.Since(began)
		t.add(now - before)
		if now > end {
			return t
		}
	}
}
