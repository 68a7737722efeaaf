package main

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/coppice-go/coppice/store"
	"github.com/coppice-go/coppice/workloads/internal/selfreport"
)

// collections is the number of forced collections. reads is the number of entries of a read in
// order.
const (
	collections = 5
	reads       = 100
)

// least is the minimum number of operations of a phase: with few keys, a phase repeats them.
// Tests lower it.
var least = 1 << 18

// work is the measurement of one index.
type work[K comparable] struct {
	open       func(told int) index[K]
	index      index[K]
	n          int // number of keys
	rounds     int // number of passes of each phase over the keys
	goroutines int
	key        func(int) K
	figures    selfreport.Report
	sum        atomic.Uint64 // sum of the values read, so that no read is optimized away
	found      atomic.Int64
}

// run measures one strategy with n keys, and returns the line to print.
func run[K comparable](all []strategy[K], name string, n, goroutines int, key func(int) K) (string, selfreport.Report, error) {
	for _, s := range all {
		if s.name == name {
			w := &work[K]{open: s.open, n: n, rounds: max(1, least/n), goroutines: goroutines, key: key, figures: selfreport.Report{}}
			return w.all()
		}
	}
	return "", nil, fmt.Errorf("no strategy %q", name)
}

func (w *work[K]) all() (string, selfreport.Report, error) {
	asked := make([]K, w.n) // keys for look-ups; the index stores copies
	for i := range asked {
		asked[i] = w.key(i)
	}
	drawn := draw(w.n)
	since := selfreport.Start()
	if err := w.tails(asked, drawn); err != nil {
		return "", nil, err
	}
	if err := w.fill(asked); err != nil {
		return "", nil, err
	}
	w.phase("get_s", 2*w.n, func(from, to int) {
		found := int64(0)
		for _, i := range drawn[from:to] {
			if v, ok := w.index.get(asked[i]); ok && v == uint64(i) {
				found++
			}
		}
		w.found.Add(found)
	})
	w.phase("spread_s", w.n, func(from, to int) {
		found := int64(0)
		for i := from; i < to; i++ {
			if _, ok := w.index.get(asked[(i*7919+13)&(w.n-1)]); ok {
				found++
			}
		}
		w.found.Add(found)
	})
	told := copies(asked)
	w.phase("set_s", w.n, func(from, to int) {
		for i := from; i < to; i++ {
			w.index.set(told[i], uint64(i))
		}
	})
	told = copies(asked)
	w.mixed(asked, told, drawn)
	told = nil
	w.read(asked)
	w.churn(asked)
	w.figures["collection_s"] = collect(since)
	sum := uint64(0)
	w.index.each(func(_ K, v uint64) bool { sum += v; return true })
	line := fmt.Sprintf("%d entries, %d found, sum %d", w.index.len(), w.found.Load()/int64(w.rounds), sum)
	for name, v := range since.Report() {
		w.figures[name] = v
	}
	runtime.KeepAlive(asked)
	return line, w.figures, w.index.close()
}

// share lets each goroutine perform its part of n operations. If there is only one goroutine, the
// caller's goroutine performs all operations.
func (w *work[K]) share(n int, f func(from, to int)) {
	if w.goroutines == 1 {
		f(0, n)
		return
	}
	var all sync.WaitGroup
	for g := range w.goroutines {
		all.Go(func() { f(n*g/w.goroutines, n*(g+1)/w.goroutines) })
	}
	all.Wait()
}

// phase measures the mean time that a goroutine takes for one of n operations. With few keys,
// it repeats them.
func (w *work[K]) phase(name string, n int, f func(from, to int)) {
	start := time.Now()
	for range w.rounds {
		w.share(n, f)
	}
	w.figures[name] = w.each(time.Since(start), n)
}

// each returns the mean time that a goroutine took for one of n operations of each round.
func (w *work[K]) each(taken time.Duration, n int) float64 {
	return taken.Seconds() * float64(w.goroutines) / float64(n) / float64(w.rounds)
}

// fill measures the time to fill new indexes, both presized and growing ones, and the memory that
// the last growing index keeps.
func (w *work[K]) fill(asked []K) error {
	taken, err := w.filled(asked, w.n)
	if err != nil {
		return err
	}
	if w.index.told {
		w.figures["told_s"] = w.each(taken, w.n)
	}
	if err := w.index.close(); err != nil {
		return err
	}
	w.index = index[K]{}
	before := live()
	if taken, err = w.filled(asked, 0); err != nil {
		return err
	}
	w.figures["fill_s"] = w.each(taken, w.n)
	w.figures["live_bytes"] = float64(live() - before)
	w.figures["entry_bytes"] = w.figures["live_bytes"] / float64(w.n)
	return nil
}

// filled fills one index per round, each with its own copies of the keys, and keeps the last
// one.
func (w *work[K]) filled(asked []K, told int) (taken time.Duration, err error) {
	for round := range w.rounds {
		if round > 0 {
			if err := w.index.close(); err != nil {
				return 0, err
			}
		}
		fresh := copies(asked)
		start := time.Now()
		w.index = w.open(told)
		w.share(w.n, func(from, to int) {
			for i := from; i < to; i++ {
				w.index.set(fresh[i], uint64(i))
			}
		})
		taken += time.Since(start)
	}
	return taken, nil
}

// mixed performs one of three operations on each of the drawn entries: it reads the entry, sets it,
// or deletes it and sets it again. The keys in told are copies of the keys in asked. The index has
// the same entries afterwards.
func (w *work[K]) mixed(asked, told []K, drawn []uint32) {
	w.phase("mixed_s", w.n, func(from, to int) {
		sum := uint64(0)
		for i := from; i < to; i++ {
			at := drawn[i]
			k := asked[at]
			switch i & 7 {
			case 0, 1:
				w.index.set(told[at], uint64(at))
			case 2:
				w.index.remove(k)
				w.index.set(told[at], uint64(at))
			default:
				v, _ := w.index.get(k)
				sum += v
			}
		}
		w.sum.Add(sum)
	})
}

// read reads entries in order, if the index is ordered.
func (w *work[K]) read(asked []K) {
	if w.index.from == nil {
		return
	}
	times := max(w.n/reads, 1)
	w.phase("range_s", times, func(from, to int) {
		sum := uint64(0)
		for i := from; i < to; i++ {
			left := reads
			w.index.from(asked[(i*7919)&(w.n-1)], func(_ K, v uint64) bool {
				sum += v
				left--
				return left > 0
			})
		}
		w.sum.Add(sum)
	})
}

// churn deletes half of the keys, and sets the same number of other keys. It runs only once even
// with few keys, because a second round would find nothing to delete.
func (w *work[K]) churn(asked []K) {
	half := w.n / 2
	old := asked[:half]
	fresh := make([]K, half)
	for i := range fresh {
		fresh[i] = w.key(w.n + i)
	}
	start := time.Now()
	w.share(half, func(from, to int) {
		for i := from; i < to; i++ {
			w.index.remove(old[i])
			w.index.set(fresh[i], uint64(w.n+i))
		}
	})
	w.figures["churn_s"] = time.Since(start).Seconds() * float64(w.goroutines) / float64(half)
}

// collect returns the mean CPU time of a forced collection.
func collect(since selfreport.Since) float64 {
	runtime.GC()
	start := since.Report()["gc_cpu_s"]
	for range collections {
		runtime.GC()
	}
	return (since.Report()["gc_cpu_s"] - start) / collections
}

// draw returns 2n numbers below n from a Zipf distribution. The frequent numbers are spread over
// the range.
func draw(n int) []uint32 {
	r := rand.New(rand.NewPCG(1, 2))
	z := rand.NewZipf(r, 1.1, 1, uint64(n-1))
	all := make([]uint32, 2*n)
	for i := range all {
		all[i] = uint32(z.Uint64() * 2654435761 & uint64(n-1)) // a permutation: the factor is odd
	}
	return all
}

// copies returns a copy of the keys, in which strings are cloned.
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

// live returns the bytes that are in use after a collection, on and off the Go heap.
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
