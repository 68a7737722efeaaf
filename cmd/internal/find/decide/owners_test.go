package decide

import (
	"slices"
	"strings"
	"testing"

	modules "github.com/coppice-go/coppice/cmd/internal/remedy/change"
	"github.com/coppice-go/coppice/cmd/internal/site"
)

// TestOneGoroutine verifies that a proposal to store memory in an owner requires that only one
// goroutine at a time uses the owner. If the owner outlives the operation, the proposal also warns
// of a data race.
func TestOneGoroutine(t *testing.T) {
	small := []change{temporary, each(1000, 32), typed("token", 32, site.NoPointers)}
	inOperation, before := site.Owner{Type: "*node", How: "receiver n", Instances: 1}, site.Owner{Type: "*Literal", How: "receiver l", Instances: -1, Begun: 0.02}
	for name, c := range map[string]struct {
		of   *site.Site
		want string // "" if goroutines must not be mentioned
	}{
		"a slab":                         {node("a"), "only one goroutine at a time uses a parser"},
		"scratch space":                  {node("a", kind(site.Append), temporary), "only one goroutine at a time uses a parser"},
		"a slab with a Reset":            {node("a", append(small, owners(inOperation))...), "only one goroutine at a time uses a node"},
		"an owner from before":           {node("a", append(small, owners(before))...), "only one goroutine at a time uses a Literal: Literal outlives the operation and may be shared, and then the change is a data race"},
		"a buffer in one from before":    {node("a", temporary, each(100, 4096), owners(before)), "Literal outlives the operation"},
		"scratch space in one":           {node("a", kind(site.Append), temporary, owners(before)), "Literal outlives the operation"},
		"a table in one":                 {node("a", kind(site.ToString), owners(before), facts(func(f *site.Facts) { f.Values = &site.Values{Looked: 1000, Distinct: 20} })), "Literal outlives the operation"},
		"an owner that is still to come": {node("a", noOwner), "and one goroutine at a time uses it"},
		"a pool":                         {node("a", temporary, each(1, 4096), owners(inOperation)), ""},
	} {
		all := strings.Join(proposed(t, busy(c.of)).Estimate.If, "; ")
		if !strings.Contains(all, c.want) || c.want == "" && strings.Contains(all, "goroutine") {
			t.Errorf("%s: the conditions are %q, want %q", name, all, c.want)
		}
	}
}

// TestSharedOwnersAreLast verifies that a change that may cause a data race follows the changes
// that cannot, even if it saves more. Only void proposals come later.
func TestSharedOwnersAreLast(t *testing.T) {
	shared := node("shared", temporary, each(1000, 32), typed("token", 32, site.NoPointers), func(s *site.Site) { s.Malloc = 0.3 },
		owners(site.Owner{Type: "*literal", How: "receiver l", Instances: -1, Begun: 0.02}))
	void := node("void", owners(site.Owner{Type: "*lexer", Instances: 1}), unknown, func(s *site.Site) { s.Malloc = 0.3 })
	var order []string
	for _, p := range Decide(busy(shared, void, node("a"))).Proposals {
		order = append(order, p.Sites[0])
	}
	if want := []string{"a", "shared", "void"}; !slices.Equal(order, want) {
		t.Errorf("the order is %q, want %q", order, want)
	}
}

// TestPriceOfRequirement verifies that the price of a change that imports Coppice includes the
// requirement in go.mod and, if the module's Go version is too old, the increase of that version.
func TestPriceOfRequirement(t *testing.T) {
	pool := []change{temporary, each(1, 4096)}
	old := modules.Module{Go: "1.18", Needs: "1.26.0"}
	for name, c := range map[string]struct {
		module modules.Module
		of     *site.Site
		want   string // "" if Coppice must not be required
	}{
		"a pool in an old module":   {old, node("a", pool...), "pool.Pool requires Coppice, which raises go 1.18 in go.mod to go 1.26.0 (a sync.Pool needs no dependency)"},
		"a pool in a new module":    {modules.Module{Go: "1.27", Needs: "1.26.0"}, node("a", pool...), "pool.Pool requires Coppice (a sync.Pool needs no dependency)"},
		"a pool in an unknown one":  {modules.Module{Needs: "1.26.0"}, node("a", pool...), "pool.Pool requires Coppice, and go 1.26.0 or later in go.mod (a sync.Pool needs no dependency)"},
		"a module that requires it": {modules.Module{Go: "1.26.0", Library: true, Needs: "1.26.0"}, node("a", pool...), ""},
		"a slab":                    {old, node("a"), "slab.Chunks requires Coppice, which raises go 1.18 in go.mod to go 1.26.0 (coppice fix writes a copy of it into the package instead)"},
		"small values that die":     {old, node("a", temporary, each(1000, 32), typed("token", 32, site.NoPointers)), "slab.Slab requires Coppice"},
		"a buffer in an owner":      {old, node("a", temporary, each(100, 4096)), ""},
		"a scratch slice":           {old, node("a", kind(site.Append), temporary), ""},
		"a copied scratch slice":    {old, node("a", kind(site.Append)), "slab.Make requires Coppice"},
		"a few elements":            {old, node("a", kind(site.Append), typed("*Node", 8, site.SomePointers), each(1000, 16), inField), "inline.Vec requires Coppice"},
		"no library":                {old, node("a", kind(site.Box)), ""},
	} {
		in := busy(c.of)
		in.Module = c.module
		all := strings.Join(proposed(t, in).Prices(), "; ")
		if !strings.Contains(all, c.want) || c.want == "" && strings.Contains(all, "requires Coppice") {
			t.Errorf("%s: the price is %q, want %q", name, all, c.want)
		}
	}
}

// TestNextAfterQuick verifies that, if lifetimes were not measured, the next command is the one
// that measures them.
func TestNextAfterQuick(t *testing.T) {
	if got, want := proposed(t, busy(node("a", unknown))).Next, "coppice find -bench '^BenchmarkParse$' ./p"; got != want {
		t.Errorf("next: %s, want %s", got, want)
	}
	in := busy(node("a", kind(site.Append), unknown, facts(func(f *site.Facts) { f.Known = "n" })))
	if got, want := proposed(t, in).Next, "coppice fix -bench '^BenchmarkParse$' ./p"; got != want {
		t.Errorf("an estimate that needs no lifetime: next: %s, want %s", got, want)
	}
}
