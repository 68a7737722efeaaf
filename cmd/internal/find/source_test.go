package find

import (
	"path/filepath"
	"testing"
)

// TestModuleAround verifies that around returns the innermost module of the workspace that contains
// a folder, whatever the order of the modules.
func TestModuleAround(t *testing.T) {
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	long, short, inner := filepath.Join(root, "long-name"), filepath.Join(root, "b"), filepath.Join(root, "b", "inner")
	for dir, want := range map[string]string{
		long: long, short: short, filepath.Join(short, "p"): short, inner: inner, filepath.Join(inner, "p"): inner, root: long,
	} {
		s := &source{modules: []module{{"l", long}, {"i", inner}, {"b", short}}}
		if got := s.moduleOf(dir).dir; got != want {
			t.Errorf("%s is in %s, want %s", dir, got, want)
		}
	}
}
