// Package child lets a test run its own binary again in a separate process. It also detects whether
// the processes run under an emulator.
//
// A test binary for another architecture can run under the user mode emulation of qemu (`go test
// -exec`). The binary then cannot start itself by its name, and some system calls do less than
// documented. Set [Variable] for such a run.
package child

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// Variable is the name of the environment variable that contains the emulator's command line.
const Variable = "COPPICE_EMULATOR"

// Emulated reports whether this process runs under an emulator.
func Emulated() bool { return os.Getenv(Variable) != "" }

// Command returns a command that runs this program again, with the given arguments.
func Command(args ...string) (*exec.Cmd, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	line := append(strings.Fields(os.Getenv(Variable)), self)
	return exec.Command(line[0], append(line[1:], args...)...), nil
}

// SkipEmulated skips a test that fails only because of the emulator. reason describes what the
// emulator does not support; workshop/torture prints it.
func SkipEmulated(t testing.TB, reason string) {
	t.Helper()
	if Emulated() {
		t.Skipf("under %s: %s", strings.Fields(os.Getenv(Variable))[0], reason)
	}
}
