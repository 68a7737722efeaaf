package decide

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/coppice-go/coppice/cmd/internal/site"
)

// proposed returns the proposal for a program. It fails the test unless there is exactly one.
func proposed(t *testing.T, in Input) site.Proposal {
	t.Helper()
	out := Decide(in)
	if len(out.Proposals) != 1 {
		t.Fatalf("%d proposals: %+v", len(out.Proposals), out.Proposals)
	}
	return out.Proposals[0]
}

func TestVoid(t *testing.T) {
	with := func(f func(*Input), sites ...*site.Site) Input { in := busy(sites...); f(&in); return in }
	small := []change{each(550*60, 24), typed("Ident", 24, site.SomePointers), owners(site.Owner{Type: "*parser", Instances: 550})}
	for name, test := range map[string]struct {
		in   Input
		void string // why the estimate is void; "" if it holds
	}{
		"it holds":                {busy(node("a")), ""},
		"no CPU profile":          {with(func(in *Input) { in.Classes.Samples = 0 }, node("a")), "no CPU profile"},
		"999 samples":             {with(func(in *Input) { in.Classes.Samples = 999 }, node("a")), "has 999 samples; 1000 are needed"},
		"1000 samples":            {with(func(in *Input) { in.Classes.Samples = 1000 }, node("a")), ""},
		"an old Go":               {with(func(in *Input) { in.Go = "go1.26.8" }, node("a")), "-toolchains 1.26.8,1.27.4"},
		"a newer Go is not known": {with(func(in *Input) { in.Go, in.Newest = "go1.26.8", "" }, node("a")), ""},
		"many owners, few bytes":  {busy(node("a", append(small, func(s *site.Site) { s.BytesPart = 0.1 })...)), ""},
		"many owners, many bytes": {busy(node("a", append(small, func(s *site.Site) { s.BytesPart = 0.9 })...)), "B/op would rise by"},
		"owners on the stack":     {busy(node("a", owners(site.Owner{Type: "*parser", Instances: -1, Begun: 1.1}))), ""},
		"uncounted owners":        {busy(node("a", owners(site.Owner{Type: "*parser", Instances: -1}))), "the number of parser that an operation works with is unknown"},
		"few nodes each, counted": {busy(node("a", append(small, owners(site.Owner{Type: "*parser", Instances: 1, Begun: 550}), func(s *site.Site) { s.BytesPart = 0.9 })...)), "B/op would rise by"},
		"two values on a line":    {busy(node("a", each(2000, 60))), ""},
		"unknown lifetimes":       {busy(node("a", unknown)), "how long the values live is not known"},
		"lifetimes of a run":      {with(func(in *Input) { in.Unit = "run" }, node("a", unknown)), "a benchmark of the same work measures the rest"},
		"constructors":            {busy(node("a", noOwner)), ""},
		"scratch in many owners":  {busy(node("a", kind(site.Append), owners(site.Owner{Type: "*parser", Instances: 500}))), "not rare"},
		"a pool needs no owner":   {busy(node("a", temporary, each(1, 4096))), ""},
	} {
		t.Run(name, func(t *testing.T) {
			e := proposed(t, test.in).Estimate
			if void := strings.Join(e.Void, "; "); (void == "") != (test.void == "") || !strings.Contains(void, test.void) {
				t.Errorf("void: %q, want %q", void, test.void)
			}
			if len(e.If) < 2 {
				t.Errorf("the estimate has the conditions %q only", e.If)
			}
		})
	}
}

// TestCountedOwners verifies where the number of owners comes from. It is taken from the heap
// profile if the owners appear there, and otherwise from the instrumented run.
func TestCountedOwners(t *testing.T) {
	for name, test := range map[string]struct {
		owner site.Owner
		want  string
	}{
		"on the heap":              {site.Owner{Instances: 10}, "each parser makes 50 values or more of a type (100)"},
		"on the heap, and set up":  {site.Owner{Instances: 10, Begun: 15}, "each parser makes 50 values or more of a type (100)"},
		"on the stack":             {site.Owner{Instances: -1, Begun: 8}, "each parser makes 50 values or more of a type (125)"},
		"from a pool, and reset":   {site.Owner{Instances: 0.5, Begun: 20}, "each parser makes 50 values or more of a type (50)"},
		"set up before operations": {site.Owner{Instances: -1, Begun: 0.1}, "each parser makes 50 values or more of a type (1000)"},
	} {
		t.Run(name, func(t *testing.T) {
			test.owner.Type = "*parser"
			e := proposed(t, busy(node("a", owners(test.owner)))).Estimate
			if !slices.Contains(e.If, test.want) {
				t.Errorf("conditions: %q, want %q", e.If, test.want)
			}
		})
	}
}

func TestEstimate(t *testing.T) {
	pair := func(f func(*site.Facts)) []*site.Site {
		small := []change{kind(site.MakeSlice), typed("float64", 8, site.NoPointers), each(1000, 24)}
		return []*site.Site{node("a", append(small, facts(f))...), node("b", append(small, at(11), facts(f))...)}
	}
	values := func(distinct int) change {
		return facts(func(f *site.Facts) { f.Values = &site.Values{Looked: 100, Distinct: distinct} })
	}
	for name, test := range map[string]struct {
		sites []*site.Site
		want  float64
	}{
		"one site":                  {[]*site.Site{node("a")}, 0.1},
		"two sites of an owner":     {[]*site.Site{node("a"), node("b", at(11))}, 0.2},
		"two arrays into one":       {pair(func(f *site.Facts) { f.Beside = []int{10, 11} }), 0.15}, // two lines, two makes each: one of four is left
		"growth to a known length":  {[]*site.Site{node("a", kind(site.Append), facts(func(f *site.Facts) { f.Known = "n" }))}, 0.05},
		"strings, a fifth distinct": {[]*site.Site{node("a", kind(site.ToString), values(20))}, 0.08},
	} {
		t.Run(name, func(t *testing.T) {
			e := proposed(t, busy(test.sites...)).Estimate
			if math.Abs(e.CPU-test.want) > 1e-9 || e.Lo >= e.CPU || e.Hi <= e.CPU {
				t.Errorf("estimate %+v, want %v", e, test.want)
			}
		})
	}
}
