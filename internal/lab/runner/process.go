package runner

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"
)

// Process executes real processes in a folder, with the lab's environment less the
// settings of the Go runtime, which contenders declare for themselves.
type Process struct{ Dir string }

// inherited are settings that would change a contender behind its back.
var inherited = []string{"GOGC", "GOMEMLIMIT", "GODEBUG", "GOMAXPROCS"}

// Inherited returns those that are set in the lab's environment, for the report.
func Inherited() map[string]string {
	set := map[string]string{}
	for _, name := range inherited {
		if v, ok := os.LookupEnv(name); ok {
			set[name] = v
		}
	}
	return set
}

// greatestOutput bounds what is kept of a contender's output.
const greatestOutput = 16 << 20

// Execute runs the process, kills it with all its children when its time is up, and
// reads its resources from the system's own accounting.
func (p Process) Execute(ctx context.Context, c Command) (Outcome, error) {
	if len(c.Args) == 0 {
		return Outcome{}, errors.New("no command")
	}
	timed, cancel := context.WithTimeout(ctx, c.Timeout)
	defer cancel()
	cmd := exec.CommandContext(timed, c.Args[0], c.Args[1:]...)
	cmd.Dir = p.Dir
	cmd.Env = slices.DeleteFunc(os.Environ(), func(setting string) bool {
		name, _, _ := strings.Cut(setting, "=")
		return slices.Contains(inherited, name)
	})
	for name, value := range c.Env {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	cmd.WaitDelay = 5 * time.Second
	var stdout, stderr bounded
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	ownGroup(cmd)

	start := time.Now()
	if err := cmd.Start(); err != nil {
		return Outcome{}, err
	}
	peak := watchPeak(cmd.Process.Pid)
	err := cmd.Wait()
	wall := time.Since(start)
	_ = cmd.Cancel() // children that it left behind would run beside every later run

	out := Outcome{Stdout: stdout.kept.Bytes(), Stderr: stderr.kept.Bytes(), Figures: map[string]float64{
		"wall":   wall.Seconds(),
		"user":   cmd.ProcessState.UserTime().Seconds(),
		"system": cmd.ProcessState.SystemTime().Seconds(),
		"cpu":    (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds(),
	}}
	addSystemFigures(out.Figures, cmd.ProcessState, peak())
	switch {
	case ctx.Err() != nil:
		return out, ctx.Err()
	case timed.Err() != nil:
		out.TimedOut = true
	case err != nil:
		out.Failure = cmd.ProcessState.String()
		if cmd.ProcessState.Success() {
			out.Failure = err.Error()
		}
	case stdout.cut:
		out.Failure = fmt.Sprintf("printed more than %d bytes", greatestOutput)
	}
	return out, nil
}

// bounded is a buffer that keeps no more than greatestOutput bytes.
type bounded struct {
	kept bytes.Buffer
	cut  bool
}

func (b *bounded) Write(p []byte) (int, error) {
	if room := greatestOutput - b.kept.Len(); len(p) > room {
		b.cut = true
		b.kept.Write(p[:room])
		return len(p), nil
	}
	return b.kept.Write(p)
}
