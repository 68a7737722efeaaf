package progress

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/coppice-go/coppice/cmd/internal/render/termtext"
)

// A screen simulates one line of a terminal and its cursor.
type screen struct {
	mu     sync.Mutex
	line   []rune
	at     int // column of the cursor
	writes int
}

func (s *screen) Write(text []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.writes++
	for _, r := range string(text) {
		switch {
		case r == '\r':
			s.at = 0
			continue
		case s.at == len(s.line):
			s.line = append(s.line, r)
		default:
			s.line[s.at] = r
		}
		s.at++
	}
	return len(text), nil
}

// shows returns the current contents of the line.
func (s *screen) shows() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return strings.TrimRight(string(s.line), " ")
}

// count returns the number of calls of Write.
func (s *screen) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.writes
}

func (s *screen) expect(t *testing.T, want string) {
	t.Helper()
	if got := s.shows(); got != want {
		t.Errorf("the terminal shows %q, want %q", got, want)
	}
}

// aside is the offset of the test's checks from the ticks of a Steps, which come every second. It
// ensures that a check never coincides with a tick.
const aside = 300 * time.Millisecond

// sleepFor waits for d and the offset aside, in the fake time of the synctest bubble.
func sleepFor(d time.Duration) {
	time.Sleep(d + aside)
	synctest.Wait()
}

// wide returns the width of a terminal that is wide enough for every line of the tests.
func wide() int { return 120 }

// TestTimesOfSteps verifies that the displayed times advance during a step, and that Close clears
// the line and stops all goroutines. If a goroutine remained, synctest would wait forever.
func TestTimesOfSteps(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		terminal := &screen{}
		s := newSteps(terminal, wide)
		s.Stage("measuring BenchmarkParse")
		terminal.expect(t, "measuring BenchmarkParse   0:00")
		sleepFor(42 * time.Second)
		terminal.expect(t, "measuring BenchmarkParse   0:42")
		s.Until("CPU profile", 90*time.Second)
		terminal.expect(t, "CPU profile   0:42, about 1:30 left")
		sleepFor(30 * time.Second)
		terminal.expect(t, "CPU profile   1:12, about 1:00 left")
		sleepFor(28 * time.Second)
		terminal.expect(t, "CPU profile   1:40, about 0:30 left")
		sleepFor(time.Minute)
		terminal.expect(t, "CPU profile   2:41")
		s.Stage("reading the source")
		terminal.expect(t, "reading the source   2:41")
		sleepFor(time.Hour)
		terminal.expect(t, "reading the source   1:02:41")
		s.Close()
		terminal.expect(t, "")
		s.Stage("too late")
		s.Round(0, 10, 2, "too late")
		sleepFor(2 * time.Second)
		s.Close()
		terminal.expect(t, "")
	})
}

// TestStepsOfRounds verifies that the remaining time of a proof is estimated from the rounds so
// far. It is unknown in the first round, and in the first round after a look, because the proof may
// continue with fewer benchmarks.
func TestStepsOfRounds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		terminal := &screen{}
		s := newSteps(terminal, wide)
		defer s.Close()
		for i, want := range []string{
			"round 1 of 10: BenchmarkX   0:00",
			"round 1 of 10: BenchmarkX   0:05",
			"round 2 of 10: BenchmarkX   0:10, about 1:40 left",
			"round 2 of 10: BenchmarkX   0:15, about 1:30 left",
			"round 3 of 10: BenchmarkX   0:21, about 1:20 left",
		} {
			s.Round(i/2, 10, 2, "BenchmarkX")
			terminal.expect(t, want)
			sleepFor(5 * time.Second)
		}
		s.Round(10, 20, 2, "BenchmarkX")
		terminal.expect(t, "round 11 of 20: BenchmarkX   0:26")
		sleepFor(5 * time.Second)
		s.Stage("building") // the next proof
		sleepFor(5 * time.Second)
		s.Round(0, 20, 2, "BenchmarkX")
		terminal.expect(t, "round 1 of 20: BenchmarkX   0:37")
	})
}

// TestRounds verifies that the estimate ignores rounds from an earlier measurement. It also
// simulates a repeated measurement of losses, where the round numbers jump back and forth because
// contenders with different numbers of completed rounds take turns.
func TestRounds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var r Rounds
		for _, c := range []struct {
			round, of int
			want      time.Duration
		}{
			{5, 10, 0}, {6, 10, 4 * time.Second}, {6, 10, 3 * time.Second}, {7, 10, 4500 * time.Millisecond},
			{10, 40, 0}, {20, 40, 0}, {11, 40, 0}, {21, 40, 38 * time.Second}, {12, 40, 37 * time.Second},
		} {
			if got := r.Left(c.round, c.of); got != c.want {
				t.Errorf("in round %d of %d, %v are left, want %v", c.round, c.of, got, c.want)
			}
			time.Sleep(time.Second)
		}
		time.Sleep(time.Hour)
		if got := r.Left(12, 40); got != 0 {
			t.Errorf("%v are left of rounds that are late", got)
		}
	})
}

// TestStepsFitTheTerminal verifies that a line fits the terminal, however long the name of the step
// is, and that the times are not cut off on terminals with at least 30 columns.
func TestStepsFitTheTerminal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, columns := range []int{2, 10, 20, 30, 40, 60, 80, 0} {
			for _, what := range []string{"round 12 of 100: " + strings.Repeat("rust bumpalo, leaves in their parent ", 4), strings.Repeat("日本", 60), "two\nlines\t" + strings.Repeat("x", 90)} {
				terminal := &screen{}
				s := newSteps(terminal, func() int { return columns })
				s.Until(what, 90*time.Second)
				got := terminal.shows()
				if columns > 0 && termtext.Width(got) >= columns {
					t.Errorf("%d columns of %d: %q", termtext.Width(got), columns, got)
				}
				roomy := columns == 0 || columns >= 30
				if roomy && !strings.HasSuffix(got, "   0:00, about 1:30 left") || strings.ContainsAny(got, "\n\t") {
					t.Errorf("the line of %d columns is %q", columns, got)
				}
				if columns == 0 && !strings.HasPrefix(got, termtext.Plain(what)) {
					t.Errorf("without a width, the name is cut: %q", got)
				}
				s.Close()
			}
		}
	})
}

// TestStepsAreRateLimited verifies that steps that change often are written at a limited rate, and
// that the last step is still shown.
func TestStepsAreRateLimited(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		terminal := &screen{}
		s := newSteps(terminal, wide)
		defer s.Close()
		for i := range 1000 {
			s.Stage(fmt.Sprint("step ", i))
			time.Sleep(time.Millisecond)
		}
		synctest.Wait()
		if writes := terminal.count(); writes > 12 {
			t.Errorf("%d writes in a second", writes)
		}
		sleepFor(time.Second)
		terminal.expect(t, "step 999   0:02")
	})
}

// TestStepsOfGoroutines verifies that several goroutines may report steps at the same time, while
// one of them ends the display.
func TestStepsOfGoroutines(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		terminal := &screen{}
		s := newSteps(terminal, wide)
		var all sync.WaitGroup
		for i := range 4 {
			all.Go(func() {
				for round := range 100 {
					s.Round(round, 100, 1, fmt.Sprint("BenchmarkX", i))
					time.Sleep(50 * time.Millisecond)
				}
				s.Close()
			})
		}
		all.Wait()
		terminal.expect(t, "")
	})
}
