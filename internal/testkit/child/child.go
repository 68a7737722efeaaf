// Package child lets a test run its own test binary again as a separate process. It also detects
// whether both processes run under an emulator.
//
// A test binary for another processor can run under qemu's user mode emulation (`go test -exec`).
// In that case, the binary cannot start itself by its name, and some system calls have less effect
// than documented. Set [Variable] for such a run.
package child

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// Variable is the environment variable with the emulator's command line.
const Variable = "COPPICE_EMULATOR"

// Emulated reports whether this process runs under an emulator.
func Emulated() bool { return os.Getenv(Variable) != "" }

// Command returns the command that runs this program again with the given arguments.
func Command(args ...string) (*exec.Cmd, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	line := append(strings.Fields(os.Getenv(Variable)), self)
	return exec.Command(line[0], append(line[1:], args...)...), nil
}

// SkipEmulated skips a test that fails only because of the emulator. The reason describes what the
// emulator does not do; workshop/torture prints it.
func SkipEmulated(t testing.TB, reason string) {
	t.Helper()
	if Emulated() {
		t.Skipf("under %s: %s", strings.Fields(os.Getenv(Variable))[0], reason)
	}
}
