package machine_test

import (
	"fmt"
	"os"
	"runtime"
	"testing"
	"time"

	"github.com/coppice-go/coppice/internal/machine"
)

// touched keeps the memory of the test alive.
var touched []byte

func TestOwnUsageCounts(t *testing.T) {
	before, err := machine.OwnUsage()
	if err != nil {
		t.Skip(err)
	}
	touched = make([]byte, 64<<20)
	for start := time.Now(); time.Since(start) < 50*time.Millisecond; {
		for i := range touched {
			touched[i]++
		}
	}
	after, err := machine.OwnUsage()
	if err != nil {
		t.Fatal(err)
	}
	if used := after.CPU() - before.CPU(); used < 10*time.Millisecond || used > time.Minute {
		t.Errorf("50 ms of work on the clock counted as %v of CPU", used)
	}
	if runtime.GOOS != "windows" && after.PeakRSS < 64<<20 {
		t.Errorf("PeakRSS = %d after touching 64 MiB", after.PeakRSS)
	}
	if rss, ok := residentNow(); ok && after.PeakRSS > rss+rss/4+8<<20 {
		t.Errorf("PeakRSS = %d, but %d bytes are resident and nothing was given back", after.PeakRSS, rss)
	}
	runtime.KeepAlive(touched)
}

// residentNow is the resident set of this process, where /proc tells.
func residentNow() (uint64, bool) {
	var size, resident uint64
	file, err := os.Open("/proc/self/statm")
	if err != nil {
		return 0, false
	}
	defer file.Close()
	if _, err := fmt.Fscan(file, &size, &resident); err != nil {
		return 0, false
	}
	return resident * uint64(os.Getpagesize()), true
}

func TestCPUIsUserAndSystem(t *testing.T) {
	if got := (machine.Usage{User: 3 * time.Second, System: 2 * time.Second}).CPU(); got != 5*time.Second {
		t.Errorf("3 s of user and 2 s of system time are %v", got)
	}
}
