package machine_test

import (
	"fmt"
	"os"
	"runtime"
	"strconv"
	"testing"
	"time"

	"github.com/coppice-go/coppice/internal/machine"
	"github.com/coppice-go/coppice/internal/testkit/child"
)

// touched keeps the memory that the tests allocate alive.
var touched []byte

// The CPU time of a process grows while it computes, but not faster than all processors together
// allow.
func TestOwnUsageCountsCPU(t *testing.T) {
	start := time.Now()
	before, err := machine.OwnUsage()
	if err != nil {
		t.Skip(err)
	}
	touched = make([]byte, 1<<20)
	const enough = 50 * time.Millisecond
	used := time.Duration(0)
	for used < enough { // however long a busy machine takes for it
		for i := range touched {
			touched[i]++
		}
		after, err := machine.OwnUsage()
		if err != nil {
			t.Fatal(err)
		}
		used = after.CPU() - before.CPU()
	}
	const tick = 20 * time.Millisecond // the coarsest unit in which a system measures CPU time
	if took := time.Since(start); used > time.Duration(runtime.NumCPU())*(took+tick) {
		t.Errorf("%v of work, on the clock, counted as %v of CPU", took, used)
	}
}

func TestOwnUsageCountsMemory(t *testing.T) {
	const most, least = 128 << 20, 96 << 20 // the kernel counts pages of each processor, and adds them up later
	touched = make([]byte, most)
	for i := 0; i < len(touched); i += 4096 {
		touched[i]++
	}
	after, err := machine.OwnUsage()
	if err != nil {
		t.Skip(err)
	}
	if runtime.GOOS != "windows" && after.PeakRSS < least {
		t.Errorf("PeakRSS = %d after touching %d bytes", after.PeakRSS, most)
	}
	if rss, ok := residentNow(); ok && after.PeakRSS > rss+rss/2+32<<20 {
		t.Errorf("PeakRSS = %d, but %d bytes are resident and nothing was given back", after.PeakRSS, rss)
	}
	runtime.KeepAlive(touched)
}

// If a large process starts a small one, the peak of the small one is small. getrusage would report
// the peak of the large one.
func TestPeakIsOwn(t *testing.T) {
	child.SkipEmulated(t, "the peak is the emulator's")
	if runtime.GOOS != "linux" {
		t.Skip("only Linux tells")
	}
	touched = make([]byte, 128<<20)
	for i := 0; i < len(touched); i += 4096 {
		touched[i]++
	}
	cmd, err := child.Command()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Env = append(os.Environ(), small+"=1")
	out, err := cmd.Output()
	if peak, bad := strconv.ParseUint(string(out), 10, 64); err != nil || bad != nil || peak == 0 || peak > 64<<20 {
		t.Errorf("a small process says that its peak is %q (%v)", out, err)
	}
	runtime.KeepAlive(touched)
}

// small is the name of the environment variable that turns this program into the small process of
// TestPeakIsOwn.
const small = "COPPICE_MACHINE_SMALL"

func TestMain(m *testing.M) {
	if os.Getenv(small) == "" {
		os.Exit(m.Run())
	}
	usage, err := machine.OwnUsage()
	if err != nil {
		panic(err)
	}
	fmt.Print(usage.PeakRSS)
}

// residentNow returns the resident set size of this process, if /proc reports it.
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
