package inline_test

import (
	"strings"
	"testing"

	"github.com/coppice-go/coppice/inline"
	"github.com/coppice-go/coppice/internal/checks"
)

func TestCheckedBuildsCatchCopiesThatDiverge(t *testing.T) {
	if !checks.Enabled {
		t.Skip("only in checked builds")
	}
	spill := map[string]func(v *pair){
		"Append":      func(v *pair) { v.Append(1); v.Append(2); v.Append(3) },
		"AppendSlice": func(v *pair) { v.AppendSlice(1, 2, 3) },
		"Insert":      func(v *pair) { v.Insert(0, 1, 2, 3) },
		"Grow":        func(v *pair) { v.Grow(3) },
	}
	for method, change := range changes {
		for how, spill := range spill {
			var v pair
			spill(&v)
			copied := v
			v.Append(4)
			want := "inline.Vec." + method + ": another copy of this Vec has changed"
			if got := panicOf(func() { change(&copied) }); !strings.HasPrefix(got, want) {
				t.Errorf("spilled by %s, a change of both copies said %q, want %q...", how, got, want)
			}
		}
	}
}

// pair spills when the third element is added.
type pair = inline.Vec[int, [2]int]

var changes = map[string]func(*pair){
	"Append":      func(v *pair) { v.Append(5) },
	"AppendSlice": func(v *pair) { v.AppendSlice(5) },
	"Insert":      func(v *pair) { v.Insert(0, 5) },
	"Delete":      func(v *pair) { v.Delete(0, 0) },
	"Pop":         func(v *pair) { v.Pop() },
	"Truncate":    func(v *pair) { v.Truncate(0) },
	"Clear":       func(v *pair) { v.Clear() },
	"Grow":        func(v *pair) { v.Grow(5) },
}

// TestCopiesThatAgreeAreLeftAlone verifies that the permitted uses of copies do not panic in
// checked builds.
func TestCopiesThatAgreeAreLeftAlone(t *testing.T) {
	for method, change := range changes {
		var v pair
		v.AppendSlice(1, 2, 3)
		reader := v
		change(&v)
		change(&v)
		if reader.Len() != 3 {
			t.Errorf("after %s a copy has %d elements", method, reader.Len())
		}
		handed := v // v is not used after this
		change(&handed)
		clone := handed.Clone()
		change(&handed)
		change(&clone)

		var inside pair
		inside.Append(1)
		other := inside
		inside.AppendSlice(2, 3)
		other.AppendSlice(2, 3)
		change(&inside)
		change(&other)
	}
}
