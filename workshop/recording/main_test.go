package main

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"testing"
	"time"
)

// TestRecording verifies that the recording shows commands, their output and their exit codes in
// order, and is valid XML whatever the commands print.
func TestRecording(t *testing.T) {
	var stdout, stderr strings.Builder
	if code := run([]string{"-seconds", "5", "printf 'a<b\\n\\tc&d\\n'", "echo failing; exit 3"}, &stdout, &stderr); code != 0 {
		t.Fatalf("exit code %d: %s", code, &stderr)
	}
	decoder := xml.NewDecoder(strings.NewReader(stdout.String()))
	var shown []string
	for inText := false; ; {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatalf("%v in\n%s", err, &stdout)
		}
		switch x := token.(type) {
		case xml.StartElement:
			inText = x.Name.Local == "text"
		case xml.CharData:
			if inText {
				shown = append(shown, string(x))
			}
		case xml.EndElement:
			inText = false
		}
	}
	want := `$ printf 'a<b\n\tc&d\n'|a<b|    c&d|$ echo failing; exit 3|failing|(exit code 3)`
	if got := strings.Join(shown, "|"); got != want {
		t.Errorf("it shows\n%s\nwant\n%s", got, want)
	}
}

// TestBefore verifies that another command runs before each recorded one, and that its time and
// output are not recorded.
func TestBefore(t *testing.T) {
	at, ran := time.Unix(0, 0), []string{}
	r := recorder{now: func() time.Time { return at }, before: "wait"}
	r.sh = func(command string, show func(string)) error {
		ran = append(ran, command)
		if command == "wait" {
			at = at.Add(time.Hour)
			show("waiting")
			return nil
		}
		at = at.Add(2 * time.Second)
		show("line of " + command)
		at = at.Add(time.Second)
		return nil
	}
	lines, err := r.record([]string{"find", "fix"})
	if got := fmt.Sprint(lines, err); got != "[{$ find 0} {line of find 2} { 3} {$ fix 3} {line of fix 5} { 6}] <nil>" {
		t.Error(got)
	}
	if got := strings.Join(ran, " "); got != "wait find wait fix" {
		t.Errorf("it ran %s", got)
	}
}

// TestBeforeFails verifies that the recording fails if the command before another one fails, for
// example because the machine remains busy. The output of that command is printed on standard
// error.
func TestBeforeFails(t *testing.T) {
	var stdout, stderr strings.Builder
	code := run([]string{"-before", "echo busy >&2; exit 1", "echo never"}, &stdout, &stderr)
	if want := "busy\nrecording: before echo never: echo busy >&2; exit 1: exit status 1\n"; code != 1 || stdout.Len() > 0 || stderr.String() != want {
		t.Errorf("exit code %d, it prints %q and on standard error %q, want %q", code, &stdout, &stderr, want)
	}
}

// TestShorten verifies the times of the lines. Waits are limited and scaled, commands are typed,
// and lines that were printed at once appear one by one. The order is preserved, and the last line
// appears after nine tenths of the duration.
func TestShorten(t *testing.T) {
	got := shorten([]line{{"$ a", 0}, {"b", 1}, {"c", 101}, {"d", 101}}, 10)
	for i, want := range []float64{0, 18 / 4.25, 36 / 4.25, 9} {
		if math.Abs(got[i].At-want) > 1e-9 {
			t.Errorf("line %d comes at %v s, want %v", i, got[i].At, want)
		}
	}
	if got := shorten([]line{{"a", 0}}, 10); got[0].At != 0 {
		t.Errorf("one line comes at %v", got[0].At)
	}
}

// TestScreenMoves verifies that a full screen moves up by one line for each new line, so that the
// last line is always visible. Where animations are off, the screen shows the last lines.
func TestScreenMoves(t *testing.T) {
	lines := []line{{"$ a", 0}}
	for i := range rows + 1 {
		lines = append(lines, line{strings.Repeat("x", columns+5), float64(i + 1)})
	}
	var out strings.Builder
	if err := draw(&out, lines, 40); err != nil {
		t.Fatal(err)
	}
	picture := out.String()
	for _, want := range []string{
		"translateY(0px); } 70.000% { transform: translateY(-17px); } 72.500% { transform: translateY(-34px); } 100% { transform: translateY(-34px)",
		`<g class="lines" transform="translate(0 -34)">`,
		"@keyframes down { 0.000% { transform: translateY(22px); } 2.500% { transform: translateY(39px); }",
		`<rect class="below cover" transform="translate(0 515)"`,
		strings.Repeat("x", columns-1) + "…<",
	} {
		if !strings.Contains(picture, want) {
			t.Errorf("it has no %s:\n%.3000s", want, picture)
		}
	}
	if strings.Contains(picture, strings.Repeat("x", columns)) {
		t.Error("long lines are not cut")
	}
}

// TestReducedMotionAndWords verifies that all animations are in the media rule for readers who have
// not asked for reduced motion, and that the description tells what the picture shows.
func TestReducedMotionAndWords(t *testing.T) {
	var out strings.Builder
	if err := draw(&out, []line{{"$ prove", 0}, {"KEEP: it is faster", 1}, {"", 2}}, 3); err != nil {
		t.Fatal(err)
	}
	before, rule, _ := strings.Cut(out.String(), "@media (prefers-reduced-motion: no-preference) {")
	inside, after, _ := strings.Cut(rule, "</style>")
	if strings.Contains(before+after, "anim") || !strings.Contains(inside, "animation: type0 3s") {
		t.Errorf("animations stand elsewhere:\n%s", &out)
	}
	for _, want := range []string{"somebody types prove</title>", "It ends with: KEEP: it is faster</desc>", `class="keep">KEEP`, `class="command">$ prove`} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("it has no %s:\n%s", want, &out)
		}
	}
}

func TestBadArguments(t *testing.T) {
	for _, args := range []string{"", "-seconds 0 true", "-nonsense"} {
		var stdout, stderr strings.Builder
		if code := run(strings.Fields(args), &stdout, &stderr); code != 2 || stdout.Len() > 0 {
			t.Errorf("recording %s: exit code %d, it prints %q", args, code, &stdout)
		}
	}
}
