// Package process runs other programs. Each of them has its own process group and a time limit, and
// its resource usage is measured alone, by the system's accounting. The package also describes the
// machine and the tools.
package process

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
)

// A Command is one process to execute.
type Command struct {
	Args    []string
	Env     map[string]string // added to that of this program
	Stdin   string            // file that it reads; "" for none
	Timeout time.Duration
	Sink    Sink
}

// A Sink selects what is done with the output of a process.
type Sink int

// The sinks. Each of them keeps the first 16 MiB of the output, for error messages.
const (
	Kept    Sink = iota // exceeding it is a failure
	Hashed              // it may be of any size; Outcome.Printed and Outcome.Sum have all of it
	Dropped             // it may be of any size, and is only read
)

// An Outcome is the result of a process.
type Outcome struct {
	Stdout, Stderr []byte
	Figures        map[string]float64 // wall, user, system, cpu, rss, faults
	Failure        string             // an exit code or a signal; "" for success
	TimedOut       bool
	Printed        int64    // bytes on standard output, if that is Hashed
	Sum            [32]byte // their SHA-256 sum
}

// An Executor executes processes. System is the real implementation; tests use different ones.
type Executor interface {
	// Execute runs a process to its end. It returns an error only if the process cannot be started.
	Execute(ctx context.Context, c Command) (Outcome, error)
}

// Succeed executes a command that must not fail.
func Succeed(ctx context.Context, x Executor, c Command) (Outcome, error) {
	out, err := x.Execute(ctx, c)
	switch {
	case err != nil:
	case out.TimedOut:
		err = errors.New(c.TookTooLong())
	case out.Failure != "":
		err = fmt.Errorf("%s: %s", out.Failure, complaint(out.Stderr))
	}
	return out, err
}

// TookTooLong returns the message for a process that was killed at its timeout.
func (c Command) TookTooLong() string {
	return fmt.Sprintf("took longer than %v and was killed", c.Timeout)
}

// complaint returns the first line that describes an error, and the lines after it up to the first
// one that does not end with a colon. The go command prints, before that line, a # and the name of
// the package.
func complaint(text []byte) string {
	found := ""
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimSpace(line); line == "" || strings.HasPrefix(line, "# ") {
			continue
		}
		found = strings.TrimSpace(found + " " + line)
		if !strings.HasSuffix(line, ":") {
			break
		}
	}
	return cmp.Or(found, "no error output")
}

// FirstLine returns the first line of an output, without space around it.
func FirstLine(text []byte) string {
	line, _, _ := strings.Cut(strings.TrimSpace(string(text)), "\n")
	return line
}
