package folder

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/coppice-go/coppice/cmd/internal/find"
	"github.com/coppice-go/coppice/cmd/internal/fix"
)

const before, after = "package a\n\nvar a = 1\n", "package a\n\nvar a = 2\n"

// module writes a module with one file, and returns a result that changes this file.
func module(t *testing.T) (dir string, r *fix.Result) {
	t.Helper()
	dir = t.TempDir()
	for name, text := range map[string]string{"go.mod": "module example.org/a\n\ngo 1.24\n", "a.go": before} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("GOWORK", "off")
	sum, err := fix.FileSum(filepath.Join(dir, "a.go"))
	if err != nil {
		t.Fatal(err)
	}
	const diff = "diff --git a/a.go b/a.go\n--- a/a.go\n+++ b/a.go\n@@ -1,3 +1,3 @@\n package a\n \n-var a = 1\n+var a = 2\n"
	created := "diff --git a/b.go b/b.go\nnew file mode 100644\n--- /dev/null\n+++ b/b.go\n@@ -0,0 +1 @@\n+package a\n"
	return dir, &fix.Result{
		Schema: fix.Schema, Target: find.Target{Package: "example.org/a", Name: "BenchmarkA"}, Diff: diff + created, Before: map[string]string{"a.go": sum, "b.go": ""},
		Steps: []*fix.Step{
			{Number: 1, Title: "presize", State: fix.Kept, Patch: "1-presize.patch", Diff: diff},
			{Number: 2, Title: "slab", State: fix.Dropped, Patch: "2-slab.patch", Diff: diff},
			{Number: 3, Title: "scratch", State: fix.Dropped, Patch: "3-scratch.patch"},
			{Title: "store", State: fix.Begun, Patch: "store.patch", Diff: created},
		},
	}
}

// names returns the names of the files in a folder.
func names(t *testing.T, dir string) string {
	t.Helper()
	var all []string
	err := filepath.WalkDir(dir, func(path string, entry os.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			rel, _ := filepath.Rel(dir, path)
			all = append(all, filepath.ToSlash(rel))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(all, " ")
}

func TestSaveAndApply(t *testing.T) {
	dir, r := module(t)
	out := filepath.Join(dir, "out")
	if _, err := Apply(t.Context(), out, dir); err == nil || !strings.Contains(err.Error(), "no patches in") {
		t.Errorf("without a folder: %v", err)
	}
	if err := Save(out, r); err != nil {
		t.Fatal(err)
	}
	if got, want := names(t, out), ".coppice-fix .gitignore 1-presize.patch all.patch begun/store.patch fix.json not-kept/2-slab.patch report.md"; got != want {
		t.Errorf("the folder has %s, want %s", got, want)
	}
	changed, err := Apply(t.Context(), out, dir)
	if err != nil || strings.Join(changed, " ") != "a.go b.go" {
		t.Errorf("changed are %v, %v", changed, err)
	}
	if got, err := os.ReadFile(filepath.Join(dir, "a.go")); string(got) != after {
		t.Errorf("a.go is %q, %v", got, err)
	}
	if _, err := Apply(t.Context(), out, dir); err == nil || !strings.Contains(err.Error(), "a.go has changed since the patches were made, or they are applied already") {
		t.Errorf("the second time: %v", err)
	}
	// Save replaces an earlier result.
	r.Steps, r.Diff, r.Before = nil, "", nil
	if err := Save(out, r); err != nil {
		t.Fatal(err)
	}
	if got, want := names(t, out), ".coppice-fix .gitignore fix.json report.md"; got != want {
		t.Errorf("the folder has %s, want %s", got, want)
	}
	if _, err := Apply(t.Context(), out, dir); err == nil || !strings.Contains(err.Error(), "nothing was kept") {
		t.Errorf("nothing to apply: %v", err)
	}
}

// TestApplyAllOrNothing verifies that no file is changed if one of them has been modified.
func TestApplyAllOrNothing(t *testing.T) {
	dir, r := module(t)
	out := filepath.Join(dir, "out")
	if err := Save(out, r); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "b.go"), []byte("package a\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := Apply(t.Context(), out, dir); err == nil || !strings.Contains(err.Error(), "b.go has changed") {
		t.Error(err)
	}
	if got, err := os.ReadFile(filepath.Join(dir, "a.go")); string(got) != before {
		t.Errorf("a.go is %q, %v", got, err)
	}
	if err := os.WriteFile(filepath.Join(out, "fix.json"), []byte("{"), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := Apply(t.Context(), out, dir); err == nil || !strings.Contains(err.Error(), "create the patches again") {
		t.Error(err)
	}
}

func TestCheck(t *testing.T) {
	dir, r := module(t)
	if err := Check(dir); err == nil || !strings.Contains(err.Error(), "contains other files") {
		t.Error(err)
	}
	if err := Save(dir, r); err == nil {
		t.Error("a folder with other files was taken")
	}
	if err := Check(filepath.Join(dir, "go.mod")); err == nil {
		t.Error("a file was taken for a folder")
	}
	if err := Check(t.TempDir()); err != nil {
		t.Error(err)
	}
	above := filepath.Join(t.TempDir(), "a")
	if err := Check(filepath.Join(above, "b")); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(above); err == nil {
		t.Error("a check has made a folder")
	}
}

// put writes a file that belongs to the user.
func put(t *testing.T, dir, name, text string) {
	t.Helper()
	file := filepath.Join(dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

// contents returns the names and contents of the files in a folder.
func contents(t *testing.T, dir string) string {
	t.Helper()
	var all strings.Builder
	for _, name := range strings.Fields(names(t, dir)) {
		text, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(name)))
		if err != nil {
			t.Fatal(err)
		}
		all.WriteString(name + ": " + string(text) + "\n")
	}
	return all.String()
}

// TestForeignFolders verifies that a folder is left unchanged if it has a fix.json but no mark of
// ours. Another program may have created it, or an older version.
func TestForeignFolders(t *testing.T) {
	_, r := module(t)
	for name, text := range map[string]string{"of an older version": `{"schema": 1}`, "of another program": "[]"} {
		t.Run(name, func(t *testing.T) {
			out := t.TempDir()
			for _, file := range []string{"mine.patch", "begun/mine.txt", "not-kept/mine.txt", ".gitignore", "report.md"} {
				put(t, out, file, "mine")
			}
			put(t, out, "fix.json", text)
			before := contents(t, out)
			for what, err := range map[string]error{"Check": Check(out), "Save": Save(out, r)} {
				if err == nil || !strings.Contains(err.Error(), "delete the folder, or name another one with -out") || strings.Contains(err.Error(), "\n") {
					t.Errorf("%s: %v", what, err)
				}
			}
			if after := contents(t, out); after != before {
				t.Errorf("the folder has\n%s\nand had\n%s", after, before)
			}
		})
	}
}

// TestForeignFiles verifies that the user's files in our folder are preserved. A new result
// replaces only files that an earlier result has written.
func TestForeignFiles(t *testing.T) {
	_, r := module(t)
	out := filepath.Join(t.TempDir(), "out")
	if err := Save(out, r); err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{"mine.patch", "begun/mine.txt", "not-kept/sub/mine.txt", "notes"} {
		put(t, out, file, "mine")
	}
	if err := os.Remove(filepath.Join(out, "1-presize.patch")); err != nil {
		t.Fatal(err)
	}
	if err := Check(out); err != nil {
		t.Error(err)
	}
	r.Steps, r.Diff, r.Before = nil, "", nil
	if err := Save(out, r); err != nil {
		t.Fatal(err)
	}
	if got, want := names(t, out), ".coppice-fix .gitignore begun/mine.txt fix.json mine.patch not-kept/sub/mine.txt notes report.md"; got != want {
		t.Errorf("the folder has %s, want %s", got, want)
	}
}

// TestChangedFilesAreKept verifies that Save does not overwrite files that the user has changed or
// created.
func TestChangedFilesAreKept(t *testing.T) {
	for file, want := range map[string]string{
		"1-presize.patch": "has changed since coppice fix wrote it",
		".gitignore":      "has changed since coppice fix wrote it",
		"9-later.patch":   "is not a file that coppice fix wrote",
	} {
		_, r := module(t)
		out := filepath.Join(t.TempDir(), "out")
		if err := Save(out, r); err != nil {
			t.Fatal(err)
		}
		put(t, out, file, "mine")
		before := contents(t, out)
		r.Steps = append(r.Steps, &fix.Step{Number: 9, Title: "later", State: fix.Kept, Patch: "9-later.patch", Diff: "later"})
		err := Save(out, r)
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v", file, err)
		}
		if after := contents(t, out); after != before {
			t.Errorf("%s: the folder has\n%s\nand had\n%s", file, after, before)
		}
	}
}

// TestMarkStaysInside verifies that a mark is rejected if it names files outside its folder, and
// that Save does not follow a link out of the folder.
func TestMarkStaysInside(t *testing.T) {
	_, r := module(t)
	parent := t.TempDir()
	out, others := filepath.Join(parent, "out"), filepath.Join(parent, "others")
	if err := Save(out, r); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(filepath.Join(out, "not-kept"), others); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(others, filepath.Join(out, "not-kept")); err != nil {
		t.Skip(err)
	}
	before := contents(t, others)
	if err := Save(out, r); err == nil {
		t.Error("a result went through a link")
	}
	if after := contents(t, others); after != before {
		t.Errorf("the other folder has\n%s", after)
	}
	put(t, out, ".coppice-fix", `{"schema": 1, "files": {"../others/2-slab.patch": ["x"]}}`)
	if err := Check(out); err == nil || !strings.Contains(err.Error(), "delete the folder, or name another one with -out") {
		t.Error(err)
	}
}

// TestInterruptedSave interrupts Save at each step, and verifies that the next Save replaces the
// incomplete result, including files that were only partly written.
func TestInterruptedSave(t *testing.T) {
	_, r := module(t)
	for step := 0; ; step++ {
		out := filepath.Join(t.TempDir(), "out")
		if err := Save(out, r); err != nil {
			t.Fatal(err)
		}
		later := *r
		later.Steps = []*fix.Step{{Number: 1, Title: "slab", State: fix.Kept, Patch: "1-slab.patch", Diff: "later"}}
		steps := 0
		stop := func() error {
			if steps++; steps > step {
				return os.ErrProcessDone
			}
			return nil
		}
		err := save(out, &later, stop)
		if e := Save(out, r); e != nil {
			t.Fatalf("stopped at step %d: %v", step, e)
		}
		if got, want := names(t, out), ".coppice-fix .gitignore 1-presize.patch all.patch begun/store.patch fix.json not-kept/2-slab.patch report.md"; got != want {
			t.Errorf("stopped at step %d: the folder has %s, want %s", step, got, want)
		}
		if err == nil {
			return
		}
	}
}
