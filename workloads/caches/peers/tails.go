package main

import (
	"encoding/binary"
	"sync"

	"github.com/coppice-go/coppice/workloads/internal/selfreport"
	"github.com/coppice-go/coppice/workloads/internal/tails"
)

// tails requests a part of the keys again, and times each Get and each Set individually. Then it
// times, for the same duration, a loop that only reads the clock. It returns the number of wrong
// values.
func (j job) tails(c rival, keys [goroutines][]uint64, figures selfreport.Report) (wrong uint64) {
	start := tails.Now()
	gets, sets := tails.New(), tails.New()
	var all sync.WaitGroup
	var lock sync.Mutex
	for _, mine := range keys {
		all.Go(func() {
			g, s, bad := c.timed(mine[:len(mine)/timedPart], j.room.value)
			lock.Lock()
			defer lock.Unlock()
			gets.Join(g)
			sets.Join(s)
			wrong += bad
		})
	}
	all.Wait()
	gets.Report("get", figures)
	sets.Report("set", figures)
	clock := tails.Idle(tails.Now() - start)
	clock.Report("clock", figures)
	return wrong
}

// timed requests each key as ask does. Each time includes one reading of the clock.
func (r rival) timed(keys []uint64, bytes int) (gets, sets *tails.Tail, wrong uint64) {
	gets, sets = tails.New(), tails.New()
	value, room := make([]byte, bytes), make([]byte, 0, 2*bytes)
	for _, k := range keys {
		before := tails.Now()
		v, ok := r.get(room[:0], k)
		gets.Add(tails.Now() - before)
		switch {
		case !ok:
			binary.LittleEndian.PutUint64(value, k)
			before = tails.Now()
			r.set(k, value)
			sets.Add(tails.Now() - before)
		case len(v) != bytes || binary.LittleEndian.Uint64(v) != k:
			wrong++
		}
	}
	return gets, sets, wrong
}
