package show_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/pprof"
	"strings"
	"testing"

	"github.com/google/pprof/profile"

	"github.com/coppice-go/coppice/cmd/internal/find"
	"github.com/coppice-go/coppice/cmd/internal/find/show"
	"github.com/coppice-go/coppice/cmd/internal/site"
)

var kept [][]byte

//go:noinline
func allocate() {
	for range 4000 {
		kept = append(kept, make([]byte, 1024))
	}
}

// heap returns the heap profile of this process.
func heap(t *testing.T) *profile.Profile {
	t.Helper()
	allocate()
	runtime.GC()
	var out bytes.Buffer
	if err := pprof.Lookup("heap").WriteTo(&out, 0); err != nil {
		t.Fatal(err)
	}
	p, err := profile.Parse(&out)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// siteOf returns a function that returns s for samples of allocate, and nil for others.
func siteOf(s *site.Site) func(*profile.Sample) *site.Site {
	return func(sample *profile.Sample) *site.Site {
		if f := sample.Location[0].Line[0].Function; strings.HasSuffix(f.Name, "show_test.allocate") {
			return s
		}
		return nil
	}
}

// TestProfileInPprof verifies that go tool pprof shows the added labels and can filter by them, and
// that the totals are unchanged.
func TestProfileInPprof(t *testing.T) {
	r := rich()
	p := heap(t)
	before := p.String()
	var out bytes.Buffer
	if err := show.Profile(&out, r, p, siteOf(r.Sites[0])); err != nil {
		t.Fatal(err)
	}
	if p.String() != before {
		t.Error("the profile was changed")
	}
	file := filepath.Join(t.TempDir(), "heap.pb.gz")
	if err := os.WriteFile(file, out.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	tool := func(args ...string) string {
		t.Helper()
		command := exec.CommandContext(t.Context(), "go", append(append([]string{"tool", "pprof", "-sample_index=alloc_objects"}, args...), file)...)
		text, err := command.CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %s", err, text)
		}
		return string(text)
	}
	tags := tool("-tags")
	for _, want := range []string{"site: ", "parse.go:325", "fate: ", "result", "remedy: ", "slab", "proposal: ", "1: slab in parser for Node"} {
		if !strings.Contains(tags, want) {
			t.Errorf("no %q in the tags:\n%s", want, tags)
		}
	}
	if raw := tool("-raw"); !strings.Contains(raw, "remedy:[slab]") || !strings.Contains(raw, "fate:[result]") {
		t.Errorf("no labels in\n%.2000s", raw)
	}
	top := tool("-top", "-tagfocus", "remedy=slab")
	if !strings.Contains(top, "show_test.allocate") {
		t.Errorf("the focus does not find the sample:\n%s", top)
	}
	if top := tool("-top", "-tagfocus", "remedy=store"); strings.Contains(top, "show_test.allocate") {
		t.Errorf("the focus finds another sample:\n%s", top)
	}
	labelled, err := profile.Parse(&out)
	if err != nil {
		t.Fatal(err)
	}
	for i := range p.SampleType {
		if total(p, i) != total(labelled, i) {
			t.Errorf("%s: %d, was %d", p.SampleType[i].Type, total(labelled, i), total(p, i))
		}
	}
}

func total(p *profile.Profile, index int) (sum int64) {
	for _, s := range p.Sample {
		sum += s.Value[index]
	}
	return sum
}

func TestProfileReplacesLabels(t *testing.T) {
	p := heap(t)
	for _, s := range p.Sample {
		s.Label = map[string][]string{"proposal": {"old"}, "remedy": {"old"}, "service": {"kept"}}
	}
	var out bytes.Buffer
	if err := show.Profile(&out, &find.Result{}, p, func(*profile.Sample) *site.Site { return &site.Site{} }); err != nil {
		t.Fatal(err)
	}
	labelled, err := profile.Parse(&out)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range labelled.Sample {
		if s.HasLabel("proposal", "old") || !s.HasLabel("remedy", "leave") || !s.HasLabel("fate", "unknown") || !s.HasLabel("service", "kept") {
			t.Fatalf("labels are %v", s.Label)
		}
	}
}

func TestBrokenProfile(t *testing.T) {
	p := heap(t)
	p.Sample[0].Value = nil
	err := show.Profile(&bytes.Buffer{}, &find.Result{}, p, func(*profile.Sample) *site.Site { return nil })
	if err == nil || !strings.Contains(err.Error(), "cannot be labelled") {
		t.Errorf("%v", err)
	}
}
