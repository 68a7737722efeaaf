//go:build unix

package process

import (
	"os"
	"os/exec"
	"runtime"
	"syscall"

	"github.com/coppice-go/coppice/internal/machine"
)

// ownGroup puts the process into its own process group, which can be ended as a whole.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// interruptGroup, askGroup and killGroup send a signal to the process group of p: SIGINT, SIGTERM
// or SIGKILL. They do nothing if the group has already ended.
func interruptGroup(p *os.Process) { _ = syscall.Kill(-p.Pid, syscall.SIGINT) }
func askGroup(p *os.Process)       { _ = syscall.Kill(-p.Pid, syscall.SIGTERM) }
func killGroup(p *os.Process)      { _ = syscall.Kill(-p.Pid, syscall.SIGKILL) }

// addSystemFigures adds the peak memory and the page faults that wait4 reports for the process and
// its children.
func addSystemFigures(figures map[string]float64, state *os.ProcessState) {
	usage, ok := state.SysUsage().(*syscall.Rusage)
	if !ok {
		return
	}
	addUsage(figures, usage)
	if runtime.GOOS != "linux" && runtime.GOOS != "android" {
		return
	}
	// On Linux, a child inherits the peak memory of the process that started it, which is this
	// process. So if the value is not greater than the peak of this process, it does not describe
	// the child.
	if own, err := machine.OwnUsage(); err != nil || figures["rss"] <= 1.1*float64(own.PeakRSS) {
		delete(figures, "rss")
	}
}

func addUsage(figures map[string]float64, usage *syscall.Rusage) {
	rss := float64(usage.Maxrss)
	if runtime.GOOS != "darwin" && runtime.GOOS != "ios" {
		rss *= 1024
	}
	figures["rss"] = rss
	figures["minor_faults"] = float64(usage.Minflt)
	figures["major_faults"] = float64(usage.Majflt)
}
