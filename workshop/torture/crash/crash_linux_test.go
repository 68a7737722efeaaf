// Package crash kills programs while their memory grows, by kill -9 or by lack of memory, and
// checks what they leave behind. It contains only tests. Each test runs the test binary again as a
// child process, whose name selects its task.
package crash

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/coppice-go/coppice/internal/testkit/child"
)

// childVariable is the environment variable that contains the name of a child process.
const childVariable = "COPPICE_CHILD"

// childNamed returns the task of the child process with the given name. The process prints "ready"
// and, if it ends normally, "done".
func childNamed(name string) func() error {
	for _, some := range []map[string]func() error{endless, refused, exhausting, confined, {"stores without maps": storesWithoutMaps}} {
		if do := some[name]; do != nil {
			return do
		}
	}
	return func() error { return fmt.Errorf("no child is named %q", name) }
}

func TestMain(m *testing.M) {
	name := os.Getenv(childVariable)
	if name == "" {
		os.Exit(m.Run())
	}
	if err := childNamed(name)(); err != nil {
		fmt.Fprintln(os.Stderr, "child:", err)
		os.Exit(1)
	}
	fmt.Println("done")
}

// ready tells the parent that the child begins its task.
func ready() { fmt.Println("ready") }

// waitForParent prints "ready" and waits until the parent calls goOn.
func waitForParent() {
	ready()
	_, _ = fmt.Scanln() // also returns if the parent dies and its pipe closes
}

// A process is a child process that runs in its own, initially empty folder.
type process struct {
	*exec.Cmd
	folder string
	errs   strings.Builder
	out    *bufio.Reader
	in     io.WriteCloser
}

// start starts a child process and waits until it is ready.
func start(t *testing.T, name string) *process {
	t.Helper()
	cmd, err := child.Command()
	if err != nil {
		t.Fatal(err)
	}
	p := &process{Cmd: cmd, folder: t.TempDir()}
	p.Dir = p.folder
	p.Env = append(os.Environ(), childVariable+"="+name, "TMPDIR="+p.folder)
	p.Stderr = &p.errs
	out, err := p.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if p.in, err = p.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Process.Kill() }) // no effect if the process has ended
	p.out = bufio.NewReader(out)
	if line, err := p.out.ReadString('\n'); line != "ready\n" {
		p.Wait()
		t.Fatalf("child %s said %q (%v)\n%s", name, line, err, &p.errs)
	}
	return p
}

// goOn lets a waiting child process continue.
func (p *process) goOn(t *testing.T) {
	t.Helper()
	if _, err := fmt.Fprintln(p.in); err != nil {
		t.Fatal(err)
	}
}

// end waits up to two minutes for the child process to end. It returns the exit code, or the signal
// that ended the process, and the rest of its output.
func (p *process) end(t *testing.T) (code int, signal syscall.Signal, out string) {
	t.Helper()
	late := time.AfterFunc(2*time.Minute, func() { p.Process.Signal(syscall.SIGQUIT) })
	rest, err := io.ReadAll(p.out)
	if err := errors.Join(err, p.Wait()); err != nil && p.ProcessState == nil {
		t.Fatal(err)
	}
	if !late.Stop() {
		t.Fatalf("the child did not end:\n%s", &p.errs)
	}
	status := p.ProcessState.Sys().(syscall.WaitStatus)
	if status.Signaled() {
		return -1, status.Signal(), string(rest)
	}
	return status.ExitStatus(), 0, string(rest)
}

// shared lists memory mappings of the running child process that could outlive it: shared or named
// memory, and files in its folder.
func (p *process) shared(t *testing.T) (all []string) {
	t.Helper()
	maps, err := os.ReadFile(fmt.Sprintf("/proc/%d/maps", p.Process.Pid))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(maps)) {
		for _, bad := range []string{"/dev/shm", "SYSV", "memfd", p.folder} {
			if strings.Contains(line, bad) {
				all = append(all, strings.TrimSpace(line))
			}
		}
	}
	return all
}

// leftFiles lists the contents of the child's folder, which is also its temporary folder.
func (p *process) leftFiles(t *testing.T) (all []string) {
	t.Helper()
	files, err := os.ReadDir(p.folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		all = append(all, f.Name())
	}
	return all
}
