package remedies_test

import (
	"bytes"
	"errors"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"
	"golang.org/x/tools/txtar"

	"github.com/coppice-go/coppice/cmd/internal/flatgen"
	"github.com/coppice-go/coppice/cmd/internal/remedy"
	"github.com/coppice-go/coppice/cmd/internal/remedy/change"
	"github.com/coppice-go/coppice/cmd/internal/remedy/remedies"
	"github.com/coppice-go/coppice/cmd/internal/rewrite"
	"github.com/coppice-go/coppice/cmd/internal/site"
)

// run tests the draft of a remedy on an archive, whose first line names the type. The folder want/
// contains the files that the draft must create. Its file todo lists the steps that remain for the
// user, and its file error contains the error, if one is expected. run writes the created files,
// generates code from the schema for the remedy flat, adds the files in late/, and runs the tests
// of the module.
func run(t *testing.T, r *remedy.Remedy, name string) {
	archive, err := txtar.ParseFile(file(name))
	if err != nil {
		t.Fatal(err)
	}
	root, err := filepath.Abs(repository)
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	put := func(name string, data []byte) {
		file := filepath.Join(folder, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o777), os.WriteFile(file, bytes.ReplaceAll(data, []byte("REPOSITORY"), []byte(root)), 0o666)); err != nil {
			t.Fatal(err)
		}
	}
	sums, err := os.ReadFile(filepath.Join(root, "go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	put("go.sum", sums)
	for _, f := range archive.Files {
		if !strings.HasPrefix(f.Name, "want/") && !strings.HasPrefix(f.Name, "late/") {
			put(f.Name, f.Data)
		}
	}
	typ, _, _ := strings.Cut(string(archive.Comment), "\n")
	got := draftFiles(t, folder, typ, r)
	for file, text := range got {
		if file != "todo" && file != "error" {
			put(file, []byte(text))
		}
	}
	if got["error"] == "" {
		if r.Name == "flat" {
			if err := flatgen.Generate(flatgen.Options{Dir: folder, Patterns: []string{"./" + strings.ToLower(typ) + "tree"}}); err != nil {
				t.Error(err)
			}
		}
		for _, f := range archive.Files {
			if late, ok := strings.CutPrefix(f.Name, "late/"); ok {
				put(late, f.Data)
			}
		}
		cmd := exec.Command("go", "test", "-mod=mod", "-vet=all", "./...")
		cmd.Dir, cmd.Env = folder, append(os.Environ(), "GOWORK=off")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%v\n%s", err, out)
		}
	}
	compare(t, name, archive, got)
}

// draftFiles returns the files that the draft creates and, as "todo", the steps that remain. If the
// draft fails, made returns only the error, as "error".
func draftFiles(t *testing.T, folder, typ string, by *remedy.Remedy) map[string]string {
	t.Helper()
	config := &packages.Config{Mode: rewrite.Mode | packages.NeedModule, Dir: folder, Env: append(os.Environ(), "GOWORK=off"), BuildFlags: []string{"-mod=mod"}}
	loaded, err := packages.Load(config, ".")
	if err != nil {
		t.Fatal(err)
	}
	r := &change.Request{Package: loaded[0], Language: "go" + loaded[0].Module.GoVersion, Library: true, Sites: []*site.Site{{Facts: site.Facts{Type: typ}}}}
	files, todo, err := by.Draft(r)
	if err != nil {
		return map[string]string{"error": err.Error() + "\n"}
	}
	got := map[string]string{"todo": strings.Join(todo, "\n") + "\n"}
	for file, data := range files {
		short, err := filepath.Rel(folder, file)
		if err != nil {
			t.Fatal(err)
		}
		got[filepath.ToSlash(short)] = string(data)
	}
	return got
}

func compare(t *testing.T, name string, archive *txtar.Archive, got map[string]string) {
	t.Helper()
	want := map[string]string{}
	for _, f := range archive.Files {
		if file, ok := strings.CutPrefix(f.Name, "want/"); ok {
			want[file] = string(f.Data)
		}
	}
	if *update {
		archive.Files = slices.DeleteFunc(archive.Files, func(f txtar.File) bool { return strings.HasPrefix(f.Name, "want/") })
		for _, file := range slices.Sorted(maps.Keys(got)) {
			archive.Files = append(archive.Files, txtar.File{Name: "want/" + file, Data: []byte(got[file])})
		}
		if err := os.WriteFile(file(name), txtar.Format(archive), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	if !maps.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestDraft(t *testing.T) {
	for _, r := range remedies.All() {
		if r.Draft == nil {
			continue
		}
		for _, name := range archives(t, folderOf(r.Name)) {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				run(t, r, name)
			})
		}
	}
}

// TestDraftInOldLanguage verifies that a draft compiles in a module with an old language version
// that does not require the library yet.
func TestDraftInOldLanguage(t *testing.T) {
	folder := t.TempDir()
	put := func(name, text string) {
		file := filepath.Join(folder, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o777), os.WriteFile(file, []byte(text), 0o666)); err != nil {
			t.Fatal(err)
		}
	}
	put("go.mod", "module example.org/m\n\ngo 1.13\n")
	put("m.go", "package m\n\ntype Node struct {\n\tNext, Down *Node\n\tText       string\n}\n")
	for name, text := range draftFiles(t, folder, "Node", remedies.Of("flat")) {
		put(name, text)
	}
	cmd := exec.Command("go", "build", "./...")
	cmd.Dir, cmd.Env = folder, append(os.Environ(), "GOWORK=off")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
