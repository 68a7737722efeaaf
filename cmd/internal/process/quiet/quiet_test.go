package quiet

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"
)

// pretend sets the load that the test sees, and returns a function that changes it.
func pretend(t *testing.T, loadavg, stat string) func(loadavg, stat string) {
	t.Helper()
	wasProc, wasWindow, wasPause := proc, window, pause
	t.Cleanup(func() { proc, window, pause = wasProc, wasWindow, wasPause })
	dir := t.TempDir()
	Pretend(dir)
	set := func(loadavg, stat string) {
		for name, text := range map[string]string{"loadavg": loadavg, "stat": stat} {
			if text == "" {
				continue
			}
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
				t.Error(err)
			}
		}
	}
	set(loadavg, stat)
	return set
}

const idle = "cpu  10 0 10 1000 0 0 0 0 0 0\ncpu0 1 2 3\n"

func TestBusyByMinuteAverage(t *testing.T) {
	pretend(t, "4000.5 1.00 1.00 1/90 77\n", idle)
	l := Look(t.Context())
	if !l.Known || !l.Busy() || l.Minute != 4000.5 || l.Average != "4000.5 1.00 1.00 1/90 77" {
		t.Errorf("%+v", l)
	}
	if text := l.String(); !strings.Contains(text, "the load of the last minute is 4000.5 on "+strconv.Itoa(l.Cores)+" processors; a quiet machine has at most ") {
		t.Error(text)
	}
	pretend(t, "0.3 4000 4000 1/90 77\n", idle)
	if l := Look(t.Context()); !l.Known || l.Busy() {
		t.Errorf("what was before the last minute counts: %+v", l)
	}
}

// Look detects a process that started a moment ago, which the one-minute average does not yet
// include.
func TestBusyNow(t *testing.T) {
	set := pretend(t, "0.00 0.00 0.00 1/90 77\n", idle)
	defer func() { watch = sleep }()
	watch = func(context.Context, time.Duration) { set("", "cpu  90 0 20 1010 0 0 0 0 0 0\n") }
	l := Look(t.Context())
	if want := 0.9 * float64(l.Cores); !l.Busy() || l.Now < want-1e-9 || l.Now > want+1e-9 {
		t.Errorf("%+v, want %v processors with work", l, want)
	}
	if text := l.String(); !strings.Contains(text, "the load of this second is ") {
		t.Error(text)
	}
}

func TestUnknownLoad(t *testing.T) {
	pretend(t, "", "")
	if l := Look(t.Context()); l.Known || l.Busy() || l.Values() != nil || l.String() != "this system does not report its load" {
		t.Errorf("%+v: %v", l, l)
	}
	pretend(t, "nonsense", idle)
	if l := Look(t.Context()); l.Known {
		t.Errorf("%+v", l)
	}
}

// waits replaces the clock and the pauses for a test. Each pause ends immediately, and next then
// sets the load that is seen afterwards. The result collects the durations of the pauses.
func waits(t *testing.T, next func(pauses int)) *[]time.Duration {
	t.Helper()
	t.Cleanup(func() { now, doze = time.Now, sleep })
	at, all := time.Unix(0, 0), []time.Duration{}
	now = func() time.Time { return at }
	doze = func(_ context.Context, d time.Duration) {
		at = at.Add(d)
		all = append(all, d)
		next(len(all))
	}
	return &all
}

// load returns a line of /proc/loadavg with a one-minute average of ofOne per processor.
func load(ofOne float64) string {
	return fmt.Sprintf("%.3f 0 0 1/1 1", ofOne*float64(runtime.NumCPU()))
}

func TestWait(t *testing.T) {
	set := pretend(t, load(0.65), idle)
	pause = 5 * time.Second
	falling := []float64{0.6, 0.49, 0.45, 0.1}
	all := waits(t, func(n int) { set(load(falling[n-1]), "") })
	for _, c := range []struct {
		wait   func(context.Context, time.Duration, func(Load)) Load
		pauses int
		last   float64
	}{{Wait, 2, 0.49}, {Settle, 3, 0.45}} {
		set(load(0.65), "")
		*all = nil
		told := 0
		l := c.wait(t.Context(), 10*time.Minute, func(Load) { told++ })
		if l.Busy() || told != 1 || len(*all) != c.pauses || l.Average != load(c.last) {
			t.Errorf("told %d times, pauses %v, then %+v", told, *all, l)
		}
	}
}

// A wait ends after its maximum time, and its last pause lasts only for the time that remains.
func TestWaitEnds(t *testing.T) {
	pretend(t, load(2000), idle)
	pause = 5 * time.Second
	all := waits(t, func(int) {})
	if l := Wait(t.Context(), 12*time.Second, func(Load) {}); !l.Busy() || fmt.Sprint(*all) != "[5s 5s 2s]" {
		t.Errorf("%+v after the pauses %v", l, *all)
	}
	if l := Wait(t.Context(), 0, func(Load) { t.Error("told of a wait of no time") }); !l.Busy() {
		t.Errorf("%+v", l)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	*all = nil
	if l := Settle(ctx, time.Hour, func(Load) {}); !l.Busy() || len(*all) > 0 {
		t.Errorf("interrupted: %+v after the pauses %v", l, *all)
	}
}

// A machine just below the limit has not settled, because the start of the next command would make
// it busy.
func TestSettled(t *testing.T) {
	for _, c := range []struct {
		minute, now    float64
		quiet, settled bool
	}{{0.9, 0, true, true}, {0.95, 0, true, false}, {1.05, 0, false, false}, {0.1, 1.5, false, false}} {
		l := Load{Known: true, Minute: c.minute, Now: c.now, Cores: 2}
		if l.Busy() == c.quiet || l.Settled() != c.settled {
			t.Errorf("%+v: busy %v, settled %v", l, l.Busy(), l.Settled())
		}
	}
	if !(Load{}).Settled() {
		t.Error("an unknown load is waited for")
	}
}

// A stored load describes the load that was seen. If only the average was stored, Kept uses the
// average.
func TestRecordedLoad(t *testing.T) {
	pretend(t, "0.31 0.5 0.5 1/90 77", idle)
	values := Look(t.Context()).Values()
	values[CoresKey] = "2"
	if l := Kept(values); l.Busy() || !l.Known || l.Short() != "quiet" {
		t.Errorf("%v: %+v", values, l)
	}
	values[NowKey] = "1.70"
	if l := Kept(values); !l.Busy() || l.Short() != "busy, load 1.7" {
		t.Errorf("%v: %+v", values, l)
	}
	for load, want := range map[string]string{"8.05 1 1 1/1 1": "busy, load 8.1", "1.00 9 9 1/1 1": "quiet", "1.01 9 9 1/1 1": "busy, load 1.0", "": "load unknown"} {
		if l := Kept(map[string]string{LoadKey: load, CoresKey: "2"}); l.Short() != want {
			t.Errorf("%q: %s, want %s", load, l.Short(), want)
		}
	}
}

// Others returns the total load minus the load of this process and its children.
func TestLoadOfOtherProcesses(t *testing.T) {
	self := func(own string) string { return "77 (a ) name) S 1 2 3 4 5 6 7 8 9 10 " + own + " 20 0 9 9\n" }
	set := pretend(t, "0.1 0 0 1/1 1", idle)
	if _, known := Begin().Others(); known {
		t.Error("known without the times of this process")
	}
	if err := os.Mkdir(filepath.Join(proc, "self"), 0o777); err != nil {
		t.Fatal(err)
	}
	set("", idle)
	write := func(text string) {
		if err := os.WriteFile(filepath.Join(proc, "self", "stat"), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write(self("1 2 3 4"))
	w := Begin()
	if _, known := w.Others(); known {
		t.Error("known after no time")
	}
	write(self("11 2 3 14"))
	set("", "cpu  90 0 10 1020 0 0 0 0 0 0\n") // 80 of 100 ticks had work, 20 of them ours
	others, known := w.Others()
	if want := 0.6 * float64(runtime.NumCPU()); !known || others < want-1e-9 || others > want+1e-9 || !Disturbs(others) || Disturbs(others/2) {
		t.Errorf("%v, %v, want %v", others, known, want)
	}
	for _, broken := range []string{"", "77 (x) S 1 2", self("1 2 x 4")} {
		write(broken)
		if _, known := w.Others(); known {
			t.Errorf("known from %q", broken)
		}
	}
}
