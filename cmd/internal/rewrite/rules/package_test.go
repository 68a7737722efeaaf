package rules

import (
	"bytes"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"
	"golang.org/x/tools/txtar"

	"github.com/coppice-go/coppice/cmd/internal/rewrite"
)

var update = flag.Bool("update", false, "write what the rewriter does into testdata")

// unpack writes the files of an archive that are not wanted results to a new folder.
func unpack(t *testing.T, archive *txtar.Archive) string {
	t.Helper()
	folder := t.TempDir()
	for _, f := range archive.Files {
		if strings.HasPrefix(f.Name, "want/") {
			continue
		}
		name := filepath.Join(folder, f.Name)
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, f.Data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

// rewritten returns what becomes of the package in a folder: changed files, the report, or the
// error.
func rewritten(t *testing.T, folder string, form Form) map[string]string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(folder, "rules.toml"))
	if err != nil {
		t.Fatal(err)
	}
	rules, err := Parse("rules.toml", data)
	if err != nil {
		return map[string]string{"error": err.Error() + "\n"}
	}
	loaded, err := packages.Load(&packages.Config{Mode: rewrite.Mode, Dir: folder, Env: append(os.Environ(), "GOWORK=off")}, ".")
	if err != nil {
		t.Fatal(err)
	}
	result, err := Package(loaded[0], rules.Rules, form)
	if err != nil {
		return map[string]string{"error": strings.ReplaceAll(err.Error(), folder+string(filepath.Separator), "") + "\n"}
	}
	all := map[string]string{}
	for name, data := range result.Files {
		all[filepath.Base(name)] = string(data)
	}
	var report strings.Builder
	for _, c := range result.Counts {
		fmt.Fprintln(&report, c)
	}
	all["report"] = report.String()
	return all
}

// Each archive has a package, rules, and below want/FORM what becomes of it, or the error.
func TestPackage(t *testing.T) {
	names, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(names) == 0 {
		t.Fatal("no archives", err)
	}
	for _, name := range names {
		t.Run(filepath.Base(name), func(t *testing.T) {
			archive, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			folder := unpack(t, archive)
			forms := strings.Fields(strings.TrimPrefix(strings.SplitN(string(archive.Comment), "\n", 2)[0], "forms:"))
			got := map[string]string{}
			for _, form := range forms {
				for file, text := range rewritten(t, folder, Form(form)) {
					got["want/"+form+"/"+file] = text
				}
			}
			if *update {
				archive.Files = slices.DeleteFunc(archive.Files, func(f txtar.File) bool { return strings.HasPrefix(f.Name, "want/") })
				for _, file := range slices.Sorted(maps.Keys(got)) {
					archive.Files = append(archive.Files, txtar.File{Name: file, Data: []byte(got[file])})
				}
				if err := os.WriteFile(name, txtar.Format(archive), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			compare(t, archive, got)
		})
	}
}

func compare(t *testing.T, archive *txtar.Archive, got map[string]string) {
	t.Helper()
	want := map[string]string{}
	for _, f := range archive.Files {
		if strings.HasPrefix(f.Name, "want/") {
			want[f.Name] = string(f.Data)
		}
	}
	if len(want) == 0 {
		t.Error("the archive wants nothing; run go test -update")
	}
	for file := range maps.Keys(want) {
		if _, ok := got[file]; !ok {
			t.Errorf("there is no %s", file)
		}
	}
	for file, text := range got {
		if text != want[file] {
			t.Errorf("%s is\n%s\nwant\n%s", file, text, want[file])
		}
	}
}

// Programs do the same before and after, with the chunks that they take.
func TestChunksPreserveBehaviour(t *testing.T) {
	for _, name := range []string{"sites", "variables"} {
		t.Run(name, func(t *testing.T) {
			archive, err := txtar.ParseFile("testdata/" + name + ".txtar")
			if err != nil {
				t.Fatal(err)
			}
			folder := unpack(t, archive)
			before := output(t, folder)
			for name, text := range rewritten(t, folder, Chunk) {
				if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			if after := output(t, folder); !bytes.Equal(after, before) {
				t.Errorf("before\n%s\nafter\n%s", before, after)
			}
			if len(before) == 0 {
				t.Error("the program prints nothing")
			}
		})
	}
}

// output runs the program in a folder and returns what it prints.
func output(t *testing.T, folder string) []byte {
	t.Helper()
	cmd := exec.Command("go", "run", ".")
	cmd.Dir, cmd.Env = folder, append(os.Environ(), "GOWORK=off")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return out
}
