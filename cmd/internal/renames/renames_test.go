package renames

import (
	"context"
	"flag"
	"go/types"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"
	"golang.org/x/tools/txtar"
)

var update = flag.Bool("update", false, "write what becomes of the code into testdata")

// stubs is the archive of a module that stands for an old version of Coppice and declares its old
// names.
const stubs = "testdata/old.txtar"

// write writes the files of archive to dir, except those below want. It also writes the stubs to
// dir/old, and a go.mod file in which they replace Coppice.
func write(t *testing.T, dir string, archive *txtar.Archive) {
	t.Helper()
	old, err := txtar.ParseFile(stubs)
	if err != nil {
		t.Fatal(err)
	}
	put := func(name string, data []byte) {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, f := range old.Files {
		put("old/"+f.Name, f.Data)
	}
	put("go.mod", []byte("module example.org/m\n\ngo 1.26\n\nrequire github.com/coppice-go/coppice v0.1.0\n\nreplace github.com/coppice-go/coppice => ./old\n"))
	for _, f := range archive.Files {
		if !strings.HasPrefix(f.Name, "want/") {
			put(f.Name, f.Data)
		}
	}
}

// TestLook calls Look for the code in two archives, and compares the result with the files below
// want in the same archive: the changed files, and in want/left the places that must be changed by
// hand.
func TestLook(t *testing.T) {
	t.Setenv("GOWORK", "off")
	for _, name := range []string{"testdata/changes.txtar", "testdata/left.txtar"} {
		t.Run(filepath.Base(name), func(t *testing.T) {
			archive, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			dir := t.TempDir()
			write(t, dir, archive)
			c, err := Look(context.Background(), dir, "./...")
			if err != nil {
				t.Fatal(err)
			}
			got := map[string]string{}
			for file, data := range c.Files {
				rel, err := filepath.Rel(dir, file)
				if err != nil {
					t.Fatal(err)
				}
				got["want/"+filepath.ToSlash(rel)] = string(data)
			}
			for _, p := range c.Left {
				got["want/left"] += strings.TrimPrefix(p.String(), dir+string(filepath.Separator)) + "\n"
			}
			compare(t, name, archive, got)
		})
	}
}

func compare(t *testing.T, name string, archive *txtar.Archive, got map[string]string) {
	t.Helper()
	isWanted := func(f txtar.File) bool { return strings.HasPrefix(f.Name, "want/") }
	if *update {
		archive.Files = slices.DeleteFunc(archive.Files, isWanted)
		for _, file := range slices.Sorted(maps.Keys(got)) {
			archive.Files = append(archive.Files, txtar.File{Name: file, Data: []byte(got[file])})
		}
		if err := os.WriteFile(name, txtar.Format(archive), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want := map[string]string{}
	for _, f := range archive.Files {
		if isWanted(f) {
			want[f.Name] = string(f.Data)
		}
	}
	for file := range want {
		if _, ok := got[file]; !ok {
			t.Errorf("%s does not change", file)
		}
	}
	for file, text := range got {
		if text != want[file] {
			t.Errorf("%s is\n%s\nwant\n%s", file, text, want[file])
		}
	}
}

// TestChangedCodeCompiles verifies that the changed code compiles with the current Coppice.
func TestChangedCodeCompiles(t *testing.T) {
	t.Setenv("GOWORK", "off")
	archive, err := txtar.ParseFile("testdata/changes.txtar")
	if err != nil {
		t.Fatal(err)
	}
	library, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	write(t, dir, archive)
	c, err := Look(context.Background(), dir, "./...")
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range c.Files {
		if err := os.WriteFile(name, text, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, args := range [][]string{{"mod", "edit", "-replace=github.com/coppice-go/coppice=" + library}, {"vet", "-mod=mod", "./..."}} {
		cmd := exec.Command("go", args...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, out)
		}
	}
}

// TestLineEnds verifies that a changed file keeps its CRLF line endings, and that formatted code
// stays formatted.
func TestLineEnds(t *testing.T) {
	t.Setenv("GOWORK", "off")
	const before = "package p\r\n\r\nimport \"github.com/coppice-go/coppice/slab\"\r\n\r\nvar options = slab.Options{\r\n\tFirst: 1,\r\n\tKeep:  2,\r\n}\r\n"
	dir := t.TempDir()
	write(t, dir, &txtar.Archive{Files: []txtar.File{{Name: "p.go", Data: []byte(before)}}})
	c, err := Look(context.Background(), dir, ".")
	if err != nil {
		t.Fatal(err)
	}
	want := strings.NewReplacer("First", "FirstChunk", "Keep:  ", "Keep:       ").Replace(before)
	if got := string(c.Files[filepath.Join(dir, "p.go")]); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestLookRefuses verifies that Look returns an error of one line for code that does not compile,
// for a folder outside any module, and for packages of other modules.
func TestLookRefuses(t *testing.T) {
	t.Setenv("GOWORK", "off")
	dir := t.TempDir()
	refused := func(want string, patterns ...string) {
		t.Helper()
		c, err := Look(context.Background(), dir, patterns...)
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%v, %v; want %q", c, err, want)
		}
	}
	refused("this folder is not in a module", "./...")
	write(t, dir, &txtar.Archive{Files: []txtar.File{{Name: "bad.go", Data: []byte("package bad\n\nvar x int = nothing\nvar y int = nothing\n")}}})
	refused("bad.go:3:13: undefined: nothing; correct it first, nothing was changed", "./...")
	refused("does not compile: ", "./none")
	refused("fmt belongs to another module", "fmt")
	refused("github.com/coppice-go/coppice/slab belongs to another module", "github.com/coppice-go/coppice/slab")
}

// TestCurrentCodeIsUnchanged verifies that Look changes nothing in code that uses the current
// names. The packages of this repository use all of them.
func TestCurrentCodeIsUnchanged(t *testing.T) {
	c, err := Look(context.Background(), "../../..", "./hashmap/...", "./cache/...", "./btree/...", "./store/...", "./slab/...", "./symbols/...")
	if err != nil {
		t.Fatal(err)
	}
	if len(c.Files)+len(c.Left) > 0 {
		t.Errorf("%v would change, and %q is left", slices.Sorted(maps.Keys(c.Files)), c.Left)
	}
}

// TestTableIsInStep verifies for each entry of the table that Coppice declares the new name, and no
// longer declares the old one.
func TestTableIsInStep(t *testing.T) {
	folders := map[string]*types.Scope{}
	var paths []string
	for _, n := range table {
		if path := root + n.pkg; !slices.Contains(paths, path) {
			paths = append(paths, path)
		}
	}
	for key, pkg := range moved {
		paths = append(paths, key[:strings.LastIndexByte(key, '.')], root+pkg)
	}
	loaded, err := packages.Load(&packages.Config{Mode: packages.NeedName | packages.NeedTypes | packages.NeedImports | packages.NeedDeps | packages.NeedSyntax}, paths...)
	if err != nil || packages.PrintErrors(loaded) > 0 {
		t.Fatal(err)
	}
	for _, p := range loaded {
		folders[p.PkgPath] = p.Types.Scope()
	}
	has := func(scope *types.Scope, owner, name string) bool {
		if owner == "" {
			return scope.Lookup(name) != nil
		}
		object, _, _ := types.LookupFieldOrMethod(scope.Lookup(owner).Type(), true, scope.Lookup(owner).Pkg(), name)
		return object != nil
	}
	for key, pkg := range moved {
		dot := strings.LastIndexByte(key, '.')
		if now, old := folders[root+pkg], folders[key[:dot]]; now.Lookup(key[dot+1:]) == nil || old.Lookup(key[dot+1:]) != nil {
			t.Errorf("%s is not in package %s, or still in its old one", key, pkg)
		}
	}
	for _, n := range table {
		scope := folders[root+n.pkg]
		for _, owner := range ownersOf(n) {
			if later := n.pkg == "arena" && owner == "Arena" && n.now != "Size"; !later && !has(scope, owner, n.now) {
				t.Errorf("%s.%s has no %s", n.pkg, owner, n.now)
			}
			if has(scope, owner, n.old) {
				t.Errorf("%s.%s still has %s", n.pkg, owner, n.old)
			}
		}
	}
}

// ownersOf returns the types that have n as a method or field. For a package-level name, it returns
// one empty string.
func ownersOf(n name) []string {
	if n.owners == nil {
		return []string{""}
	}
	return n.owners
}
