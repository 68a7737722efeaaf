// Package progress shows the progress of a long run on standard error. Use a Bar for a known number
// of equal steps, and a Steps for steps of different kinds. A Steps also shows the time so far. The
// package does nothing if standard error is not a terminal, or is a terminal that cannot overwrite
// a line (TERM=dumb). It never uses colours.
package progress

import (
	"io"
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"

	"github.com/coppice-go/coppice/cmd/internal/render/termtext"
)

// A Bar is a progress bar that shows how much of a total is done. The zero Bar shows nothing. Add
// is safe for concurrent use.
type Bar struct {
	bar      *progressbar.ProgressBar
	terminal *os.File // terminal that shows the bar
}

// beside is the maximum width of the rest of the line, without the step's name and the bar. The
// rest contains a percentage and two durations, which may be hours.
const beside = 30

// throttle is the minimum time between two updates of the bar.
var throttle = 200 * time.Millisecond

// New returns a Bar on stderr. The Bar shows nothing if stderr is not a terminal, or is a dumb one.
func New(stderr io.Writer, total uint64, what string) Bar {
	file := terminalOf(stderr)
	if file == nil {
		return Bar{}
	}
	b := Bar{terminal: file}
	b.bar = progressbar.NewOptions64(int64(total),
		progressbar.OptionSetWriter(stderr),
		progressbar.OptionSetDescription(b.short(what)),
		progressbar.OptionThrottle(throttle),
		progressbar.OptionSetPredictTime(true),
		progressbar.OptionClearOnFinish(),
	)
	return b
}

// terminalOf returns the terminal that stderr refers to. It returns nil if stderr is not a
// terminal, or is a terminal that cannot overwrite a line.
func terminalOf(stderr io.Writer) *os.File {
	file, ok := stderr.(*os.File)
	if !ok || os.Getenv("TERM") == "dumb" || !term.IsTerminal(int(file.Fd())) {
		return nil
	}
	return file
}

// columnsOf returns the width of a terminal, or 0 if it is unknown.
func columnsOf(terminal *os.File) int {
	columns, _, err := term.GetSize(int(terminal.Fd()))
	if err != nil {
		return 0
	}
	return columns
}

// short truncates the name of a step to the width of the terminal, because a line that wraps cannot
// be overwritten.
func (b Bar) short(what string) string {
	columns := columnsOf(b.terminal)
	room := max(columns-beside, 8)
	if columns > 0 {
		return termtext.Cut(what, room)
	}
	return what
}

// Add adds done to the amount that is done so far.
func (b Bar) Add(done uint64) {
	if b.bar != nil {
		_ = b.bar.Add64(int64(done)) // continue even if the terminal is closed
	}
}

// Step ends the current step and begins a step with the given name.
func (b Bar) Step(what string) {
	if b.bar != nil {
		b.bar.Describe(b.short(what))
		b.Add(1)
	}
}

// Clear removes the bar from the screen.
func (b Bar) Clear() {
	if b.bar != nil {
		_ = b.bar.Clear()
	}
}

// Over returns a writer that removes the bar from the screen before each write to out, in case out
// is the same terminal.
func (b Bar) Over(out io.Writer) io.Writer {
	if b.bar == nil {
		return out
	}
	return clearing{b, out}
}

type clearing struct {
	Bar
	out io.Writer
}

func (c clearing) Write(line []byte) (int, error) {
	c.Clear()
	return c.out.Write(line)
}
