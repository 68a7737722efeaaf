package main

import (
	"encoding/binary"
	"fmt"
	"runtime"
	"runtime/debug"
	"sync"
	"time"

	"github.com/coppice-go/coppice/workloads/internal/selfreport"
)

// These are the parameters of each run.
const (
	goroutines  = 2
	collections = 5 // number of forced collections
	timedPart   = 4 // one request in this many is repeated and timed individually
)

// A job is one cache and its capacity.
type job struct {
	cache string
	room  room
}

// A count contains the counters of one goroutine.
type count struct{ hits, wrong, sum uint64 }

// said returns the line that is printed if all keys were requested and no value was wrong. The
// line has no number of hits, because caches evict different entries.
func said(keys [goroutines][]uint64) string {
	all := count{}
	for _, mine := range keys {
		for _, k := range mine {
			all.sum += k
		}
	}
	return all.line(len(keys[0]) * goroutines)
}

func (c count) line(requests int) string {
	return fmt.Sprintf("%d requests, sum of keys %016x, %d wrong values", requests, c.sum, c.wrong)
}

// run measures the cache with these keys, and returns the line to print.
func (j job) run(keys [goroutines][]uint64) (string, selfreport.Report, error) {
	if j.cache == thrifty {
		defer debug.SetGCPercent(debug.SetGCPercent(thriftyGarbage))
	}
	before := selfreport.Resident()
	known := selfreport.ResetPeak()
	since := selfreport.Start()
	c, err := j.open()
	if err != nil {
		return "", nil, err
	}
	var all count
	start := time.Now()
	seconds, err := selfreport.CPU(func() error { all = j.ask(c, keys); return nil })
	if err != nil {
		return "", nil, err
	}
	taken := time.Since(start).Seconds()
	peak := selfreport.Peak()
	requests := float64(goroutines * len(keys[0]))
	figures := since.Report()
	figures["request_s"] = taken * goroutines / requests
	figures["request_cpu_s"] = seconds / requests
	figures["miss_percent"] = 100 * (1 - float64(all.hits)/requests)
	if known {
		figures["resident_bytes"] = max(peak-before, 1)
	}
	figures["bound_bytes"] = float64(j.room.bytes)
	figures["collection_s"] = collect(since)
	all.wrong += j.tails(c, keys, figures)
	runtime.KeepAlive(c)
	return all.line(goroutines * len(keys[0])), figures, nil
}

// open opens the cache.
func (j job) open() (rival, error) {
	for _, r := range rivals {
		if r.name == j.cache {
			return r.open(j.room)
		}
	}
	return rival{}, fmt.Errorf("there is no cache %q", j.cache)
}

// ask lets each goroutine request its keys, and returns the sum of their counts.
func (j job) ask(c rival, keys [goroutines][]uint64) (sum count) {
	var all sync.WaitGroup
	var counts [goroutines]count
	for g, mine := range keys {
		all.Go(func() { counts[g] = c.ask(mine, j.room.value) })
	}
	all.Wait()
	for _, n := range counts {
		sum.hits, sum.wrong, sum.sum = sum.hits+n.hits, sum.wrong+n.wrong, sum.sum+n.sum
	}
	return sum
}

// ask requests each key, and sets each key that is missing.
func (r rival) ask(keys []uint64, bytes int) (n count) {
	value, room := make([]byte, bytes), make([]byte, 0, 2*bytes)
	for _, k := range keys {
		n.sum += k
		v, ok := r.get(room[:0], k)
		switch {
		case !ok:
			binary.LittleEndian.PutUint64(value, k)
			r.set(k, value)
		case len(v) == bytes && binary.LittleEndian.Uint64(v) == k:
			n.hits++
		default:
			n.wrong++
		}
	}
	return n
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
