package progress

import (
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/coppice-go/coppice/cmd/internal/render/termtext"
)

// A Steps shows on one line which step of a command is in progress, the time since the first step,
// and, where it is known, the time until the step ends:
//
//	measuring BenchmarkParse   0:42, about 1:30 left
//
// The times change each second, also during a step. Close ends the display. All methods are safe
// for concurrent use.
type Steps struct {
	out     io.Writer  // nil if nothing is shown
	columns func() int // the width of the terminal; 0 if it is unknown

	mu     sync.Mutex
	what   string    // the step in progress
	began  time.Time // of the first step
	end    time.Time // when the step ends, probably; zero if that is unknown
	rounds Rounds
	drawn  time.Time // when the line was written
	line   string    // on the screen
	stop   chan struct{}
	done   chan struct{} // closed when the goroutine has ended
	closed bool
}

// often is the minimum time between two writes to the terminal. A measurement must not compete
// with them.
const often = 100 * time.Millisecond

// NewSteps returns a Steps on stderr. It shows nothing if stderr is not a terminal, or is a dumb
// one. From the first step until Close, it runs a goroutine.
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

// Stage names the step that begins. The time until it ends is unknown.
func (s *Steps) Stage(what string) { s.Until(what, 0) }

// Until names the step that begins or continues, and sets the time until it ends; a time of 0 or
// less means unknown.
func (s *Steps) Until(what string, left time.Duration) {
	if s.out == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.rounds = Rounds{}
	s.set(what, left)
}

// Round names a run that begins in a round, counted from 0, of the given number of rounds. From the
// second round on, it shows the estimated time of the remaining rounds. The number of runs per
// round is not used, because some rounds have fewer.
func (s *Steps) Round(round, of, _ int, what string) {
	if s.out == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.set(fmt.Sprintf("round %d of %d: %s", round+1, of, what), s.rounds.Left(round, of))
}

// Close ends the goroutine and removes the line from the screen. Nothing is shown after it. It may
// be called more than once.
func (s *Steps) Close() {
	if s.ends() {
		close(s.stop)
		<-s.done
	}
}

// ends removes the line, and reports whether there is a goroutine to end.
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

// set names the step in progress, and starts the goroutine with the first one.
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

// tick updates the times each second until Close.
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

// draw writes the line. The step's name is cut to the width of the terminal, because a line that
// wraps cannot be overwritten; the times stay, except on a very narrow terminal.
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

// write replaces the line on the screen. If the terminal is closed, the command continues without
// it.
func (s *Steps) write(line string) {
	if line == s.line {
		return
	}
	rest := termtext.Width(s.line) // spaces cover it
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

// clock writes a duration as minutes and seconds, such as 1:05; from an hour on, as 1:00:05.
func clock(d time.Duration) string {
	const perMinute, perHour = 60, 3600
	seconds := int(d / time.Second)
	if seconds < perHour {
		return fmt.Sprintf("%d:%02d", seconds/perMinute, seconds%perMinute)
	}
	return fmt.Sprintf("%d:%02d:%02d", seconds/perHour, seconds%perHour/perMinute, seconds%perMinute)
}

// rough rounds an estimate to five seconds, and from a minute on to ten; it returns 0 if there is
// no estimate.
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
