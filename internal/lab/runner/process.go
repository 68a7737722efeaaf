package runner

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
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

// How long a process that is to end may take for it.
var (
	grace = 2 * time.Second // after it was asked to, before it is killed
	last  = 5 * time.Second // after it was killed, before the lab gives it up
)

// A started process is one that runs, in a process group of its own.
type started struct {
	at    time.Time
	wait  func() ending // until the process has ended; called once
	ask   func()        // asks the whole group to end
	kill  func()        // kills the whole group
	clear func()        // kills what is left of the group, and collects the output
}

// ending is how a process ended, and what it used.
type ending struct {
	at      time.Time
	failure string             // "" for none
	figures map[string]float64 // all but wall, as far as the system tells
}

// Execute runs the process, ends it with all its children when its time is up, and
// reads its resources from the system's own accounting.
func (p Process) Execute(ctx context.Context, c Command) (Outcome, error) {
	if len(c.Args) == 0 {
		return Outcome{}, errors.New("no command")
	}
	timed, cancel := context.WithTimeout(ctx, c.Timeout)
	defer cancel()
	stdout, stderr := new(bounded), new(bounded)
	s, err := start(timed, func(args ...string) *exec.Cmd {
		*stdout, *stderr = bounded{}, bounded{}
		return p.command(c, args, stdout, stderr)
	}, c.Args)
	if err != nil {
		return Outcome{}, err
	}
	end, inTime, gone := s.end(timed)
	s.clear()

	out := Outcome{Stdout: stdout.kept.Bytes(), Stderr: stderr.kept.Bytes(), Figures: end.figures}
	switch {
	case ctx.Err() != nil:
		return out, ctx.Err()
	case !gone:
		return out, fmt.Errorf("does not end, killed or not; %s may still run", c.Args[0])
	case !inTime:
		out.TimedOut = true
	case end.failure != "":
		out.Failure = end.failure
	case stdout.cut:
		out.Failure = fmt.Sprintf("printed more than %d bytes", greatestOutput)
	}
	return out, nil
}

// command is the process that is not started yet.
func (p Process) command(c Command, args []string, stdout, stderr *bounded) *exec.Cmd {
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Dir = p.Dir
	cmd.Env = slices.DeleteFunc(os.Environ(), func(setting string) bool {
		name, _, _ := strings.Cut(setting, "=")
		return slices.Contains(inherited, name)
	})
	for name, value := range c.Env {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	cmd.WaitDelay = last
	cmd.Stdout, cmd.Stderr = stdout, stderr
	return cmd
}

// end waits for the end of the process. If it has not come in time, it asks the group to
// end, and after a while kills it; gone is false if that did not help either.
func (s *started) end(timed context.Context) (e ending, inTime, gone bool) {
	ended := make(chan ending, 1)
	go func() { ended <- s.wait() }()
	within := func(d time.Duration) bool {
		select {
		case e = <-ended:
			return true
		case <-time.After(d):
			return false
		}
	}
	select {
	case e = <-ended:
		inTime, gone = true, true
	case <-timed.Done():
		if s.ask(); within(grace) {
			gone = true
			break
		}
		s.kill()
		gone = within(last)
	}
	if gone {
		e.figures["wall"] = e.at.Sub(s.at).Seconds()
	}
	return e, inTime, gone
}

// direct starts the process as a child of the lab's own. What the system says of its
// peak memory may then be the lab's: see addSystemFigures.
func direct(cmd *exec.Cmd) (*started, error) {
	ownGroup(cmd)
	s := &started{at: time.Now()}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	s.ask, s.kill = func() { askGroup(cmd.Process) }, func() { killGroup(cmd.Process) }
	s.clear = s.kill // children that it left behind would run beside every later run
	s.wait = func() ending {
		err := cmd.Wait()
		e := ending{at: time.Now(), figures: map[string]float64{}}
		if err != nil {
			e.failure = err.Error()
		}
		addTimes(e.figures, cmd.ProcessState.UserTime(), cmd.ProcessState.SystemTime())
		addSystemFigures(e.figures, cmd.ProcessState)
		return e
	}
	return s, nil
}

func addTimes(figures map[string]float64, user, system time.Duration) {
	figures["user"], figures["system"] = user.Seconds(), system.Seconds()
	figures["cpu"] = (user + system).Seconds()
}

// found is nil if the program of the command is there to be started.
func found(cmd *exec.Cmd) error {
	if cmd.Err != nil {
		return cmd.Err
	}
	name := cmd.Path
	if !filepath.IsAbs(name) {
		name = filepath.Join(cmd.Dir, name)
	}
	_, err := os.Stat(name)
	return err
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
