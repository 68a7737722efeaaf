package facts

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/coppice-go/coppice/cmd/internal/site"
)

// sourceLine returns a file of an imported package and the number of the first line that contains
// text.
func sourceLine(t *testing.T, path, file, text string) (name string, number int) {
	t.Helper()
	out, err := exec.Command("go", "list", "-f", "{{.Dir}}", path).Output()
	if err != nil {
		t.Fatal(err)
	}
	name = filepath.Join(strings.TrimSpace(string(out)), file)
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	before, _, ok := bytes.Cut(data, []byte(text))
	if !ok {
		t.Fatalf("%s has no %s", name, text)
	}
	return name, bytes.Count(before, []byte("\n")) + 1
}

// TestPackagesOutsideModule verifies that Fill finds facts about packages outside the main module:
// in the module cache and in the standard library.
func TestPackagesOutsideModule(t *testing.T) {
	file, line := sourceLine(t, "golang.org/x/tools/txtar", "archive.go", "a := new(Archive)")
	cached := &site.Site{Place: site.Place{Package: "golang.org/x/tools/txtar", Function: "Parse", File: file, Line: line}}
	file, line = sourceLine(t, "bufio", "bufio.go", "return &Writer{")
	standard := &site.Site{Place: site.Place{Package: "bufio", Function: "NewWriterSize", File: file, Line: line}}
	missing := &site.Site{Place: site.Place{Package: "example.com/nowhere", Function: "F", File: "nowhere.go", Line: 3}}
	nameless := &site.Site{Place: site.Place{File: "/lib/libc.so"}}
	warnings, err := Fill(context.Background(), Options{}, []*site.Site{cached, standard, missing, nameless})
	if err != nil {
		t.Fatal(err)
	}
	if f := cached.Facts; f.Kind != site.New || f.Type != "Archive" || !f.Result || len(f.Escapes) == 0 {
		t.Errorf("in the module cache: %+v", f)
	}
	if f := standard.Facts; f.Kind != site.Literal || f.Type != "Writer" || len(f.Escapes) == 0 {
		t.Errorf("in the standard library: %+v", f)
	}
	if why := missing.Facts.NoSource; !strings.HasPrefix(why, "example.com/nowhere cannot be loaded: ") || missing.ID == "" {
		t.Errorf("a package that is not there: %q, ID %q", why, missing.ID)
	}
	if len(warnings) != 2 || !strings.HasPrefix(warnings[0], "no facts about a site: ") || strings.Contains(strings.Join(warnings, ""), "\n") {
		t.Errorf("warnings are %q", warnings)
	}
	left := unknown([]*site.Site{missing, nameless}, func(path string) bool { return path == missing.Package })
	if len(left) != 1 || strings.Contains(left[0], "nowhere") {
		t.Errorf("without the standard library the warnings are %q", left)
	}
}

// TestEdit verifies that IDs do not change if the source is edited elsewhere, even if the edit adds
// an expression of the same kind and type in another function.
func TestEdit(t *testing.T) {
	const before, edited = `package p

type T struct{ n int }

func New() []*T {
	return []*T{
		{1},
		{2},
	}
}
`, `package p

// T is a comment that was not there.
type T struct{ n int }

func Other() *T { return &T{3} }

func New() []*T {

	return []*T{
		{1},

		{2},
	}
}
`
	ids := func(source string, lines ...int) (ids []string) {
		dir := t.TempDir()
		for name, text := range map[string]string{"go.mod": "module example.com/p\n\ngo 1.26\n", "p.go": source} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		var sites []*site.Site
		sites = slices.Grow(sites, len(lines))
		for _, line := range lines {
			s := &site.Site{Place: site.Place{Package: "example.com/p", Function: "New", File: "p.go", Line: line}, Cost: site.Cost{Objects: 1, Bytes: 16}}
			if sites = append(sites, s); line == 0 {
				s.Line = 1
			}
		}
		if _, err := Fill(context.Background(), Options{Dir: dir}, sites); err != nil {
			t.Fatal(err)
		}
		for _, s := range sites {
			ids = append(ids, s.ID)
		}
		return ids
	}
	old, now := ids(before, 6, 7, 8), ids(edited, 10, 11, 13)
	if strings.Join(old, " ") != strings.Join(now, " ") {
		t.Errorf("IDs were %q and are %q after an edit elsewhere", old, now)
	}
	if old[0] == old[1] || old[1] == old[2] {
		t.Errorf("sites share an ID: %q", old)
	}
	if alone := ids(before, 8); alone[0] != old[2] {
		t.Errorf("the ID is %s without the other sites, and %s with them", alone[0], old[2])
	}
	if twice := ids(before, 8, 8); twice[0] == twice[1] {
		t.Errorf("two sites of an expression share the ID %s", twice[0])
	}
}

// TestChangedSource verifies the warnings for a profile whose program has changed since.
func TestChangedSource(t *testing.T) {
	dir := extract(t, "testdata/kinds.txt")
	s := &site.Site{Place: site.Place{Package: "example.com/kinds", Function: "goroutines", File: "kinds.go", Line: 40}}
	gone := &site.Site{Place: site.Place{Package: "example.com/kinds", Function: "goroutines", File: "gone.go", Line: 40}}
	warnings, err := Fill(context.Background(), Options{Dir: dir}, []*site.Site{s, gone})
	if err != nil {
		t.Fatal(err)
	}
	if len(warnings) != 2 || !strings.Contains(warnings[0], "1 of 1 sites of example.com/kinds are not in the functions that the profile names, such as goroutines in kinds.go:40; check out") {
		t.Errorf("warnings are %q", warnings)
	}
	if !strings.HasPrefix(gone.Facts.NoSource, "example.com/kinds has no file gone.go; check out") {
		t.Errorf("of a file that is not there: %q", gone.Facts.NoSource)
	}
}

// TestTwoPrograms verifies that a site is assigned to the file that it names if two programs have
// files of the same name. If the name is too short to be unique, the site gets no source.
func TestTwoPrograms(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return name
	}
	const source = "package main\n\nvar kept any\n\nfunc main() { kept = new(TYPE) }\n"
	write("go.mod", "module example.com/two\n\ngo 1.26\n")
	write("a/main.go", strings.Replace(source, "TYPE", "int32", 1))
	second := write("b/main.go", strings.Replace(source, "TYPE", "int64", 1))
	var sites []*site.Site
	sites = slices.Grow(sites, 3)
	for _, file := range []string{second, "example.com/two/b/main.go", "main.go"} {
		sites = append(sites, &site.Site{Place: site.Place{Package: "main", Function: "main", File: file, Line: 5}})
	}
	if _, err := Fill(context.Background(), Options{Dir: dir, Patterns: []string{"./..."}}, sites); err != nil {
		t.Fatal(err)
	}
	for _, s := range sites[:2] {
		if f := s.Facts; f.Type != "int64" || f.Expr.File != second {
			t.Errorf("%s: %+v", s.File, f)
		}
	}
	if why := sites[2].Facts.NoSource; why != "example.com/two/a and example.com/two/b both have a file main.go; name the program's package" {
		t.Errorf("of a short name: %q", why)
	}
}

func TestErrors(t *testing.T) {
	sites := []*site.Site{{Place: site.Place{Package: "bytes", File: "bytes.go", Line: 1}}}
	for name, o := range map[string]struct {
		Options
		want string
	}{
		"no go command": {Options{Go: "no-such-go"}, "no-such-go command not found; install Go, or set PATH"},
		"no folder":     {Options{Dir: filepath.Join(t.TempDir(), "none")}, "none: no such file"},
		"bad flag":      {Options{Flags: []string{"-no-such-flag"}}, "-no-such-flag"},
	} {
		_, err := Fill(context.Background(), o.Options, sites)
		if err == nil || !strings.Contains(err.Error(), o.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: the error is %v; want one line with %q", name, err, o.want)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Fill(ctx, Options{}, sites); err != context.Canceled {
		t.Errorf("after a cancel the error is %v", err)
	}
	if warnings, err := Fill(context.Background(), Options{Go: "no-such-go"}, nil); warnings != nil || err != nil {
		t.Errorf("without sites: %v, %v", warnings, err)
	}
}

func TestBase(t *testing.T) {
	for function, want := range map[string]struct {
		name  string
		depth int
	}{
		"Parse":                          {"Parse", 0},
		"(*parser).next":                 {"(*parser).next", 0},
		"Parse.func1":                    {"Parse", 1},
		"(*T).run.func2.1":               {"(*T).run", 2},
		"run.gowrap1":                    {"run", 0},
		"run.func3.deferwrap2":           {"run", 1},
		"each-range1":                    {"each", 0},
		"T.Method-fm":                    {"T.Method", 0},
		"glob..func4":                    {"init", 1},
		"init.func1":                     {"init", 1},
		"(*List[...]).Add":               {"(*List).Add", 0},
		"gen[go.shape.struct { X int }]": {"gen", 0},
		"gen[...].func1":                 {"gen", 1},
	} {
		if name, depth := base(function); name != want.name || depth != want.depth {
			t.Errorf("%s is %s, %d deep; want %s, %d", function, name, depth, want.name, want.depth)
		}
	}
}

// TestAllocated compares allocated with the runtime's table of size classes.
func TestAllocated(t *testing.T) {
	for _, c := range []struct {
		size     int64
		pointers bool
		want     int64
	}{{0, false, 0}, {8, false, 16}, {8, true, 8}, {24, true, 24}, {104, true, 112}, {512, true, 512}, {520, true, 576}, {512, false, 512}, {800, false, 896}} {
		if got := allocated(c.size, c.pointers); got != c.want {
			t.Errorf("a value of %d bytes, pointers %t, takes %d; want %d", c.size, c.pointers, got, c.want)
		}
	}
}
