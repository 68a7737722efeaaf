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

// An Around has lines for the shell that run around commands, in their folder. Each list is empty,
// has one line for all commands, or one for each of them in their order. Nothing of them is
// measured.
type Around struct {
	Setup   []string `json:"setup,omitempty"`   // once, before anything else
	Prepare []string `json:"prepare,omitempty"` // before each run
	Cleanup []string `json:"cleanup,omitempty"` // once, at the end, also after an error or an interruption
}

func (a Around) given() bool { return len(a.Setup)+len(a.Prepare)+len(a.Cleanup) > 0 }

// Check is an error if there are neither one line nor as many as commands.
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

// lineOf is the line for a command; "" is none.
func lineOf(lines []string, side int) string {
	switch len(lines) {
	case 0:
		return ""
	case 1:
		return lines[0]
	}
	return lines[side]
}

// cleanupTime is how long each cleanup may take after an interruption.
const cleanupTime = 10 * time.Second

// shell runs a line, and is an error if that fails.
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

// setUp runs what comes before all runs: one line for all commands once, or else that of each.
func (o *Options) setUp(ctx context.Context) error {
	for _, line := range o.Around.Setup {
		o.Show.Stage("setting up")
		if err := o.shell(ctx, "-setup", line, gobench.Timeout); err != nil {
			return err
		}
	}
	return nil
}

// cleanUp runs what comes after all runs, and all of it: an interruption or a line that fails ends
// none of the others.
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
