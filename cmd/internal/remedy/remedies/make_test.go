package remedies_test

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"golang.org/x/tools/go/packages"
	"golang.org/x/tools/txtar"

	"github.com/coppice-go/coppice/cmd/internal/facts"
	"github.com/coppice-go/coppice/cmd/internal/remedy/change"
	"github.com/coppice-go/coppice/cmd/internal/remedy/remedies"
	"github.com/coppice-go/coppice/cmd/internal/rewrite"
	"github.com/coppice-go/coppice/cmd/internal/site"
	"github.com/coppice-go/coppice/internal/chunkrule"
	"github.com/coppice-go/coppice/internal/testkit/testsize"
)

var update = flag.Bool("update", false, "write what the makers do into testdata")

var marker = regexp.MustCompile(`//site:(\w+)(?: (\S+)\.(\w+))?( twice)?$`)

// repository is the root folder of the library. Archives refer to it as REPOSITORY in go.mod.
const repository = "../../../.."

// sizes lists the chunk sizes in the format in which a change writes them. Archives refer to this
// list as SIZES.
var sizes = strings.ReplaceAll(strings.Trim(fmt.Sprint(chunkrule.Sizes), "[]"), " ", ", ")

// A testcase is an archive in the testdata of a remedy. Its files form a module. A line that ends
// in "//site:NAME" is a site of the proposal, and the sites are in the order of the lines. If a
// function of the standard library allocates there, its name follows, as in "//site:NAME
// bytes.ReplaceAll". The word "twice" at the end means that the call allocates at two positions in
// the library. The folder want/ contains each changed file under its own name, and a file report
// with the report of the change. If the change is refused, it contains only a file error with the
// reason. The tests of the module must pass before and after the change.
type testcase struct {
	archive *txtar.Archive
	folder  string
	request change.Request
	witness map[string][]byte // the files in witness form, or nil if it does not differ
}

// file returns the path of a test case. For example, slab/simple is in slab/testdata.
func file(name string) string {
	remedy, name, _ := strings.Cut(name, "/")
	return filepath.Join(folder, remedy, "testdata", filepath.FromSlash(name)+".txtar")
}

func open(t *testing.T, name string) *testcase {
	t.Helper()
	archive, err := txtar.ParseFile(file(name))
	if err != nil {
		t.Fatal(err)
	}
	c := &testcase{archive: archive, folder: t.TempDir()}
	for _, f := range archive.Files {
		if strings.HasPrefix(f.Name, "want/") {
			continue
		}
		file := filepath.Join(c.folder, f.Name)
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		data := bytes.ReplaceAll(f.Data, []byte("SIZES"), []byte(sizes))
		if f.Name == "go.mod" {
			root, err := filepath.Abs(repository)
			if err != nil {
				t.Fatal(err)
			}
			data = bytes.ReplaceAll(data, []byte("REPOSITORY"), []byte(root))
		}
		if err := os.WriteFile(file, data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	env := append(os.Environ(), "GOWORK=off")
	loaded, err := packages.Load(&packages.Config{Mode: rewrite.Mode | packages.NeedModule, Dir: c.folder, Env: env}, ".")
	if err != nil {
		t.Fatal(err)
	}
	c.request = change.Request{Package: loaded[0], Language: "go" + loaded[0].Module.GoVersion, Library: bytes.Contains(archive.Comment, []byte("library"))}
	for _, r := range remedies.All() {
		if strings.HasPrefix(name, folderOf(r.Name)+"/") {
			c.request.Make, c.request.Guard = r.Make, r.Guard
		}
	}
	c.request.Around = sync.OnceValues(func() (*change.World, error) { return change.Look(t.Context(), c.folder, env, loaded[0]) })
	c.request.Sites = c.sites()
	if _, err := facts.Fill(context.Background(), facts.Options{Dir: c.folder, Env: env}, c.request.Sites); err != nil {
		t.Fatal(err)
	}
	for _, s := range c.request.Sites { // slices grow to 8 elements, and 1000 strings have 8 values
		if s.Facts.Kind == site.ToString && s.ID != "distinct" {
			s.Facts.Values = &site.Values{Looked: 1000, Distinct: 8}
		}
		for n := s.Facts.Size; s.Facts.Kind == site.Append && n <= 8*s.Facts.Size && n > 0; n *= 2 {
			s.Sizes = append(s.Sizes, site.Size{Bytes: n, Objects: 1000})
		}
	}
	return c
}

// sites returns the sites that the markers denote. Each allocates a thousand objects per operation.
func (c *testcase) sites() (all []*site.Site) {
	pkg := c.request.Package
	for _, file := range pkg.Syntax {
		name := pkg.Fset.File(file.FileStart).Name()
		data, _ := os.ReadFile(name)
		function := ""
		number := 0
		for text := range strings.Lines(string(data)) {
			number++
			if m := regexp.MustCompile(`^func (?:\(\w+ (\*?)(\w+)\) )?(\w+)`).FindStringSubmatch(text); m != nil {
				function = m[3]
				if m[2] != "" && m[1] != "" {
					function = "(*" + m[2] + ")." + m[3]
				} else if m[2] != "" {
					function = m[2] + "." + m[3]
				}
			}
			if m := marker.FindStringSubmatch(strings.TrimRight(text, "\n")); m != nil {
				s := &site.Site{ID: m[1], Place: site.Place{Package: pkg.PkgPath, Function: function, File: name, Line: number}}
				if m[2] != "" {
					s.Leaf = &site.Place{Package: m[2], Function: m[3]}
				}
				s.Objects, s.ObjectsPart, s.BytesPart, s.Malloc = 1000, 0.1, 0.1, 0.1
				if s.ID == "itself" { // the owner itself, which is allocated once
					s.Objects = 1
				}
				all = append(all, s)
				if m[4] != "" {
					again := *s
					again.ID += "Again"
					all = append(all, &again)
				}
			}
		}
	}
	return all
}

// results applies the change. It returns the changed files and the report, or the error.
func (c *testcase) results(t *testing.T) map[string]string {
	made, err := c.request.Alone()
	if err != nil {
		return map[string]string{"error": strings.ReplaceAll(err.Error(), c.folder+string(filepath.Separator), "") + "\n"}
	}
	files, err := made.Edits.Apply()
	if err != nil {
		t.Fatal(err)
	}
	if made.Edits.HasWitness() {
		if c.witness, err = made.Edits.Witness().Apply(); err != nil {
			t.Fatal(err)
		}
	}
	all := map[string]string{}
	for name, data := range files {
		short, err := filepath.Rel(c.folder, name)
		if err != nil {
			t.Fatal(err)
		}
		all[filepath.ToSlash(short)] = string(data)
		if err := os.WriteFile(name, data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	report := ""
	for _, line := range made.Done {
		report += "done " + line + "\n"
	}
	for _, line := range made.Left {
		report += "left " + line + "\n"
	}
	for _, line := range made.Price {
		report += "price " + line + "\n"
	}
	all["report"] = report + "about " + made.About + "\nundo " + made.Undo + "\n"
	return all
}

// passes fails the test unless the tests of the module pass.
func (c *testcase) passes(t *testing.T, when string) {
	t.Helper()
	// The flag -trimpath keeps the name of the temporary folder out of the build, so that the go
	// command can use its cache.
	cmd := exec.Command("go", "test", "-trimpath", "-vet=all", "./...")
	cmd.Dir, cmd.Env = c.folder, append(os.Environ(), "GOWORK=off")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s the change: %v\n%s", when, err, out)
	}
}

// watched runs the tests of the witness form. Because the change is correct, the witness must not
// report anything.
func (c *testcase) watched(t *testing.T) {
	t.Helper()
	for name, data := range c.witness {
		if err := os.WriteFile(name, data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	record := filepath.Join(t.TempDir(), "record")
	cmd := exec.Command("go", "test", "-trimpath", "-count=1", "-vet=off", "./...")
	cmd.Dir, cmd.Env = c.folder, append(os.Environ(), "GOWORK=off", "COPPICE_WITNESS="+record)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("in the witness form: %v\n%s", err, out)
	}
	if said, err := os.ReadFile(record); err == nil {
		t.Errorf("the witness says\n%s", said)
	}
}

// archives returns the names of the test cases of a remedy.
func archives(t *testing.T, of string) (names []string) {
	t.Helper()
	files, err := filepath.Glob(file(of + "/*"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%s has no testdata: %v", of, err)
	}
	for _, f := range files {
		names = append(names, of+"/"+strings.TrimSuffix(filepath.Base(f), ".txtar"))
	}
	return names
}

func TestMake(t *testing.T) {
	var names []string
	for _, r := range remedies.All() {
		if r.Make != nil {
			names = append(names, archives(t, folderOf(r.Name))...)
		}
	}
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := open(t, name)
			if testsize.Full() {
				c.passes(t, "before")
			}
			got := c.results(t)
			if got["error"] == "" {
				c.passes(t, "after")
			}
			if testsize.Full() && c.witness != nil {
				c.watched(t)
			}
			for file, text := range got {
				got[file] = strings.ReplaceAll(text, "{"+sizes+"}", "{SIZES}")
			}
			if *update {
				c.archive.Files = slices.DeleteFunc(c.archive.Files, func(f txtar.File) bool { return strings.HasPrefix(f.Name, "want/") })
				for _, file := range slices.Sorted(maps.Keys(got)) {
					c.archive.Files = append(c.archive.Files, txtar.File{Name: "want/" + file, Data: []byte(got[file])})
				}
				if err := os.WriteFile(file(name), txtar.Format(c.archive), 0o666); err != nil {
					t.Fatal(err)
				}
				return
			}
			want := map[string]string{}
			for _, f := range c.archive.Files {
				if file, ok := strings.CutPrefix(f.Name, "want/"); ok {
					want[file] = string(f.Data)
				}
			}
			if !maps.Equal(got, want) {
				t.Error(differences(got, want))
			}
		})
	}
}

func differences(got, want map[string]string) string {
	all := maps.Clone(got)
	maps.Copy(all, want)
	text := ""
	for _, file := range slices.Sorted(maps.Keys(all)) {
		if got[file] != want[file] {
			text += fmt.Sprintf("%s is\n%s\nwant\n%s\n", file, got[file], want[file])
		}
	}
	return text
}
