package remedies_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/coppice-go/coppice/cmd/internal/remedy/change"
)

// TestEveryBuild verifies that a change leaves a position unchanged if it would not be valid there
// in a build with other tags, and still changes the other positions.
func TestEveryBuild(t *testing.T) {
	c := open(t, "onearray/builds/size")
	made, err := change.Make(t.Context(), c.request)
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"box.go:12: 2 slices share one array", "box.go:13: shares the array of the others"}; !slices.Equal(made.Done, want) {
		t.Errorf("changed are %q, want %q", made.Done, want)
	}
	if len(made.Left) != 2 || slices.ContainsFunc(made.Left, func(why string) bool {
		return !strings.Contains(why, "-tags=speculative, its operands may change")
	}) {
		t.Errorf("not changed are %q", made.Left)
	}
}
