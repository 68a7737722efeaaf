//go:build unix

package runner

import (
	"os"
	"os/exec"
	"runtime"
	"syscall"

	"github.com/coppice-go/coppice/internal/machine"
)

// ownGroup puts the process into a group of its own, which is killed as a whole.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}

// addSystemFigures adds what wait4 tells of the process and its children. Its peak
// resident set is at least that of the process which started it, the lab; so where it
// is no more than the lab's own, what was watched in /proc counts.
func addSystemFigures(figures map[string]float64, state *os.ProcessState, watchedPeak uint64) {
	usage, ok := state.SysUsage().(*syscall.Rusage)
	if !ok {
		return
	}
	rss := float64(usage.Maxrss)
	if runtime.GOOS != "darwin" && runtime.GOOS != "ios" {
		rss *= 1024
	}
	if lab, err := machine.OwnUsage(); err == nil && watchedPeak > 0 && rss <= 1.1*float64(lab.PeakRSS) {
		rss = float64(watchedPeak)
	}
	figures["rss"] = rss
	figures["minor_faults"] = float64(usage.Minflt)
	figures["major_faults"] = float64(usage.Majflt)
}
