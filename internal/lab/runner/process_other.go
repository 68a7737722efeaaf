//go:build !unix

package runner

import (
	"os"
	"os/exec"
)

// ownGroup leaves the process alone: there are no groups, so its children live on.
func ownGroup(*exec.Cmd) {}

// askGroup kills the process: there is no way to ask.
func askGroup(p *os.Process) { killGroup(p) }

func killGroup(p *os.Process) { _ = p.Kill() }

// addSystemFigures adds nothing: this system tells only times.
func addSystemFigures(map[string]float64, *os.ProcessState) {}
