package process

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// System executes real processes in a folder. They inherit this program's environment, except for
// the settings of the Go runtime, which each command sets for itself.
type System struct{ Dir string }

// inherited lists the environment variables that configure the Go runtime. Processes do not inherit
// them from this program.
var inherited = []string{"GOGC", "GOMEMLIMIT", "GODEBUG", "GOMAXPROCS"}

// Inherited returns the settings of the Go runtime in this program's environment.
func Inherited() map[string]string {
	set := map[string]string{}
	for _, name := range inherited {
		if v, ok := os.LookupEnv(name); ok {
			set[name] = v
		}
	}
	return set
}

// greatestOutput is the maximum number of output bytes that are kept.
const greatestOutput = 16 << 20

// These are the time limits for the start and the end of a process.
var (
	patience = 10 * time.Second // for the shell that starts it, on Linux
	grace    = 2 * time.Second  // after SIGTERM, before it is killed
	last     = 5 * time.Second  // after it was killed, before this program gives up
)

// A started is a process that has been started, in its own process group.
type started struct {
	at    time.Time
	wait  func() ending // waits until the process has ended; called once
	ask   func()        // asks the whole group to end
	kill  func()        // kills the whole group
	clear func()        // kills the remaining processes of the group, and collects the output
}

// ending describes how a process ended and which resources it used.
type ending struct {
	at      time.Time
	failure string             // "" for none
	figures map[string]float64 // all but wall, as far as the system reports them
}

// Execute runs the process and reads its resource usage from the system's accounting. If the
// timeout expires, it ends the process and all its children.
func (p System) Execute(ctx context.Context, c Command) (Outcome, error) {
	if len(c.Args) == 0 {
		return Outcome{}, errors.New("no command")
	}
	timed, cancel := context.WithTimeout(ctx, c.Timeout)
	defer cancel()
	stdin, err := open(c.Stdin)
	if err != nil {
		return Outcome{}, err
	}
	defer stdin.Close()
	stdout, stderr := newBounded(c.Sink), new(bounded)
	s, err := start(timed, func(args ...string) *exec.Cmd {
		*stdout, *stderr = *newBounded(c.Sink), bounded{}
		return p.command(c, args, stdin, stdout, stderr)
	}, c.Args)
	switch {
	case err == nil:
	case ctx.Err() == nil && timed.Err() != nil:
		return Outcome{TimedOut: true}, nil // before it began
	default:
		return Outcome{}, err
	}
	end, inTime, gone := s.end(timed)
	s.clear()

	out := Outcome{Stdout: stdout.kept.Bytes(), Stderr: stderr.kept.Bytes(), Figures: end.figures}
	if stdout.sum != nil {
		out.Printed, out.Sum = stdout.total, [sha256.Size]byte(stdout.sum.Sum(nil))
	}
	switch {
	case ctx.Err() != nil:
		return out, ctx.Err()
	case !gone:
		return out, fmt.Errorf("did not exit after it was killed; %s may still run", c.Args[0])
	case !inTime:
		out.TimedOut = true
	case end.failure != "":
		out.Failure = end.failure
	case stdout.cut && c.Sink == Kept:
		out.Failure = fmt.Sprintf("printed more than %d bytes", greatestOutput)
	}
	return out, nil
}

// open opens the file that a process reads as its standard input. The name "" stands for an empty
// file.
func open(name string) (*os.File, error) {
	if name == "" {
		name = os.DevNull
	}
	return os.Open(name)
}

// command returns the command for a process, but does not start it.
func (p System) command(c Command, args []string, stdin *os.File, stdout, stderr *bounded) *exec.Cmd {
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
	cmd.Stdin, cmd.Stdout, cmd.Stderr = stdin, stdout, stderr
	return cmd
}

// end waits for the end of the process. When the timeout expires, it asks the group to end; if the
// process is still running after the time grace, it kills the group. The result gone is false if
// the process is running even after that.
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

// endTogether makes cmd, which must not have been started, the leader of a process group. When its
// context ends, all processes of the group are interrupted, so that they can remove temporary
// files. Those that are still running after the time grace are killed.
func endTogether(cmd *exec.Cmd) {
	ownGroup(cmd)
	cmd.Cancel = func() error {
		interruptGroup(cmd.Process)
		time.AfterFunc(grace, func() { killGroup(cmd.Process) })
		return nil
	}
	cmd.WaitDelay = last
}

// direct starts the process as a child of this program. The peak memory that the system reports may
// then be the peak of this program; see addSystemFigures.
func direct(cmd *exec.Cmd) (*started, error) {
	ownGroup(cmd)
	s := &started{at: time.Now()}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	s.ask, s.kill = func() { askGroup(cmd.Process) }, func() { killGroup(cmd.Process) }
	s.clear = s.kill // remaining children would disturb every later run
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

// checkProgram returns an error if the command's program does not exist.
func checkProgram(cmd *exec.Cmd) error {
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

// bounded is a buffer that keeps at most greatestOutput bytes. If sum is not nil, it also hashes
// all bytes that are written.
type bounded struct {
	kept  bytes.Buffer
	cut   bool
	sum   hash.Hash
	total int64
}

func newBounded(s Sink) *bounded {
	b := new(bounded)
	if s == Hashed {
		b.sum = sha256.New()
	}
	return b
}

func (b *bounded) Write(p []byte) (int, error) {
	b.total += int64(len(p))
	if b.sum != nil {
		b.sum.Write(p)
	}
	if room := greatestOutput - b.kept.Len(); len(p) > room {
		b.cut = true
		b.kept.Write(p[:room])
		return len(p), nil
	}
	return b.kept.Write(p)
}
