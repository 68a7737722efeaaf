package runner

import (
	"bufio"
	"context"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/coppice-go/coppice/internal/machine"
	"github.com/coppice-go/coppice/internal/testkit/child"
)

// role is an environment variable that selects a task for the test binary, instead of testing.
const role = "COPPICE_RUNNER_TEST"

func TestMain(m *testing.M) {
	switch os.Getenv(role) {
	case "touch": // use some memory briefly, and print the peak that the kernel counts
		touch(20 << 20)
		usage, err := machine.OwnUsage()
		if err != nil {
			panic(err)
		}
		fmt.Println(usage.PeakRSS)
		os.Exit(0)
	case "lab": // run a long process
		_, _ = Process{}.Execute(context.Background(), Command{Args: []string{"sh", "-c", "echo $$ >$MARK; sleep 60"}, Timeout: time.Minute})
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// touched keeps touched memory alive.
var touched []byte

func touch(bytes int) {
	touched = make([]byte, bytes)
	for i := 0; i < bytes; i += 512 {
		touched[i] = 1
	}
}

func linuxOnly(t *testing.T) {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("elsewhere the figure is the system's own, as it is")
	}
	child.SkipEmulated(t, "the resident set is the emulator's")
}

// The peak of a program that runs for ten milliseconds is the one that the kernel counts, however
// briefly the program had the memory.
func TestPeakOfAShortProgram(t *testing.T) {
	linuxOnly(t)
	self, err := child.Command()
	if err != nil {
		t.Fatal(err)
	}
	touch(80 << 20) // the peak of the lab exceeds that of the program
	x := Process{Dir: t.TempDir()}
	for range 3 {
		out, err := x.Execute(t.Context(), Command{Args: self.Args, Timeout: time.Minute, Env: map[string]string{role: "touch"}})
		if err != nil || out.Failure != "" {
			t.Fatalf("%v, %+v", err, out)
		}
		counted, err := strconv.ParseFloat(strings.TrimSpace(string(out.Stdout)), 64)
		if err != nil {
			t.Fatal(err)
		}
		if rss := out.Figures["rss"]; counted < 20<<20 || math.Abs(rss-counted) > 0.02*counted {
			t.Errorf("a peak of %.0f bytes, where the process itself saw %.0f", rss, counted)
		}
	}
}

// The peak of a process smaller than the lab is its own too, however short it runs.
func TestPeakOfASmallProcess(t *testing.T) {
	linuxOnly(t)
	touch(16 << 20) // make this process large
	if rss := sh(t, "exit 0", time.Minute, nil).Figures["rss"]; rss <= 0 || rss > 4<<20 {
		t.Errorf("sh that does nothing has a peak of %.0f bytes", rss)
	}
}

// The figure of a pipeline is that of its largest process, as with /usr/bin/time.
func TestPeakAgreesWithTime(t *testing.T) {
	linuxOnly(t)
	const gnu = "/usr/bin/time"
	if _, err := os.Stat(gnu); err != nil {
		t.Skip("needs " + gnu + ", of the package time")
	}
	for _, script := range []string{
		"seq 400000 | sort -n",
		"head -c 30000000 /dev/zero | dd bs=20000000 count=1 iflag=fullblock 2> /dev/null | wc -c",
	} {
		// The kernel's count is inexact by some dozen pages per processor and thread: time itself
		// reports 3692 to 3944 KiB for the same sort of a tenth of the lines. One MiB is an
		// eighth of what the smaller of these programs needs.
		var lab, time [3]float64
		for i := range lab {
			lab[i] = sh(t, script, 60e9, nil).Figures["rss"]
			time[i] = 1024 * timed(t, gnu, script)
		}
		if a, b := slices.Min(lab[:]), slices.Min(time[:]); math.Abs(a-b) > 0.02*b+1<<20 {
			t.Errorf("%s: a peak of %.0f bytes, and %s says %.0f", script, a, gnu, b)
		}
	}
}

// timed returns the peak of a script as reported by time, in KiB.
func timed(t *testing.T, gnu, script string) float64 {
	t.Helper()
	cmd := exec.Command(gnu, "-f", "%M", "sh", "-c", script)
	var said strings.Builder
	cmd.Stderr = &said
	if err := cmd.Run(); err != nil {
		t.Fatal(err)
	}
	kib, err := strconv.ParseFloat(strings.TrimSpace(said.String()), 64)
	if err != nil {
		t.Fatal(err)
	}
	return kib
}

// Killing the lab leaves no contender behind, which would disturb the next lab.
func TestKilledLabLeavesNothingBehind(t *testing.T) {
	linuxOnly(t)
	lab, err := child.Command()
	if err != nil {
		t.Fatal(err)
	}
	mark := filepath.Join(t.TempDir(), "mark")
	if out, err := exec.Command("mkfifo", mark).CombinedOutput(); err != nil {
		t.Skipf("mkfifo: %s", out)
	}
	lab.Env = append(os.Environ(), role+"=lab", "MARK="+mark)
	if err := lab.Start(); err != nil {
		t.Fatal(err)
	}
	fifo, err := os.Open(mark) // waits for the contender
	if err != nil {
		t.Fatal(err)
	}
	defer fifo.Close()
	line, err := bufio.NewReader(fifo).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	_ = lab.Process.Kill()
	_ = lab.Wait()
	proc := "/proc/" + strings.TrimSpace(line)
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(5 * time.Millisecond) {
		if gone(proc) {
			return
		}
		if time.Now().After(deadline) {
			t.Fatal("the contender goes on without its lab")
		}
	}
}

// gone reports whether a process has ended, whether or not it was waited for.
func gone(proc string) bool {
	stat, err := os.ReadFile(proc + "/stat")
	_, state, _ := strings.Cut(string(stat), ") ")
	return err != nil || strings.HasPrefix(state, "Z")
}

// Without a shell the peak of a small process is unknown, and there is no figure.
func TestPeakThatIsNotKnownIsNoFigure(t *testing.T) {
	linuxOnly(t)
	path, err := exec.LookPath("true")
	if err != nil {
		t.Skip(err)
	}
	t.Setenv("PATH", t.TempDir())
	out, err := Process{}.Execute(t.Context(), Command{Args: []string{path}, Timeout: time.Minute})
	if err != nil || out.Failure != "" || out.Figures["wall"] == 0 {
		t.Fatalf("%v, %+v", err, out)
	}
	if rss, known := out.Figures["rss"]; known {
		t.Errorf("true has a peak of %.0f bytes", rss)
	}
}
