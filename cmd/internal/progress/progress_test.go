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

// The bar stays on one line of a narrow terminal, however long the step's name is: a line
// that wraps cannot be overwritten, and each step would leave one behind.
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

// A dumb terminal shows nothing, because it cannot take a line back.
func TestDumbTerminal(t *testing.T) {
	t.Setenv("TERM", "dumb")
	if written := shown(t, 80); written != "" {
		t.Errorf("a dumb terminal got %q", written)
	}
}

// Nothing is coloured, with NO_COLOR (no-color.org) and without.
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

// Steps are shown where a bar is: on a terminal that is not dumb.
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

// shown returns what a bar of two steps writes to a terminal of that width.
func shown(t *testing.T, columns int) string {
	defer func(before time.Duration) { throttle = before }(throttle)
	throttle = 0 // it shows every step
	return written(t, columns, func(tty *os.File) {
		bar := New(tty, 1000, "starting")
		for range 2 {
			bar.Step("round 12 of 100: rust bumpalo, leaves in their parent GOMEMLIMIT=1GiB")
		}
		bar.Clear()
	})
}

// written returns what a function writes to a terminal of that width.
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
		all, _ := io.ReadAll(terminal) // the end of a terminal is an error
		read <- string(all)
	}()
	write(tty)
	tty.Close()
	return <-read
}
