package hashmap

import (
	"strings"
	"testing"

	"github.com/coppice-go/coppice/internal/checks"
	"github.com/coppice-go/coppice/internal/testkit/compiler"
)

// TestReadsInline verifies that the compiler inlines the functions that a lock-free look-up calls
// for every word that it reads.
func TestReadsInline(t *testing.T) {
	if checks.Enabled || testing.Short() {
		t.Skip("an ordinary build says it")
	}
	out, err := compiler.Go("build", "-gcflags=-m", ".").CombinedOutput()
	if err != nil {
		t.Skipf("go build: %v", err)
	}
	for _, name := range []string{"(*wordHash).of", "quiet", "withTag", "emptySlots", "ref.at", "ref.mask", "shardOf", "addressOf", "bytesFrom", "(*lock).Unlock", "(*lock).Change"} {
		if !strings.Contains(string(out), "can inline "+name+"\n") {
			t.Errorf("%s does not inline", name)
		}
	}
}
