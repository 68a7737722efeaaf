package show_test

import (
	"fmt"
	"strings"
	"time"

	"github.com/coppice-go/coppice/cmd/internal/find"
	"github.com/coppice-go/coppice/cmd/internal/site"
)

const dir = "/src/net/html"

// rich returns a result in which every field is set.
func rich() *find.Result {
	return &find.Result{
		Schema: find.Schema, Tool: "coppice v1.2.3", Started: time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC),
		Environment: map[string]string{"go": "go1.27.4", "cpu": "a processor", "gomaxprocs": "1"},
		Target:      find.Target{Package: "golang.org/x/net/html", Name: "BenchmarkParse", Unit: "operation", Dir: dir, Next: "-bench '^BenchmarkParse$' ./html"},
		Op:          find.Op{CPU: 0.0296, Allocs: 218387, Bytes: 9.8e6, Cycles: 0.75, Exact: true},
		Classes:     site.Classes{Malloc: 0.207, Assist: 0.112, Mark: 0.093, Sweep: 0.035, Barrier: 0.033, Other: 0.52, Samples: 1234},
		Ceiling:     &find.Setting{Name: "GOGC=off", Rounds: 10, CPU: find.Change{Ratio: 0.805, Lo: 0.73, Hi: 0.85, Proven: true}},
		Settings: []find.Setting{
			{Name: "GOGC=400", Rounds: 10, CPU: find.Change{Ratio: 0.858, Lo: 0.81, Hi: 0.91, Proven: true}, RSS: &find.Change{Ratio: 1.85, Lo: 1.8, Hi: 1.9, Proven: true}},
			{Name: "GOMEMLIMIT=100MiB GOGC=off", Rounds: 10, CPU: find.Change{Ratio: 0.97, Lo: 0.9, Hi: 1.02}},
		},
		Answer: find.FixSites, Reason: "malloc and the collector take 48.0 % of CPU, and two changes cover most of it",
		Probes: []find.Probe{{Name: find.HoldResults, Operations: 7, Slowdown: 18.2}, {Name: find.RandomMoments, Operations: 7, Slowdown: 31}},
		Sites:  richSites(), Proposals: richProposals(), Taking: 6.4,
		Warnings: []string{"the load was 3.1 on 2 processors; the intervals are wider for it"},
	}
}

func richSites() []*site.Site {
	place := func(function, file string, line int) site.Place {
		return site.Place{Package: "golang.org/x/net/html", Function: function, File: dir + "/" + file, Line: line}
	}
	result := site.Fate{Temporary: 0.001, Result: 0.999, Method: site.HoldAndDrop}
	return []*site.Site{
		{
			ID: "a1", Place: place("(*parser).addElement", "parse.go", 325),
			Cost: site.Cost{Objects: 58746, Bytes: 4.77e6, ObjectsPart: 0.269, BytesPart: 0.487, Malloc: 0.069, Samples: 85}, Fate: result,
			Facts: site.Facts{
				Kind: site.Literal, Type: "Node", Size: 104, Pointers: site.SomePointers, Length: -1,
				Owners:  []site.Owner{{Type: "*parser", How: "receiver p", Instances: 1}},
				Escapes: []site.Escape{{Column: 7, Message: "&Node{...} escapes to heap", Flow: []string{"p.doc"}}},
			},
			Advice: site.Advice{Remedy: "slab", Do: "slab in parser", Rule: 8, Why: []string{"58,746 an operation", "the owner is there once"}, Proposal: "p1"},
		},
		{
			ID: "a2", Place: place("(*parser).addText", "parse.go", 353),
			Cost: site.Cost{Objects: 33195, Bytes: 2.7e6, ObjectsPart: 0.152, BytesPart: 0.275, Malloc: 0.047, Samples: 58}, Fate: result,
			Facts:  site.Facts{Kind: site.Literal, Type: "Node", Size: 104, Length: -1},
			Advice: site.Advice{Remedy: "slab", Do: "slab in parser", Rule: 8, Proposal: "p1"},
		},
		{
			ID: "a3", Place: place("unescape", "escape.go", 410), Leaf: &site.Place{Package: "bytes", Function: "ReplaceAll", File: "/usr/local/go/src/bytes/bytes.go", Line: 1163},
			Cost:   site.Cost{Objects: 51976, Bytes: 7e5, ObjectsPart: 0.238, BytesPart: 0.071, Malloc: 0.045, Samples: 55},
			Fate:   site.Fate{Temporary: 0.63, Result: 0.34, Retained: 0.03, Method: site.Little, Age: 0.2},
			Facts:  site.Facts{Kind: site.Call, Type: "byte", Size: 1, Length: -1, Callee: "bytes.ReplaceAll"},
			Advice: site.Advice{Remedy: "avoid-copy", Do: "avoid the copy", Rule: 2, Proposal: "p2"},
		},
		{
			ID: "a4", Place: place("(*Tokenizer).Token", "token.go", 1265),
			Cost:   site.Cost{Objects: 26643, Bytes: 8e5, ObjectsPart: 0.122, BytesPart: 0.082, Malloc: 0.03, Samples: 37},
			Fate:   site.Fate{Result: 0.95, Temporary: 0.05, Method: site.HoldAndDrop},
			Facts:  site.Facts{Kind: site.Append, Type: "Attribute", Size: 48, Length: -1},
			Advice: site.Advice{Remedy: "scratch", Do: "scratch and slab", Rule: 5, Proposal: "p3"},
		},
		{
			ID: "a5", Place: site.Place{Package: "golang.org/x/net/internal/sql", Function: "yyParse", File: "/src/net/internal/sql/sql.y", Line: 12},
			Cost:  site.Cost{Objects: 3, Bytes: 64, ObjectsPart: 0.00001, BytesPart: 0.000006, Malloc: 0, Samples: 0},
			Facts: site.Facts{Kind: site.Other, Length: -1, Directive: true, NoSource: "the file is not there"}, Advice: site.Advice{Remedy: site.Leave, Rule: 1},
		},
	}
}

func richProposals() []find.Proposal {
	return []find.Proposal{
		{
			ID: "p1", Remedy: "slab", Title: "slab in parser for Node", Sites: []string{"a1", "a2"},
			Estimate: find.Estimate{CPU: 0.116, Lo: 0.089, Hi: 0.142, If: []string{"bytes an operation rise by no more than 5 %", "parser is allocated once an operation"}},
			Fix:      &site.Fix{Sites: []string{"a1"}, CPU: 0.069, Lo: 0.055, Hi: 0.085, Stays: []string{"parse.go:353: the owner may be nil"}},
			Why:      []string{"91,941 Node an operation by one parser", "made by methods of *parser", "nothing is shared", "all die with the result", "they escape to p.doc and by return"},
			Price:    []string{"one Node that is held keeps its chunk"},
			Next:     "coppice fix -proposal p1 -out out ./html && coppice prove -patch out/1.patch -bench '^BenchmarkParse$' ./html",
			Page:     "https://github.com/coppice-go/coppice/blob/main/docs/remedies/slab.md",
			Help:     "coppice help remedy slab",
		},
		{
			ID: "p2", Remedy: "avoid-copy", Title: "avoid the copy of bytes.ReplaceAll", Sites: []string{"a3"},
			Estimate: find.Estimate{CPU: 0.045, Lo: 0.03, Hi: 0.06, If: []string{"most inputs have nothing to replace"}},
			Fix:      &site.Fix{ByHand: "escape.go:410: the copy is written to"},
			Why:      []string{"bytes.ReplaceAll copies also where nothing is replaced"}, Price: []string{"none"}, Next: "coppice prove -base HEAD -bench '^BenchmarkParse$' ./html", Page: "https://github.com/coppice-go/coppice/blob/main/docs/remedies/avoid-copy.md", Help: "coppice help remedy avoid-copy",
		},
		{
			ID: "p3", Remedy: "scratch", Title: "scratch and slab for []Attribute", Sites: []string{"a4"},
			Estimate: find.Estimate{CPU: 0.03, Lo: 0.02, Hi: 0.04, Void: []string{"bytes an operation would rise by 13.5 %"}, If: []string{"bytes an operation rise by no more than 5 %"}},
			Why:      []string{"append grows to an unknown length"},
		},
	}
}

// leaveAlone returns a result whose answer is to change nothing, because allocation costs almost
// nothing.
func leaveAlone() *find.Result {
	r := rich()
	r.Target.Package, r.Target.Name = "github.com/tidwall/btree", "BenchmarkSet"
	r.Classes = site.Classes{Malloc: 0.061, Assist: 0.01, Mark: 0.02, Sweep: 0.004, Barrier: 0.003, Other: 0.902, Samples: 2011}
	r.Ceiling = &find.Setting{Name: "GOGC=off", Rounds: 10, CPU: find.Change{Ratio: 0.973, Lo: 0.8, Hi: 1.09}}
	r.Answer, r.Reason = find.LeaveAlone, "malloc and the collector take 9.8 % of CPU, and without the collector no gain is proven"
	r.Settings, r.Proposals, r.Warnings = nil, nil, nil
	for _, s := range r.Sites {
		s.Advice = site.Advice{Remedy: site.Leave}
	}
	return r
}

// setGOGC returns a result whose answer is to set GOGC.
func setGOGC() *find.Result {
	r := leaveAlone()
	r.Answer, r.Reason = find.SetGOGC, "GOGC=400 saves 14.2 % of CPU for 12 MB of memory, more than all sites together"
	r.Settings = rich().Settings
	return r
}

// notKnown returns a result without an answer: the CPU profile has too few samples, and the ceiling
// was not measured.
func notKnown() *find.Result {
	r := rich()
	r.Answer, r.Reason = find.NotKnown, "the CPU profile has 1 sample, less than 1,000; give -benchtime 10s"
	r.Classes.Samples, r.Ceiling, r.Settings, r.Proposals = 1, nil, nil, nil
	r.Op = find.Op{}
	r.Sites = r.Sites[:1]
	r.Sites[0].Fate = site.Fate{}
	r.Sites[0].Advice = site.Advice{}
	return r
}

// long returns a result with very long names and more than a hundred sites.
func long() *find.Result {
	r := rich()
	r.Target.Name = strings.Repeat("BenchmarkWithAName", 12)
	r.Target.Package = "example.org/" + strings.Repeat("deep/", 30) + "end"
	r.Target.Dir = "/elsewhere/far/away/from/it"
	r.Reason = strings.Repeat("wörter ", 40) + strings.Repeat("x", 250)
	r.Settings[0].Name = strings.Repeat("GOGC=400,", 30)
	for i := range 100 {
		s := *r.Sites[i%4]
		s.ID, s.Line = fmt.Sprint("b", i), i+1
		s.File = "/src/" + strings.Repeat("длинный/", 20) + fmt.Sprintf("файл%d.go", i)
		s.Facts.Type = "map[" + strings.Repeat("string", 20) + "]世界世界世界世界世界世界世界世界"
		s.Do = "a remedy that has far more than the three words that it should have"
		r.Sites = append(r.Sites, &s)
	}
	r.Proposals[0].Title = strings.Repeat("a slab ", 30)
	r.Proposals[0].Next = "coppice prove -main '" + strings.Repeat("a b ", 10) + "' " + strings.Repeat("-patch out/1.patch ", 20)
	r.Warnings = append(r.Warnings, strings.Repeat("w", 300), "two\nlines \x1b[31mred\x1b[0m \u202egnp.exe")
	return r
}

func results() map[string]*find.Result {
	return map[string]*find.Result{
		"rich": rich(), "leave": leaveAlone(), "gogc": setGOGC(), "unknown": notKnown(), "long": long(), "empty": {Schema: find.Schema},
	}
}
