package profiles

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/google/pprof/profile"

	"github.com/coppice-go/coppice/cmd/internal/site"
)

// marks returns the numbers of the lines in a source file that end with a comment of one upper-case
// word, by that word.
func marks(t *testing.T, file string) map[string]int {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines := map[string]int{}
	s := bufio.NewScanner(f)
	for n := 1; s.Scan(); n++ {
		if _, word, ok := strings.Cut(s.Text(), " // "); ok && word == strings.ToUpper(word) {
			lines[word] = n
		}
	}
	return lines
}

// TestRealProfiles verifies that real profiles, taken with MemProfileRate=1, yield the exact number
// of objects and bytes for each line.
func TestRealProfiles(t *testing.T) {
	dir := t.TempDir()
	binary := filepath.Join(dir, "allocates")
	source := filepath.Join("testdata", "allocates", "main.go")
	if out, err := exec.Command("go", "build", "-o", binary, source).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if out, err := exec.Command(binary, dir).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	read := func(name string) *profile.Profile {
		p, err := ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	scope := &Scope{}
	heap, err := scope.Heap(read("after"), read("before"))
	if err != nil {
		t.Fatal(err)
	}
	if heap.Rate != 1 || heap.Harness.Objects == 0 {
		t.Errorf("the rate is %d, and the profiler allocates %d objects", heap.Rate, heap.Harness.Objects)
	}
	cpu, err := scope.CPU(read("cpu"))
	if err != nil {
		t.Fatal(err)
	}

	lines := marks(t, source)
	type want struct{ objects, bytes, inUse, inUseBytes int64 }
	check := func(word, function, leaf string, w want) {
		t.Helper()
		for _, s := range Sites(nil, heap, 1) {
			if filepath.Base(s.File) != "main.go" || s.Line != lines[word] {
				continue
			}
			got := want{int64(s.Objects), int64(s.Bytes), s.InUse, s.InUseBytes}
			if s.Leaf == nil && leaf == "" || s.Leaf != nil && s.Leaf.Package+"."+s.Leaf.Function == leaf {
				if got != w || s.Package != "main" || s.Function != function {
					t.Errorf("%s: %s.%s has %+v, want %s with %+v", word, s.Package, s.Function, got, function, w)
				}
				return
			}
		}
		t.Errorf("%s: no site with leaf %q", word, leaf)
	}
	check("DROPPED", "work", "", want{1000, 64 * 1000, 0, 0})
	check("INLINED", "newNode", "", want{1000, 64 * 1000, 1000, 64 * 1000})
	check("GENERIC", "(*list[...]).add", "", want{1000, 64 * 1000, 990, 64 * 990})
	check("CALL", "work", "", want{1000, 64 * 1000, 0, 0})
	check("CALL", "work", "bytes.Repeat", want{1000, 64 * 1000, 0, 0})

	if c := cpu.Classes; c.Samples < 20 || c.Malloc < 0.2 || c.Memory() > 1.001 {
		t.Errorf("of a loop that allocates: %+v", c)
	}
	var sum float64
	sites := Sites(cpu, heap, 1000)
	for _, s := range sites {
		sum += s.Malloc
	}
	if first := sites[0]; first.Line != lines["INLINED"] || first.Objects != 1 || first.Malloc < 0.9*cpu.Classes.Malloc {
		t.Errorf("the most expensive site is %+v, want the line %d with all of malloc, %v", first, lines["INLINED"], cpu.Classes.Malloc)
	}
	if sum > cpu.Classes.Malloc+1e-9 {
		t.Errorf("the sites take %v, more than all of malloc, %v", sum, cpu.Classes.Malloc)
	}
}

func TestSites(t *testing.T) {
	a, b, std := site.Place{File: "a.go", Line: 1}, site.Place{File: "b.go", Line: 2}, site.Place{Package: "bytes", Line: 3}
	cpu := &CPU{Classes: site.Classes{Samples: 200}, Malloc: map[Key]int{{Place: b}: 20}}
	heap := &Heap{
		Calls: map[Call]Amount{
			{Key: Key{Place: a}, At: 1}:            {Objects{Objects: 25}, map[int64]int64{8: 10, 32: 15, 64: 0}},
			{Key: Key{Place: a}, At: 2}:            {Objects{Objects: 5}, map[int64]int64{8: 5}},
			{Key: Key{Place: a}, At: 3}:            {Objects{}, map[int64]int64{16: 0}},
			{Key: Key{Place: a, Leaf: std}, At: 4}: {Objects{Objects: 10}, map[int64]int64{8: 5, 0: 5}}, // from a profile without sizes
		},
		Sites: map[Key]Objects{
			{Place: a}:            {Objects: 30, Bytes: 600, InUse: 3, InUseBytes: 60},
			{Place: a, Leaf: std}: {Objects: 10, Bytes: 300},
			{Place: std}:          {Objects: -2, Bytes: -8}, // negative by chance: the profiles are from two runs
		},
		Total: Objects{Objects: 60, Bytes: 1200},
	}
	sites := Sites(cpu, heap, 10)
	if len(sites) != 3 {
		t.Fatalf("%d sites, want 3", len(sites))
	}
	if got, want := sites[0].Cost, (site.Cost{Malloc: 0.1, Samples: 20}); !reflect.DeepEqual(got, want) || sites[0].Place != b {
		t.Errorf("first: %+v at %+v", got, sites[0].Place)
	}
	want := site.Cost{Objects: 3, Bytes: 60, ObjectsPart: 0.5, BytesPart: 0.5, InUse: 3, InUseBytes: 60, Sizes: []site.Size{{Bytes: 8, Objects: 1.5}, {Bytes: 32, Objects: 1.5}}}
	if got := sites[1].Cost; !reflect.DeepEqual(got, want) || sites[1].Leaf != nil {
		t.Errorf("second: %+v, want %+v", got, want)
	}
	if got := sites[2].Leaf; got == nil || *got != std {
		t.Errorf("third: the leaf is %+v, want %+v", got, std)
	}
}
