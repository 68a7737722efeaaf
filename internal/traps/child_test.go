package traps

import (
	"os"
	"testing"
	"time"

	"github.com/coppice-go/coppice/internal/child"
)

// childOf names the test that a child process runs.
const childOf = "COPPICE_TRAPS_CHILD_OF"

// isChild tells whether this process is the one in which the test may crash.
func isChild(t *testing.T) bool { return os.Getenv(childOf) == t.Name() }

// runChild runs the test in a process of its own and returns what it printed.
func runChild(t *testing.T) string {
	t.Helper()
	cmd, err := child.Command("-test.run=^" + t.Name() + "$")
	if err != nil {
		t.Fatal(err)
	}
	cmd.Env = append(os.Environ(), childOf+"="+t.Name())
	late := time.AfterFunc(2*time.Minute, func() { _ = cmd.Process.Kill() })
	defer late.Stop()
	output, _ := cmd.CombinedOutput() // that it fails is what the test waits for
	return string(output)
}
