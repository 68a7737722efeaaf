//go:build !unix

package process

import (
	"os"
	"os/exec"
)

// ownGroup does nothing, because these systems have no process groups. The children of a process
// therefore continue to run after its end.
func ownGroup(*exec.Cmd) {}

// interruptGroup and askGroup kill the process, because these systems have no signals that ask a
// process to end.
func interruptGroup(p *os.Process) { killGroup(p) }
func askGroup(p *os.Process)       { killGroup(p) }

func killGroup(p *os.Process) { _ = p.Kill() }

// addSystemFigures does nothing, because this system reports only times.
func addSystemFigures(map[string]float64, *os.ProcessState) {}
