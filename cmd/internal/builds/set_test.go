package builds

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/types"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/go/packages"
)

// newModule writes the module example.com/m, which consists of the given files, to a temporary
// folder and returns the folder.
func newModule(t *testing.T, files map[string]string) string {
	t.Helper()
	folder := t.TempDir()
	write(t, filepath.Join(folder, "go.mod"), "module example.com/m\n\ngo 1.26\n")
	for name, text := range files {
		write(t, filepath.Join(folder, name), text)
	}
	return folder
}

func mustLoad(t *testing.T, folder string, packages ...string) *Set {
	t.Helper()
	s, err := Of(t.Context(), folder, plain(), packages...)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

const owner = "package m\n\ntype parser struct{ at int }\n\nfunc (p *parser) next() { p.at++ }\n"

// TestLoad verifies that Load returns the syntax and the types of the files of a configuration, so
// that an analysis finds a copy of an owner in a file that the current build ignores.
func TestLoad(t *testing.T) {
	folder := newModule(t, map[string]string{
		"parser.go":      owner,
		"parser_test.go": "package m\n\nvar test = 1\n",
		"spec_386.go":    "//go:build speculative\n\npackage m\n\nimport \"sync\"\n\nvar mu sync.Mutex\n\nfunc both(p *parser) { saved := *p; p.next(); *p = saved }\n",
		"use/use.go":     "package use\n\nimport \"example.com/m\"\n\nvar _ = m.Missing\n",
	})
	s := mustLoad(t, folder, "example.com/m")
	if len(s.Configs) != 1 || s.Configs[0].String() != "GOOS=linux GOARCH=386 CGO_ENABLED=0 -tags=speculative" {
		t.Fatalf("configurations are %v", s.Configs)
	}
	all, err := s.Load(t.Context(), s.Configs[0])
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	ids = slices.Grow(ids, len(all))
	for _, p := range all {
		ids = append(ids, p.ID)
		if bad := len(p.Errors) > 0; bad != (p.ID == "example.com/m/use") || p.IllTyped != bad {
			t.Errorf("errors of %s: %v", p.ID, p.Errors)
		}
		if p.Module == nil || p.TypesInfo == nil || len(p.Syntax) != len(p.GoFiles) || p.TypesSizes.Sizeof(types.Typ[types.Int]) != 4 {
			t.Errorf("%s is not complete", p.ID)
		}
	}
	slices.Sort(ids)
	if want := []string{"example.com/m", "example.com/m [example.com/m.test]", "example.com/m/use"}; !slices.Equal(ids, want) {
		t.Errorf("packages are %q, want %q", ids, want)
	}
	if n := copies(all, "parser"); n != 4 { // two in the package, and the same two in its test variant
		t.Errorf("%d copies", n)
	}
	if out := all[0].Imports["sync"]; out.Types.Scope().Lookup("Mutex") == nil || out.Syntax != nil || len(out.Errors) > 0 {
		t.Errorf("sync has %d files and errors %v", len(out.Syntax), out.Errors)
	}
	if here, err := s.Load(t.Context(), s.Present); err != nil || copies(here, "parser") != 0 {
		t.Errorf("the current build has %d copies, %v", copies(here, "parser"), err)
	}
}

// copies counts the expressions that read a value of the named type through a pointer.
func copies(all []*packages.Package, name string) (n int) {
	for _, p := range all {
		for _, file := range p.Syntax {
			ast.Inspect(file, func(node ast.Node) bool {
				if star, ok := node.(*ast.StarExpr); ok && p.TypesInfo.Types[star].IsValue() {
					if named, ok := p.TypesInfo.TypeOf(star).(*types.Named); ok && named.Obj().Name() == name {
						n++
					}
				}
				return true
			})
		}
	}
	return n
}

// TestReused verifies that a configuration is loaded only once before the edit, and that loading it
// after the edit reuses every package that the edit does not affect.
func TestReused(t *testing.T) {
	folder := newModule(t, map[string]string{
		"parser.go":  owner,
		"sub/sub.go": "package sub\n\nimport \"strings\"\n\nvar B strings.Builder\n",
		"mac.go":     "//go:build darwin\n\npackage m\n\nimport \"example.com/m/sub\"\n\nvar _ = &sub.B\n",
	})
	s := mustLoad(t, folder, "example.com/m")
	before, err := s.loadBefore(t.Context(), s.Configs[0])
	if err != nil {
		t.Fatal(err)
	}
	again, err := s.loadBefore(t.Context(), s.Configs[0])
	if err != nil || again != before {
		t.Errorf("it is loaded again, %v", err)
	}
	after, err := s.load(t.Context(), s.Configs[0], map[string][]byte{filepath.Join(s.module.root, "parser.go"): []byte(owner + "\nimport \"broken\"")}, before)
	if err != nil {
		t.Fatal(err)
	}
	for id, p := range after.byID {
		if reused := after.reused[p]; reused != (id != "example.com/m" && id != "unsafe" && id != "broken") {
			t.Errorf("%s is reused: %v", id, reused)
		}
	}
}

func TestMost(t *testing.T) {
	files := map[string]string{"parser.go": owner, "many.go": "//go:build (a1 && a2 && a3 && a4 && a5 && a6 && a7 && a8 && a9)\n\npackage m\n\nvar many parser\n"}
	for i := range Most + 3 {
		files[fmt.Sprintf("tag%d.go", i)] = fmt.Sprintf("//go:build tag%d\n\npackage m\n\nvar use%d parser\n", i, i)
	}
	s := mustLoad(t, newModule(t, files), "example.com/m")
	if len(s.Configs) != Most {
		t.Errorf("%d configurations", len(s.Configs))
	}
	why := map[string]int{}
	for _, f := range s.Left {
		why[f.Why]++
		if f.Syntax == nil {
			t.Errorf("%s has no syntax", f.Name)
		}
	}
	if why[""] != Most || why["its build constraint has too many tags to try them all"] != 1 || why["it would take more than 16 configurations"] != 3 {
		t.Errorf("reasons are %v", why)
	}
	if all, err := s.Unchecked(t.Context()); len(all) != 4 || err != nil {
		t.Errorf("%d files are unchecked, %v", len(all), err)
	}
}

// TestMostSource verifies that MostSource limits the number of configurations of a large module,
// that at least one configuration remains, and that the files of the omitted configurations are
// unchecked.
func TestMostSource(t *testing.T) {
	files := map[string]string{"parser.go": owner, "long.go": "package m\n\n// " + strings.Repeat("long ", 1000) + "\n"}
	for i := range 5 {
		files[fmt.Sprintf("tag%d.go", i)] = fmt.Sprintf("//go:build tag%d\n\npackage m\n\nvar use%d parser\n", i, i)
	}
	dir := newModule(t, files)
	defer func(old int64) { MostSource = old }(MostSource)
	for source, want := range map[int64]int{1: 1, 17_000: 3, 1 << 20: 5} {
		MostSource = source
		s := mustLoad(t, dir, "example.com/m")
		if len(s.Configs) != want {
			t.Errorf("%d bytes: %d configurations; want %d", source, len(s.Configs), want)
		}
		if all, err := s.Unchecked(t.Context()); len(all) != 5-want || err != nil {
			t.Errorf("%d bytes: %d files are unchecked, %v", source, len(all), err)
		}
	}
}

// TestMostBeside verifies that a file is unchecked if some of the package's files that an edit may
// change are never in the same configuration as the file, even though other configurations include
// it.
func TestMostBeside(t *testing.T) {
	files := map[string]string{"left_windows.go": "package m\n"}
	for i := range Most + 2 {
		files[fmt.Sprintf("beside%d.go", i)] = fmt.Sprintf("//go:build linux || tag%d\n\npackage m\n", i)
	}
	s := mustLoad(t, newModule(t, files), "example.com/m")
	if f := s.Left[0]; len(s.Left) != 1 || len(f.Configs) != Most || f.Why == "" {
		t.Errorf("%s has %d configurations, and the reason %q", f.Name, len(f.Configs), f.Why)
	}
	if all, err := s.Unchecked(t.Context()); len(all) != 1 || err != nil {
		t.Errorf("%d files are unchecked, %v", len(all), err)
	}
}

func TestExperiment(t *testing.T) {
	folder := newModule(t, map[string]string{
		"parser.go": owner,
		"new.go":    "//go:build goexperiment.never\n\npackage m\n",
		"old.go":    "//go:build !goexperiment.fieldtrack\n\npackage m\n",
	})
	s, err := Of(t.Context(), folder, append(plain(), "GOEXPERIMENT=fieldtrack"), "example.com/m")
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	all = slices.Grow(all, len(s.Configs))
	for _, c := range s.Configs {
		all = append(all, strings.TrimPrefix(c.String(), "GOOS=linux GOARCH=amd64 CGO_ENABLED=0 "))
	}
	if want := []string{"GOEXPERIMENT=never", "GOEXPERIMENT=nofieldtrack"}; !slices.Equal(slices.Sorted(slices.Values(all)), want) {
		t.Errorf("configurations are %q, want %q", all, want)
	}
	unknown, err := s.Check(t.Context(), nil, nil)
	if err != nil || len(unknown) != 1 || !strings.Contains(unknown[0].String(), "unknown GOEXPERIMENT never") {
		t.Errorf("not known: %v, %v", unknown, err)
	}
	if all, err := s.Unchecked(t.Context()); err != nil || len(all) != 1 || filepath.Base(all[0].Name) != "new.go" {
		t.Errorf("unchecked: %v, %v", all, err)
	}
}

// TestFilesMatchGoCommand verifies that a configuration includes the same files as go list, for
// names and constraints that are easy to misread.
func TestFilesMatchGoCommand(t *testing.T) {
	files := map[string]string{"m.go": "package m\n"}
	for i, name := range []string{
		"linux.go", "a_linux.go", "a_windows.go", "a_windows_arm64.go", "a_arm64_test.go", "a_linux_x.go", "a_linux.pb.go", "windows_amd64.go", "a_amd64_linux.go", "a_nacl.go",
		"a_unix.go", "a_cgo.go", "_a.go", ".a.go", "a_js_wasm.go", "a_android.go", "a_windows_test_test.go",
	} {
		files[name] = fmt.Sprintf("package m\n\nvar name%d int\n", i)
	}
	for i, header := range []string{
		"//go:build linux", "//go:build !linux", "//go:build unix", "//go:build !unix && free", "//go:build free || windows", "//go:build go1.20", "//go:build go1.99", "//go:build !gc",
		"//go:build amd64.v1", "//go:build amd64.v3", "//go:build !amd64.v1", "// +build linux,free windows\n", "// +build linux", "/*\n//go:build ignore\n*/", "// words\n\n//go:build free",
		"//go:build linux &&", "package m\n//go:build ignore", "//go:build free\n// +build ignore\n", "//go:build cgo", "//go:build !cgo", "//go:build free\r",
		"\ufeff//go:build ignore", "\ufeff// +build ignore\n", "/*\n\n// +build ignore\n\n*/", "// words\n\n/*\n*/\n//go:build ignore", "/* words */ //go:build ignore",
		"//go:build free\n//go:build linux", "\t//go:build ignore", "//go:buildignore", "// words\n// +build ignore\n\n/* words */", "/* words */\n\n// +build ignore\n",
		"//go:build 386.sse2", "//go:build !386.sse2", "//go:build arm64.v8.1 || mipsle.hardfloat", "//go:build amd64.v9",
	} {
		files[fmt.Sprintf("header%d.go", i)] = fmt.Sprintf("%s\n\npackage m\n\nvar header%d int\n", header, i)
	}
	files["usesc.go"] = "package m\n\nimport \"C\"\n"
	files["documentation.go"] = "// words\n\npackage documentation\n"
	files["documentation_test.go"] = "/* words */ package /* words */ documentation\n"
	files["right_above.go"] = "// Package m has words.\n//\n// +build ignore\npackage m\n"
	files["header16.go"] = "package m\n//go:build ignore\n"
	folder := newModule(t, files)
	for _, name := range append(slices.Collect(maps.Keys(files)), "go.mod", ".") {
		old := time.Now().Add(-time.Hour)
		if err := os.Chtimes(filepath.Join(folder, name), old, old); err != nil {
			t.Fatal(err)
		}
	}
	s := mustLoad(t, folder, "example.com/m")
	for _, c := range []Config{
		s.Present, {"linux", "amd64", true, nil, nil, ""}, {"windows", "amd64", false, nil, nil, ""}, {"windows", "arm64", false, []string{"free"}, nil, ""},
		{"linux", "arm64", true, []string{"free"}, nil, ""}, {"js", "wasm", false, nil, nil, ""}, {"android", "arm64", false, nil, nil, ""},
		{"linux", "amd64", false, nil, nil, "GOAMD64=v3"}, {"linux", "386", false, nil, nil, ""}, {"linux", "386", false, nil, nil, "GO386=softfloat"},
		{"linux", "arm64", false, nil, nil, "GOARM64=v8.1"}, {"linux", "mipsle", false, nil, nil, ""},
	} {
		// The module index is switched off. The go command makes the index from files that are
		// older than two seconds, and an invalid constraint line in the index hides the files after
		// it.
		s.env = append(s.environ(c), "GOFLAGS=-tags="+strings.Join(c.Tags, ","), "GODEBUG=goindex=0")
		out, err := s.run(t.Context(), s.module.root, "list", "-e", "-json=GoFiles,CgoFiles,TestGoFiles", ".")
		if err != nil {
			t.Fatal(err)
		}
		var listed struct{ GoFiles, CgoFiles, TestGoFiles []string }
		if err := json.Unmarshal(out, &listed); err != nil {
			t.Fatal(err)
		}
		want := slices.Sorted(slices.Values(slices.Concat(listed.GoFiles, listed.CgoFiles, listed.TestGoFiles)))
		var got []string
		for _, f := range s.module.folders["example.com/m"].files {
			if s.rules.takes(c, f.class) {
				got = append(got, filepath.Base(f.name))
			}
		}
		if slices.Sort(got); !slices.Equal(got, want) {
			t.Errorf("%s takes\n%q, want\n%q", c, got, want)
		}
	}
}

// TestLink verifies that the module's folder and the edited files may be given by their real paths
// or through a symbolic link, in any combination.
func TestLink(t *testing.T) {
	folder := newModule(t, map[string]string{"parser.go": owner, "mac_darwin.go": "package m\n\nvar start = parser{1}\n"})
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(folder, link); err != nil {
		t.Skip(err)
	}
	for _, dir := range []string{folder, link} {
		s := mustLoad(t, dir, "example.com/m")
		for _, named := range []string{folder, link} {
			_, err := s.Check(t.Context(), map[string][]byte{filepath.Join(named, "parser.go"): []byte(strings.Replace(owner, "at int", "at, more int", 1))}, nil)
			if err == nil || !strings.HasPrefix(err.Error(), "after the change this does not compile: mac_darwin.go:3: too few values") {
				t.Errorf("%v", err)
			}
		}
	}
}

// TestProgramNamedTest verifies that Check includes a program whose folder has a name that ends in
// .test, like the import path of a test binary.
func TestProgramNamedTest(t *testing.T) {
	const state = "package m\n\ntype State struct{ At int }\n"
	folder := newModule(t, map[string]string{"m.go": state, "x.test/main.go": "package main\n\nimport \"example.com/m\"\n\nfunc main() { _ = m.State{1} }\n", "x_windows.go": "package m\n"})
	_, err := mustLoad(t, folder, "example.com/m").Check(t.Context(), map[string][]byte{filepath.Join(folder, "m.go"): []byte(strings.Replace(state, "At int", "At, more int", 1))}, nil)
	if err == nil || !strings.Contains(err.Error(), "x.test/main.go:5: too few values") {
		t.Errorf("%v", err)
	}
}

func TestErrors(t *testing.T) {
	folder := newModule(t, map[string]string{"parser.go": owner, "sub/sub.go": "package sub\n", "mac_darwin.go": "package m\n"})
	if _, err := Of(t.Context(), folder, plain(), "example.com/m/none"); err == nil || !strings.HasSuffix(err.Error(), "has no package example.com/m/none") {
		t.Errorf("a package that is not there: %v", err)
	}
	if _, err := Of(t.Context(), t.TempDir(), plain(), "example.com/m"); err == nil {
		t.Error("a folder without a module")
	}
	s := mustLoad(t, folder, "example.com/m")
	if _, err := s.Check(t.Context(), map[string][]byte{filepath.Join(folder, "sub", "sub.go"): nil}, nil); err == nil || !strings.HasSuffix(err.Error(), "is not in a package that changes") {
		t.Errorf("a file of another package: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Check(ctx, nil, nil); err != context.Canceled {
		t.Errorf("interrupted: %v", err)
	}
	if unknown, err := s.Check(t.Context(), nil, nil); err != nil || len(unknown) > 0 { // the interruption is not cached
		t.Errorf("after that: %v, %v", unknown, err)
	}
}

// TestWorkspace verifies that, in a workspace, the module is the innermost one that contains the
// folder.
func TestWorkspace(t *testing.T) {
	folder := newModule(t, map[string]string{
		"go.work":               "go 1.26\n\nuse .\nuse ./inner\n",
		"m.go":                  "package m\n\nimport \"example.com/inner/parse\"\n\nvar P parse.Parser\n",
		"inner/go.mod":          "module example.com/inner\n\ngo 1.26\n",
		"inner/parse/parse.go":  "package parse\n\ntype Parser struct{ at int }\n",
		"inner/parse/p_aix.go":  "package parse\n\nvar start = Parser{1}\n",
		"inner/vendor/v/v.go":   "package v\n",
		"inner/_old/old_aix.go": "package old\n",
	})
	s, err := Of(t.Context(), filepath.Join(folder, "inner", "parse"), append(plain(), "GOWORK="), "example.com/inner/parse")
	if err != nil {
		t.Fatal(err)
	}
	if len(s.module.folders) != 1 || len(s.Left) != 1 || s.Short(s.Left[0].Name) != "parse/p_aix.go" || len(s.Configs) != 1 {
		t.Errorf("folders %v, configurations %v", s.module.folders, s.Configs)
	}
	_, err = s.Check(t.Context(), map[string][]byte{filepath.Join(folder, "inner", "parse", "parse.go"): []byte("package parse\n\ntype Parser struct{ at, more int }\n")}, nil)
	var broken *Broken
	if !errors.As(err, &broken) || len(broken.Breaks) != 1 || broken.Breaks[0].Line != 3 || broken.Breaks[0].Config.GOARCH != "ppc64" || broken.Breaks[0].Package != "example.com/inner/parse" {
		t.Errorf("%v", err)
	}
}
