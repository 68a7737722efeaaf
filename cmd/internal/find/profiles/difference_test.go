package profiles

import (
	"testing"

	"github.com/google/pprof/profile"
)

// TestDifferenceByStack verifies that profiles are subtracted stack by stack. While the cache drops
// an old entry for each new one, the number of live objects stays the same, but all entries that
// were added between the two profiles are live.
func TestDifferenceByStack(t *testing.T) {
	put := &profile.Function{ID: 1, Name: "example.org/m.(*Cache).Put", Filename: "m.go"}
	setup, op := &profile.Function{ID: 2, Name: "example.org/m.fill", Filename: "m.go"}, &profile.Function{ID: 3, Name: "example.org/m.add", Filename: "m.go"}
	at := func(id uint64, f *profile.Function) *profile.Location {
		return &profile.Location{ID: id, Address: 16 * id, Line: []profile.Line{{Function: f, Line: 7}}}
	}
	place, first, second := at(1, put), at(2, setup), at(3, op)
	heap := func(values ...[4]int64) *profile.Profile {
		p := &profile.Profile{
			SampleType: []*profile.ValueType{{Type: "alloc_objects"}, {Type: "alloc_space"}, {Type: "inuse_objects"}, {Type: "inuse_space"}},
			Function:   []*profile.Function{put, setup, op}, Location: []*profile.Location{place, first, second},
		}
		for i, v := range values {
			p.Sample = append(p.Sample, &profile.Sample{Location: []*profile.Location{place, []*profile.Location{first, second}[i]}, Value: v[:], NumLabel: map[string][]int64{"bytes": {8}}})
		}
		return p
	}
	before, after := heap([4]int64{100, 800, 100, 800}), heap([4]int64{100, 800, 40, 320}, [4]int64{60, 480, 60, 480})
	h, err := (&Scope{}).Heap(Difference(after, before), nil)
	if err != nil {
		t.Fatal(err)
	}
	if want := (Objects{Objects: 60, Bytes: 480, InUse: 60, InUseBytes: 480}); len(h.Sites) != 1 || h.Total != want {
		t.Errorf("%+v in all, want %+v; %v", h.Total, want, h.Sites)
	}
	if again := Difference(after, after); len(again.Sample) > 0 {
		t.Errorf("%d samples between a profile and itself", len(again.Sample))
	}
}
