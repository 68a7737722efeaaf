package benchresult

import (
	"slices"
	"testing"
)

// proofB has the methods that coppice prove adds to a testing.TB.
type proofB struct {
	testing.TB
	keeping bool
	site    string
	kept    []any
}

func (p *proofB) CoppiceKeeping() bool { return p.keeping }

func (p *proofB) CoppiceKeep(site string, values ...any) {
	p.site, p.kept = site, append(p.kept, values...)
}

func TestKeep(t *testing.T) {
	b := &proofB{TB: t, keeping: true, site: "none"}
	Keep(b, 1, "two")
	Keep(b, 3)
	if want := []any{1, "two", 3}; b.site != "" || !slices.Equal(b.kept, want) {
		t.Errorf("kept %v at %q, want %v at no site", b.kept, b.site, want)
	}
	b.keeping = false
	Keep(b, 4)
	if len(b.kept) != 3 {
		t.Errorf("kept %v though nobody asked", b.kept)
	}
}

func TestKeepAllocatesNothing(t *testing.T) {
	x, y := new(int), new(string)
	for name, b := range map[string]testing.TB{"ordinary": t, "metered": &proofB{TB: t}} {
		if n := testing.AllocsPerRun(100, func() { Keep(b, x, y) }); n != 0 {
			t.Errorf("%s: %v allocations for each call with two pointers, want 0", name, n)
		}
	}
}
