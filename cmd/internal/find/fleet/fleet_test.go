package fleet

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/pprof/profile"

	"github.com/coppice-go/coppice/cmd/internal/site"
)

// A count holds the values of one function in a heap profile.
type count struct{ objects, bytes, inUse, inUseBytes int64 }

// heap returns a heap profile of functions in package example.com/x. Each key contains the name,
// file and line of a function, such as F@f.go:3.
func heap(seconds int64, counts map[string]count) *profile.Profile {
	p := &profile.Profile{
		SampleType: []*profile.ValueType{{Type: "alloc_objects", Unit: "count"}, {Type: "alloc_space", Unit: "bytes"},
			{Type: "inuse_objects", Unit: "count"}, {Type: "inuse_space", Unit: "bytes"}},
		PeriodType: &profile.ValueType{Type: "space", Unit: "bytes"}, Period: 512 << 10,
		TimeNanos: time.Unix(seconds, 0).UnixNano(),
	}
	for at, c := range counts {
		name, rest, _ := strings.Cut(at, "@")
		file, number, _ := strings.Cut(rest, ":")
		var line int64
		if _, err := fmt.Sscan(number, &line); err != nil {
			panic(err)
		}
		id := uint64(len(p.Function) + 1)
		f := &profile.Function{ID: id, Name: "example.com/x." + name, Filename: "/build/x/" + file}
		l := &profile.Location{ID: id, Line: []profile.Line{{Function: f, Line: line}}}
		p.Function, p.Location = append(p.Function, f), append(p.Location, l)
		p.Sample = append(p.Sample, &profile.Sample{Location: []*profile.Location{l}, Value: []int64{c.objects, c.bytes, c.inUse, c.inUseBytes}})
	}
	return p
}

func write(t *testing.T, file string, p *profile.Profile) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		t.Fatal(err)
	}
	f, err := os.Create(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Write(f); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
}

func read1(t *testing.T, o Options, names ...string) *Result {
	t.Helper()
	r, err := Read(context.Background(), names, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func siteIn(t *testing.T, g *Group, function string) *site.Site {
	t.Helper()
	for _, s := range g.Sites {
		if s.Function == function {
			return s
		}
	}
	t.Fatalf("no site %s", function)
	return nil
}

// TestProcesses verifies that objects are counted once if two profiles come from the same process,
// and that two such profiles yield ages. A process that restarts is a new process.
func TestProcesses(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "web-0-9.pb.gz"), heap(1000, map[string]count{
		"Short@f.go:3": {100, 1000, 10, 100}, "Long@f.go:9": {50, 500, 50, 500}, "Old@f.go:20": {7, 70, 7, 70}}))
	write(t, filepath.Join(dir, "web-0-10.pb.gz"), heap(1010, map[string]count{
		"Short@f.go:3": {300, 3000, 30, 300}, "Long@f.go:9": {60, 600, 60, 600}, "Old@f.go:20": {7, 70, 7, 70}, "New@f.go:30": {4, 40, 4, 40}}))
	write(t, filepath.Join(dir, "web-0-11.pb.gz"), heap(1020, map[string]count{"Short@f.go:3": {40, 400, 4, 40}}))
	write(t, filepath.Join(dir, "web-1-10.pb.gz"), heap(1015, map[string]count{"Short@f.go:3": {1000, 10000, 6, 60}}))

	r := read1(t, Options{}, dir)
	if len(r.Groups) != 1 || r.Profiles != 4 || r.Bad != 0 {
		t.Fatalf("%d groups, %d profiles, %d bad; want 1, 4, 0", len(r.Groups), r.Profiles, r.Bad)
	}
	g := r.Groups[0]
	if g.Processes != 3 || g.Watched != 10*time.Second || g.Profiles != 4 {
		t.Errorf("%d processes, watched for %v, %d profiles; want 3, 10s, 4", g.Processes, g.Watched, g.Profiles)
	}
	if g.Followed != 1 || g.Meanwhile.Objects != 200+10+4 {
		t.Errorf("%d processes allocated %d objects while they were watched; want 1, 214", g.Followed, g.Meanwhile.Objects)
	}
	for function, want := range map[string]float64{"Short": 20 / 200.0, "Long": 1, "New": 1} {
		if got, ok := g.Grown[siteIn(t, g, function)]; !ok || math.Abs(got-want) > 1e-9 {
			t.Errorf("%s grew by %v of what it allocated, want %v", function, got, want)
		}
	}
	if want := int64(300 + 60 + 7 + 4 + 40 + 1000); g.Heap.Total.Objects != want {
		t.Errorf("%d objects, want %d", g.Heap.Total.Objects, want)
	}
	short := siteIn(t, g, "Short")
	if short.Objects != (300+40+1000)/3.0 || short.InUse != 30+4+6 {
		t.Errorf("Short: %v objects a process, %d in use; want %v, 40", short.Objects, short.InUse, (300+40+1000)/3.0)
	}
	for function, want := range map[string]float64{
		"Short": 20 * 10 / 200.0, // 20 in use on average for 10 s, 200 allocated
		"Long":  55 * 10 / 10.0,
		"New":   2 * 10 / 4.0,
	} {
		if s := siteIn(t, g, function); math.Abs(s.Fate.Age-want) > 1e-9 || s.Fate.Main() != "unknown" {
			t.Errorf("%s: the age is %v and the fate %s, want %v, unknown", function, s.Fate.Age, s.Fate.Main(), want)
		}
	}
	if f := siteIn(t, g, "Old").Fate; f.Main() != "retained" || f.Age != 10 {
		t.Errorf("Old: %+v, want retained, for 10 s at least", f)
	}
}

func TestLabelsSplit(t *testing.T) {
	dir := t.TempDir()
	few, many := map[string]count{"F@f.go:3": {1, 10, 0, 0}}, map[string]count{"F@f.go:3": {9, 90, 0, 0}}
	write(t, filepath.Join(dir, "service=web", "version=1", "a.pb.gz"), heap(1, few))
	write(t, filepath.Join(dir, "service=web", "version=2", "a.pb.gz"), heap(1, many))
	write(t, filepath.Join(dir, "service=web", "version=2", "b.pb.gz"), heap(1, many))
	cpu := &profile.Profile{SampleType: []*profile.ValueType{{Type: "samples", Unit: "count"}}, Sample: []*profile.Sample{}}
	for i, name := range []string{"runtime.mallocgc", "example.com/x.F", "example.com/x.G"} {
		f := &profile.Function{ID: uint64(i + 1), Name: name, Filename: "/build/x/f.go"}
		cpu.Function = append(cpu.Function, f)
		cpu.Location = append(cpu.Location, &profile.Location{ID: f.ID, Line: []profile.Line{{Function: f, Line: 3}}})
	}
	cpu.Sample = append(cpu.Sample, &profile.Sample{Location: cpu.Location[:2], Value: []int64{3}}, &profile.Sample{Location: cpu.Location[2:], Value: []int64{9}})
	write(t, filepath.Join(dir, "service=web", "version=1", "cpu.pb.gz"), cpu)
	write(t, filepath.Join(dir, "service=web", "version=1", "cpu2.pb.gz"), cpu)

	r := read1(t, Options{}, dir)
	if len(r.Groups) != 2 || r.Groups[0].Labels["version"] != "2" || r.Groups[0].Heap.Total.Bytes != 180 || r.Groups[0].Processes != 2 {
		t.Fatalf("the first of %d groups is %+v", len(r.Groups), r.Groups[0])
	}
	g := r.Groups[1]
	if g.Labels["service"] != "web" || g.CPU.Classes.Samples != 24 || g.CPU.Classes.Malloc != 0.25 {
		t.Errorf("version 1: %v, %+v; want 24 samples, 0.25 of malloc", g.Labels, g.CPU.Classes)
	}
	if s := g.Sites[0]; s.Function != "F" || s.Malloc != 0.25 || s.Objects != 1 || s.Samples != 6 {
		t.Errorf("version 1: the first site is %+v", s)
	}
	if r := read1(t, Options{By: []string{"service"}}, dir); len(r.Groups) != 1 || r.Groups[0].Profiles != 5 {
		t.Errorf("by service: %d groups", len(r.Groups))
	}
}

// TestBadSourcesAreCountedOnce verifies that a bad source is counted once even if it is read twice,
// for heap profiles and for CPU profiles.
func TestBadSourcesAreCountedOnce(t *testing.T) {
	var r Result
	for range 2 {
		for i := range listed + 3 {
			r.bad(fmt.Errorf("notes-%d.txt: not a profile", i))
		}
	}
	if r.Bad != listed+3 || len(r.BadFirst) != listed {
		t.Errorf("%d bad, %d named; want %d, %d", r.Bad, len(r.BadFirst), listed+3, listed)
	}
}

// TestBadSources verifies that unreadable sources are counted and reported, and that the other
// sources are read.
func TestBadSources(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "good.pb.gz"), heap(1, map[string]count{"F@f.go:3": {1, 10, 0, 0}}))
	for i := range listed + 5 {
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("notes-%d.txt", i)), []byte("hello\n"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	absent := filepath.Join(dir, "absent")
	r := read1(t, Options{}, absent, "ftp://x/y", dir)
	if r.Profiles != 1 || r.Bad != listed+7 || len(r.BadFirst) != listed {
		t.Errorf("%d profiles, %d bad, %d named; want 1, %d, %d", r.Profiles, r.Bad, len(r.BadFirst), listed+7, listed)
	}
	warnings := strings.Join(r.Warnings(), "\n")
	for _, want := range []string{"absent", "unknown scheme ftp", "notes-0.txt: not a profile", "not read: 7 more"} {
		if !strings.Contains(warnings, want) {
			t.Errorf("the warnings lack %q:\n%s", want, warnings)
		}
	}
	for _, c := range []struct {
		names []string
		o     Options
		want  string
	}{
		{nil, Options{}, "no source"},
		{[]string{absent}, Options{}, "absent"},
		{[]string{filepath.Join(dir, "notes-0.txt"), filepath.Join(dir, "notes-1.txt")}, Options{}, "none of 2 sources"},
		{[]string{t.TempDir()}, Options{}, "has no files"},
		{[]string{filepath.Join(dir, "good.pb.gz")}, Options{MaxDownload: 10}, "exceeds the limit"},
		{[]string{filepath.Join(dir, "good.pb.gz")}, Options{MaxSize: 10}, "exceeds the limit"},
	} {
		if _, err := Read(context.Background(), c.names, c.o); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: the error is %v, want %q", c.names, err, c.want)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Read(ctx, []string{dir}, Options{}); err != context.Canceled {
		t.Errorf("cancelled: %v", err)
	}
}

func TestMismatch(t *testing.T) {
	tree := t.TempDir()
	source := `package x

func F() {
	_ = new(int)
}

type T[E any] struct{}

func (t *T[E]) M() {
	func() {
	}()
}

var v = new(int)
`
	for file, text := range map[string]string{"go.mod": "module example.com/x\n", "f.go": source} {
		if err := os.WriteFile(filepath.Join(tree, file), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	source1, err := NewTree(tree)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		pkg, function, file string
		line                int
		has, known          bool
	}{
		{"example.com/x", "F", "/build/x/f.go", 4, true, true},
		{"example.com/x", "F", "/build/x/f.go", 10, false, true},
		{"example.com/x", "G", "/build/x/f.go", 4, false, true},
		{"example.com/x", "F", "/build/x/gone.go", 4, false, true},
		{"example.com/x", "(*T[...]).M", "/build/x/f.go", 9, true, true},
		{"example.com/x", "(*T[...]).M.func1", "/build/x/f.go", 10, true, true},
		{"example.com/x", "(*T[...]).M-range1", "/build/x/f.go", 10, true, true},
		{"example.com/x", "F.(*T[...]).M.func2", "/build/x/f.go", 10, true, true}, // inlined in F
		{"example.com/x", "F.func1", "/build/x/f.go", 10, false, true},
		{"example.com/x", "init", "/build/x/f.go", 14, false, false},
		{"example.com/x", "yyParse", "/build/x/sql.y", 4, false, false},
		{"example.com/other", "F", "/build/other/f.go", 4, false, false},
		{"main", "F", "/build/x/f.go", 4, true, true},
		{"main", "F", "/build/x/cmd/main.go", 4, false, false},
	} {
		has, known := source1.Has(site.Place{Package: c.pkg, Function: c.function, File: c.file, Line: c.line})
		if has != c.has || known != c.known {
			t.Errorf("%s.%s at %s:%d: has %v, known %v; want %v, %v", c.pkg, c.function, c.file, c.line, has, known, c.has, c.known)
		}
	}

	dir := t.TempDir()
	write(t, filepath.Join(dir, "same.pb.gz"), heap(1, map[string]count{"F@f.go:4": {1, 1, 0, 0}}))
	write(t, filepath.Join(dir, "other.pb.gz"), heap(1, map[string]count{"F@f.go:4": {1, 1, 0, 0}, "Gone@f.go:4": {1, 1, 0, 0}}))
	r := read1(t, Options{Tree: source1, Mine: source1.Mine}, dir)
	if r.Mismatched != 1 || !strings.HasSuffix(r.Mismatches[0].Source, "other.pb.gz") || r.Mismatches[0].Missed != 1 || r.Mismatches[0].Checked != 2 {
		t.Errorf("mismatches are %+v", r.Mismatches)
	}
	if w := r.Warnings(); len(w) != 1 || !strings.Contains(w[0], "1 of 2 places") || !strings.Contains(w[0], "x.Gone") {
		t.Errorf("the warnings are %q", w)
	}
	if _, err := NewTree(dir); err == nil {
		t.Error("a folder without go.mod is a tree")
	}
}
