package flatbegin_test

import (
	"bytes"
	"errors"
	"flag"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/coppice-go/coppice/cmd/internal/flatbegin"
)

var update = flag.Bool("update", false, "write what is begun into testdata")

const repository = "../../.."

// unpack writes the module in an archive to a temporary folder. It omits the expected files.
func unpack(t *testing.T, archive *txtar.Archive) (folder string) {
	t.Helper()
	root, err := filepath.Abs(repository)
	if err != nil {
		t.Fatal(err)
	}
	sums, err := os.ReadFile(filepath.Join(root, "cmd", "go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	folder = t.TempDir()
	t.Setenv("GOWORK", "off")
	t.Setenv("GOFLAGS", "-mod=mod")
	for _, f := range append(slices.Clone(archive.Files), txtar.File{Name: "go.sum", Data: sums}) {
		name := filepath.Join(folder, filepath.FromSlash(f.Name))
		data := bytes.ReplaceAll(f.Data, []byte("REPOSITORY"), []byte(filepath.ToSlash(root)))
		if strings.HasPrefix(f.Name, "want/") {
			continue
		}
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o777), os.WriteFile(name, data, 0o666)); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

// begun returns the files that Begin has written for people, that is, all except the generated
// package pageflat.
func begun(t *testing.T, folder string) map[string]string {
	t.Helper()
	got := map[string]string{}
	err := fs.WalkDir(os.DirFS(folder), "page", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.Contains(path, "pageflat/") {
			return err
		}
		data, err := os.ReadFile(filepath.Join(folder, filepath.FromSlash(path)))
		got["want/"+path] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// TestBegin compares the files generated for a small module with the expected ones. The script
// flatbegin of cmd/coppice runs such files.
func TestBegin(t *testing.T) {
	name := filepath.Join("testdata", "page.txtar")
	archive, err := txtar.ParseFile(name)
	if err != nil {
		t.Fatal(err)
	}
	folder := unpack(t, archive)
	o := flatbegin.Options{Dir: folder, Package: ".", Type: "Page", Link: []string{"Page.Named", "Element.For"}, Leave: []string{"Page.Cache"},
		Bits: []string{"Element.At=12"}, Readers: []string{"./..."}}
	var said bytes.Buffer
	if err := flatbegin.Begin(o, &said); err != nil {
		t.Fatal(err)
	}
	got := begun(t, folder)
	got["want/said"] = filepath.ToSlash(said.String())
	want := map[string]string{}
	for _, f := range archive.Files {
		if strings.HasPrefix(f.Name, "want/") {
			want[f.Name] = string(f.Data)
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
		return
	}
	for _, file := range slices.Sorted(maps.Keys(got)) {
		if got[file] != want[file] {
			t.Errorf("%s is\n%s\nwant\n%s", file, got[file], want[file])
		}
	}
	if len(got) != len(want) {
		t.Errorf("%d files, want %d", len(got), len(want))
	}
}

// Invalid options are reported before any file is written.
func TestRefused(t *testing.T) {
	archive, err := txtar.ParseFile(filepath.Join("testdata", "page.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	folder := unpack(t, archive)
	for want, o := range map[string]flatbegin.Options{
		"invalid -type kind: it is not exported":                    {Type: "kind"},
		"invalid -type None: must be a type of":                     {Type: "None"},
		"invalid -out a-b: must end in a valid name":                {Type: "Page", Out: "a-b"},
		"invalid -link Page.None: must be a field of":               {Type: "Page", Link: []string{"Page.None"}},
		"invalid -bits Element.At=0: must be Type.Field=N":          {Type: "Page", Bits: []string{"Element.At=0"}},
		"invalid -bits Element.For: must be an integer":             {Type: "Page", Bits: []string{"Element.For=3"}},
		"invalid -profile: open ":                                   {Type: "Page", Profile: "none"},
		"invalid -out page.go: must end in a valid name":            {Type: "Page", Out: "page.go"},
		"invalid -out .: must end in a valid name of a Go package":  {Type: "Page", Out: "."},
		"invalid -out ../page: must be a folder of the module that": {Type: "Page", Out: "../page"},
	} {
		o.Dir, o.Package, o.Readers = folder, ".", []string{"./..."}
		err := flatbegin.Begin(o, &bytes.Buffer{})
		if err == nil || !strings.HasPrefix(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%+v: %v, want %s", o, err, want)
		}
	}
	if _, err := os.Stat(filepath.Join(folder, "page")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a folder was made: %v", err)
	}
}
