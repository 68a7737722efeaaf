package runner

import (
	"fmt"
	"os"
	"strings"
	"sync"
	"time"
)

// watchPeak looks at the process's high-water mark of resident memory every few
// milliseconds, where /proc tells it, and returns a function that ends the watch
// and says the last figure, in bytes.
func watchPeak(pid int) (stop func() uint64) {
	name := fmt.Sprintf("/proc/%d/status", pid)
	if _, err := os.Stat(name); err != nil {
		return func() uint64 { return 0 }
	}
	var peak uint64
	done := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		for pause := time.Millisecond; ; pause = min(2*pause, 20*time.Millisecond) {
			peak = max(peak, highWater(name))
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

func highWater(name string) uint64 {
	status, err := os.ReadFile(name)
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(status)) {
		var kib uint64
		if n, _ := fmt.Sscanf(line, "VmHWM: %d kB", &kib); n == 1 {
			return kib << 10
		}
	}
	return 0
}
