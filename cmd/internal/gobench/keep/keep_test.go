package keep_test

import (
	"go/format"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/coppice-go/coppice/cmd/internal/gobench/keep"
)

// rewritten extracts the module in a txtar archive to a folder and rewrites its benchmarks.
func rewritten(t *testing.T, name string) (archive *txtar.Archive, dir string, changed keep.Changed) {
	t.Helper()
	archive, err := txtar.ParseFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	dir = t.TempDir()
	for _, f := range archive.Files {
		if err := os.WriteFile(filepath.Join(dir, f.Name), f.Data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	changed, err = keep.Rewrite(t.Context(), dir, append(os.Environ(), "GOWORK=off"), nil, ".")
	if err != nil {
		t.Fatal(err)
	}
	return archive, dir, changed
}

// TestForms compares the rewritten benchmarks with the last file of the archive. If COPPICE_UPDATE
// is set, it updates that file for review.
func TestForms(t *testing.T) {
	archive, dir, changed := rewritten(t, "forms.txtar")
	got, err := format.Source(changed.Files[filepath.Join(dir, "forms_test.go")])
	if err != nil {
		t.Fatal(err)
	}
	want := &archive.Files[len(archive.Files)-1]
	if os.Getenv("COPPICE_UPDATE") != "" {
		want.Data = got
		if err := os.WriteFile("testdata/forms.txtar", txtar.Format(archive), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if string(got) != string(want.Data) {
		t.Errorf("got\n%s", got)
	}
	names := map[string]bool{}
	for _, s := range changed.Sites {
		if names[s.Name] {
			t.Errorf("two sites have the name %q", s.Name)
		}
		names[s.Name] = true
		if s.Line == 0 || !strings.HasSuffix(s.File, "forms_test.go") {
			t.Errorf("site %+v has no place", s)
		}
	}
}

func TestBenchmarksHavePlaces(t *testing.T) {
	_, dir, _ := rewritten(t, "forms.txtar")
	found, err := keep.Benchmarks(dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(found) != 5 || found[0].Name != "BenchmarkDropped" || found[0].Line != 10 || found[0].File != filepath.Join(dir, "forms_test.go") {
		t.Errorf("%+v", found)
	}
}
