package traps

import (
	"os"
	"testing"
	"time"

	"github.com/coppice-go/coppice/internal/testkit/child"
)

// childOf is the name of an environment variable. It contains the name of the test that a child
// process runs.
const childOf = "COPPICE_TRAPS_CHILD_OF"

// isChild reports whether this process is the child process of the test, which may crash.
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
	output, _ := cmd.CombinedOutput() // the test is expected to crash
	return string(output)
}
