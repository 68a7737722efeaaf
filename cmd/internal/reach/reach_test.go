package reach

import (
	"context"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"golang.org/x/tools/go/packages"
	"golang.org/x/tools/txtar"
)

// folder has the module of testdata/cases.txtar.
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
	names, err := packages.Load(&packages.Config{Mode: Names, Dir: folder, Env: env, Tests: true}, "./...")
	if err != nil {
		return nil, err
	}
	return load(context.Background(), folder, env, names, []string{"./..."}) // which Load does with some of them
})

// expected finds what a package says of itself: // confined, // out: TEXT, // nil: TYPE.
var expected = regexp.MustCompile(`(?m)^// (confined|out: (.+))$`)

// Each package of the archive has a struct named owner, and says whether it is confined, or what the way out is.
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

// marked is a line of package nils with something that the function's o, its receiver or parameter, is asked about.
var marked = regexp.MustCompile(`// (not nil|may be nil)$`)

func TestNotNil(t *testing.T) {
	m, err := module()
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(folder, "nils", "a.go")
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, name, data, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	number, asked := 0, 0
	for line := range strings.Lines(string(data)) {
		number++
		want := marked.FindStringSubmatch(strings.TrimRight(line, "\n"))
		if want == nil {
			continue
		}
		asked++
		f := fset.File(file.FileStart)
		from := f.LineStart(number)
		to := from + token.Pos(len(line)-1)
		parameter := parameterAt(file, from)
		at := func(pos token.Pos) token.Position { return fset.PositionFor(pos, false) }
		if got := m.NotNil(at(parameter), at(from), at(to)); got != (want[1] == "not nil") {
			t.Errorf("a.go:%d: not nil is %v: %s", number, got, line)
		}
	}
	if asked < 15 {
		t.Errorf("only %d lines are marked", asked)
	}
}

// parameterAt is where the name o is declared in the function around a position.
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
		"finalized": "runtime.SetFinalizer at a.go:20", "cleaned": "runtime.AddCleanup", "weakly": "weak.Make", "cast": "cast by unsafe.Pointer",
		"counted": "sync/atomic.AddInt64", "inner": "runtime.SetFinalizer", "outer": "runtime.SetFinalizer", "leads": "runtime.SetFinalizer", "free": "",
	} {
		if got := m.Pinned(declared.Lookup(name).Type()); (got == "") != (want == "") || !strings.Contains(got, want) {
			t.Errorf("%s: %q, want %q", name, got, want)
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

// scope has the declarations of a package of the module.
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
		"asked": "a.go:13 (cap)", "kept": "a.go:16 (append)", "own": "", "fresh": "", "parameter": "a.go:36 (append)", "field": "a.go:46 (append)" /* the module imports unsafe */, "shared": "a.go:47 (append)",
		"handed": "a.go:55 (append)", "late": "a.go:59 (append)", "ranged": "a.go:65 (append)",
	} {
		got := m.Rooms(types.NewSlice(scope(t, m, "example.com/m/rooms").Lookup(name).Type()))
		text := ""
		if len(got) > 0 {
			text = got[0].String()
		}
		if text != want {
			t.Errorf("[]%s: %q, want %q", name, text, want)
		}
	}
}

// A package of the module that does not import the one that makes a list may get it from one that does.
func TestRoomsBeside(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":          "module example.com/m\n\ngo 1.26\n",
		"made/made.go":    "package made\n\ntype box struct{ all []string }\n\nfunc (b *box) add() { b.all = append(b.all, \"\") }\n\nfunc List() []int { return []int{1} }\n",
		"asks/asks.go":    "package asks\n\nimport \"example.com/m/deeper\"\n\nfunc With(x []int) []int { return deeper.With(x) }\n",
		"deeper/with.go":  "package deeper\n\nfunc With(x []int) []int {\n\tx = append(x, 1)\n\treturn x\n}\n",
		"alone/alone.go":  "package alone\n\nfunc With(x []string) []string { return append(x, \"\") }\n",
		"program/main.go": "package main\n\nimport (\n\t\"example.com/m/asks\"\n\t\"example.com/m/made\"\n)\n\nfunc main() { asks.With(made.List()) }\n",
	} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	m, err := Load(t.Context(), dir, append(os.Environ(), "GOWORK=off"), "example.com/m/made")
	if err != nil {
		t.Fatal(err)
	}
	if got := m.Rooms(types.NewSlice(types.Typ[types.Int])); len(got) != 1 || got[0].String() != "with.go:4 (append)" {
		t.Errorf("the rooms of []int are %v", got)
	}
	if got := m.Rooms(types.NewSlice(types.Typ[types.String])); len(got) != 0 { // no program has alone and made, and the field has only lists of its own
		t.Errorf("the rooms of []string are %v", got)
	}
}

func TestDeclares(t *testing.T) {
	m, err := module()
	if err != nil {
		t.Fatal(err)
	}
	if got := m.Declares("WriteString"); got != "a.go:71" {
		t.Errorf("WriteString is declared at %q", got)
	}
	if got := m.Declares("ReadString"); got != "" {
		t.Errorf("ReadString is declared at %q", got)
	}
	if got := m.Recovers(); got != "a.go:73" {
		t.Errorf("recover is at %q", got)
	}
	if got := m.Embeds(filepath.Join(folder, "rooms")); got != "example.com/m/rooms" {
		t.Errorf("%q embeds Go files of rooms", got)
	}
	if got := m.Embeds(filepath.Join(folder, "local")); got != "" {
		t.Errorf("%q embeds Go files of local", got)
	}
}
