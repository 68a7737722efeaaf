package termtext

import (
	"strings"
	"testing"
)

func TestSay(t *testing.T) {
	long := strings.TrimSpace(strings.Repeat("word ", 30))
	for _, columns := range []int{0, 60, 100, 300} {
		s := Screen{Columns: columns}
		s.Say("note: ", long)
		for line := range strings.Lines(s.String()) {
			if n := Width(strings.TrimSuffix(line, "\n")); columns > 0 && n > Prose(columns) {
				t.Errorf("%d columns of %d: %q", n, columns, line)
			}
		}
		if lines := strings.Count(s.String(), "\n"); (lines == 1) != (columns == 0) {
			t.Errorf("%d lines in %d columns", lines, columns)
		}
		if got := strings.Join(strings.Fields(s.String()), " "); got != "note: "+long {
			t.Errorf("in %d columns it is %q", columns, got)
		}
	}
}

// figures contains rows as prove prints them.
var figures = [][]string{
	{"", "base", "head", "difference", "interval", "  proof"},
	{"BenchmarkWithALongName/size=1000", "", "", "", "", "  KEEP: CPU/op -20.0 %"},
	{"CPU/op", "1.000 µs", "800.0 ns", "-20.0 %", "-30.0 to -10.0", "  p 0.002, Holm-adjusted 0.006, 10 rounds"},
	{"B/op", "160.0 B", "0 B", "-100.0 %", "", ""},
}

func tableIn(columns int) string {
	s := Screen{Columns: columns}
	s.RightTable(figures)
	return s.String()
}

// A table fits terminals of different widths without cutting numbers or losing words of the last
// cells. Names are cut only on a narrow terminal.
func TestTablesFitTheTerminal(t *testing.T) {
	whole := tableIn(0)
	if got := tableIn(200); got != whole {
		t.Errorf("on a wide terminal it is\n%s\nin a file\n%s", got, whole)
	}
	for _, columns := range []int{60, 70, 80, 100, 120} {
		text := tableIn(columns)
		for line := range strings.Lines(text) {
			if n := Width(strings.TrimSuffix(line, "\n")); n > columns {
				t.Errorf("%d columns of %d: %q", n, columns, line)
			}
		}
		if cut := strings.Contains(text, "…"); cut != (columns < 80) {
			t.Errorf("in %d columns, a name is cut: %v\n%s", columns, cut, text)
		}
		joined := strings.Join(strings.Fields(text), " ")
		for _, want := range []string{"size=1000", "KEEP: CPU/op -20.0 %", "1.000 µs 800.0 ns -20.0 % -30.0 to -10.0 p 0.002,", "160.0 B 0 B -100.0 %"} {
			if !strings.Contains(joined, want) {
				t.Errorf("no %q in %d columns:\n%s", want, columns, text)
			}
		}
	}
}

// If the last cells do not fit beside the others, they are written below them.
func TestLastCellsBelow(t *testing.T) {
	s := Screen{Columns: 30}
	s.RightTable([][]string{{"", "base", "  proof"}, {"BenchmarkLong", "", "  KEEP: it is faster"}, {"CPU", "1 µs", "  significant, 10 rounds"}})
	if want := "                 base\n    proof\n  BenchmarkLong\n    KEEP: it is faster\n            CPU  1 µs\n    significant, 10 rounds\n"; s.String() != want {
		t.Errorf("it is\n%s\nwant\n%s", s.String(), want)
	}
}

// If the remaining width suffices, last cells that are written below the others are indented to the
// end of the first column.
func TestLastCellsAfterTheFirst(t *testing.T) {
	s := Screen{Columns: 40}
	s.RightTable([][]string{{"", "base", "head", "  proof"}, {"Parse", "", "", "  KEEP: it is faster"}, {"CPU", "1.000 µs", "1.000 ns", "  significant, 10 rounds"}})
	if want := "             base      head\n         proof\n  Parse  KEEP: it is faster\n    CPU  1.000 µs  1.000 ns\n         significant, 10 rounds\n"; s.String() != want {
		t.Errorf("it is\n%s\nwant\n%s", s.String(), want)
	}
}
