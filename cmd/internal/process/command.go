// Package process runs other programs. Each program has its own process group and a time limit, and
// the system accounts for its resource usage separately. The package also describes the machine and
// its tools.
package process

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
)

// A Command describes a process to execute.
type Command struct {
	Args    []string
	Env     map[string]string // added to that of this program
	Stdin   string            // file that it reads; "" for none
	Timeout time.Duration
	Sink    Sink
}

// A Sink determines what happens to the output of a process.
type Sink int

// These are the sinks. Each of them keeps the first 16 MiB of the output, for error messages.
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

// An Executor executes processes. System executes real processes; tests use other implementations.
type Executor interface {
	// Execute runs a process and waits for its end. It returns an error only if the process cannot
	// be started.
	Execute(ctx context.Context, c Command) (Outcome, error)
}

// Succeed executes a command. It returns an error if the command fails or exceeds its timeout.
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

// complaint extracts a message from the error output of a command. The message is the first line.
// If that line ends with a colon, the next line is added, and so on. Lines that begin with a # are
// skipped, because the go command prints the name of the package in such a line.
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

// FirstLine returns the first non-blank line of an output.
func FirstLine(text []byte) string {
	line, _, _ := strings.Cut(strings.TrimSpace(string(text)), "\n")
	return line
}
