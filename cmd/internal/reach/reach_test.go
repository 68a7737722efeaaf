package reach

import (
	"context"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"golang.org/x/tools/go/packages"
	"golang.org/x/tools/txtar"

	"github.com/coppice-go/coppice/cmd/internal/reach/typekey"
)

// folder is the folder with the module in testdata/cases.txtar.
var folder string

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	var err error
	if folder, err = os.MkdirTemp("", "coppice-reach-"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(folder)
	if folder, err = filepath.EvalSymlinks(folder); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return m.Run()
}

// module loads all packages of the module, once.
var module = sync.OnceValues(func() (*Module, error) {
	archive, err := txtar.ParseFile("testdata/cases.txtar")
	if err != nil {
		return nil, err
	}
	for _, f := range archive.Files {
		name := filepath.Join(folder, f.Name)
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			return nil, err
		}
		if err := os.WriteFile(name, f.Data, 0o666); err != nil {
			return nil, err
		}
	}
	env := append(os.Environ(), "GOWORK=off")
	return Load(context.Background(), folder, env, "example.com/m/nils", nil)
})

// expected matches the comment of a package that contains the expected result, which is either
// confined or out: and a substring of the description.
var expected = regexp.MustCompile(`(?m)^// (confined|out: (.+))$`)

// TestConfined verifies whether the struct owner in each package is confined and, if not, where it
// escapes. A comment in the package contains the expected result.
func TestConfined(t *testing.T) {
	m, err := module()
	if err != nil {
		t.Fatal(err)
	}
	archive, err := txtar.ParseFile("testdata/cases.txtar")
	if err != nil {
		t.Fatal(err)
	}
	cases := 0
	for _, f := range archive.Files {
		want := expected.FindStringSubmatch(string(f.Data))
		if want == nil {
			continue
		}
		cases++
		path := "example.com/m/" + strings.TrimSuffix(filepath.ToSlash(filepath.Dir(f.Name)), "/")
		got := m.Confined(path, "owner")
		if want[1] == "confined" && got != "" || want[1] != "confined" && (got == "" || !strings.Contains(got, want[2])) {
			t.Errorf("%s: %q, want %s", path, got, want[1])
		}
	}
	if cases < 40 {
		t.Errorf("only %d packages say what is right", cases)
	}
}

// mayBeNil matches comments in package nils, which tell whether the parameter or receiver o may be
// nil in that line. goes matches comments in package given, which tell whether the enclosing
// function literals escape, and where.
var (
	mayBeNil = regexp.MustCompile(`// (not nil|may be nil)$`)
	goes     = regexp.MustCompile(`// (stays|goes: .+)$`)
)

func TestNotNil(t *testing.T) {
	asked := eachLine(t, "nils", mayBeNil, func(m *Module, o, from, to token.Position, line, want string) {
		if got := m.NotNil(o, from, to); got != (want == "not nil") {
			t.Errorf("a.go:%d: not nil is %v: %s", from.Line, got, line)
		}
	})
	if asked < 15 {
		t.Errorf("only %d lines are marked", asked)
	}
}

func TestCaptured(t *testing.T) {
	asked := eachLine(t, "given", goes, func(m *Module, o, from, _ token.Position, line, want string) {
		from.Offset += len(line) - len(strings.TrimLeft(line, "\t"))
		want, leaves := strings.CutPrefix(want, "goes: ")
		if got := m.Captured(o, from); leaves != (got != "") || leaves && !strings.Contains(got, want) {
			t.Errorf("a.go:%d: %q, want %s", from.Line, got, want)
		}
	})
	if asked < 10 {
		t.Errorf("only %d lines are marked", asked)
	}
}

// eachLine calls ask for each marked line of a package. o is the declaration of the enclosing
// function's parameter o, and from and to are the beginning and the end of the line.
func eachLine(t *testing.T, pkg string, mark *regexp.Regexp, ask func(m *Module, o, from, to token.Position, line, want string)) (asked int) {
	t.Helper()
	m, err := module()
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(folder, pkg, "a.go")
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, name, data, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	number := 0
	for line := range strings.Lines(string(data)) {
		number++
		want := mark.FindStringSubmatch(strings.TrimRight(line, "\n"))
		if want == nil {
			continue
		}
		asked++
		from := fset.File(file.FileStart).LineStart(number)
		at := func(pos token.Pos) token.Position { return fset.PositionFor(pos, false) }
		ask(m, at(parameterAt(file, from)), at(from), at(from+token.Pos(len(line)-1)), line, want[1])
	}
	return asked
}

// parameterAt returns the position at which the function that encloses pos declares the parameter
// o.
func parameterAt(file *ast.File, pos token.Pos) token.Pos {
	for _, d := range file.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if !ok || pos < fn.Pos() || pos > fn.End() {
			continue
		}
		for _, list := range []*ast.FieldList{fn.Recv, fn.Type.Params} {
			if list == nil {
				continue
			}
			for _, field := range list.List {
				for _, name := range field.Names {
					if name.Name == "o" {
						return name.Pos()
					}
				}
			}
		}
	}
	return token.NoPos
}

func TestPinned(t *testing.T) {
	m, err := module()
	if err != nil {
		t.Fatal(err)
	}
	declared := scope(t, m, "example.com/m/pins")
	for name, want := range map[string]string{
		"finalized": "runtime.SetFinalizer at a.go:21", "cleaned": "runtime.AddCleanup", "weakly": "weak.Make", "cast": "cast by unsafe.Pointer",
		"counted": "a.go:26 has 64-bit atomic operations", "even": "", "inner": "runtime.SetFinalizer", "outer": "runtime.SetFinalizer", "leads": "runtime.SetFinalizer", "free": "",
	} {
		if got := m.Pinned(declared.Lookup(name).Type()); (got == "") != (want == "") || !strings.Contains(got, want) {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

// TestPinnedByTypeParameter verifies that a conversion from or to a type parameter does not by
// itself pin a type.
func TestPinnedByTypeParameter(t *testing.T) {
	m, err := module()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"pinparam", "pinpassed"} {
		if got := m.PinnedItself(scope(t, m, "example.com/m/"+name).Lookup("node").Type()); got != "" {
			t.Errorf("%s.node is pinned: %s", name, got)
		}
	}
}

func TestLinked(t *testing.T) {
	m, err := module()
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"plain": "", "assembled": "a_amd64.s:2", "pushed": "a.go:9", "pulled": "a.go:5", "declared": "a_amd64.s:1"} {
		if got := m.Linked("example.com/m/linked", name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

// scope returns the package-level declarations of a package in the module.
func scope(t *testing.T, m *Module, path string) *types.Scope {
	t.Helper()
	i := slices.IndexFunc(m.loaded, func(p *packages.Package) bool { return p.PkgPath == path })
	if i < 0 {
		t.Fatalf("there is no package %s", path)
	}
	return m.loaded[i].Types.Scope()
}

func TestRooms(t *testing.T) {
	m, err := module()
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"asked": "a.go:8 (cap)", "kept": "a.go:11 (append)", "own": "", "fresh": "", "parameter": "a.go:31 (append)", "field": "a.go:41 (append)" /* the module imports unsafe */, "shared": "a.go:42 (append)",
		"handed": "a.go:50 (append)", "late": "a.go:54 (append)", "ranged": "a.go:60 (append)",
	} {
		got := m.Rooms("example.com/m/rooms", types.NewSlice(scope(t, m, "example.com/m/rooms").Lookup(name).Type()))
		text := ""
		if len(got) > 0 {
			text = got[0].String()
		}
		if text != want {
			t.Errorf("[]%s: %q, want %q", name, text, want)
		}
	}
}

// TestRoomsBeside verifies that rooms are found in a package that does not import the one that
// creates the slice. A third package may pass it the slice.
func TestRoomsBeside(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":          "module example.com/m\n\ngo 1.26\n",
		"made/made.go":    "package made\n\ntype box struct{ all []string }\n\nfunc (b *box) add() { b.all = append(b.all, \"\") }\n\nfunc List() []int { return []int{1} }\n",
		"asks/asks.go":    "package asks\n\nimport \"example.com/m/deeper\"\n\nfunc With(x []int) []int { return deeper.With(x) }\n",
		"deeper/with.go":  "package deeper\n\nfunc With(x []int) []int {\n\tx = append(x, 1)\n\treturn x\n}\n",
		"program/main.go": "package main\n\nimport (\n\t\"example.com/m/asks\"\n\t\"example.com/m/made\"\n)\n\nfunc main() { asks.With(made.List()) }\n",
	} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	m, err := Load(t.Context(), dir, append(os.Environ(), "GOWORK=off"), "example.com/m/made", nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := m.Rooms("example.com/m/made", types.NewSlice(types.Typ[types.Int])); len(got) != 1 || got[0].String() != "with.go:4 (append)" {
		t.Errorf("the rooms of []int are %v", got)
	}
	if got := m.Rooms("example.com/m/made", types.NewSlice(types.Typ[types.String])); len(got) != 0 { // only slices of its own are stored in the field
		t.Errorf("the rooms of []string are %v", got)
	}
}

// TestBroken verifies that a package that does not compile yields a room with the compiler's error
// for the slices that it may receive. Slices of packages that it does not import are not affected.
func TestBroken(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":        "module example.com/m\n\ngo 1.26\n",
		"made/made.go":  "package made\n\nfunc List() []int { return []int{1} }\n",
		"other/list.go": "package other\n\nfunc List() []string { return nil }\n",
		"program/main.go": "package main\n\nimport \"example.com/m/made\"\n\nfunc main() {\n\tx, y := unknown(), made.List()\n" +
			"\tprintln(len(x.all), cap(x), len(append(x, y...)))\n\tfor range x.all {\n\t}\n\tx.all = append(x.all, y)\n\tx.read(&y)\n}\n",
	} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	m, err := Load(t.Context(), dir, append(os.Environ(), "GOWORK=off"), "example.com/m/made", nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := m.Rooms("example.com/m/made", types.NewSlice(types.Typ[types.Int])); len(got) != 1 || !strings.Contains(got[0].String(), "undefined: unknown") {
		t.Errorf("the rooms of lists that a broken program gets are %v", got)
	}
	if got := m.Rooms("example.com/m/other", types.NewSlice(types.Typ[types.String])); len(got) != 0 {
		t.Errorf("the rooms of lists that the broken program does not get are %v", got)
	}
}

func TestWatched(t *testing.T) {
	for source, want := range map[string]string{
		"package a\n\nimport \"runtime\"\n\nvar n = runtime.NumCPU()\n":                     "",
		"package a\n\nimport \"runtime\"\n\nvar f = runtime.Caller\n":                       "a.go:5",
		"package a\n\nimport . `runtime`\n\nvar f = FuncForPC\n":                            "a.go:5",
		"package a\n\nimport \"runtime/debug\"\n\nfunc f() { debug.PrintStack() }\n":        "a.go:5",
		"package a\n\ntype Stack []int\n":                                                   "",
		"package a\n\nimport \"runtime\"\n\nfunc f() { runtime.MemProfile(nil, true) }\n":   "a.go:5",
		"package a\n\nimport \"log/slog\"\n\nfunc f() { slog.Info(\"\") }\n":                "a.go:3",
		"package a\n\nimport (\n\t\"log\"\n)\n\nfunc f() { log.Output(3, \"\") }\n":         "a.go:7",
		"package a\n\nimport \"log\"\n\nfunc f() {\n\tcmd.Output()\n\tlog.Output(\n3, s)\n": "a.go:7",
		"package a\n\nimport \"log\"\n\nfunc f() { cmd.Output() }\n":                        "",
	} {
		name := filepath.Join(t.TempDir(), "a.go")
		if err := os.WriteFile(name, []byte(source), 0o666); err != nil {
			t.Fatal(err)
		}
		m := &Module{files: []file{{"a", name}}}
		if got := m.Watched(); got != want {
			t.Errorf("%q, want %q in\n%s", got, want, source)
		}
	}
}

// TestUnlisted verifies that a package that the go command does not list is loaded if a package or
// a test imports it.
func TestUnlisted(t *testing.T) {
	folder := t.TempDir()
	writeModule(t, folder, map[string]string{
		"go.mod": "module example.com/m\n\ngo 1.26\n", "a/a.go": "package a\n\nimport _ \"example.com/m/testdata/plain\"\n",
		"a/a_test.go": "package a_test\n\nimport _ \"example.com/m/_tested\"\n", "_tested/a.go": "package tested\n\nimport _ \"example.com/m/a\"\n",
		"testdata/plain/a.go": "package plain\n", "testdata/alone/a.go": "package alone\n",
	})
	m, err := Load(t.Context(), folder, append(os.Environ(), "GOWORK=off"), "example.com/m/a", nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := slices.Sorted(maps.Keys(m.own)); !slices.Equal(got, []string{"example.com/m/_tested", "example.com/m/a", "example.com/m/a_test", "example.com/m/testdata/plain"}) {
		t.Error(got)
	}
}

// writeModule writes the files of a module.
func writeModule(t *testing.T, folder string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		name = filepath.Join(folder, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// TestRoomsBroken verifies that a package that does not compile, and therefore belongs to no
// program, prevents a change only if it may reach the owner or its package.
func TestRoomsBroken(t *testing.T) {
	folder := t.TempDir()
	writeModule(t, folder, map[string]string{
		"go.mod": "module example.com/m\n\ngo 1.26\n", "a/a.go": "package a\n\ntype owner struct{ at int }\n", "b/b.go": "package b\n\ntype owner struct{ at int }\n",
		"alone/a.go": "package alone\n\nvar x int = \"\"\n", "uses/a.go": "package uses\n\nimport _ \"example.com/m/b\"\n\nvar x int = \"\"\n",
	})
	m, err := Load(t.Context(), folder, append(os.Environ(), "GOWORK=off"), "example.com/m/a", nil)
	if err != nil {
		t.Fatal(err)
	}
	if why := m.Confined("example.com/m/a", "owner"); why != "" {
		t.Errorf("a: %q", why)
	}
	if why := m.Confined("example.com/m/b", "owner"); !strings.Contains(why, "not all code that may reach owner is known: example.com/m/uses") {
		t.Errorf("b: %q", why)
	}
}

func TestTypeKey(t *testing.T) {
	m, err := module()
	if err != nil {
		t.Fatal(err)
	}
	declared := scope(t, m, "example.com/m/texts")
	same := func(a, b string) bool {
		return typekey.Of(declared.Lookup(a).Type()) == typekey.Of(declared.Lookup(b).Type())
	}
	for _, name := range declared.Names() {
		first, second := strings.TrimSuffix(name, "2"), name
		if first != second && !same(first, second) {
			t.Errorf("%s is %s, and %s is %s", first, typekey.Of(declared.Lookup(first).Type()), second, typekey.Of(declared.Lookup(second).Type()))
		}
	}
	if same("list", "map_") {
		t.Error("a list and a map have one text")
	}
}
