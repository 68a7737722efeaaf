package report

import (
	"strings"
	"testing"

	"github.com/coppice-go/coppice/cmd/internal/render/termtext"
)

// TestWideLetters verifies that columns are aligned and lines are wrapped by display width, for
// letters that are wide or combined.
func TestWideLetters(t *testing.T) {
	rows := [][]string{{"CONTENDER", "RANK", "X"}, {"树", "1", "a"}, {"e\u0301toile", "2", "b"}, {"👩‍👩‍👧 family", "3", "c"}, {"ascii", "4", "d"}}
	var out strings.Builder
	Grid(&out, 0, rows)
	for i, line := range strings.Split(strings.TrimSpace(out.String()), "\n") {
		before, _, found := strings.Cut(line, rows[i][1]+strings.Repeat(" ", 6-len(rows[i][1]))+rows[i][2])
		if !found || termtext.Width(before) != 11 {
			t.Errorf("the second column of %q begins at %d, want 11", line, termtext.Width(before))
		}
	}
	out.Reset()
	Wrap(&out, 12, "一二三 四五六 七八九 ten")
	if want := "一二三\n  四五六\n  七八九 ten\n"; out.String() != want {
		t.Errorf("%q, want %q", out.String(), want)
	}
}
