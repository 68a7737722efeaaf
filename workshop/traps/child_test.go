package traps

import (
	"os"
	"testing"
	"time"

	"github.com/coppice-go/coppice/internal/testkit/child"
)

// childOf names the test that a child process runs.
const childOf = "COPPICE_TRAPS_CHILD_OF"

// isChild reports whether this process is the child process, in which the test may crash.
func isChild(t *testing.T) bool { return os.Getenv(childOf) == t.Name() }

// runChild runs the test in a child process and returns its output.
func runChild(t *testing.T) string {
	t.Helper()
	cmd, err := child.Command("-test.run=^" + t.Name() + "$")
	if err != nil {
		t.Fatal(err)
	}
	cmd.Env = append(os.Environ(), childOf+"="+t.Name())
	late := time.AfterFunc(2*time.Minute, func() { _ = cmd.Process.Kill() })
	defer late.Stop()
	output, _ := cmd.CombinedOutput() // it is expected to fail
	return string(output)
}
