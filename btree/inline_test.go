package btree

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/coppice-go/coppice/internal/checks"
)

// What a search calls for each node inlines, and the block of a search has no bounds check within.
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
