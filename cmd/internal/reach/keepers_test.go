package reach

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"
)

// TestKeepers verifies that a package that mentions finalizers only in comments and strings does
// not count as a package that observes when values die. Otherwise, programs that import package
// arena could not be changed.
func TestKeepers(t *testing.T) {
	runtime := map[string]*packages.Package{"runtime": {}}
	for text, c := range map[string]struct {
		path    string
		imports map[string]*packages.Package
		want    bool
	}{
		"package a\n\n// runtime.SetFinalizer fails.\nfunc F() {}\n":            {"a", runtime, false},
		"package a\n\n/* AddCleanup works. */\nconst s = \"SetFinalizer\"\n":    {"a", runtime, false},
		"package a\n\nfunc F() { runtime.AddCleanup(new(int), g, 0) }\n":        {"a", runtime, true},
		"package a\n\nvar f = r.SetFinalizer\n":                                 {"a", runtime, true},
		"package a\n\n//go:linkname f runtime.SetFinalizer\nfunc f(a, b any)\n": {"a", map[string]*packages.Package{"unsafe": {}}, true},
		"package a\n\nfunc F() { t.SetFinalizer() }\n":                          {"a", nil, false},
		"package a\n\nvar p weak.Pointer[int]\n":                                {"a", map[string]*packages.Package{"weak": {}}, true},
		"package store\n\nfunc F(s *S) { runtime.AddCleanup(s, report, 0) }\n":  {ownStore, runtime, false},
		"package a\n\nfunc F(s *S) { /* in */ runtime.SetFinalizer(s, nil) }\n": {"a", runtime, true},
	} {
		name := filepath.Join(t.TempDir(), "a.go")
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		if got := keeps(&packages.Package{PkgPath: c.path, Imports: c.imports, GoFiles: []string{name}}); got != c.want {
			t.Errorf("%q: %v", text, got)
		}
	}
}

// TestOwnStoreObservesItself verifies that store.go is the only file in package store that observes
// when values die. It observes only stores, to report those that were not closed.
func TestOwnStoreObservesItself(t *testing.T) {
	files, err := filepath.Glob(filepath.FromSlash("../../../store/*.go"))
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	found := 0
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") || !finalizesIn(name) {
			continue
		}
		found++
		if filepath.Base(name) != "store.go" {
			t.Errorf("%s observes when values die: check that they are its own", name)
		}
	}
	if found != 1 {
		t.Errorf("%d files observe when values die", found)
	}
}
