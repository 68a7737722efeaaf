package process

import (
	"bufio"
	"context"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/coppice-go/coppice/internal/machine"
	"github.com/coppice-go/coppice/internal/testkit/child"
	"github.com/coppice-go/coppice/internal/testkit/testsize"
)

// role is the environment variable that makes the test binary perform a task instead of running
// tests.
const role = "COPPICE_RUNNER_TEST"

func TestMain(m *testing.M) {
	switch os.Getenv(role) {
	case "touch": // use some memory briefly, and print the kernel's peak
		touch(20 << 20)
		usage, err := machine.OwnUsage()
		if err != nil {
			panic(err)
		}
		fmt.Println(usage.PeakRSS)
		os.Exit(0)
	case "lab": // run a long process
		_, _ = System{}.Execute(context.Background(), Command{Args: []string{"sh", "-c", "echo $$ >$MARK; exec sleep 300"}, Timeout: long})
		os.Exit(0)
	}
	patience = 2 * time.Minute // a busy machine may need longer than the lab's limit
	os.Exit(m.Run())
}

// touched keeps the memory that touch uses alive.
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

// inexact returns the possible error of the kernel's count of resident memory, in bytes. The kernel
// updates the count in batches for each processor or thread.
func inexact() float64 {
	n := runtime.NumCPU()
	return float64(min(64*n*os.Getpagesize(), 4<<20))
}

// The measured peak of a program that runs for ten milliseconds agrees with the kernel's count,
// however briefly the program uses the memory. The kernel may count more between the program's own
// reading and its exit, so the values have to agree in only one of several attempts.
func TestPeakOfAShortProgram(t *testing.T) {
	linuxOnly(t)
	self, err := child.Command()
	if err != nil {
		t.Fatal(err)
	}
	touch(80 << 20) // give the lab a higher peak than the program
	x := System{Dir: t.TempDir()}
	const attempts = 10
	for attempt := 1; ; attempt++ {
		out, err := x.Execute(t.Context(), Command{Args: self.Args, Timeout: long, Env: map[string]string{role: "touch"}})
		if err != nil || out.Failure != "" {
			t.Fatalf("%v, %+v", err, out)
		}
		counted, err := strconv.ParseFloat(strings.TrimSpace(string(out.Stdout)), 64)
		if err != nil {
			t.Fatal(err)
		}
		rss := out.Figures["rss"]
		if counted < 20<<20-inexact() {
			t.Fatalf("the process saw %.0f bytes of its own", counted)
		}
		if math.Abs(rss-counted) <= 0.02*counted+inexact() {
			return
		}
		if attempt == attempts {
			t.Fatalf("a peak of %.0f bytes, where the process itself saw %.0f", rss, counted)
		}
	}
}

// A process smaller than the lab also gets its own peak, however briefly it runs.
func TestPeakOfASmallProcess(t *testing.T) {
	linuxOnly(t)
	touch(64 << 20) // make this process large
	if rss := sh(t, "exit 0", long, nil).Figures["rss"]; rss <= 0 || rss > 16<<20 {
		t.Errorf("sh that does nothing has a peak of %.0f bytes", rss)
	}
}

// The peak of a pipeline is the peak of its largest process, not the sum over all processes.
func TestPeakOfAPipeline(t *testing.T) {
	linuxOnly(t)
	const block = 32_000_000
	const dd = "dd bs=32000000 count=1 iflag=fullblock 2>/dev/null"
	rss := sh(t, dd+" </dev/zero | "+dd+" | wc -c", long, nil).Figures["rss"]
	if rss < block-inexact() || rss > 1.5*block {
		t.Errorf("a peak of %.0f bytes, want those of a process with a block of %d", rss, block)
	}
}

// The measured peak agrees with that of GNU time.
func TestPeakAgreesWithTime(t *testing.T) {
	testsize.OnlyInFull(t, "it compares the memory of two processes")
	linuxOnly(t)
	const gnu = "/usr/bin/time"
	if _, err := os.Stat(gnu); err != nil {
		t.Skip("needs " + gnu + ", of the package time")
	}
	const script = "head -c 30000000 /dev/zero | dd bs=20000000 count=1 iflag=fullblock 2> /dev/null | wc -c"
	const attempts = 10
	for attempt := 1; ; attempt++ {
		lab, time := sh(t, script, long, nil).Figures["rss"], 1024*timed(t, gnu, script)
		if math.Abs(lab-time) <= 0.02*time+inexact() {
			return
		}
		if attempt == attempts {
			t.Fatalf("a peak of %.0f bytes, and %s says %.0f", lab, gnu, time)
		}
	}
}

// timed runs a script with GNU time and returns its peak memory, in KiB.
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

// When the lab is killed, its contender ends too. Otherwise, the contender would disturb the next
// lab.
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
	fifo, err := os.Open(mark) // waits until the contender opens it
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
	wantGoneIn(t, 2*time.Minute, []byte(line))
}

// exited reports whether the process with the given /proc folder has ended. A zombie has ended too.
func exited(proc string) bool {
	stat, err := os.ReadFile(proc + "/stat")
	_, state, _ := strings.Cut(string(stat), ") ")
	return err != nil || strings.HasPrefix(state, "Z")
}

// Without a shell, the peak of a process smaller than the lab is unknown, so the result omits it.
func TestUnknownPeakIsOmitted(t *testing.T) {
	linuxOnly(t)
	path, err := exec.LookPath("true")
	if err != nil {
		t.Skip(err)
	}
	t.Setenv("PATH", t.TempDir())
	out, err := System{}.Execute(t.Context(), Command{Args: []string{path}, Timeout: long})
	if err != nil || out.Failure != "" || out.Figures["wall"] == 0 {
		t.Fatalf("%v, %+v", err, out)
	}
	if rss, known := out.Figures["rss"]; known {
		t.Errorf("true has a peak of %.0f bytes", rss)
	}
}
