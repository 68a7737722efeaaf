package progress

import (
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/coppice-go/coppice/cmd/internal/render/termtext"
)

// A Steps shows the current step of a command on one line, with the time since the first step and,
// if it is known, the time until the step ends:
//
//	measuring BenchmarkParse   0:42, about 1:30 left
//
// The times are updated every second, also during a step. Close ends the display. All methods are
// safe for concurrent use.
type Steps struct {
	out     io.Writer  // nil if nothing is shown
	columns func() int // returns the width of the terminal; 0 if unknown

	mu     sync.Mutex
	what   string    // name of the current step
	began  time.Time // start of the first step
	end    time.Time // estimated end of the current step; zero if unknown
	rounds Rounds
	drawn  time.Time // when the line was last written
	line   string    // line that is on the screen
	stop   chan struct{}
	done   chan struct{} // closed when the goroutine has ended
	closed bool
}

// often is the minimum time between two writes to the terminal, so that writing does not compete
// with a measurement.
const often = 100 * time.Millisecond

// NewSteps returns a Steps on stderr. It shows nothing if stderr is not a terminal, or is a dumb
// one. A goroutine runs from the first step until Close.
func NewSteps(stderr io.Writer) *Steps {
	terminal := terminalOf(stderr)
	if terminal == nil {
		return &Steps{}
	}
	return newSteps(terminal, func() int { return columnsOf(terminal) })
}

func newSteps(out io.Writer, columns func() int) *Steps {
	return &Steps{out: out, columns: columns}
}

// Stage begins a step whose duration is unknown.
func (s *Steps) Stage(what string) { s.Until(what, 0) }

// Until begins or continues a step, and sets the time until the step ends. A time of 0 or less
// means unknown.
func (s *Steps) Until(what string, left time.Duration) {
	if s.out == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.rounds = Rounds{}
	s.set(what, left)
}

// Round shows the name of a run that begins in the given round, counted from 0. From the second
// round on, it also shows the estimated time until all rounds have ended. The number of runs per
// round is ignored, because some rounds have fewer runs.
func (s *Steps) Round(round, of, _ int, what string) {
	if s.out == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.set(fmt.Sprintf("round %d of %d: %s", round+1, of, what), s.rounds.Left(round, of))
}

// Close ends the goroutine and removes the line from the screen. The Steps shows nothing
// afterwards. Close may be called more than once.
func (s *Steps) Close() {
	if s.ends() {
		close(s.stop)
		<-s.done
	}
}

// ends removes the line from the screen, and reports whether there is a goroutine to end.
func (s *Steps) ends() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return false
	}
	s.closed = true
	s.write("")
	return s.stop != nil
}

// set sets the current step and its remaining time. The first call starts the goroutine.
func (s *Steps) set(what string, left time.Duration) {
	if s.closed {
		return
	}
	now := time.Now()
	if s.stop == nil {
		s.began, s.stop, s.done = now, make(chan struct{}), make(chan struct{})
		go s.tick()
	}
	s.what, s.end = termtext.Plain(what), time.Time{}
	if left > 0 {
		s.end = now.Add(left)
	}
	if now.Sub(s.drawn) >= often {
		s.draw(now)
	}
}

// tick updates the times every second until Close.
func (s *Steps) tick() {
	defer close(s.done)
	ticker := time.NewTicker(time.Second)
	defer ticker.Stop()
	for {
		select {
		case <-s.stop:
			return
		case <-ticker.C:
			s.update()
		}
	}
}

func (s *Steps) update() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.closed {
		s.draw(time.Now())
	}
}

// draw writes the line. It truncates the name of the step to the width of the terminal, because a
// line that wraps cannot be overwritten. The times are not truncated, except on a very narrow
// terminal.
func (s *Steps) draw(now time.Time) {
	const gap = "   "
	times := clock(now.Sub(s.began))
	if left := rough(s.end.Sub(now)); left > 0 {
		times += ", about " + clock(left) + " left"
	}
	line := s.what + gap + times
	if room := s.columns() - 1; room >= 0 { // the last column stays free
		line = termtext.Cut(termtext.Cut(s.what, max(1, room-len(gap+times)))+gap+times, room)
	}
	s.write(line)
	s.drawn = now
}

// write replaces the line on the screen. If the terminal was closed, the command continues without
// progress messages.
func (s *Steps) write(line string) {
	if line == s.line {
		return
	}
	rest := termtext.Width(s.line) // width of the old line, which spaces overwrite
	if room := s.columns() - 1; room >= 0 {
		rest = min(rest, room)
	}
	text := "\r" + termtext.Left(line, rest)
	if line == "" {
		text += "\r"
	}
	_, _ = io.WriteString(s.out, text)
	s.line = line
}

// clock formats a duration as minutes and seconds, as in 1:05, or from one hour on as hours,
// minutes and seconds, as in 1:00:05.
func clock(d time.Duration) string {
	const perMinute, perHour = 60, 3600
	seconds := int(d / time.Second)
	if seconds < perHour {
		return fmt.Sprintf("%d:%02d", seconds/perMinute, seconds%perMinute)
	}
	return fmt.Sprintf("%d:%02d:%02d", seconds/perHour, seconds%perHour/perMinute, seconds%perMinute)
}

// rough rounds an estimate to a multiple of five seconds or, from one minute on, of ten seconds. It
// returns 0 if there is no estimate.
func rough(left time.Duration) time.Duration {
	const fine, coarse = 5 * time.Second, 10 * time.Second
	switch {
	case left <= 0:
		return 0
	case left < time.Minute:
		return left.Round(fine)
	}
	return left.Round(coarse)
}
