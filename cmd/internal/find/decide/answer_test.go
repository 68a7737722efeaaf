package decide

import (
	"strings"
	"testing"

	"github.com/coppice-go/coppice/cmd/internal/site"
)

// gogc returns the result of measuring GOGC=400. cpu and rss are the CPU time and the memory, as
// fractions of the values with the default setting.
func gogc(cpu, rss float64) site.Setting {
	return site.Setting{Name: "GOGC=400", Rounds: 10, CPU: site.Change{Ratio: cpu, Lo: cpu - 0.02, Hi: cpu + 0.02, Proven: true},
		RSS: &site.Change{Ratio: rss, Lo: rss, Hi: rss, Proven: true}, PeakBefore: 200 << 20, PeakAfter: rss * (200 << 20)}
}

// build returns the result of measuring a different build of the program. cpu is its CPU time, as a
// fraction of the CPU time of the default build.
func build(name string, cpu float64) site.Setting {
	s := gogc(cpu, 1)
	s.Name, s.Price = name, "a price"
	return s
}

func TestAnswer(t *testing.T) {
	with := func(f func(*Input), sites ...*site.Site) Input { in := busy(sites...); f(&in); return in }
	set := func(all ...site.Setting) func(*Input) { return func(in *Input) { in.Settings = all } }
	for name, test := range map[string]struct {
		in     Input
		want   site.Answer
		reason string
	}{
		"a fix pays":  {busy(node("a")), site.FixSites, "37 % of the CPU time, and the one fix that coppice knows is worth 10 %"},
		"few samples": {with(func(in *Input) { in.Classes.Samples = 500 }, node("a")), site.NotKnown, "500 samples"},
		"few samples, and idle all the same": {with(func(in *Input) {
			in.Classes = site.Classes{Malloc: 0.06, Other: 0.94, Samples: 537}
			in.Ceiling.CPU = site.Change{Ratio: 1.005, Lo: 0.948, Hi: 1.055}
		}, node("a")), site.LeaveAlone, "6 % of the CPU time, and no collector at all saves"},
		"few samples, perhaps idle":     {with(func(in *Input) { in.Classes = site.Classes{Malloc: 0.11, Other: 0.89, Samples: 500} }, node("a")), site.NotKnown, "500 samples"},
		"idle":                          {with(func(in *Input) { in.Classes = site.Classes{Malloc: 0.02, Other: 0.98, Samples: 4000} }, node("a")), site.LeaveAlone, "2 % of the CPU time in all"},
		"little memory, a high ceiling": {with(func(in *Input) { in.Classes = site.Classes{Malloc: 0.11, Other: 0.89, Samples: 4000} }, node("a")), site.FixSites, ""},
		"little memory, no ceiling":     {with(func(in *Input) { in.Classes, in.Ceiling = site.Classes{Malloc: 0.11, Other: 0.89, Samples: 4000}, nil }, node("a")), site.NotKnown, "was not measured"},
		"much memory, no ceiling":       {with(func(in *Input) { in.Ceiling = nil }, node("a")), site.FixSites, ""},
		"a setting saves more":          {with(set(gogc(0.85, 1.8)), node("a")), site.SetGOGC, "GOGC=400 saves 15 % of the CPU time [13 %, 17 %] without a change to the source, and the one fix that coppice knows is worth 10 %; it takes 1.8 times the memory at its peak, 360.0 MiB instead of 200.0"},
		"more than the collector takes": {with(set(gogc(0.8, 1.8)), node("a")), site.SetGOGC, "; the collector takes only 17 % in the profile, so part of the saving has another cause"},
		"a setting saves less":          {with(set(gogc(0.95, 1.8)), node("a")), site.FixSites, ""},
		"a setting takes much memory":   {with(set(gogc(0.8, 4)), node("a")), site.FixSites, "GOGC=400 saves 20 %, but takes 4 times the memory"},
		"a setting is not proven":       {with(func(in *Input) { in.Settings = []site.Setting{gogc(0.8, 2)}; in.Settings[0].CPU.Proven = false }, node("a")), site.FixSites, ""},
		"memory is not known":           {with(func(in *Input) { in.Settings = []site.Setting{gogc(0.8, 2)}; in.Settings[0].RSS = nil }, node("a")), site.FixSites, "memory that was not measured"},
		"four times of little memory": {with(func(in *Input) {
			in.Settings = []site.Setting{gogc(0.8, 4)}
			in.Settings[0].PeakBefore, in.Settings[0].PeakAfter = 10<<20, 40<<20
		}, node("a")), site.SetGOGC, "40.0 MiB"},
		"no program can run so":      {with(set(site.Setting{Name: "GOGC=off", CPU: site.Change{Ratio: 0.5, Proven: true}, RSS: &site.Change{Ratio: 1}}), node("a")), site.FixSites, ""},
		"the best of settings":       {with(set(gogc(0.85, 1.8), gogc(0.8, 2.5)), node("a")), site.SetGOGC, "saves 20 %"},
		"no site has a remedy":       {busy(node("a", kind(site.Closure))), site.LeaveAlone, "no site has a remedy"},
		"the lifetimes are unknown":  {busy(node("a", kind(site.Closure), unknown)), site.NotKnown, "leave out -quick"},
		"a setting, and no remedy":   {with(set(gogc(0.85, 1.8)), node("a", kind(site.Closure))), site.SetGOGC, "no estimate"},
		"fixes bring little":         {busy(node("a", func(s *site.Site) { s.Malloc = 0.02 })), site.LeaveAlone, "2.5 % of the CPU time at most"},
		"no estimate holds":          {busy(node("a", unknown)), site.NotKnown, "how long the values live"},
		"another build saves more":   {with(set(build("PGO", 0.85)), node("a")), site.FixSites, "the one fix that coppice knows is worth 10 %; PGO alone saves 15 % [13 %, 17 %], more than all fixes"},
		"another build saves less":   {with(set(build("PGO", 0.93)), node("a")), site.FixSites, "the one fix that coppice knows is worth 10 %; PGO alone saves 7 % [5 %, 9 %]"},
		"the best of other builds":   {with(set(build("PGO", 0.9), build("go1.99", 0.8)), node("a", kind(site.Closure))), site.LeaveAlone, "no site has a remedy; go1.99 alone saves 20 % [18 %, 22 %]"},
		"another build saves little": {with(set(build("PGO", 0.97)), node("a")), site.FixSites, "the one fix that coppice knows is worth 10 %"},
		"an old Go has estimates":    {with(func(in *Input) { in.Go = "go1.26.8" }, node("a")), site.FixSites, "the one fix that coppice knows is worth 10 %"},
	} {
		t.Run(name, func(t *testing.T) {
			out := Decide(test.in)
			if out.Answer != test.want || !strings.Contains(out.Reason, test.reason) {
				t.Errorf("%s: %s; want %s: %s", out.Answer, out.Reason, test.want, test.reason)
			}
		})
	}
}

func TestProposal(t *testing.T) {
	r := proposed(t, busy(node("a"), node("b", at(11), typed("Attr", 32, site.SomePointers)), node("c", at(12), kind(site.Closure))))
	for _, c := range []struct {
		of   *site.Site
		want string
	}{
		{node("a", kind(site.Append), temporary, typed("*ast.Comment", 8, site.SomePointers)), "scratch slice for []*ast.Comment"},
		{node("a", typed("lexer.Token", 64, site.SomePointers)), "slab in parser for lexer.Token"},
	} {
		if got := proposed(t, busy(c.of)).Title; got != c.want {
			t.Errorf("the title is %q, want %q", got, c.want)
		}
	}
	if r.Title != "slab in parser for Node, Attr" || r.Page != "https://github.com/coppice-go/coppice/blob/main/docs/remedies/slab.md" || r.Help != "coppice help remedy slab" || strings.Join(r.Sites, " ") != "a b" {
		t.Errorf("%+v", r)
	}
	if want := "coppice fix -bench '^BenchmarkParse$' ./p"; r.Next != want {
		t.Errorf("next: %s, want %s", r.Next, want)
	}
	if len(r.Price) == 0 || !strings.Contains(r.Price[0], "one held Node pins its chunk") {
		t.Errorf("price: %q", r.Price)
	}
	out := Decide(busy(node("a", func(s *site.Site) { s.Function = "NewA" }, noOwner), node("b", at(11), func(s *site.Site) { s.Function = "NewB" }, noOwner)))
	if len(out.Proposals) != 1 || !strings.Contains(strings.Join(out.Proposals[0].Price, "; "), "the functions get a parameter") {
		t.Errorf("constructors of a package are one proposal: %+v", out.Proposals)
	}
	in := func(function string) change { return func(s *site.Site) { s.Function = function } }
	out = Decide(busy(node("a", kind(site.Append), temporary, in("Count-range1")), node("b", at(11), kind(site.Append), temporary, in("Count"))))
	if len(out.Proposals) != 1 || len(out.Proposals[0].Sites) != 2 {
		t.Errorf("a function and the body of its loop over an iterator are one proposal: %+v", out.Proposals)
	}
}

// TestNext verifies that the next command is coppice fix only if fix can make the change. Otherwise
// the user makes the change, and the command is coppice prove.
func TestNext(t *testing.T) {
	for want, c := range map[string]struct {
		remedy site.Remedy
		target string
	}{
		"coppice fix -bench X ./p":              {"slab", "-bench X ./p"},
		"coppice prove -base HEAD -bench X ./p": {"store", "-bench X ./p"},
		"coppice prove -- ./old ::: ./new":      {"slab", "-- ./old ::: ./new"},
		"":                                      {"concrete", ""},
	} {
		if got := next(c.remedy, c.target); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

// TestVoidProposalsAreLast verifies that a proposal whose estimate is void follows all others, even
// if it would save the most.
func TestVoidProposalsAreLast(t *testing.T) {
	big := node("big", owners(site.Owner{Type: "*lexer", Instances: 1}), unknown, func(s *site.Site) { s.Malloc = 0.3 })
	out := Decide(busy(big, node("a")))
	if len(out.Proposals) != 2 || out.Proposals[0].Sites[0] != "a" {
		t.Errorf("%+v", out.Proposals)
	}
}

// TestIDsSurviveEdits verifies that a proposal keeps its ID when the site moves to another line.
func TestIDsSurviveEdits(t *testing.T) {
	for _, s := range []*site.Site{node("a"), node("a", kind(site.Box)), node("a", temporary)} {
		before := proposed(t, busy(s)).ID
		moved := *s
		moved.Line += 100
		if after := proposed(t, busy(&moved)).ID; after != before {
			t.Errorf("%s: ID %s, and %s 100 lines later", s.Remedy, before, after)
		}
	}
}
