package inline

import (
	"strings"
	"testing"

	"github.com/coppice-go/coppice/internal/checks"
)

func TestVerifyNotices(t *testing.T) {
	for want, damage := range map[string]func(v *Vec[int, [3]int]){
		"5 inline elements, but the capacity is 3": func(v *Vec[int, [3]int]) { v.n = 5 },
		"4 elements have moved to the heap, but":   func(v *Vec[int, [3]int]) { v.AppendSlice(1, 2, 3, 4); v.n = 1 },
		"the inline storage was written after the": func(v *Vec[int, [3]int]) { v.AppendSlice(1, 2, 3, 4); v.inline[2] = 7 },
		"storage of element 2 was written after":   func(v *Vec[int, [3]int]) { v.Append(1); v.inline[2] = 7 },
	} {
		var v Vec[int, [3]int]
		damage(&v)
		if err := v.verify(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("verify says %v, want %q", err, want)
		}
	}
}

// TestCheckedBuildsFindStaleWrites verifies that checked builds detect a write through a Slice that
// is older than the last change of the Vec. In other builds such a write is lost, or it restores a
// removed element.
func TestCheckedBuildsFindStaleWrites(t *testing.T) {
	if !checks.Enabled {
		t.Skip("only in checked builds")
	}
	for name, change := range map[string]func(v *Vec[int, [3]int]){
		"Append":      func(v *Vec[int, [3]int]) { v.Append(1) },
		"AppendSlice": func(v *Vec[int, [3]int]) { v.AppendSlice(1) },
		"Insert":      func(v *Vec[int, [3]int]) { v.Insert(0, 1) },
		"Delete":      func(v *Vec[int, [3]int]) { v.Delete(0, 1) },
		"Pop":         func(v *Vec[int, [3]int]) { v.Pop() },
		"Truncate":    func(v *Vec[int, [3]int]) { v.Truncate(1) },
		"Clear":       func(v *Vec[int, [3]int]) { v.Clear() },
		"Grow":        func(v *Vec[int, [3]int]) { v.Grow(1) },
	} {
		var v Vec[int, [3]int]
		v.AppendSlice(1, 2, 3)
		stale := v.Slice()
		v.Append(4) // moves the elements to the heap
		stale[1] = 7
		if got, want := said(func() { change(&v) }), "inline.Vec."+name+": the inline storage was written after"; !strings.HasPrefix(got, want) {
			t.Errorf("after a write to what was left said %q, want %q...", got, want)
		}
		if name == "Append" {
			continue // with spare inline capacity, Append does not check this
		}
		v = Vec[int, [3]int]{}
		v.AppendSlice(1, 2, 3)
		stale = v.Slice()
		v.Pop()
		stale[2] = 7
		if got, want := said(func() { change(&v) }), "inline.Vec."+name+": the inline storage of element 2 was"; !strings.HasPrefix(got, want) {
			t.Errorf("after a write to what was removed said %q, want %q...", got, want)
		}
	}
}

// said returns the message of f's panic, or "" if f does not panic with a string.
func said(f func()) (message string) {
	defer func() { message, _ = recover().(string) }()
	f()
	return ""
}
