package find

import (
	"path/filepath"
	"testing"
)

// Of the modules of a workspace, the innermost around a folder counts, whatever their order.
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
		if got := s.around(dir).dir; got != want {
			t.Errorf("%s is in %s, want %s", dir, got, want)
		}
	}
}
