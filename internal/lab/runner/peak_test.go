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

	"github.com/coppice-go/coppice/internal/child"
	"github.com/coppice-go/coppice/internal/machine"
)

// role says what the test binary is to do instead of testing, if anything.
const role = "COPPICE_RUNNER_TEST"

func TestMain(m *testing.M) {
	switch os.Getenv(role) {
	case "touch": // some memory, briefly, and say what the kernel counts
		touch(20 << 20)
		usage, err := machine.OwnUsage()
		if err != nil {
			panic(err)
		}
		fmt.Println(usage.PeakRSS)
		os.Exit(0)
	case "lab": // run something for long
		_, _ = Process{}.Execute(context.Background(), Command{Args: []string{"sh", "-c", "echo $$ >$MARK; sleep 60"}, Timeout: time.Minute})
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// touched is memory that a process really has.
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

// The peak of a program that takes ten milliseconds is the one that the kernel counts
// for it, however short the time was in which it had it.
func TestPeakOfAShortProgram(t *testing.T) {
	linuxOnly(t)
	self, err := child.Command()
	if err != nil {
		t.Fatal(err)
	}
	touch(80 << 20) // the lab has had more than the program has
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

// A process smaller than the lab has its own peak too, however short it lives.
func TestPeakOfASmallProcess(t *testing.T) {
	linuxOnly(t)
	touch(16 << 20) // this process is not small
	if rss := sh(t, "exit 0", time.Minute, nil).Figures["rss"]; rss <= 0 || rss > 4<<20 {
		t.Errorf("sh that does nothing has a peak of %.0f bytes", rss)
	}
}

// Of a pipeline the figure is that of its largest process, as /usr/bin/time has it.
func TestPeakAgreesWithTime(t *testing.T) {
	linuxOnly(t)
	const gnu = "/usr/bin/time"
	if _, err := os.Stat(gnu); err != nil {
		t.Skip("needs " + gnu + ", of the package time")
	}
	for _, script := range []string{
		"seq 40000 | sort -n",
		"head -c 30000000 /dev/zero | tail -c 20000000 | wc -c",
	} {
		// The kernel counts pages to some dozen for each processor, and time itself says
		// 3676 to 3840 KiB of one and the same sort.
		var lab, time [3]float64
		for i := range lab {
			lab[i] = sh(t, script, 60e9, nil).Figures["rss"]
			time[i] = 1024 * timed(t, gnu, script)
		}
		if a, b := slices.Min(lab[:]), slices.Min(time[:]); math.Abs(a-b) > 0.02*b+256<<10 {
			t.Errorf("%s: a peak of %.0f bytes, and %s says %.0f", script, a, gnu, b)
		}
	}
}

// timed is what time says of a script's peak, in KiB.
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

// Whoever kills the lab leaves no contender behind, which would run beside the next lab's.
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
	for deadline := time.Now().Add(5 * time.Second); ; time.Sleep(5 * time.Millisecond) {
		if gone(proc) {
			return
		}
		if time.Now().After(deadline) {
			t.Fatal("the contender goes on without its lab")
		}
	}
}

// gone tells whether a process has ended, whether or not somebody waited for it.
func gone(proc string) bool {
	stat, err := os.ReadFile(proc + "/stat")
	_, state, _ := strings.Cut(string(stat), ") ")
	return err != nil || strings.HasPrefix(state, "Z")
}

// Without a shell the peak of a small process is not known, and so is no figure.
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
