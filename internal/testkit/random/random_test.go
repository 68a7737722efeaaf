package random

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestSeeds(t *testing.T) {
	if got := parse(""); got != fixed {
		t.Errorf("without the variable the seed is %d, want %d", got, fixed)
	}
	if got := parse("17"); got != 17 {
		t.Errorf("seed %d, want 17", got)
	}
	if a, b := parse("free"), parse("free"); a == b {
		t.Errorf("two free seeds are both %d", a)
	}
	for _, bad := range []string{"0", "-1", "x"} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("seed %q is accepted", bad)
				}
			}()
			parse(bad)
		}()
	}
}

// Check and New generate the same values for the same seed.
func TestSameSeedSameValues(t *testing.T) {
	draw := func() (all []uint64) {
		Check(t, func(r *rapid.T) { all = append(all, rapid.Uint64().Draw(r, "n")) })
		return all
	}
	if a, b := draw(), draw(); len(a) == 0 || !slices.Equal(a, b) {
		t.Errorf("Check draws %v and then %v", a, b)
	}
	if a, b := New(t).Uint64(), New(t).Uint64(); a != b {
		t.Errorf("New draws %d and then %d", a, b)
	}
}
