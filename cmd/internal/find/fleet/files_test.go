package fleet

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/pprof/profile"
)

// TestOneLineOfTwoBuilds verifies that a line is one site even if the binaries were built in
// different folders or with -trimpath.
func TestOneLineOfTwoBuilds(t *testing.T) {
	dir := t.TempDir()
	named := func(file string, folder, importPath string) {
		p := heap(1, map[string]count{"F@f.go:3": {10, 100, 1, 10}, "F@f.go:4": {10, 100, 1, 10}})
		for _, f := range p.Function {
			f.Name = importPath + ".F"
			f.Filename = folder + "/" + filepath.Base(f.Filename)
		}
		write(t, filepath.Join(dir, file), p)
	}
	for i, folder := range []string{"/ci/1/app/parse", "/ci/2/app/parse", "example.com/app/parse"} {
		named(strings.Repeat("a", i+1)+".pb.gz", folder, "example.com/app/parse")
	}
	for i, folder := range []string{"/ci/1/app/cmd/one", "example.com/app/cmd/one", "/ci/1/app/cmd/two"} { // two commands
		named(strings.Repeat("b", i+1)+".pb.gz", folder, "main")
	}
	r, err := Read(context.Background(), []string{dir}, Options{})
	if err != nil || len(r.Groups) != 1 {
		t.Fatalf("%+v, %v", r, err)
	}
	got := map[string]int64{}
	for k, o := range r.Groups[0].Heap.Sites {
		name := k.Place.Package
		if name == "main" {
			name = filepath.Base(filepath.Dir(k.Place.File))
		}
		if k.Place.Line == 3 {
			got[name] += o.Objects
		}
	}
	if len(r.Groups[0].Heap.Sites) != 6 || got["example.com/app/parse"] != 30 || got["one"] != 20 || got["two"] != 10 {
		t.Errorf("%d sites, of line 3 %v; want 6, and 30, 20 and 10 objects", len(r.Groups[0].Heap.Sites), got)
	}
}

// TestDifference verifies that a profile with negative values is rejected as a difference of two
// profiles.
func TestDifference(t *testing.T) {
	for name, p := range map[string]*profile.Profile{
		"fewer in use": heap(1, map[string]count{"F@f.go:3": {10, 100, -1, -10}, "G@f.go:4": {1, 1, 1, 1}}),
		"less made":    heap(1, map[string]count{"F@f.go:3": {-10, -100, 0, 0}}),
	} {
		file := filepath.Join(t.TempDir(), "d.pb.gz")
		write(t, file, p)
		_, err := Read(context.Background(), []string{file}, Options{})
		if err == nil || !strings.Contains(err.Error(), "d.pb.gz: the profile has negative values, so it is the difference of two profiles") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
