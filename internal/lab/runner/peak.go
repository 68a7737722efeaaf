package runner

import (
	"sync"
	"time"

	"github.com/coppice-go/coppice/internal/machine"
)

// watchPeak looks at the process's high-water mark of resident memory every few
// milliseconds, where the system tells it, and returns a function that ends the watch
// and says the last figure, in bytes.
func watchPeak(pid int) (stop func() uint64) {
	peak := machine.PeakRSS(pid)
	if peak == 0 {
		return func() uint64 { return 0 }
	}
	done := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		for pause := time.Millisecond; ; pause = min(2*pause, 20*time.Millisecond) {
			peak = max(peak, machine.PeakRSS(pid))
			select {
			case <-done:
				return
			case <-time.After(pause):
			}
		}
	})
	return func() uint64 {
		close(done)
		wg.Wait()
		return peak
	}
}
