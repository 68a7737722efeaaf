package main

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"time"

	"github.com/coppice-go/coppice/store"
	"github.com/coppice-go/coppice/workloads/internal/selfreport"
)

// collections is the number of forced collections, and reads that of entries in order.
const (
	collections = 5
	reads       = 100
)

// work is what is done with an index.
type work[K comparable] struct {
	index   index[K]
	n       int
	key     func(int) K
	figures selfreport.Report
	sum     uint64 // of values that were read, so that they are
}

// run measures one strategy with n keys, and returns the line to print.
func run[K comparable](all []strategy[K], name string, n int, key func(int) K) (string, selfreport.Report, error) {
	for _, s := range all {
		if s.name == name {
			w := &work[K]{n: n, key: key, figures: selfreport.Report{}}
			if err := w.longest(s.open()); err != nil {
				return "", nil, err
			}
			return w.all(s.open)
		}
	}
	return "", nil, fmt.Errorf("no strategy %q", name)
}

// longest fills an index, and measures each Set by itself. What the collector and the system take meanwhile is in it, for
// everybody alike.
func (w *work[K]) longest(x index[K]) error {
	begin, longest := time.Now(), time.Duration(0)
	for i := range w.n {
		k := w.key(i)
		start := time.Now()
		x.set(k, uint64(i))
		longest = max(longest, time.Since(start))
	}
	w.figures["longest_s"] = longest.Seconds()
	w.figures["gap_s"] = gap(time.Since(begin)).Seconds()
	return x.close()
}

// gap returns the longest time for which a loop that only reads the clock stood still.
func gap(during time.Duration) (longest time.Duration) {
	for begin, last := time.Now(), time.Now(); last.Sub(begin) < during; {
		now := time.Now()
		longest, last = max(longest, now.Sub(last)), now
	}
	return longest
}

func (w *work[K]) all(open func() index[K]) (string, selfreport.Report, error) {
	asked := make([]K, w.n) // the copies of who asks
	for i := range asked {
		asked[i] = w.key(i)
	}
	drawn := draw(w.n)
	since := selfreport.Start()
	before := live()
	w.index = open()
	fresh := copies(asked)
	w.phase("fill_s", w.n, func() {
		for i, k := range fresh {
			w.index.set(k, uint64(i))
		}
	})
	fresh = nil
	w.figures["live_bytes"] = float64(live() - before)
	found := 0
	w.phase("get_s", 2*w.n, func() {
		for _, i := range drawn {
			if v, ok := w.index.get(asked[i]); ok && v == uint64(i) {
				found++
			}
		}
	})
	w.phase("spread_s", w.n, func() {
		for i := range w.n {
			if _, ok := w.index.get(asked[(i*7919+13)&(w.n-1)]); ok {
				found++
			}
		}
	})
	told := copies(asked)
	w.phase("set_s", w.n, func() {
		for i, k := range told {
			w.index.set(k, uint64(i))
		}
	})
	told = copies(asked)
	w.mixed(asked, told, drawn[:w.n])
	told = nil
	w.read(asked)
	for i := range w.n / 2 {
		asked[i] = w.key(w.n + i)
	}
	w.phase("churn_s", w.n/2, func() {
		for i := range w.n / 2 {
			w.index.remove(w.key(i))
			w.index.set(asked[i], uint64(w.n+i))
		}
	})
	w.collect(since)
	sum := uint64(0)
	w.index.each(func(_ K, v uint64) bool { sum += v; return true })
	line := fmt.Sprintf("%d entries, %d found, sum %d", w.index.len(), found, sum)
	for name, v := range since.Report() {
		w.figures[name] = v
	}
	runtime.KeepAlive(asked)
	return line, w.figures, w.index.close()
}

// phase measures how long the caller waits for each of n operations.
func (w *work[K]) phase(name string, n int, f func()) {
	start := time.Now()
	f()
	w.figures[name] = time.Since(start).Seconds() / float64(n)
}

// mixed reads, changes, and deletes and sets again, entries that were drawn. Keys that are told are equal to those that are asked. The index is the same
// afterwards.
func (w *work[K]) mixed(asked, told []K, drawn []uint32) {
	w.phase("mixed_s", w.n, func() {
		for i, at := range drawn {
			k := asked[at]
			switch i & 7 {
			case 0, 1:
				w.index.set(told[at], uint64(at))
			case 2:
				w.index.remove(k)
				w.index.set(told[at], uint64(at))
			default:
				v, _ := w.index.get(k)
				w.sum += v
			}
		}
	})
}

// read reads entries in order, if the index has one.
func (w *work[K]) read(asked []K) {
	if w.index.from == nil {
		return
	}
	times := max(w.n/reads, 1)
	w.phase("range_s", times, func() {
		for i := range times {
			left := reads
			w.index.from(asked[(i*7919)&(w.n-1)], func(_ K, v uint64) bool {
				w.sum += v
				left--
				return left > 0
			})
		}
	})
}

func (w *work[K]) collect(since selfreport.Since) {
	runtime.GC()
	start := since.Report()["gc_cpu_s"]
	for range collections {
		runtime.GC()
	}
	w.figures["collection_s"] = (since.Report()["gc_cpu_s"] - start) / collections
}

// draw returns 2n numbers below n by Zipf's law, the frequent ones anywhere.
func draw(n int) []uint32 {
	r := rand.New(rand.NewPCG(1, 2))
	z := rand.NewZipf(r, 1.1, 1, uint64(n-1))
	all := make([]uint32, 2*n)
	for i := range all {
		all[i] = uint32(z.Uint64() * 2654435761 & uint64(n-1)) // an odd factor: each number has another
	}
	return all
}

// copies returns the keys, of which strings are copies.
func copies[K comparable](keys []K) []K {
	all := make([]K, len(keys))
	for i, k := range keys {
		if s, ok := any(k).(string); ok {
			k = any(strings.Clone(s)).(K)
		}
		all[i] = k
	}
	return all
}

// live returns the bytes that are in use after a collection, in and outside of the Go heap.
func live() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	bytes := int64(m.HeapAlloc)
	for _, t := range store.Totals() {
		bytes += int64(t.Committed)
	}
	return bytes
}
