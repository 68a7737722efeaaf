package btree

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/coppice-go/coppice/internal/checks"
)

// The functions that a search calls for each node are inlined, and the block of a search has no
// bounds checks.
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

// The body of a loop is inlined into the loop over a leaf, which is inlined at the range statement.
// The walk stays on the stack.
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
