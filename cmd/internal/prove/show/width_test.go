package show_test

import (
	"io"
	"strings"
	"testing"

	"github.com/coppice-go/coppice/cmd/internal/prove"
	"github.com/coppice-go/coppice/cmd/internal/prove/show"
	"github.com/coppice-go/coppice/cmd/internal/render/termtext"
)

// inFile prints a result as if to a file, without a limit on the width.
func inFile(w io.Writer, r *prove.Result) error { return show.Screen(w, r, 0) }

// mergedInFile prints a merged result as if to a file, without a limit on the width.
func mergedInFile(w io.Writer, m *prove.Merged) error { return show.Merged(w, m, 0) }

// checkWidth checks that no line of text is wider than the terminal, and that text has every word
// of the same output in a file, except for names that were cut.
func checkWidth(t *testing.T, columns int, text, file string) {
	t.Helper()
	for line := range strings.Lines(text) {
		if n := termtext.Width(strings.TrimSuffix(line, "\n")); n > columns {
			t.Errorf("%d columns of %d: %q", n, columns, line)
		}
	}
	if strings.Contains(file, "…") {
		t.Errorf("the file is cut:\n%s", file)
	}
	words := map[string]int{}
	for word := range strings.FieldsSeq(text) {
		words[word]++
	}
	lost := 0
	for word := range strings.FieldsSeq(file) {
		if words[word]--; words[word] < 0 {
			lost++
			if !strings.HasPrefix(word, "Benchmark") {
				t.Errorf("%q is lost in %d columns", word, columns)
			}
		}
	}
	if cut := strings.Count(text, "…"); cut != lost {
		t.Errorf("%d words are lost and %d names are cut in %d columns:\n%s", lost, cut, columns, text)
	}
}

// On a terminal, prose is wrapped. Names of benchmarks are cut if the terminal is narrow, and
// nothing else is.
func TestScreensFitTheTerminal(t *testing.T) {
	screen := func(columns int) string {
		var out strings.Builder
		r := proof()
		r.Warnings = append(r.Warnings, strings.Repeat("busy ", 40))
		if err := show.Screen(&out, r, columns); err != nil {
			t.Fatal(err)
		}
		return out.String()
	}
	for _, columns := range []int{60, 80, 100, 120} {
		text := screen(columns)
		checkWidth(t, columns, text, screen(0))
		if !strings.Contains(text, "\n         busy busy") {
			t.Errorf("no indent under the warning in\n%s", text)
		}
	}
}

func TestHistoriesFitTheTerminal(t *testing.T) {
	history := func(columns int) string {
		var out strings.Builder
		if err := show.History(&out, story(), columns); err != nil {
			t.Fatal(err)
		}
		return out.String()
	}
	for _, columns := range []int{60, 80, 100} {
		checkWidth(t, columns, history(columns), history(0))
	}
}
