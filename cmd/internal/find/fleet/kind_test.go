package fleet

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/pprof/profile"
)

// TestKinds verifies that profiles of the other kind are skipped in a folder. A single file of the
// wrong kind is an error.
func TestKinds(t *testing.T) {
	dir := t.TempDir()
	heapFile, cpuFile := filepath.Join(dir, "both", "heap.pb.gz"), filepath.Join(dir, "both", "cpu.pb.gz")
	write(t, heapFile, heap(1, map[string]count{"F@f.go:3": {5, 50, 0, 0}}))
	f := &profile.Function{ID: 1, Name: "example.com/x.F", Filename: "/build/x/f.go"}
	l := &profile.Location{ID: 1, Line: []profile.Line{{Function: f, Line: 3}}}
	cpu := &profile.Profile{
		SampleType: []*profile.ValueType{{Type: "samples", Unit: "count"}}, Function: []*profile.Function{f}, Location: []*profile.Location{l},
		Sample: []*profile.Sample{{Location: []*profile.Location{l}, Value: []int64{7}}},
	}
	write(t, cpuFile, cpu)
	write(t, filepath.Join(dir, "cpu", "1.pb.gz"), cpu)
	both, only := filepath.Join(dir, "both"), filepath.Join(dir, "cpu")

	for _, c := range []struct {
		name      string
		heap, cpu []string
		objects   int64
		samples   int
		bad       string // substring of the error; "" for none
	}{
		{"heap of a folder", []string{both}, nil, 5, 0, ""},
		{"CPU of a folder", nil, []string{both}, 0, 7, ""},
		{"a folder for both", []string{both}, []string{both}, 5, 7, ""},
		{"a name twice counts once", []string{both, both}, nil, 5, 0, ""},
		{"the wrong file", []string{heapFile, cpuFile}, nil, 5, 0, "cpu.pb.gz: a CPU profile was passed as a heap profile"},
		{"the wrong folder", []string{only}, []string{cpuFile}, 0, 7, "no heap profiles, only CPU profiles (1); pass the folder with -cpuprofile"},
	} {
		r, err := ReadNamed(context.Background(), Named(c.heap, c.cpu), Options{})
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if g := r.Groups[0]; g.Heap.Total.Objects != c.objects || g.CPU.Classes.Samples != c.samples {
			t.Errorf("%s: %d objects, %d samples; want %d, %d", c.name, g.Heap.Total.Objects, g.CPU.Classes.Samples, c.objects, c.samples)
		}
		if got := strings.Join(r.BadFirst, "\n"); c.bad == "" && r.Bad != 0 || !strings.Contains(got, c.bad) {
			t.Errorf("%s: not read: %q, want %q", c.name, got, c.bad)
		}
	}
	if _, err := ReadNamed(context.Background(), Named([]string{only}, nil), Options{}); err == nil || !strings.Contains(err.Error(), "no heap profiles") {
		t.Errorf("the wrong folder alone: %v", err)
	}
}
