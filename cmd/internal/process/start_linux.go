package process

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// launcher is the shell script that starts a program, so that the program's peak memory can be
// measured. On Linux, exec does not reset the peak resident set size of a process. A program that
// this process started directly would share the memory of this process until exec, so its peak
// would never be below the peak of this process. So a shell starts the program, because a shell
// uses little memory, and its fork uses even less.
//
// The shell that runs the script forks the program, writes its process ID, and is killed. The
// program is then an orphan, and this process, which has registered as a reaper of orphans, becomes
// its parent. So wait4 reports the kernel's accounting of the program alone. The program waits for
// a line before exec, so that the time to start the shell is not measured.
//
// The script does not use & to start the program, because a child that is started with & ignores
// SIGINT. It uses & only to start the guard, which kills the group when this program has ended.
//
// docs/decisions/0013 describes the alternatives that were tried.
//
//	3: the program writes its number     4: the program waits for a line
//	5: the guard waits; the pipe ends with this program
const launcher = `
( read x <&5; kill -9 0 ) </dev/null >/dev/null 2>&1 3>&- 4<&- &
( exec 5<&-; read pid x </proc/self/stat; echo $pid >&3; exec 3>&-; kill -9 $$; read x <&4 && exec "$@" 4<&- )
:`

// adopt makes this process the parent of orphaned descendants.
var adopt = sync.OnceValue(func() error { return unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) })

// start starts the program in args through the launcher. The function command creates the process
// for it. If the machine has no suitable shell, start starts the program directly; small peaks of
// memory are then unknown.
func start(ctx context.Context, command func(args ...string) *exec.Cmd, args []string) (*started, error) {
	if err := checkProgram(command(args...)); err != nil {
		return nil, err
	}
	shell, err := exec.LookPath("sh")
	if err == nil {
		err = adopt()
	}
	if err == nil {
		var s *started
		s, err = launch(ctx, command(append([]string{shell, "-c", launcher, "sh"}, args...)...))
		if err == nil {
			return s, nil
		}
	}
	if ctx.Err() != nil {
		return nil, err
	}
	return direct(command(args...))
}

// launch runs the launcher, which is the command cmd, and lets the program begin once the shell has
// ended.
func launch(ctx context.Context, cmd *exec.Cmd) (*started, error) {
	pipes, err := openPipes()
	if err != nil {
		return nil, err
	}
	ownGroup(cmd)
	cmd.ExtraFiles = []*os.File{pipes.number[1], pipes.line[0], pipes.guard[0]}
	err = cmd.Start()
	for _, theirs := range cmd.ExtraFiles {
		theirs.Close()
	}
	if err != nil {
		pipes.close()
		return nil, err
	}
	clear := func() {
		killGroup(cmd.Process) // remaining children would disturb every later run
		_ = cmd.Wait()         // reaps the shell, which was killed
		reap(cmd.Process.Pid)
		pipes.close()
	}
	pid, err := pipes.readNumber(ctx)
	if err == nil {
		err = waitForDeath(cmd.Process.Pid)
	}
	s := &started{
		at: time.Now(), clear: clear, wait: func() ending { return await(pid) },
		ask: func() { askGroup(cmd.Process) }, kill: func() { killGroup(cmd.Process) },
	}
	if err == nil {
		_, err = pipes.line[1].WriteString("\n")
	}
	if err != nil {
		clear()
		return nil, fmt.Errorf("cannot start the shell that starts programs: %w", err)
	}
	return s, nil
}

// pipes contains the three pipes of the launcher, each with its read end and its write end.
type pipes struct{ number, line, guard [2]*os.File }

func openPipes() (p pipes, err error) {
	for _, one := range []*[2]*os.File{&p.number, &p.line, &p.guard} {
		if one[0], one[1], err = os.Pipe(); err != nil {
			p.close()
			return p, err
		}
	}
	return p, nil
}

// close closes the pipe ends that are still open.
func (p pipes) close() {
	for _, one := range [][2]*os.File{p.number, p.line, p.guard} {
		_, _ = one[0].Close(), one[1].Close()
	}
}

// readNumber reads the process ID of the program. The end of file after the ID shows that the shell
// was killed.
func (p pipes) readNumber(ctx context.Context) (int, error) {
	if err := p.number[0].SetReadDeadline(time.Now().Add(patience)); err != nil {
		return 0, err
	}
	defer context.AfterFunc(ctx, func() { _ = p.number[0].SetReadDeadline(time.Now()) })()
	text, err := io.ReadAll(p.number[0])
	if err != nil {
		return 0, err
	}
	return strconv.Atoi(strings.TrimSpace(string(text)))
}

// waitForDeath waits until the shell has ended and the program is an orphan. It does not reap
// the shell.
func waitForDeath(pid int) error {
	for {
		err := unix.Waitid(unix.P_PID, pid, nil, unix.WEXITED|unix.WNOWAIT, nil)
		if !errors.Is(err, unix.EINTR) {
			return err
		}
	}
}

// await waits until the program ends, and returns its resource usage.
func await(pid int) ending {
	var status syscall.WaitStatus
	var usage syscall.Rusage
	_, err := syscall.Wait4(pid, &status, 0, &usage)
	for errors.Is(err, syscall.EINTR) {
		_, err = syscall.Wait4(pid, &status, 0, &usage)
	}
	e := ending{at: time.Now(), figures: map[string]float64{}}
	if err != nil {
		e.failure = fmt.Sprintf("wait: %v", err)
		return e
	}
	e.failure = failure(status)
	addTimes(e.figures, time.Duration(usage.Utime.Nano()), time.Duration(usage.Stime.Nano()))
	addUsage(e.figures, &usage)
	return e
}

// failure describes how a process failed, in the format of os.ProcessState. It returns "" if the
// process succeeded.
func failure(status syscall.WaitStatus) string {
	switch {
	case status.Signaled() && status.CoreDump():
		return fmt.Sprintf("signal: %v (core dumped)", status.Signal())
	case status.Signaled():
		return fmt.Sprintf("signal: %v", status.Signal())
	case status.ExitStatus() != 0:
		return fmt.Sprintf("exit status %d", status.ExitStatus())
	}
	return ""
}

// reap waits for the remaining processes of a killed group, so that none disturbs the next run.
func reap(group int) {
	for deadline := time.Now().Add(last); time.Now().Before(deadline); {
		switch pid, err := syscall.Wait4(-group, nil, syscall.WNOHANG, nil); {
		case errors.Is(err, syscall.EINTR) || pid > 0:
		case err != nil:
			return // no children are left
		default:
			time.Sleep(time.Millisecond)
		}
	}
}
