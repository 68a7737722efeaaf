package find

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/pprof/profile"

	"github.com/coppice-go/coppice/cmd/internal/find/fleet"
	"github.com/coppice-go/coppice/cmd/internal/site"
)

func TestFateOfAge(t *testing.T) {
	for _, c := range []struct {
		name      string
		age       float64
		watched   time.Duration
		grown     float64
		allocated bool
		main      string
		knowsAge  bool
	}{
		{"not measured twice", 0, 0, 0, false, "unknown", false},
		{"a steady state of young values", 0.02, time.Minute, 0.01, true, "unknown", true},
		{"a steady state of old values", 42, time.Minute, 0, true, "retained", true},
		{"a cache that fills: half of the time watched is no age", 9, 18 * time.Second, 0.95, true, "retained", true},
		{"nothing died, and not measured for long", 0.5, time.Second, 1, true, "unknown", false},
		{"made at the start, and there after a while", 60, time.Minute, 0, false, "retained", true},
		{"made at the start, and there a moment later", 0.1, 100 * time.Millisecond, 0, false, "unknown", false},
	} {
		f := fateOfAge(c.age, c.watched, c.grown, c.allocated)
		if f.Main() != c.main || (f.Age > 0) != c.knowsAge {
			t.Errorf("%s: %+v is %s; want %s", c.name, f, f.Main(), c.main)
		}
		if sum := f.Temporary + f.Result + f.Retained; f.Method != site.Unknown && sum != 1 {
			t.Errorf("%s: the parts of %+v sum to %v", c.name, f, sum)
		}
	}
}

// A stack is a sample of a profile. Its frames have the format name@file:line, innermost first.
type stack struct {
	frames string
	values []int64
}

// newProfile returns a profile with the given stacks. types is a list of sample types, separated by
// spaces.
func newProfile(seconds int64, types string, stacks ...stack) *profile.Profile {
	p := &profile.Profile{TimeNanos: time.Unix(seconds, 0).UnixNano()}
	for _, name := range strings.Fields(types) {
		p.SampleType = append(p.SampleType, &profile.ValueType{Type: name, Unit: "count"})
	}
	for _, s := range stacks {
		sample := &profile.Sample{Value: s.values}
		for _, frame := range strings.Fields(s.frames) {
			name, at, _ := strings.Cut(frame, "@")
			file, number, _ := strings.Cut(at, ":")
			var line int64
			if _, err := fmt.Sscan(number, &line); err != nil {
				panic(err)
			}
			f := &profile.Function{ID: uint64(len(p.Function) + 1), Name: name, Filename: "/build/" + file}
			l := &profile.Location{ID: f.ID, Line: []profile.Line{{Function: f, Line: line}}}
			p.Function, p.Location = append(p.Function, f), append(p.Location, l)
			sample.Location = append(sample.Location, l)
		}
		p.Sample = append(p.Sample, sample)
	}
	return p
}

func save(t *testing.T, p *profile.Profile, elements ...string) {
	t.Helper()
	file := filepath.Join(elements...)
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		t.Fatal(err)
	}
	w, err := os.Create(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Write(w); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
}

const heapTypes = "alloc_objects alloc_space inuse_objects inuse_space"

// web writes the source of a program with a cache to a folder, and returns the folder.
func web(t *testing.T) (dir string) {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for file, text := range map[string]string{
		"go.mod":              "module example.com/web\n\ngo 1.26\n",
		"cache/cache.go":      "package cache\n\ntype Entry struct{ key, hash uint64; data [6]uint64 }\n\nvar All = map[uint64]*Entry{}\n\nfunc Add(key uint64) {\n\tAll[key] = &Entry{key: key}\n}\n",
		"cache/cache_test.go": "package cache\n\nimport \"testing\"\n\nfunc BenchmarkAdd(b *testing.B) {\n\tfor i := range b.N {\n\t\tAdd(uint64(i))\n\t}\n}\n",
		"cmd/other/main.go":   "package main\n\nfunc main() {}\n",
		"cmd/web/main.go":     "package main\n\nvar page []byte\n\nfunc handle(n int) {\n\tpage = make([]byte, n)\n}\n\nfunc main() { handle(9) }\n",
	} {
		name := filepath.Join(dir, filepath.FromSlash(file))
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func answers(t *testing.T, s Sources) []*Result {
	t.Helper()
	s.Show = func(string) {}
	all, err := Profiles(context.Background(), s)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func siteAt(t *testing.T, r *Result, function string) *site.Site {
	t.Helper()
	for _, s := range r.Sites {
		if s.Function == function {
			return s
		}
	}
	t.Fatalf("no site in %s", function)
	return nil
}

// TestProfilesOfACache analyzes the profiles of two processes whose cache grows while they are
// observed, and whose pages are short-lived. The remedy for the cache must be a store. A page must
// have an age, but no remedy, because each remedy depends on how long a page lives compared with an
// operation.
func TestProfilesOfACache(t *testing.T) {
	source := web(t)
	all := answers(t, profilesOfACache(t, source))
	if len(all) != 1 {
		t.Fatalf("%d answers, want 1", len(all))
	}
	r := all[0]
	if r.Target.Unit != "second" || r.Op.Allocs != (2_000_000+60_000)/60.0 || r.Op.Exact {
		t.Errorf("%+v of %s, want 34,333 objects a second", r.Op, r.Target.Unit)
	}
	e := siteAt(t, r, "Add")
	if e.Fate.Main() != "retained" || e.InUse != 4_000_000 || e.Remedy != "store" || e.File != filepath.Join(source, "cache", "cache.go") {
		t.Errorf("the cache: %+v, %d live, %s in %s; want retained, 4,000,000 of a process, store", e.Fate, e.InUse, e.Remedy, e.File)
	}
	if e.Facts.Type != "Entry" || e.Facts.Pointers != site.NoPointers {
		t.Errorf("the facts of the cache are %+v", e.Facts)
	}
	p := siteAt(t, r, "handle")
	if want := 100 * 60 / 60_000.0; p.Fate.Main() != "unknown" || math.Abs(p.Fate.Age-want) > 1e-9 || p.Remedy != site.Leave {
		t.Errorf("the page: %+v, %s; want an age of %v and no remedy", p.Fate, p.Remedy, want)
	}
	if p.File != filepath.Join(source, "cmd", "web", "main.go") || p.Facts.Kind != site.MakeSlice {
		t.Errorf("the page is in %s, %+v", p.File, p.Facts)
	}
	if why := strings.Join(p.Why, "; "); !strings.Contains(why, "100.0 ms on average") || !strings.Contains(why, "profiles do not show") {
		t.Errorf("the page is left for: %s", why)
	}
	if r.Answer != FixSites || !strings.Contains(r.Reason, "profiles do not show") {
		t.Errorf("the answer is %s: %s", r.Answer, r.Reason)
	}
	if r.Target.Then != "coppice find -bench . ./cache" || r.Proposals[0].Next != r.Target.Then || r.Target.Package != "example.com/web/cache" {
		t.Errorf("next is %q, of the proposal %q, in %s", r.Target.Then, r.Proposals[0].Next, r.Target.Package)
	}
	if len(r.Warnings) != 0 {
		t.Errorf("warnings: %q", r.Warnings)
	}
}

// profilesOfACache saves profiles of the program in a folder, and returns them as sources. In these
// profiles the cache grows, and the pages are short-lived.
func profilesOfACache(t *testing.T, source string) Sources {
	t.Helper()
	dir := t.TempDir()
	const entry, page = "example.com/web/cache.Add@src/cache/cache.go:8", "main.handle@src/cmd/web/main.go:6"
	for _, instance := range []string{"web-0", "web-1"} {
		heap := func(seconds, entries, pages int64) {
			save(t, newProfile(seconds, heapTypes,
				stack{entry, []int64{entries, 64 * entries, entries, 64 * entries}},
				stack{page, []int64{pages, 1024 * pages, 100, 1024 * 100}},
			), dir, "heap", fmt.Sprintf("%s-%d.pb.gz", instance, seconds))
		}
		heap(1000, 2_000_000, 10_000)
		heap(1060, 4_000_000, 70_000)
	}
	save(t, newProfile(1000, "samples",
		stack{"runtime.mallocgc@runtime/malloc.go:1 " + entry, []int64{300}},
		stack{"runtime.mallocgc@runtime/malloc.go:1 " + page, []int64{200}},
		stack{"runtime.gcDrain@runtime/mgc.go:1 runtime.gcBgMarkWorker@runtime/mgc.go:2", []int64{500}},
		stack{"main.main@src/cmd/web/main.go:9", []int64{1000}},
	), dir, "cpu.pb.gz")
	return Sources{Heap: []string{filepath.Join(dir, "heap")}, CPU: []string{filepath.Join(dir, "cpu.pb.gz")}, Dir: source, From: source}
}

// TestNextWithoutBenchmarks verifies that, without benchmarks, one warning explains what to do, and
// no next command is suggested. The command is suggested if there is a benchmark in the most
// expensive package or in the package of a proposal.
func TestNextWithoutBenchmarks(t *testing.T) {
	source := web(t)
	test := filepath.Join(source, "cache", "cache_test.go")
	if err := os.Remove(test); err != nil {
		t.Fatal(err)
	}
	sources := profilesOfACache(t, source)
	r := answers(t, sources)[0]
	if len(r.Proposals) == 0 || r.Proposals[0].Next != "" || r.Target.Next != "" || r.Target.Then != "" {
		t.Errorf("next is %q, then %q, of the proposals %+v", r.Target.Next, r.Target.Then, r.Proposals)
	}
	want := "no benchmark found in package ./cache: write one of the program's main work, then run coppice find -bench . ./cache to measure it"
	if len(r.Warnings) != 1 || r.Warnings[0] != want {
		t.Errorf("the warnings are %q, want %q", r.Warnings, want)
	}
	text := "package cache_test\n\nimport \"testing\"\n\nfunc BenchmarkAdd(b *testing.B) {}\n"
	if err := os.WriteFile(test, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	r = answers(t, sources)[0]
	if want := "coppice find -bench . ./cache"; r.Proposals[0].Next != want || r.Target.Then != want || len(r.Warnings) != 0 {
		t.Errorf("with a benchmark, next is %q, then %q, with the warnings %q", r.Proposals[0].Next, r.Target.Then, r.Warnings)
	}
}

// TestAnswersOfProfiles verifies that the CPU profile determines the answer. Profiles never suffice
// to recommend GOGC. They suffice to recommend no change only if memory management takes almost no
// time.
func TestAnswersOfProfiles(t *testing.T) {
	source := web(t)
	const page = "main.handle@src/cmd/web/main.go:6"
	for _, c := range []struct {
		malloc, other int64
		want          Answer
		reason        string
	}{
		{10, 90, NotKnown, "have 100 samples, but 1000 are needed: add more with -cpuprofile"},
		{20, 1980, LeaveAlone, "take 1 % of the CPU time in all"},
		{160, 1840, NotKnown, "take 8 % of the CPU time, but no site has a remedy that profiles can show"},
		{600, 1400, NotKnown, "profiles do not show what a higher GOGC would save"},
	} {
		file := filepath.Join(t.TempDir(), "cpu.pb.gz")
		save(t, newProfile(1, "samples", stack{"runtime.mallocgc@runtime/malloc.go:1 " + page, []int64{c.malloc}}, stack{"main.main@src/cmd/web/main.go:9", []int64{c.other}}), file)
		r := answers(t, Sources{CPU: []string{file}, Dir: source, From: "/"})[0]
		if r.Answer != c.want || !strings.Contains(r.Reason, c.reason) {
			t.Errorf("%d of %d samples: %s, %s; want %s, %s", c.malloc, c.malloc+c.other, r.Answer, r.Reason, c.want, c.reason)
		}
		if r.Target.Then != "" || r.Target.Next != "" {
			t.Errorf("next is %q, then %q, of a package without benchmarks", r.Target.Next, r.Target.Then)
		}
		want := "no benchmark found in package ./cmd/web: write one of the program's main work, then run cd " + quoted(source) + " && coppice find -bench . ./cmd/web to measure it"
		if !slices.Contains(r.Warnings, want) {
			t.Errorf("the warnings are %q, want %q", r.Warnings, want)
		}
	}
}

// TestProfilesWithoutSource verifies that the answer mentions the missing source, and that
// passwords in URLs are not printed.
func TestProfilesWithoutSource(t *testing.T) {
	file := filepath.Join(t.TempDir(), "cpu.pb.gz")
	save(t, newProfile(1, "samples", stack{"runtime.mallocgc@runtime/malloc.go:1 example.com/web/cache.Add@src/cache/cache.go:8", []int64{900}},
		stack{"main.main@src/cmd/web/main.go:9", []int64{900}}), file)
	r := answers(t, Sources{CPU: []string{file}, Heap: []string{"http://me:secret@127.0.0.1:1/"}})[0]
	if r.Answer != NotKnown || !strings.Contains(r.Reason, "the remedy depends on the source: name its module with -C") {
		t.Errorf("%s: %s", r.Answer, r.Reason)
	}
	if text := fmt.Sprintf("%+v", *r); strings.Contains(text, "secret") || !strings.Contains(text, "me:xxxxx@") {
		t.Errorf("there is a password in %s", text)
	}
}

// TestManyGroups verifies that a warning reports the number of groups if there are more than the
// answers cover.
func TestManyGroups(t *testing.T) {
	dir := t.TempDir()
	for i := range mostGroups + 3 {
		save(t, newProfile(1, heapTypes, stack{"example.com/web/cache.Add@src/cache/cache.go:8", []int64{int64(i + 1), 64, 0, 0}}),
			dir, fmt.Sprintf("version=%d", i), "heap.pb.gz")
	}
	all := answers(t, Sources{Heap: []string{dir}})
	if len(all) != mostGroups || !strings.Contains(strings.Join(all[0].Warnings, "\n"), "of 15 groups of labels, the first 12 are shown") {
		t.Errorf("%d answers, %q", len(all), all[0].Warnings)
	}
	ids := map[string]bool{}
	for _, r := range all {
		if s := r.Sites[0]; s.ID == "" || s.Remedy != site.Leave || !strings.Contains(strings.Join(s.Why, ""), "-C") {
			t.Errorf("%s: %+v", s.ID, s.Advice)
		}
		ids[r.Target.Name] = true
	}
	if len(ids) != mostGroups {
		t.Errorf("the names are %v", ids)
	}
	if all := answers(t, Sources{Heap: []string{dir}, Fleet: fleet.Options{By: []string{}}}); len(all) != 1 || all[0].Target.Unit != "profile" {
		t.Errorf("without labels there are %d answers", len(all))
	}
}
