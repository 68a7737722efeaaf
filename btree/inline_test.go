package btree

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/coppice-go/coppice/internal/checks"
)

// TestSearchInlines verifies that the compiler inlines the functions that a search calls for each
// node, and that the search within a block has no bounds checks.
func TestSearchInlines(t *testing.T) {
	if checks.Enabled || testing.Short() {
		t.Skip("an ordinary build says it")
	}
	out, err := exec.Command("go", "build", "-gcflags=-m", ".").CombinedOutput()
	if err != nil {
		t.Skipf("go build: %v", err)
	}
	for _, name := range []string{"less[uint64]", "notAbove[uint64]", "node.header", "node.child", "(*memory).at", "textWord"} {
		if !strings.Contains(string(out), "can inline "+name) {
			t.Errorf("%s does not inline", name)
		}
	}
}

// TestLoopsInline verifies that the compiler inlines the body of a range loop into the function
// that iterates over a leaf, and that function into the caller. The state of the iteration must
// stay on the stack.
func TestLoopsInline(t *testing.T) {
	if checks.Enabled || testing.Short() {
		t.Skip("an ordinary build says it")
	}
	out, err := exec.Command("go", "build", "-gcflags=-m", "-o", filepath.Join(t.TempDir(), "loops"), "./testdata/loops").CombinedOutput()
	if err != nil {
		t.Skipf("go build: %v", err)
	}
	said := string(out)
	for _, body := range []string{"main-range1", "main-range2", "main-range3"} {
		if !strings.Contains(said, "inlining call to "+body) {
			t.Errorf("%s is called for each entry", body)
		}
	}
	for line := range strings.Lines(said) {
		if strings.Contains(line, filepath.Join("loops", "main.go")) && strings.Contains(line, "moved to heap") {
			t.Errorf("a loop allocates: %s", line)
		}
	}
}
