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

// module writes a module with one file, and returns a result that changes it.
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

// names are the files of a folder.
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
	if _, err := Apply(t.Context(), out, dir); err == nil || !strings.Contains(err.Error(), "there are no patches in") {
		t.Errorf("without a folder: %v", err)
	}
	if err := Save(out, r); err != nil {
		t.Fatal(err)
	}
	if got, want := names(t, out), ".gitignore 1-presize.patch all.patch begun/store.patch fix.json not-kept/2-slab.patch report.md"; got != want {
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
	// What is saved replaces what was there.
	r.Steps, r.Diff, r.Before = nil, "", nil
	if err := Save(out, r); err != nil {
		t.Fatal(err)
	}
	if got, want := names(t, out), ".gitignore fix.json report.md"; got != want {
		t.Errorf("the folder has %s, want %s", got, want)
	}
	if _, err := Apply(t.Context(), out, dir); err == nil || !strings.Contains(err.Error(), "nothing was kept") {
		t.Errorf("nothing to apply: %v", err)
	}
}

// Nothing changes if one file is not as it was.
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
	if _, err := Apply(t.Context(), out, dir); err == nil || !strings.Contains(err.Error(), "make the patches again") {
		t.Error(err)
	}
}

func TestCheck(t *testing.T) {
	dir, r := module(t)
	if err := Check(dir); err == nil || !strings.Contains(err.Error(), "has other files") {
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
}
