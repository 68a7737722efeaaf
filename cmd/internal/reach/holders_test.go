package reach

import (
	"go/types"
	"testing"
)

// TestHides verifies that each type in a cycle hides whatever any type in the cycle hides,
// whichever type is queried first.
func TestHides(t *testing.T) {
	m, err := module()
	if err != nil {
		t.Fatal(err)
	}
	m.heldBy(types.Typ[types.Int]) // computes the holders
	declared := scope(t, m, "example.com/m/closes")
	for _, c := range []struct {
		name string
		want bool
	}{{"outer", true}, {"inner", true}, {"open", false}, {"buffered", true}, {"file", true}, {"something", true}} {
		if got := m.hides(declared.Lookup(c.name).Type()); got != c.want {
			t.Errorf("%s: %t, want %t", c.name, got, c.want)
		}
	}
}
