package main

import (
	"encoding/xml"
	"errors"
	"io"
	"math"
	"regexp"
	"strings"
	"testing"
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

// Waits are cut and scaled, lines that come at once come one by one: the order stays, and the last comes when nine tenths are over.
func TestShorten(t *testing.T) {
	got := shorten([]line{{"a", 0}, {"b", 1}, {"c", 101}, {"d", 101}}, 10)
	for i, want := range []float64{0, 9 / 3.25, 27 / 3.25, 9} {
		if math.Abs(got[i].At-want) > 1e-9 {
			t.Errorf("line %d comes at %v s, want %v", i, got[i].At, want)
		}
	}
	if got := shorten([]line{{"a", 0}}, 10); got[0].At != 0 {
		t.Errorf("one line comes at %v", got[0].At)
	}
}

// Once the screen is full it moves up by a line for each line, so that the last one is always on it.
func TestScreenMoves(t *testing.T) {
	lines := make([]line, 0, rows+2)
	for i := range rows + 2 {
		lines = append(lines, line{strings.Repeat("x", columns+5), float64(i)})
	}
	var out strings.Builder
	if err := draw(&out, lines); err != nil {
		t.Fatal(err)
	}
	if !regexp.MustCompile(`values="0 0;.*0 0;0 -17;0 -34"`).MatchString(out.String()) {
		t.Errorf("it does not move:\n%.600s", &out)
	}
	if !strings.Contains(out.String(), strings.Repeat("x", columns-1)+"…<") || strings.Contains(out.String(), strings.Repeat("x", columns)) {
		t.Error("long lines are not cut")
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
