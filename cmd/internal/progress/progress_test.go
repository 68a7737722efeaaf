//go:build unix

package progress

import (
	"io"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/creack/pty"
)

// TestBarFitsTheTerminal verifies that the bar fits on one line of a narrow terminal, however long
// the name of the step is. A line that wraps cannot be overwritten, so each step would leave a line
// behind.
func TestBarFitsTheTerminal(t *testing.T) {
	t.Setenv("TERM", "xterm")
	for _, columns := range []int{40, 60, 80} {
		written := regexp.MustCompile(`\x1b\[[0-9;?]*[a-zA-Z]`).ReplaceAllString(shown(t, columns), "")
		if !strings.Contains(written, "round 1") {
			t.Errorf("the bar does not name the step: %q", written)
		}
		for _, line := range regexp.MustCompile(`[\r\n]+`).Split(written, -1) {
			if n := utf8.RuneCountInString(line); n > columns {
				t.Errorf("%d columns of %d: %q", n, columns, line)
			}
		}
	}
}

// TestDumbTerminal verifies that a dumb terminal shows no bar, because it cannot overwrite a line.
func TestDumbTerminal(t *testing.T) {
	t.Setenv("TERM", "dumb")
	if written := shown(t, 80); written != "" {
		t.Errorf("a dumb terminal got %q", written)
	}
}

// TestNoColour verifies that the bar has no colours, whether or not NO_COLOR (no-color.org) is set.
func TestNoColour(t *testing.T) {
	t.Setenv("TERM", "xterm-256color")
	for _, value := range []string{"", "1"} {
		t.Setenv("NO_COLOR", value)
		written := shown(t, 80)
		if colour := regexp.MustCompile(`\x1b\[[0-9;]*m`).FindString(written); colour != "" || !strings.Contains(written, "round 1") {
			t.Errorf("NO_COLOR=%q: it shows %q", value, written)
		}
	}
}

// TestStepsOnATerminal verifies that steps are shown only on a terminal that is not dumb, like the
// bar.
func TestStepsOnATerminal(t *testing.T) {
	measure := func(stderr io.Writer) {
		s := NewSteps(stderr)
		s.Until("measuring", time.Hour)
		s.Close()
	}
	onTerminal := func() string {
		return written(t, 80, func(tty *os.File) { measure(tty) })
	}
	t.Setenv("TERM", "xterm")
	if got := onTerminal(); !strings.Contains(got, "measuring   0:00, about 1:00:00 left") || strings.Contains(got, "\x1b") {
		t.Errorf("a terminal got %q", got)
	}
	t.Setenv("TERM", "dumb")
	if got := onTerminal(); got != "" {
		t.Errorf("a dumb terminal got %q", got)
	}
	t.Setenv("TERM", "xterm")
	var file strings.Builder
	measure(&file)
	if file.Len() > 0 {
		t.Errorf("a file got %q", file.String())
	}
}

// shown returns the output of a bar with two steps on a terminal with the given number of columns.
func shown(t *testing.T, columns int) string {
	defer func(before time.Duration) { throttle = before }(throttle)
	throttle = 0 // shows every step
	return written(t, columns, func(tty *os.File) {
		bar := New(tty, 1000, "starting")
		for range 2 {
			bar.Step("round 12 of 100: rust bumpalo, leaves in their parent GOMEMLIMIT=1GiB")
		}
		bar.Clear()
	})
}

// written calls write with a terminal that has the given number of columns, and returns the output.
func written(t *testing.T, columns int, write func(tty *os.File)) string {
	terminal, tty, err := pty.Open()
	if err != nil {
		t.Skip(err)
	}
	defer terminal.Close()
	if err := pty.Setsize(tty, &pty.Winsize{Rows: 24, Cols: uint16(columns)}); err != nil {
		t.Fatal(err)
	}
	read := make(chan string)
	go func() {
		all, _ := io.ReadAll(terminal) // the error is expected: reading fails when the other end is closed
		read <- string(all)
	}()
	write(tty)
	tty.Close()
	return <-read
}
