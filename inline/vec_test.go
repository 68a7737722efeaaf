package inline_test

import (
	"fmt"
	"math"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"weak"

	"github.com/coppice-go/coppice/inline"
	"github.com/coppice-go/coppice/internal/checks"
)

func TestNothingIsAllocatedInside(t *testing.T) {
	if pointerChecks() {
		t.Skip("the compiler's pointer checks move to the Go heap what they look at")
	}
	if allocs := testing.AllocsPerRun(100, func() {
		var v inline.Vec[int, [8]int]
		for i := range 4 {
			v.Append(i)
		}
		v.AppendSlice(v.Slice()...)
		v.Delete(0, 3)
		v.Insert(1, 7, 8)
		v.Grow(1)
		v.Pop()
		copied, clone := v, v.Clone()
		sum := 0
		for i, x := range v.All() {
			sum += i + x + *copied.At(i) + clone.Slice()[i]
		}
		v.Truncate(1)
		v.Clear()
		if sum == 0 || v.Len() != 0 {
			t.Error("wrong")
		}
	}); allocs != 0 {
		t.Errorf("a Vec on the stack costs %v allocations", allocs)
	}
}

func TestASpillIsOneAllocation(t *testing.T) {
	if checks.Enabled || pointerChecks() {
		t.Skip("checked builds and pointer checks allocate for themselves")
	}
	for name, f := range map[string]func(v *pair){
		"Append":      func(v *pair) { v.Append(1); v.Append(2); v.Append(3); v.Append(4) },
		"AppendSlice": func(v *pair) { v.Append(1); v.AppendSlice(2, 3, 4, 5, 6, 7) },
		"Insert":      func(v *pair) { v.Append(1); v.Insert(0, 2, 3, 4, 5, 6, 7) },
		"Grow":        func(v *pair) { v.Grow(7); v.AppendSlice(1, 2, 3, 4, 5, 6); v.Append(7) },
	} {
		var v pair // escapes through f
		if allocs := testing.AllocsPerRun(100, func() {
			v = pair{}
			f(&v)
		}); allocs != 1 {
			t.Errorf("a spill by %s costs %v allocations, want 1", name, allocs)
		}
	}
	var v pair
	v.AppendSlice(1, 2, 3)
	if allocs := testing.AllocsPerRun(100, func() {
		v.Clear()
		v.AppendSlice(1, 2, 3, 4)
	}); allocs != 0 {
		t.Errorf("%v allocations in a capacity that Reset kept", allocs)
	}
}

func TestCopies(t *testing.T) {
	var v pair
	v.Append(1)
	inside := v
	*inside.At(0) = 10
	inside.AppendSlice(20, 30)
	if *v.At(0) != 1 || v.Len() != 1 || !v.Inline() {
		t.Errorf("a change to a copy shows: %v", v.Slice())
	}
	v.AppendSlice(2, 3)
	spilled, clone := v, v.Clone()
	*spilled.At(0), *clone.At(1) = 10, 20
	if !slices.Equal(v.Slice(), []int{10, 2, 3}) || !slices.Equal(clone.Slice(), []int{1, 20, 3}) {
		t.Errorf("a spilled copy shares nothing, or a clone does: %v, %v", v.Slice(), clone.Slice())
	}
	v.Truncate(2)
	if c := v.Clone(); !c.Inline() || !slices.Equal(c.Slice(), []int{10, 2}) {
		t.Errorf("a clone of what fits is not inside: %v", c.Slice())
	}
}

// TestDroppedValuesAreCollected verifies that removed elements do not keep values alive, and
// neither does the inline array after a spill.
func TestDroppedValuesAreCollected(t *testing.T) {
	type vec = inline.Vec[*[64]byte, [4]*[64]byte]
	drops := map[string]func(*vec){ // each function drops the last element
		"Pop":      func(v *vec) { v.Pop() },
		"Truncate": func(v *vec) { v.Truncate(v.Len() - 1) },
		"Delete":   func(v *vec) { v.Delete(0, v.Len()) },
		"Clear":    func(v *vec) { v.Clear() },
		"At":       func(v *vec) { *v.At(v.Len() - 1) = nil },
	}
	spills := map[string]func(*vec){
		"nothing":     func(*vec) {},
		"Append":      func(v *vec) { v.Append(nil); v.Append(nil) },
		"AppendSlice": func(v *vec) { v.AppendSlice(nil, nil) },
		"Insert":      func(v *vec) { v.Insert(0, nil, nil) },
		"Grow":        func(v *vec) { v.Grow(2) },
	}
	for how, spill := range spills {
		for method, drop := range drops {
			v := new(vec)
			v.AppendSlice(nil, nil, new([64]byte))
			dropped := weak.Make(*v.At(2))
			spill(v)
			v.Truncate(slices.Index(v.Slice(), dropped.Value()) + 1)
			drop(v)
			runtime.GC()
			if dropped.Value() != nil {
				t.Errorf("spilled by %s: a value lives on after %s", how, method)
			}
			runtime.KeepAlive(v)
		}
	}
}

func TestAllFollowsChanges(t *testing.T) {
	var v pair
	v.AppendSlice(1, 2)
	var got []int
	for _, x := range v.All() {
		got = append(got, x)
		v.AppendSlice(10, 11)
		*v.At(1) = 7
	}
	if !slices.Equal(got, []int{1, 7}) {
		t.Errorf("All yields %v while the Vec spills", got)
	}
	got = nil
	for i, x := range v.All() {
		got = append(got, x)
		if i == 1 {
			v.Truncate(2)
		}
	}
	if !slices.Equal(got, []int{1, 7}) {
		t.Errorf("All yields %v while the Vec is cut", got)
	}
}

func TestAppendToASliceLeavesTheVecAlone(t *testing.T) {
	var v inline.Vec[int, [4]int]
	v.Append(1)
	_ = append(v.Slice(), 99)
	v.Grow(9)
	_ = append(v.Slice(), 99)
	v.Append(2)
	if !slices.Equal(v.Slice(), []int{1, 2}) {
		t.Errorf("the Vec has %v", v.Slice())
	}
}

// beforeFirst is -1, but the compiler must not know that: for arm64, Go 1.26 and 1.27 report a
// constant negative index as a different number.
var beforeFirst = -1

func TestPanics(t *testing.T) {
	var v pair
	v.AppendSlice(1, 2)
	cases := []struct {
		f    func()
		want string
	}{
		{func() { v.Insert(3, 1) }, "inline.Vec.Insert: index 3 is outside 0 to 2"},
		{func() { v.Insert(-1) }, "inline.Vec.Insert: index -1 is outside 0 to 2"},
		{func() { v.Delete(1, 3) }, "inline.Vec.Delete: 1 to 3 is not a range within 0 to 2"},
		{func() { v.Delete(2, 1) }, "inline.Vec.Delete: 2 to 1 is not a range within 0 to 2"},
		{func() { v.Delete(-1, 1) }, "inline.Vec.Delete: -1 to 1 is not a range within 0 to 2"},
		{func() { v.Truncate(3) }, "inline.Vec.Truncate: count 3 is outside 0 to 2"},
		{func() { v.Truncate(-1) }, "inline.Vec.Truncate: count -1 is outside 0 to 2"},
		{func() { v.Grow(-1) }, "inline.Vec.Grow: count -1 is negative or too large"},
		{func() { v.Grow(math.MaxInt) }, "inline.Vec.Grow: count "},
		{func() { v.Grow(math.MaxInt - 2) }, "runtime error: "},
		{func() { v.At(2) }, "runtime error: index out of range [2] with length 2"},
		{func() { v.At(beforeFirst) }, "runtime error: index out of range [-1]"},
	}
	for _, spilled := range []bool{false, true} {
		if spilled {
			v.Append(3)
			v.Truncate(2)
		}
		for _, c := range cases {
			if got := panicOf(c.f); !strings.HasPrefix(got, c.want) {
				t.Errorf("spilled %v: panic %q, want %q...", spilled, got, c.want)
			}
		}
		if !slices.Equal(v.Slice(), []int{1, 2}) || v.Inline() == spilled {
			t.Errorf("a panic left %v behind", v.Slice())
		}
	}
}

// pointerChecks reports whether the test binary was compiled with -gcflags=-d=checkptr.
func pointerChecks() bool {
	info, _ := debug.ReadBuildInfo()
	return slices.ContainsFunc(info.Settings, func(s debug.BuildSetting) bool {
		return s.Key == "-gcflags" && strings.Contains(s.Value, "checkptr")
	})
}

func panicOf(f func()) (message string) {
	defer func() {
		if r := recover(); r != nil {
			message = fmt.Sprint(r)
		}
	}()
	f()
	return "no panic"
}
