//go:build unix

package process

import (
	"context"
	"errors"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// What a command has started and left behind ends with it, and what it says and how it ends is as
// ever.
func TestOutput(t *testing.T) {
	cmd := exec.CommandContext(t.Context(), "sh", "-c", `sleep 3600 >/dev/null 2>&1 & echo $!; echo bad >&2; exit 3`)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := Output(cmd)
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != 3 || stderr.String() != "bad\n" {
		t.Errorf("%v, and it says %q", err, stderr.String())
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(out)))
	if err != nil {
		t.Fatal(err)
	}
	for !ended(pid) {
		time.Sleep(time.Millisecond)
	}
}

// ended reports whether a process has ended. A process without a wait call stays until it gets one.
func ended(pid int) bool {
	_, _ = syscall.Wait4(pid, nil, syscall.WNOHANG, nil) // it may be a child of this process
	return errors.Is(syscall.Kill(pid, 0), syscall.ESRCH)
}

// A command that is not there is said to be, and one whose context ends is interrupted.
func TestOutputFails(t *testing.T) {
	if _, err := Output(exec.CommandContext(t.Context(), "no-such-command")); !errors.Is(err, exec.ErrNotFound) {
		t.Error(err)
	}
	if _, err := Output(exec.CommandContext(t.Context(), "/no/such/command")); err == nil {
		t.Error("a command that is not there has run")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Output(exec.CommandContext(ctx, "sleep", "3600")); err == nil {
		t.Error("a command has run whose context had ended")
	}
}
