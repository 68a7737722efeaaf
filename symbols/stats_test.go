package symbols

import (
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
)

// A monitor calls Stats while the Table is cleared and closed, and afterwards. With -race this
// detects writes without the locks that Stats takes: the monitor reads again after each, and
// nothing else orders the two.
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
