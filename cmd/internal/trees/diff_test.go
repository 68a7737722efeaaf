package trees

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestDiff verifies that applying a diff yields the new contents, and that the line numbers in it
// are correct.
func TestDiff(t *testing.T) {
	files := someFiles()
	diff := roundTrip(t, files)
	if !strings.Contains(diff, "@@ -27,7 +29,7 @@") || strings.Contains(diff, "same.go") || !strings.Contains(diff, "diff --git a/new.go b/new.go\nnew file mode 100644\n") {
		t.Errorf("the diff is\n%s", diff)
	}
}

// TestDiffBinary verifies that new and changed binary files are preserved exactly.
func TestDiffBinary(t *testing.T) {
	files := someFiles()
	every := make([]byte, 256)
	for i := range every {
		every[i] = byte(i)
	}
	files["default.pgo"] = File{After: []byte(strings.Repeat(string(every)+"\r\n", 40)), New: true}
	files["old.pgo"] = File{Before: every, After: every[1:]}
	roundTrip(t, files)
}

// someFiles returns changes of text files.
func someFiles() map[string]File {
	lines := func(n int) string {
		var all strings.Builder
		for i := range n {
			all.WriteString(strings.Repeat("x", i+1) + "\n")
		}
		return all.String()
	}
	old := lines(60)
	changed := "new\n\n" + strings.NewReplacer("\n"+strings.Repeat("x", 3)+"\n", "\nthree\n", "\n"+strings.Repeat("x", 30)+"\n", "\nthirty\n").Replace(old)
	return map[string]File{
		"a b/é.go":   {Before: []byte(old), After: []byte(changed)},
		"new.go":     {After: []byte("package a\r\n"), New: true},
		"same.go":    {Before: []byte("same"), After: []byte("same")},
		"no line.go": {Before: []byte("a"), After: []byte("b")},
	}
}

// roundTrip creates a diff, applies it to the original files, and compares the results.
func roundTrip(t *testing.T, files map[string]File) string {
	t.Helper()
	diff, err := Diff(t.Context(), t.TempDir(), files)
	if err != nil {
		t.Fatal(err)
	}
	root := t.TempDir()
	for name, f := range files {
		file := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if !f.New {
			if err := os.WriteFile(file, f.Before, 0o666); err != nil {
				t.Fatal(err)
			}
		}
	}
	patch := filepath.Join(t.TempDir(), "p")
	if err := os.WriteFile(patch, []byte(diff), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := Apply(t.Context(), Tree{Root: root, Dir: root}, patch); err != nil {
		t.Fatal(err)
	}
	for name, f := range files {
		if got, err := os.ReadFile(filepath.Join(root, name)); string(got) != string(f.After) {
			t.Errorf("%s is %q, %v", name, got, err)
		}
	}
	return diff
}
