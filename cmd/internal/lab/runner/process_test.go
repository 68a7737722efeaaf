package runner

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/coppice-go/coppice/cmd/internal/lab/experiment"
)

func sh(t *testing.T, script string, timeout time.Duration, env map[string]string) Outcome {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("needs sh")
	}
	out, err := Process{Dir: t.TempDir()}.Execute(t.Context(), Command{Args: []string{"sh", "-c", script}, Timeout: timeout, Env: env})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestProcess(t *testing.T) {
	out := sh(t, "echo hello; echo oops >&2", time.Minute, nil)
	if string(out.Stdout) != "hello\n" || string(out.Stderr) != "oops\n" || out.Failure != "" || out.TimedOut {
		t.Errorf("outcome %+v", out)
	}
	for _, metric := range []string{"wall", "rss", "minor_faults"} {
		if out.Figures[metric] <= 0 {
			t.Errorf("%s is %v", metric, out.Figures[metric])
		}
	}
	if out := sh(t, "exit 3", time.Minute, nil); out.Failure != "exit status 3" {
		t.Errorf("exit 3 gave %q", out.Failure)
	}
	if out := sh(t, "kill -SEGV $$", time.Minute, nil); !strings.Contains(out.Failure, "signal: segmentation fault") {
		t.Errorf("a signal gave %q", out.Failure)
	}
}

// CPU time includes that of the children that the process waited for.
func TestProcessCountsCPU(t *testing.T) {
	out := sh(t, "i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done; dd if=/dev/zero of=/dev/null bs=1M count=400 2>/dev/null", time.Minute, nil)
	if out.Figures["system"] == 0 {
		t.Errorf("no time in the system: %v", out.Figures)
	}
	if sum := out.Figures["user"] + out.Figures["system"]; math.Abs(out.Figures["cpu"]-sum) > 1e-9 {
		t.Errorf("cpu is not user and system together: %v", out.Figures)
	}
	if out.Figures["cpu"] < 0.01 || out.Figures["cpu"] > 2*out.Figures["wall"]+0.1 {
		t.Errorf("figures %v", out.Figures)
	}
}

// A process that exceeds the timeout is killed with its children.
func TestTimeoutKillsTheGroup(t *testing.T) {
	start := time.Now()
	out := sh(t, "sleep 60 & sleep 60; wait", 200*time.Millisecond, nil)
	if !out.TimedOut || time.Since(start) > 30*time.Second {
		t.Errorf("after %v: %+v", time.Since(start), out)
	}
}

func TestInterruptedProcess(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("needs sh")
	}
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if _, err := (Process{}).Execute(ctx, Command{Args: []string{"sleep", "60"}, Timeout: time.Minute}); err == nil {
		t.Error("an interrupted process is no error")
	}
}

// Settings of the Go runtime reach a contender only if it declares them.
func TestEnvironmentIsItsOwn(t *testing.T) {
	t.Setenv("GOGC", "17")
	t.Setenv("COPPICE_TEST", "kept")
	out := sh(t, "echo $GOGC $GOMEMLIMIT $COPPICE_TEST", time.Minute, map[string]string{"GOMEMLIMIT": "1GiB"})
	if string(out.Stdout) != "1GiB kept\n" {
		t.Errorf("the process sees %q", out.Stdout)
	}
	if Inherited()["GOGC"] != "17" {
		t.Error("the setting is not in the report")
	}
}

func TestEndlessOutputIsCut(t *testing.T) {
	out := sh(t, "yes | head -c 20000000", time.Minute, nil)
	if len(out.Stdout) != greatestOutput || !strings.Contains(out.Failure, "printed more than") {
		t.Errorf("%d bytes kept, failure %q", len(out.Stdout), out.Failure)
	}
}

// A child that outlives the contender is killed: it would disturb later runs.
func TestChildrenAreNotLeftBehind(t *testing.T) {
	mark := filepath.Join(t.TempDir(), "mark")
	sh(t, "(sleep 0.15; echo alive > "+mark+") >/dev/null 2>&1 & exit 0", time.Minute, nil)
	time.Sleep(300 * time.Millisecond)
	if _, err := os.Stat(mark); err == nil {
		t.Error("a child of the contender went on after it")
	}
}

func TestFind(t *testing.T) {
	folder := t.TempDir()
	if err := os.MkdirAll(filepath.Join(folder, "x86_64-linux-gnu"), 0o777); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"libtop.so.1", "x86_64-linux-gnu/libdeep.so.1"} {
		if err := os.WriteFile(filepath.Join(folder, name), nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	defer func(before []string) { libraryFolders = before }(libraryFolders)
	libraryFolders = []string{folder, filepath.Join(folder, "*")}
	for need, want := range map[experiment.Need]bool{
		{Command: "sh"}:            true,
		{Command: "no-such-cmd"}:   false,
		{Library: "libtop.so.1"}:   true,
		{Library: "libdeep.so.1"}:  true,
		{Library: "libgone.so.1"}:  false,
		{Header: "no-such-file.h"}: false,
	} {
		if got := (Process{}).Find(need); got != want {
			t.Errorf("Find(%+v) = %v", need, got)
		}
	}
}

// A process that ignores the request to end is killed, with its children.
func TestTimeoutKillsWhatDoesNotEnd(t *testing.T) {
	defer func(before time.Duration) { grace = before }(grace)
	grace = 50 * time.Millisecond
	start := time.Now()
	out := sh(t, "trap '' TERM; sleep 60 & sleep 60; wait", 100*time.Millisecond, nil)
	if !out.TimedOut || time.Since(start) > 30*time.Second {
		t.Errorf("after %v: %+v", time.Since(start), out)
	}
}

// A process that cleans up when it is asked to end gets the time for it. On a busy machine the time can be over before the
// process is ready to be asked; then it gets more.
func TestTimeoutAsksFirst(t *testing.T) {
	for timeout := 300 * time.Millisecond; ; timeout *= 4 {
		out := sh(t, "trap 'echo tidy; exit 0' TERM; echo ready; sleep 60 & wait", timeout, nil)
		if len(out.Stdout) == 0 && timeout < 20*time.Second {
			continue
		}
		if !out.TimedOut || string(out.Stdout) != "ready\ntidy\n" {
			t.Errorf("%+v", out)
		}
		return
	}
}

// A contender starts with no signal ignored.
func TestSignalsAreAsUsual(t *testing.T) {
	if out := sh(t, "kill -INT $$; echo still here", time.Minute, nil); out.Failure != "signal: interrupt" {
		t.Errorf("%+v", out)
	}
}

// A missing program is an error of the lab, not of the shell.
func TestNoSuchProgram(t *testing.T) {
	for _, name := range []string{"no-such-program", "./no-such-program", "/no/such/program"} {
		if out, err := (Process{Dir: t.TempDir()}).Execute(t.Context(), Command{Args: []string{name}, Timeout: time.Minute}); err == nil {
			t.Errorf("%s: %+v", name, out)
		}
	}
}

// The words of a command reach the program unchanged: no shell expands them.
func TestWordsAreTaken(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("needs printf")
	}
	args := []string{"printf", "%s|", "a b", "$HOME", "`x`", "'", "", "-c"}
	out, err := (Process{Dir: t.TempDir()}).Execute(t.Context(), Command{Args: args, Timeout: time.Minute})
	if err != nil || string(out.Stdout) != "a b|$HOME|`x`|'||-c|" {
		t.Errorf("%v, %+v", err, out)
	}
}
