package change

import (
	"os"
	"path/filepath"
	"testing"
)

// TestNeedsMatchesGoMod verifies that needs returns the Go version in the library's go.mod file,
// which a module must have in order to require the library.
func TestNeedsMatchesGoMod(t *testing.T) {
	library, ok := readModule(filepath.FromSlash("../../../../go.mod"))
	if !ok || library.Go != needs() || !library.Library {
		t.Errorf("the library is %+v, and a module that requires it is said to need go %s", library, needs())
	}
}

func TestModuleAround(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		want Module
	}{
		"an old one":         {"module m\n\ngo 1.18\n", Module{Go: "1.18", Needs: needs()}},
		"without a line":     {"module m\n", Module{Go: "1.16", Needs: needs()}},
		"one that has it":    {"module m\n\ngo 1.26.0\n\nrequire github.com/coppice-go/coppice v0.1.0\n", Module{Go: "1.26.0", Library: true, Needs: needs()}},
		"one that is broken": {"module (\n", Module{Needs: needs()}},
	} {
		dir := t.TempDir()
		below := filepath.Join(dir, "a", "b")
		if err := os.MkdirAll(below, 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte(c.text), 0o666); err != nil {
			t.Fatal(err)
		}
		if got := ModuleAround(below); got != c.want {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
	if got := ModuleAround(""); got.Go != "" || got.Needs == "" {
		t.Errorf("without a folder: %+v", got)
	}
}
