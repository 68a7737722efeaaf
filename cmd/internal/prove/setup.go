package prove

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"time"

	"github.com/coppice-go/coppice/cmd/internal/gobench"
	"github.com/coppice-go/coppice/cmd/internal/process"
)

// An Around contains shell lines that run before and after the compared commands, in the same
// folder. Each list is empty, or contains one line for all commands, or one line for each command,
// in order. The time of these lines is not measured.
type Around struct {
	Setup   []string `json:"setup,omitempty"`   // run once, before anything else
	Prepare []string `json:"prepare,omitempty"` // run before each run of a command
	Cleanup []string `json:"cleanup,omitempty"` // run once, at the end, even after errors or interruptions
}

func (a Around) isSet() bool { return len(a.Setup)+len(a.Prepare)+len(a.Cleanup) > 0 }

// Check returns an error unless each list contains no line, one line, or one line for each command.
func (a Around) Check(commands int) error {
	for _, list := range []struct {
		flag  string
		lines []string
	}{{"-setup", a.Setup}, {"-prepare", a.Prepare}, {"-cleanup", a.Cleanup}} {
		if n := len(list.lines); n > 1 && n != commands {
			return fmt.Errorf("%s given %d times; give it once for all commands, or once for each of the %d", list.flag, n, commands)
		}
	}
	return nil
}

// lineOf returns the line for the command on the given side, or "" if there is none.
func lineOf(lines []string, side int) string {
	switch len(lines) {
	case 0:
		return ""
	case 1:
		return lines[0]
	}
	return lines[side]
}

// cleanupTime is the maximum duration of each cleanup after an interruption.
const cleanupTime = 10 * time.Second

// shell runs a line with the system's shell, and returns an error if the line fails.
func (o *Options) shell(ctx context.Context, flag, line string, timeout time.Duration) error {
	if line == "" {
		return nil
	}
	args := []string{"sh", "-c", line}
	if runtime.GOOS == "windows" {
		args = []string{"cmd", "/c", line}
	}
	out, err := process.System{Dir: o.Dir}.Execute(ctx, process.Command{Args: args, Timeout: timeout, Sink: process.Dropped})
	switch {
	case err != nil:
		return err
	case out.TimedOut:
		return fmt.Errorf("%s %q took more than %v", flag, line, timeout)
	case out.Failure != "":
		return fmt.Errorf("%s %q fails: %s", flag, line, gobench.Complaint(out.Stderr, errors.New(out.Failure)))
	}
	return nil
}

// setUp runs the lines of -setup before all runs. A line that is given for all commands runs once;
// otherwise the line of each command runs.
func (o *Options) setUp(ctx context.Context) error {
	for _, line := range o.Around.Setup {
		o.Show.Stage("setting up")
		if err := o.shell(ctx, "-setup", line, gobench.Timeout); err != nil {
			return err
		}
	}
	return nil
}

// cleanUp runs the lines of -cleanup after all runs. It runs all of them, even if one fails or the
// proof was interrupted. Otherwise a server that setUp started would keep running.
func (o *Options) cleanUp(ctx context.Context) error {
	timeout := gobench.Timeout
	if ctx.Err() != nil {
		timeout = cleanupTime
	}
	var first error
	for _, line := range o.Around.Cleanup {
		if err := o.shell(context.WithoutCancel(ctx), "-cleanup", line, timeout); first == nil {
			first = err
		}
	}
	return first
}
