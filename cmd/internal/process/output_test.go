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

// Output ends the processes that a command leaves behind. It returns the command's output and exit
// code unchanged.
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

// ended reports whether a process has ended. It reaps the process if it is a child of this one,
// because an unreaped process continues to exist.
func ended(pid int) bool {
	_, _ = syscall.Wait4(pid, nil, syscall.WNOHANG, nil) // it may be a child of this process
	return errors.Is(syscall.Kill(pid, 0), syscall.ESRCH)
}

// Output returns an error if the command does not exist or its context has ended.
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
