//go:build !unix

package runner

import (
	"os"
	"os/exec"
)

// ownGroup leaves the process alone: Cancel ends it, and not its children.
func ownGroup(cmd *exec.Cmd) { cmd.Cancel = func() error { return cmd.Process.Kill() } }

// addSystemFigures adds nothing: this system tells only times.
func addSystemFigures(map[string]float64, *os.ProcessState, uint64) {}
