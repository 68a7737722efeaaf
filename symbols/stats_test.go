package symbols

import (
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
)

// A monitor may call Stats while the table is being cleared or closed, and afterwards. With -race,
// this test detects writes outside the locks that Stats takes: the monitor calls Stats again after
// each operation, and only these locks order the two goroutines.
func TestStatsWhileOthersClose(t *testing.T) {
	table := Must(New(Options{Max: 1 << 10}))
	var count atomic.Uint64
	var over atomic.Bool
	var monitor sync.WaitGroup
	monitor.Go(func() {
		for !over.Load() {
			table.Stats()
			count.Add(1)
		}
	})
	again := func() {
		for from := count.Load(); count.Load() < from+2; {
			runtime.Gosched()
		}
	}
	again()
	table.Intern("x")
	table.Clear()
	again()
	if err := table.Close(); err != nil {
		t.Error(err)
	}
	again()
	over.Store(true)
	monitor.Wait()
	if table.Stats() != (Stats{}) {
		t.Errorf("the closed table has %+v", table.Stats())
	}
}
