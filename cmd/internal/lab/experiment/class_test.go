package experiment

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestClassOf verifies that the current declaration decides the class of a run, not the class that
// was recorded with it.
func TestClassOf(t *testing.T) {
	e, err := declare(good, "")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ name, recorded, want string }{
		{"a", "per-node", "open"},
		{"go slab", "per-node", "plain"},
		{"go slab", "open", "plain"},
		{"go slab GOGC=50", "open", "plain"},
		{"gone", "shaped", "shaped"},
		{"gone", "per-node", "plain"},
	} {
		if got := e.ClassOf(c.name, c.recorded); got != c.want {
			t.Errorf("%s, whose runs say %s, has class %s, want %s", c.name, c.recorded, got, c.want)
		}
	}
}

// TestOlderClasses verifies that the older class names are still accepted, both in a repository and
// in a folder of results.
func TestOlderClasses(t *testing.T) {
	older := strings.Replace(good, `"plain"`, `"per-node"`, 1)
	declared, err := declare(older, "")
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, SavedFile), []byte(older), 0o666); err != nil {
		t.Fatal(err)
	}
	saved, _, err := Saved(folder)
	if err != nil {
		t.Fatal(err)
	}
	if got := declared.Contenders[1].Class + " " + saved.Contenders[1].Class; got != "plain plain" {
		t.Errorf("classes %s, want plain plain", got)
	}
}
