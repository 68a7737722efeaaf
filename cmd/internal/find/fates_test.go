package find

import (
	"math"
	"testing"

	"github.com/coppice-go/coppice/cmd/internal/site"
)

func TestByAge(t *testing.T) {
	for _, test := range []struct {
		age  float64
		want string
	}{{0, "temporary"}, {0.02, "temporary"}, {0.15, "temporary"}, {0.225, "mixed"}, {0.3, "result"}, {0.5, "result"}, {1.5, "result"}, {2.5, "retained"}, {1000, "retained"}} {
		f := site.Fate{Age: test.age, Method: site.Little}
		byAge(&f, 1)
		if f.Main() != test.want || math.Abs(f.Temporary+f.Result+f.Retained-1) > 1e-9 {
			t.Errorf("age %v: %s %+v, want %s", test.age, f.Main(), f, test.want)
		}
	}
	f := site.Fate{Age: 0.5, Retained: 0.4, Method: site.Little}
	if byAge(&f, 0.6); f.Result != 0.6 || f.Retained != 0.4 {
		t.Errorf("a part of the objects: %+v", f)
	}
}

// TestStaying verifies that values are not counted as retained if they may be the last result, held
// by a variable.
func TestStaying(t *testing.T) {
	for _, c := range []struct {
		name        string
		alive, made int64
		n           int
		want        float64
	}{
		{"nothing is left", 0, 1000, 10, 0},
		{"the last result", 100, 1000, 10, 0},
		{"the last result, and a bit", 105, 1000, 10, 0},
		{"the last result of two", 500, 1000, 2, 0},
		{"twice what an operation makes", 200, 1000, 10, 0.2},
		{"all", 1000, 1000, 10, 1},
		{"all of a single operation, which may be either", 1000, 1000, 1, 1},
		{"nothing was made", 0, 0, 2, 0},
	} {
		if got := staying(c.alive, c.made, c.n); got != c.want {
			t.Errorf("%s: %g, want %g", c.name, got, c.want)
		}
	}
}
