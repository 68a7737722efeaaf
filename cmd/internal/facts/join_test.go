package facts

import (
	"context"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/coppice-go/coppice/cmd/internal/site"
)

// TestJoin verifies that Fill finds facts about most objects in an exact heap profile.
func TestJoin(t *testing.T) {
	dir := extract(t, "testdata/join/join.txt")
	heap := filepath.Join(dir, "heap.pprof")
	cmd := exec.Command("go", "run", ".", heap)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	var sites []*site.Site
	for _, s := range read(t, heap) {
		if s.Package == "main" {
			sites = append(sites, s)
		}
	}
	if _, err := Fill(context.Background(), Options{Dir: dir}, sites); err != nil {
		t.Fatal(err)
	}
	total, known, explained := 0.0, 0.0, 0.0
	ids := map[string]bool{}
	for _, s := range sites {
		total += s.Objects
		if s.Facts.Kind != site.Other {
			known += s.Objects
		} else {
			t.Logf("%s:%d has no kind: %s", s.File, s.Line, s.Facts.NoSource)
		}
		if len(s.Facts.Escapes) > 0 || s.Facts.Kind == site.Call {
			explained += s.Objects
		}
		if ids[s.ID] {
			t.Errorf("two sites have the ID %s", s.ID)
		}
		ids[s.ID] = true
	}
	const most, mostExplained = 0.95, 0.9
	if total < 40000 || known < most*total || explained < mostExplained*total {
		t.Errorf("of %.0f objects %.1f %% have a kind and %.1f %% an explanation; want 40000, 95 %% and 90 %%", total, 100*known/total, 100*explained/total)
	}
}

// TestFullBuildCache verifies that Fill obtains the compiler's explanations even if the build cache
// already contains all packages.
func TestFullBuildCache(t *testing.T) {
	dir := extract(t, "testdata/kinds.txt")
	var before []string
	for range 2 {
		var now []string
		for _, w := range wants(t, dir) {
			sites := []*site.Site{w.site}
			if len(now) == 3 { // a few suffice
				break
			}
			if _, err := Fill(context.Background(), Options{Dir: dir}, sites); err != nil {
				t.Fatal(err)
			}
			if len(w.site.Facts.Escapes) == 0 {
				t.Errorf("%s has no explanation", w.at)
			}
			now = append(now, w.site.ID+w.site.Facts.Escapes[0].Message)
		}
		if before != nil && strings.Join(now, "\n") != strings.Join(before, "\n") {
			t.Errorf("%q is %q again", before, now)
		}
		before = now
	}
}

// Counts cannot be derived from the source, so recall copies them from the old facts. An owner's
// counts go to each owner of the same type, even if it is now found in another list.
func TestCountsAreKept(t *testing.T) {
	was := site.Facts{Kind: "make", Values: &site.Values{Distinct: 3}, Owners: []site.Owner{{Type: "*p.Parser", Begun: 0.5, SetUp: 40}}}
	now := site.Facts{Kind: "make", Above: []site.Owner{{Type: "*p.Parser"}, {Type: "*p.Other"}}}
	recall(&now, was)
	if now.Values != was.Values || now.Above[0].Begun != 0.5 || now.Above[0].SetUp != 40 || now.Above[1].Begun != 0 {
		t.Errorf("%+v", now)
	}
}
