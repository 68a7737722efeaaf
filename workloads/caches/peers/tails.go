package main

import (
	"encoding/binary"
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

func newTail() *tail {
	const digits = 2
	return &tail{all: hdrhistogram.New(1, int64(longestTime), digits)}
}

func (t *tail) add(taken time.Duration) {
	_ = t.all.RecordValue(int64(min(max(taken, 1), longestTime)))
	t.longest = max(t.longest, taken)
}

func (t *tail) join(other *tail) {
	t.all.Merge(other.all)
	t.longest = max(t.longest, other.longest)
}

// report writes the figures of one kind of operation, if there was any.
func (t *tail) report(name string, figures selfreport.Report) {
	if t.all.TotalCount() == 0 {
		return
	}
	for _, p := range []struct {
		name    string
		percent float64
	}{{"_p50_s", 50}, {"_p99_s", 99}, {"_p999_s", 99.9}} {
		figures[name+p.name] = time.Duration(t.all.ValueAtPercentile(p.percent)).Seconds()
	}
	figures[name+"_max_s"] = t.longest.Seconds()
}

// began is when the process began. time.Since of it reads only the clock that never goes back, in
// half the time of time.Now.
var began = time.Now()

// tails asks for a part of the keys again, and measures each Get and each Set by itself; then, for
// as long, a loop that only reads the clock. It returns how many values were wrong.
func (j job) tails(c rival, keys [goroutines][]uint64, figures selfreport.Report) (wrong uint64) {
	start := time.Now()
	gets, sets := newTail(), newTail()
	var all sync.WaitGroup
	var lock sync.Mutex
	for _, mine := range keys {
		all.Go(func() {
			g, s, bad := c.timed(mine[:len(mine)/timedPart], j.room.value)
			lock.Lock()
			defer lock.Unlock()
			gets.join(g)
			sets.join(s)
			wrong += bad
		})
	}
	all.Wait()
	gets.report("get", figures)
	sets.report("set", figures)
	clock := idle(time.Since(start))
	clock.report("clock", figures)
	return wrong
}

// timed asks for each key as ask does. One reading of the clock is in each time.
func (r rival) timed(keys []uint64, bytes int) (gets, sets *tail, wrong uint64) {
	gets, sets = newTail(), newTail()
	value, room := make([]byte, bytes), make([]byte, 0, 2*bytes)
	for _, k := range keys {
		before := time.Since(began)
		v, ok := r.get(room[:0], k)
		gets.add(time.Since(began) - before)
		switch {
		case !ok:
			binary.LittleEndian.PutUint64(value, k)
			before = time.Since(began)
			r.set(k, value)
			sets.add(time.Since(began) - before)
		case len(v) != bytes || binary.LittleEndian.Uint64(v) != k:
			wrong++
		}
	}
	return gets, sets, wrong
}

// idle measures operations that do nothing. Its median is what a reading of the clock costs, and
// its longest for how long the machine stood still.
func idle(during time.Duration) *tail {
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
