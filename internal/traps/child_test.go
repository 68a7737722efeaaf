package traps

import (
	"context"
	"os"
	"os/exec"
	"testing"
	"time"
)

// childOf names the test that a child process runs.
const childOf = "COPPICE_TRAPS_CHILD_OF"

// isChild tells whether this process is the one in which the test may crash.
func isChild(t *testing.T) bool { return os.Getenv(childOf) == t.Name() }

// runChild runs the test in a process of its own and returns what it printed.
func runChild(t *testing.T) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	child := exec.CommandContext(ctx, os.Args[0], "-test.run=^"+t.Name()+"$")
	child.Env = append(os.Environ(), childOf+"="+t.Name())
	output, _ := child.CombinedOutput() // that it fails is what the test waits for
	return string(output)
}
