package vetrun_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/coppice-go/coppice/cmd/internal/vetrun"
)

func TestFix(t *testing.T) {
	name := filepath.Join(t.TempDir(), "a.go")
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(name, []byte(text), 0o640); err != nil {
			t.Fatal(err)
		}
	}
	finding := func(edits ...vetrun.Edit) vetrun.Finding { return vetrun.Finding{Rule: "r", Fix: edits} }
	edit := func(start, end int, text string) vetrun.Edit {
		return vetrun.Edit{File: name, Start: start, End: end, New: text}
	}
	const before = "package a\n\nvar x, y = 1, 2\n"

	for what, c := range map[string]struct {
		findings []vetrun.Finding
		left     int
		want     string
	}{
		"none":           {nil, 0, before},
		"without a fix":  {[]vetrun.Finding{finding()}, 1, before},
		"two":            {[]vetrun.Finding{finding(edit(22, 23, "10")), finding(edit(25, 26, "20"))}, 0, "package a\n\nvar x, y = 10, 20\n"},
		"the same twice": {[]vetrun.Finding{finding(edit(22, 23, "10")), finding(edit(22, 23, "10"), edit(25, 26, "20"))}, 0, "package a\n\nvar x, y = 10, 20\n"},
		"one of two that meet": {[]vetrun.Finding{finding(edit(22, 23, "10")), finding(edit(21, 24, " 11,"), edit(25, 26, "20"))}, 1,
			"package a\n\nvar x, y = 10, 2\n"},
		"formatted": {[]vetrun.Finding{finding(edit(22, 23, "1  +  1"))}, 0, "package a\n\nvar x, y = 1 + 1, 2\n"},
	} {
		write(before)
		left, err := vetrun.Fix(c.findings)
		got, _ := os.ReadFile(name)
		if err != nil || len(left) != c.left || string(got) != c.want {
			t.Errorf("%s: %v, %d left, %q; want %d, %q", what, err, len(left), got, c.left, c.want)
		}
	}

	write("package a\r\n\r\nvar x, y = 1, 2\r\n")
	_, err := vetrun.Fix([]vetrun.Finding{finding(edit(24, 25, "10")), finding(edit(30, 30, "\nvar z = `a\nb`\n"))})
	if got, _ := os.ReadFile(name); err != nil || string(got) != "package a\r\n\r\nvar x, y = 10, 2\r\n\r\nvar z = `a\r\nb`\r\n" {
		t.Errorf("%v: lines that end with CRLF became %q", err, got)
	}

	write(before)
	if _, err := vetrun.Fix([]vetrun.Finding{finding(edit(0, 7, "pack age"))}); err == nil {
		t.Error("a fix that breaks the file is no error")
	}
	if got, _ := os.ReadFile(name); string(got) != before {
		t.Errorf("the file is changed, though it would not parse: %q", got)
	}
	if info, err := os.Stat(name); err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("the mode of the file is %v", info.Mode())
	}
}
