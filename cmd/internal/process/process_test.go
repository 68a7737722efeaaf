package process

import (
	"context"
	"fmt"
	"math"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/coppice-go/coppice/cmd/internal/metric"
)

// long is a timeout that no process in these tests exceeds on any machine.
const long = 10 * time.Minute

func sh(t *testing.T, script string, timeout time.Duration, env map[string]string) Outcome {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("needs sh")
	}
	out, err := System{Dir: t.TempDir()}.Execute(t.Context(), Command{Args: []string{"sh", "-c", script}, Timeout: timeout, Env: env})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestProcess(t *testing.T) {
	out := sh(t, "echo hello; echo oops >&2", long, nil)
	if string(out.Stdout) != "hello\n" || string(out.Stderr) != "oops\n" || out.Failure != "" || out.TimedOut {
		t.Errorf("outcome %+v", out)
	}
	for _, metric := range []string{"wall", "rss", "minor_faults"} {
		if out.Figures[metric] <= 0 {
			t.Errorf("%s is %v", metric, out.Figures[metric])
		}
	}
	if out := sh(t, "exit 3", long, nil); out.Failure != "exit status 3" {
		t.Errorf("exit 3 gave %q", out.Failure)
	}
	if out := sh(t, "kill -SEGV $$", long, nil); !strings.Contains(out.Failure, "signal: segmentation fault") {
		t.Errorf("a signal gave %q", out.Failure)
	}
}

// Every metric that is declared for processes is measured, on a system that supports it.
func TestEachMetricIsMeasured(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("other systems have fewer")
	}
	out := sh(t, "true", long, nil)
	for _, name := range metric.From(metric.Process) {
		if _, measured := out.Figures[name]; !measured && name != "rss" { // rss is unknown for processes smaller than this one
			t.Errorf("%s is of processes, and nothing measures it: %v", name, out.Figures)
		}
	}
}

// CPU time includes the children that the process waited for. The kernel samples user and system
// time at its clock ticks, so a short process may have only one of them. The test therefore lets dd
// read more until system time is measured.
func TestProcessCountsCPU(t *testing.T) {
	for megabytes := 400; ; megabytes *= 2 {
		out := sh(t, fmt.Sprintf("dd if=/dev/zero of=/dev/null bs=1M count=%d 2>/dev/null; true", megabytes), long, nil)
		if sum := out.Figures["user"] + out.Figures["system"]; math.Abs(out.Figures["cpu"]-sum) > 1e-9 {
			t.Fatalf("cpu is not user and system together: %v", out.Figures)
		}
		if out.Figures["cpu"] > 2*out.Figures["wall"]+0.1 {
			t.Fatalf("figures %v of processes that run one after the other", out.Figures)
		}
		if out.Figures["system"] >= 0.05 {
			return
		}
		if megabytes > 50_000 {
			t.Fatalf("%d MB were read, and no time in the system: %v", megabytes, out.Figures)
		}
	}
}

// shInTime runs a script that must exceed its timeout and that prints a line when it is ready. On a
// busy machine, a short timeout may expire before that line; shInTime then retries with a longer
// one.
func shInTime(t *testing.T, script string) Outcome {
	t.Helper()
	for timeout := 100 * time.Millisecond; ; timeout *= 4 {
		if out := sh(t, script, timeout, nil); len(out.Stdout) > 0 || timeout > time.Minute {
			if !out.TimedOut {
				t.Errorf("after %v: %+v", timeout, out)
			}
			return out
		}
	}
}

// wantGone fails the test if a process whose ID the script has printed is still running. On Linux,
// the lab has waited for these processes to end; on other systems, a killed process may run for a
// moment.
func wantGone(t *testing.T, stdout []byte) {
	t.Helper()
	wait := time.Duration(0)
	if runtime.GOOS != "linux" {
		wait = 2 * time.Minute
	}
	wantGoneIn(t, wait, stdout)
}

// waitLong lets the lab wait longer for killed processes during a test. Only tests that need it
// call it: with a bug that kills nothing, each such test takes the longer time.
func waitLong(t *testing.T) {
	before := last
	t.Cleanup(func() { last = before })
	last = 30 * time.Second
}

func wantGoneIn(t *testing.T, wait time.Duration, stdout []byte) {
	t.Helper()
	pids := strings.Fields(string(stdout))
	if len(pids) == 0 {
		t.Error("the script has printed no process")
	}
	for _, text := range pids {
		pid, err := strconv.Atoi(text)
		if err != nil {
			t.Fatal(err)
		}
		for deadline := time.Now().Add(wait); running(pid); time.Sleep(time.Millisecond) {
			if time.Now().After(deadline) {
				t.Fatalf("process %d goes on", pid)
			}
		}
	}
}

// running reports whether a process is running. A zombie is not.
func running(pid int) bool {
	if runtime.GOOS == "linux" {
		return !exited("/proc/" + strconv.Itoa(pid))
	}
	return exec.Command("kill", "-0", strconv.Itoa(pid)).Run() == nil
}

// A process that exceeds the timeout is killed together with its children.
func TestTimeoutKillsTheGroup(t *testing.T) {
	waitLong(t)
	wantGone(t, shInTime(t, "sleep 300 & echo $! $$; sleep 300; wait").Stdout)
}

func TestInterruptedProcess(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("needs sh")
	}
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if _, err := (System{}).Execute(ctx, Command{Args: []string{"sleep", "300"}, Timeout: long}); err == nil {
		t.Error("an interrupted process is no error")
	}
}

// A process sees settings of the Go runtime only if its command sets them. Inherited settings are
// reported.
func TestEnvironmentIsIsolated(t *testing.T) {
	t.Setenv("GOGC", "17")
	t.Setenv("COPPICE_TEST", "kept")
	out := sh(t, "echo $GOGC $GOMEMLIMIT $COPPICE_TEST", long, map[string]string{"GOMEMLIMIT": "1GiB"})
	if string(out.Stdout) != "1GiB kept\n" {
		t.Errorf("the process sees %q", out.Stdout)
	}
	if Inherited()["GOGC"] != "17" {
		t.Error("the setting is not in the report")
	}
}

func TestEndlessOutputIsCut(t *testing.T) {
	out := sh(t, "yes | head -c 20000000", long, nil)
	if len(out.Stdout) != greatestOutput || !strings.Contains(out.Failure, "printed more than") {
		t.Errorf("%d bytes kept, failure %q", len(out.Stdout), out.Failure)
	}
}

// Hashed output may have any size, and the hash covers its last byte. Dropped output has no hash.
func TestOutputOfAnySize(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("needs sh")
	}
	execute := func(command string, sink Sink) Outcome {
		out, err := System{}.Execute(t.Context(), Command{Args: []string{"sh", "-c", command}, Timeout: long, Sink: sink})
		if err != nil || out.Failure != "" {
			t.Fatalf("%s: %v, %q", command, err, out.Failure)
		}
		return out
	}
	const zeros = "head -c 20000000 /dev/zero"
	one, again, other := execute(zeros, Hashed), execute(zeros, Hashed), execute(zeros+"; echo", Hashed)
	if one.Printed != 20000000 || other.Printed != 20000001 || len(one.Stdout) != greatestOutput {
		t.Errorf("%d and %d bytes, %d kept", one.Printed, other.Printed, len(one.Stdout))
	}
	if one.Sum != again.Sum || one.Sum == other.Sum || one.Sum == execute("true", Hashed).Sum {
		t.Error("sums do not tell outputs apart, or not those that are equal")
	}
	if dropped := execute(zeros, Dropped); dropped.Printed != 0 || dropped.Sum != [32]byte{} {
		t.Errorf("%+v", dropped.Printed)
	}
}

// A child that outlives the contender is killed, because it would disturb later runs.
func TestChildrenAreNotLeftBehind(t *testing.T) {
	waitLong(t)
	wantGone(t, sh(t, "sleep 300 >/dev/null 2>&1 & echo $!", long, nil).Stdout)
}

// A process that ignores SIGTERM is killed, together with its children.
func TestTimeoutKillsUnresponsiveProcess(t *testing.T) {
	waitLong(t)
	defer func(before time.Duration) { grace = before }(grace)
	grace = 50 * time.Millisecond
	wantGone(t, shInTime(t, "trap '' TERM; sleep 300 & echo $! $$; sleep 300; wait").Stdout)
}

// A process that cleans up on SIGTERM is given time for that.
func TestTimeoutAllowsCleanUp(t *testing.T) {
	defer func(before time.Duration) { grace = before }(grace)
	grace = 2 * time.Minute
	if out := shInTime(t, "trap 'echo tidy; exit 0' TERM; echo ready; sleep 300 & wait"); string(out.Stdout) != "ready\ntidy\n" {
		t.Errorf("%+v", out)
	}
}

// A contender starts with no signal ignored.
func TestNoSignalsIgnored(t *testing.T) {
	if out := sh(t, "kill -INT $$; echo still here", long, nil); out.Failure != "signal: interrupt" {
		t.Errorf("%+v", out)
	}
}

// A missing program is reported as an error of Execute, not as a failure of the shell.
func TestNoSuchProgram(t *testing.T) {
	for _, name := range []string{"no-such-program", "./no-such-program", "/no/such/program"} {
		if out, err := (System{Dir: t.TempDir()}).Execute(t.Context(), Command{Args: []string{name}, Timeout: long}); err == nil {
			t.Errorf("%s: %+v", name, out)
		}
	}
}

// The arguments of a command reach the program unchanged; no shell expands them.
func TestArgumentsAreNotExpanded(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("needs printf")
	}
	args := []string{"printf", "%s|", "a b", "$HOME", "`x`", "'", "", "-c"}
	out, err := (System{Dir: t.TempDir()}).Execute(t.Context(), Command{Args: args, Timeout: long})
	if err != nil || string(out.Stdout) != "a b|$HOME|`x`|'||-c|" {
		t.Errorf("%v, %+v", err, out)
	}
}

// A timeout that expires before the process starts is reported as a timeout, not as an error of the
// system.
func TestTimeoutBeforeItBegins(t *testing.T) {
	if out := sh(t, "sleep 300", time.Nanosecond, nil); !out.TimedOut {
		t.Errorf("%+v", out)
	}
}
