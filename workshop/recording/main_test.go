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

// What commands print is there in its order, with exit codes, and is XML whatever they print.
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

// Before each command another one runs, whose time and lines are not recorded.
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

// A recording ends where the command before another one fails, as it does on a machine that stays
// busy; what that says is on standard error.
func TestBeforeFails(t *testing.T) {
	var stdout, stderr strings.Builder
	code := run([]string{"-before", "echo busy >&2; exit 1", "echo never"}, &stdout, &stderr)
	if want := "busy\nrecording: before echo never: echo busy >&2; exit 1: exit status 1\n"; code != 1 || stdout.Len() > 0 || stderr.String() != want {
		t.Errorf("exit code %d, it prints %q and on standard error %q, want %q", code, &stdout, &stderr, want)
	}
}

// Waits are cut and scaled, commands are typed, and lines that come at once come one by one: the
// order stays, and the last comes when nine tenths are over.
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

// Once the screen is full it moves up by a line for each line, so that the last one is always on
// it, and stays where nothing moves.
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

// All that moves is in the rule for readers who do not mind, and the description says what the
// picture shows.
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
