//go:build !linux

package process

import (
	"context"
	"os/exec"
)

// start starts the program in args. The function command creates the process for it.
func start(_ context.Context, command func(args ...string) *exec.Cmd, args []string) (*started, error) {
	return direct(command(args...))
}

// reap does nothing, because this process is not the parent of the remaining processes of a killed
// group.
func reap(int) {}
