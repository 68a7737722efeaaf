package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

func TestBadInput(t *testing.T) {
	t.Chdir("../../../..")
	for want, args := range map[string][]string{
		"want -program NAME":                     {"-form", "chunk", "-o", "x"},
		"invalid -form \"heap\": must be one of": {"-program", "goparser", "-form", "heap", "-o", "x"},
		"run it in the root":                     {"-program", "nothing", "-o", "x"},
		"flag provided but not":                  {"-colour", "red"},
	} {
		if _, err := parse(args); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: error %v, want one line with %q", args, err, want)
		}
	}
	if b, err := parse([]string{"-program", "goparser", "-form", "slab", "-o", "x"}); err != nil || b.form != "slab" || !filepath.IsAbs(b.out) {
		t.Errorf("%+v, %v", b, err)
	}
}

// project is a driver that uses a foreign module. The module allocates its values in an internal
// package.
const project = `
-- go.mod --
module example.com/driver

go 1.26.0

require example.com/lib v1.0.0

replace example.com/lib => ./lib
-- main.go --
package main

import (
	"fmt"

	"example.com/lib"
)

func main() { fmt.Println(*lib.Two()[1], allocations()) }
-- count.go --
package main

import (
	"testing"

	"example.com/lib"
)

func allocations() int { return int(testing.AllocsPerRun(100, func() { lib.Two() })) }
-- rules.toml --
module = "example.com/lib"
export = "example.com/lib"

[[rule]]
package = "example.com/lib/internal/tree"
types = ["int"]
sites = ["new"]
forms = ["chunk", "arena"]
-- lib/go.mod --
module example.com/lib

go 1.12
-- lib/lib.go --
package lib

import "example.com/lib/internal/tree"

func Two() []*int { return []*int{tree.New(), tree.New()} }
-- lib/unused/unused.go --
package unused
-- lib/internal/tree/tree.go --
package tree

func New() *int { return new(int) }
`

// unpack writes the project to a new folder and returns its path.
func unpack(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	for _, f := range txtar.Parse([]byte(project)).Files {
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

// TestModuleIsCopied verifies that the foreign module is copied and the copy is changed, with a
// language version that has type parameters. Packages that the driver does not import are not
// copied, and the original module is not changed.
func TestModuleIsCopied(t *testing.T) {
	driver := unpack(t)
	printed := map[string]string{}
	for _, form := range []string{original, "chunk"} {
		b := build{driver: driver, folder: filepath.Join(t.TempDir(), form), form: form, out: filepath.Join(t.TempDir(), "program")}
		var report bytes.Buffer
		if err := b.run(&report); err != nil {
			t.Fatal(err)
		}
		if strings.Contains(report.String(), "1 sites changed") != (form == "chunk") {
			t.Errorf("%s reports %q", form, &report)
		}
		if _, err := os.Stat(filepath.Join(b.folder, "module", "unused")); err == nil {
			t.Error("an unused package was copied")
		}
		out, err := exec.Command(b.out).CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		printed[form] = string(out)
	}
	if printed[original] != "0 3\n" || printed["chunk"] != "0 1\n" {
		t.Errorf("value and allocations: %q", printed)
	}
}

// A package without a rule for the requested form is not changed. A form without any rule is an
// error.
func TestPackagesOfOtherForms(t *testing.T) {
	driver := unpack(t)
	const ofArena = "\n[[rule]]\npackage = \"example.com/lib\"\ntypes = [\"\\\\*int\"]\nsites = [\"list\"]\nforms = [\"arena\"]\n"
	name := filepath.Join(driver, rulesFile)
	data, err := os.ReadFile(name)
	if err == nil {
		err = os.WriteFile(name, append(data, ofArena...), 0o666)
	}
	if err != nil {
		t.Fatal(err)
	}
	for form, want := range map[string]string{"chunk": "", "slab": "no rule has the form slab"} {
		b := build{driver: driver, folder: filepath.Join(t.TempDir(), form), form: form, out: filepath.Join(t.TempDir(), "program")}
		var report bytes.Buffer
		if err := b.run(&report); (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %q", form, err, want)
		}
		if form == "chunk" && strings.Count(report.String(), "sites changed") != 1 {
			t.Errorf("the report is %q", &report)
		}
	}
}

// A driver can define its own form as a diff, which is applied to a copy of the module, even inside
// a git work tree. A diff that does not apply is an error.
func TestChangesAreApplied(t *testing.T) {
	driver := unpack(t)
	const edit = "diff --git a/lib.go b/lib.go\n--- a/lib.go\n+++ b/lib.go\n@@ -%s +5 @@\n-func Two() []*int { return []*int{tree.New(), tree.New()} }\n" +
		"+func Two() []*int { return []*int{nil, &[]int{7}[0], tree.New()} }\n"
	if err := os.Mkdir(filepath.Join(driver, "changes"), 0o777); err != nil {
		t.Fatal(err)
	}
	for form, line := range map[string]string{"index": "5", "wrong": "3"} {
		text := strings.Replace(edit, "%s", line, 1)
		if form == "wrong" {
			text = strings.Replace(text, "-func Two", "-func Three", 1)
		}
		if err := os.WriteFile(filepath.Join(driver, "changes", form+".diff"), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	tree := t.TempDir()
	if out, err := exec.Command("git", "init", "-q", tree).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	b := build{driver: driver, folder: filepath.Join(tree, "bin", "index"), form: "index", out: filepath.Join(t.TempDir(), "program")}
	if err := b.run(&bytes.Buffer{}); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(b.out).CombinedOutput(); err != nil || string(out) != "7 3\n" {
		t.Errorf("%v: %s", err, out)
	}
	b.form = "wrong"
	if err := b.run(&bytes.Buffer{}); err == nil || !strings.Contains(err.Error(), "wrong.diff") || strings.Contains(err.Error(), "\n") {
		t.Errorf("error %v, want one line with the file", err)
	}
}

// A module without a go.mod file, from before Go modules, gets one.
func TestModuleWithoutGoMod(t *testing.T) {
	folder := t.TempDir()
	file := filepath.Join(folder, "copy", "go.mod")
	if err := copyModFile("example.com/old", filepath.Join(folder, "go.mod"), file); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(file)
	if err != nil || string(data) != "module example.com/old\n\ngo 1.21\n" {
		t.Errorf("%q, %v", data, err)
	}
}

// The arena of an internal package must be accessible to the driver through another package of the
// module.
func TestArenaIsExported(t *testing.T) {
	driver := unpack(t)
	b := build{driver: driver, folder: filepath.Join(t.TempDir(), "arena"), form: "arena", out: filepath.Join(t.TempDir(), "program")}
	if err := b.run(&bytes.Buffer{}); err == nil || !strings.Contains(err.Error(), "github.com/coppice-go/coppice/arena") {
		t.Errorf("error %v; a driver whose module does not require the library cannot build with it", err)
	}
	data, err := os.ReadFile(filepath.Join(b.folder, "module", "zz_coppice.go"))
	if err != nil || !strings.Contains(string(data), "func SetCoppiceArena(a *arena.Arena) {\n\tp0.CoppiceArena = a\n}") {
		t.Errorf("%v: %s", err, data)
	}
}

// TestStandardLibraryIsCopied verifies that packages of the standard library are copied together
// with their internal imports, and that the changed copy behaves like the original.
func TestStandardLibraryIsCopied(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds two programs")
	}
	root, err := filepath.Abs("../../../..")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(root)
	printed := map[string]string{}
	for _, form := range []string{original, "chunk"} {
		b := build{driver: filepath.Join(root, "workloads", "foreign", "goparser"), folder: filepath.Join(t.TempDir(), form), form: form, out: filepath.Join(t.TempDir(), "program")}
		if err := b.run(&bytes.Buffer{}); err != nil {
			t.Fatal(err)
		}
		out, err := exec.Command(b.out, "3").CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		printed[form] = string(out)
	}
	if printed[original] == "" || printed[original] != printed["chunk"] {
		t.Errorf("the original prints %q, the changed one %q", printed[original], printed["chunk"])
	}
}
