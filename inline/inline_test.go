package inline_test

import (
	"strings"
	"testing"

	"github.com/coppice-go/coppice/internal/checks"
	"github.com/coppice-go/coppice/internal/testkit/compiler"
)

// TestHotCallsInline verifies that the compiler inlines the hot methods into the caller.
func TestHotCallsInline(t *testing.T) {
	if checks.Enabled {
		t.Skip("checked builds do not inline")
	}
	compiler.MustInline(t, "inline.Vec.Append", "inline.Vec.At", "inline.Vec.Len", "inline.Vec.Slice", "inline.Vec.All")
}

// TestNoMethodMovesTheVecToTheHeap verifies that a local Vec stays on the stack, whichever methods
// are called on it.
func TestNoMethodMovesTheVecToTheHeap(t *testing.T) {
	if out := compiler.Says(t, "-m"); strings.Contains(out, "moved to heap: local") || strings.Contains(out, "moved to heap: clone") {
		t.Errorf("a local Vec escapes:\n%s", out)
	}
}

// TestHotCallsCheckNoBoundTwice verifies that neither Append nor a loop over the Slice checks an
// element's index twice.
func TestHotCallsCheckNoBoundTwice(t *testing.T) {
	if checks.Enabled {
		t.Skip("checked builds have more")
	}
	for line, want := range map[string]int{
		"8":  0, // push: Append's own comparison is the only check
		"10": 1, // at: checks that element i exists
		"19": 0, // sum: the body of a loop over the indexes of a Slice
	} {
		if found := compiler.BoundsChecks(t, line, "Found IsInBounds"); found != want {
			t.Errorf("%d checks of an index in line %s, want %d", found, line, want)
		}
	}
}

func TestArrayOfAnotherTypeDoesNotCompile(t *testing.T) {
	out, err := compiler.Go("build", "-o", t.TempDir(), "./testdata/mismatch").CombinedOutput()
	if err == nil || !strings.Contains(string(out), "[64]byte does not satisfy inline.Array[*int]") {
		t.Errorf("go build: %v\n%s", err, out)
	}
}
