package decide

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/coppice-go/coppice/cmd/internal/remedy/remedies"
	"github.com/coppice-go/coppice/cmd/internal/site"
)

// A change modifies a site that node has created.
type change func(*site.Site)

// node returns a site with the given changes. Without changes, it allocates the nodes of a parser's
// result: 1,000 objects of 104 bytes in each operation. It takes 10 % of the CPU time.
func node(id string, changes ...change) *site.Site {
	s := &site.Site{
		ID:    id,
		Place: site.Place{Package: "example.com/p", Function: "(*parser).next", File: "/p/parse.go", Line: 10},
		Cost:  site.Cost{Objects: 1000, Bytes: 112_000, ObjectsPart: 0.5, BytesPart: 0.5, Malloc: 0.1, Samples: 400},
		Fate:  site.Fate{Result: 1, Method: site.HoldAndDrop},
		Facts: site.Facts{Kind: site.Literal, Type: "Node", Size: 104, Pointers: site.SomePointers, Length: -1,
			Owners: []site.Owner{{Type: "*parser", How: "receiver p", Instances: 1}}},
	}
	for _, c := range changes {
		c(s)
	}
	return s
}

func kind(k site.Kind) change          { return func(s *site.Site) { s.Facts.Kind = k } }
func fate(f site.Fate) change          { return func(s *site.Site) { s.Fate = f } }
func at(line int) change               { return func(s *site.Site) { s.Line = line } }
func owners(o ...site.Owner) change    { return func(s *site.Site) { s.Facts.Owners = o } }
func facts(f func(*site.Facts)) change { return func(s *site.Site) { f(&s.Facts) } }

// each sets the number of objects of a site and their size in bytes.
func each(objects, size float64) change {
	return func(s *site.Site) { s.Objects, s.Bytes = objects, objects*size }
}

func typed(name string, size int64, p site.Pointers) change {
	return func(s *site.Site) { s.Facts.Type, s.Facts.Size, s.Facts.Pointers = name, size, p }
}

func calls(name string) change {
	return func(s *site.Site) {
		s.Facts.Kind, s.Facts.Callee, s.Leaf = site.Call, name, &site.Place{Package: "bytes", Function: "Clone"}
	}
}

var (
	temporary = fate(site.Fate{Temporary: 1, Method: site.HoldAndDrop})
	retained  = fate(site.Fate{Retained: 1, Method: site.Little, Age: 100})
	mixed     = fate(site.Fate{Temporary: 0.5, Result: 0.5, Method: site.Little})
	unknown   = fate(site.Fate{})
	aged      = fate(site.Fate{Temporary: 1, Method: site.HoldAndDrop, Age: 0.02})
	noOwner   = owners()
	fewEach   = owners(site.Owner{Type: "*parser", How: "receiver p", Instances: -1, Begun: 50})
	inField   = facts(func(f *site.Facts) { f.Grows = &site.Owner{Type: "element", How: "field list", Instances: -1} })
)

// doubles adds array sizes to a site. often[i] is the number of arrays with room for 1<<i values.
func doubles(often ...float64) func(*site.Site) {
	return func(s *site.Site) {
		for i, n := range often {
			s.Sizes = append(s.Sizes, site.Size{Bytes: s.Facts.Size << i, Objects: n})
		}
	}
}

// busy returns the input for a program that allocates a lot.
func busy(sites ...*site.Site) Input {
	return Input{
		Classes: site.Classes{Malloc: 0.2, Assist: 0.02, Mark: 0.1, Sweep: 0.03, Barrier: 0.02, Other: 0.63, Samples: 4000},
		Ceiling: &site.Setting{Name: "GOGC=off", Rounds: 10, CPU: site.Change{Ratio: 0.8, Lo: 0.7, Hi: 0.9, Proven: true}},
		Sites:   sites, Next: "-bench '^BenchmarkParse$' ./p", Go: "go1.27.4", Newest: "go1.27.4",
	}
}

func marking(in Input) Input { in.Classes.Mark = 0.2; return in }

var rows = []struct {
	name   string
	in     Input // the test checks its first site
	rule   int
	remedy site.Remedy
	do     string
	why    string // a substring of one of the reasons
}{
	{"a program that hardly allocates", func() Input {
		in := busy(node("a"))
		in.Classes = site.Classes{Malloc: 0.06, Mark: 0.02, Other: 0.92, Samples: 4000}
		in.Ceiling.CPU = site.Change{Ratio: 0.973, Lo: 0.8, Hi: 1.09}
		return in
	}(), 0, site.Leave, "leave", "no collector at all saves 2.7 % [-9 %, 20 %]"},
	{"a program that allocates next to nothing", func() Input {
		in := busy(node("a"))
		in.Classes, in.Ceiling = site.Classes{Malloc: 0.02, Other: 0.98, Samples: 4000}, nil
		return in
	}(), 0, site.Leave, "leave", "take 2 % of the CPU time in all"},
	{"few bytes and little time", busy(node("a", func(s *site.Site) { s.Malloc, s.BytesPart = 0.004, 0.019 })), 1, site.Leave, "leave", "0.4 % of the CPU time"},
	{"a test's own", busy(node("a", facts(func(f *site.Facts) { f.Test = true }))), 1, site.Leave, "leave", "test file"},
	{"much time and few bytes", busy(node("a", func(s *site.Site) { s.BytesPart = 0.001 })), 8, "slab", "slab in parser", ""},
	{"many bytes and no CPU profile", busy(node("a", func(s *site.Site) { s.Malloc = 0 })), 8, "slab", "slab in parser", ""},

	{"ReplaceAll", busy(node("a", calls("bytes.ReplaceAll"), mixed)), 2, "avoid-copy", "avoid the copy (ReplaceAll)", "copies even if it changes nothing"},
	{"a method", busy(node("a", calls("(*bytes.Buffer).String"))), 2, "avoid-copy", "avoid the copy (String)", "Bytes"},
	{"a line that dies", busy(node("a", calls("(*bufio.Scanner).Text"), temporary)), 2, "avoid-copy", "avoid the copy (Text)", "Scanner).Text copies what Bytes returns"},
	{"a line that is kept", busy(node("a", calls("(*bufio.Scanner).Text"))), 13, site.Leave, "leave", ""},
	{"two parts", busy(node("a", calls("strings.SplitN"), temporary)), 2, "avoid-copy", "avoid the copy (SplitN)", "strings.Cut returns two parts"},
	{"generic, by its path", busy(node("a", calls("slices.Clone[[]encoding/json.Token]"))), 2, "avoid-copy", "", ""},
	{"a text of fmt", busy(node("a", calls("fmt.Sprintf"), facts(func(f *site.Facts) { f.Plain = "strconv.Itoa, +" }))), 2, "format", "text without fmt", "strconv.Itoa, + makes the same string"},
	{"an operand of fmt", busy(node("a", kind(site.Box), facts(func(f *site.Facts) { f.Plain = "strconv.Itoa" }))), 2, "format", "text without fmt", "as an interface"},
	{"[]byte(s) that dies", busy(node("a", kind(site.ToBytes), temporary)), 2, "avoid-copy", "avoid the copy", "copies the string"},
	{"[]byte(s) that is kept", busy(node("a", kind(site.ToBytes))), 13, site.Leave, "leave", "may change"},
	{"string(b) that dies", busy(node("a", kind(site.ToString), temporary)), 2, "avoid-copy", "avoid the copy", "m[string(b)]"},
	{"a copy that is written to", busy(node("a", calls("bytes.Clone"), temporary, facts(func(f *site.Facts) { f.Written = "lower (escape.go:228)" }))),
		7, "reuse", "reuse in parser", "lower (escape.go:228) writes to"},
	{"a copy that is written to and kept", busy(node("a", calls("bytes.Clone"), facts(func(f *site.Facts) { f.Written = "lower (escape.go:228)" }))), 13, site.Leave, "leave", ""},
	{"[]byte(s) that is written to", busy(node("a", kind(site.ToBytes), temporary, facts(func(f *site.Facts) { f.Written = "lower (escape.go:228)" }))), 7, "reuse", "reuse in parser", ""},
	{"string(b) in a line in which a map grows", busy(node("a", kind(site.ToString), temporary, facts(func(f *site.Facts) { f.Also = []string{"append int", "map map[string][]int"} }))),
		13, site.Leave, "leave", ""},
	{"another call", busy(node("a", calls("net.Dial"), temporary)), 13, site.Leave, "leave", "inside net.Dial"},

	{"two makes", busy(
		node("a", kind(site.MakeSlice), typed("float64", 8, site.NoPointers), each(1000, 24), facts(func(f *site.Facts) { f.Beside = []int{11} })),
		node("b", kind(site.MakeSlice), typed("float64", 8, site.NoPointers), each(1000, 24), at(11), facts(func(f *site.Facts) { f.Beside = []int{10} })),
	), 3, "one-array", "one backing array", "2 small arrays of float64"},
	{"two makes on a line", busy(
		node("a", kind(site.MakeSlice), typed("float64", 8, site.NoPointers), each(2000, 24), facts(func(f *site.Facts) { f.Beside = []int{10} })),
	), 3, "one-array", "one backing array", "2 small arrays"},
	{"two makes of different fate", busy(
		node("a", kind(site.MakeSlice), typed("float64", 8, site.NoPointers), each(1000, 24), facts(func(f *site.Facts) { f.Beside = []int{11} })),
		node("b", kind(site.MakeSlice), typed("float64", 8, site.NoPointers), each(1000, 24), at(11), temporary),
	), 8, "slab", "", ""},
	{"two makes of different counts", busy(
		node("a", kind(site.MakeSlice), typed("float64", 8, site.NoPointers), each(1000, 24), facts(func(f *site.Facts) { f.Beside = []int{11} })),
		node("b", kind(site.MakeSlice), typed("float64", 8, site.NoPointers), each(10, 24), at(11)),
	), 8, "slab", "", ""},
	{"two makes with pointers", busy(
		node("a", kind(site.MakeSlice), typed("*Node", 8, site.SomePointers), each(1000, 24), facts(func(f *site.Facts) { f.Beside = []int{11} })),
		node("b", kind(site.MakeSlice), typed("*Node", 8, site.SomePointers), each(1000, 24), at(11)),
	), 8, "slab", "", ""},
	{"an array of fixed length", busy(node("a", kind(site.MakeSlice), typed("float64", 8, site.NoPointers), each(1000, 24), facts(func(f *site.Facts) { f.Length = 3 }))),
		3, "inline", "array in struct", "[3]float64"},

	{"an array of fixed length that dies, and can be kept", busy(node("a", temporary, kind(site.MakeSlice), typed("byte", 1, site.NoPointers), each(1000, 32), facts(func(f *site.Facts) { f.Length = 32 }))),
		7, "reuse", "reuse in parser", ""},

	{"growth to a known length", busy(node("a", kind(site.Append), facts(func(f *site.Facts) { f.Known = "len(names)" }))), 4, "presize", "presize", "len(names)"},
	{"growth that dies", busy(node("a", kind(site.Append), temporary)), 5, "scratch", "scratch slice", "grows once"},
	{"growth of which half is held", busy(node("a", kind(site.Append), mixed)), 5, "scratch", "scratch + slab.Make", "50 % are dead"},
	{"growth of a result", busy(node("a", kind(site.Append))), 5, "scratch", "scratch + slab.Make", ""},
	{"growth of what is retained", busy(node("a", kind(site.Append), retained)), 13, site.Leave, "leave", "grows rarely"},
	{"growth to a few values that no struct holds", busy(node("a", kind(site.Append), typed("*Node", 8, site.SomePointers), each(1000, 16))), 5, "scratch", "", ""},
	{"growth in each of many nodes in a loop", busy(node("a", kind(site.Append), facts(func(f *site.Facts) { f.Loop, f.Grows = true, &site.Owner{Type: "node", Instances: 200} }))), 5, "scratch", "", ""},
	{"growth to a few values", busy(node("a", kind(site.Append), typed("*Node", 8, site.SomePointers), each(1000, 16), inField)), 5, "inline", "inline.Vec", "which grows by 40 bytes"},
	{"growth to a few values that die", busy(node("a", kind(site.Append), typed("*Node", 8, site.SomePointers), each(1000, 16), temporary, inField)), 5, "scratch", "", ""},
	{"growth to a few large values", busy(node("a", kind(site.Append), typed("Attr", 48, site.SomePointers), each(1000, 48), inField)), 5, "scratch", "", ""},

	{"growth in as many owners as slices", busy(node("a", kind(site.Append), temporary, each(1000, 48), owners(site.Owner{Type: "*context", How: "receiver c", Instances: 1000}))),
		13, site.Leave, "leave", "there are as many context as slices (1000 per operation): a slice that one of them keeps is never reused"},
	{"growth in each of many nodes", busy(node("a", kind(site.Append), temporary, facts(func(f *site.Facts) { f.Grows = &site.Owner{Type: "node", How: "field entries", Instances: 200} }))),
		5, "presize", "presize", "each of 200 node has a slice of its own (field entries), which grows 5 times"},
	{"growth in one parser", busy(node("a", kind(site.Append), temporary, facts(func(f *site.Facts) { f.Grows = &site.Owner{Type: "parser", How: "field tokens", Instances: 1} }))),
		5, "scratch", "scratch slice", ""},
	{"growth to one length in one parser", busy(node("a", kind(site.Append), inField, doubles(1000, 1000, 1000, 1000))), 5, "first-room", "first room: 8", "100 % get no more than 8 Node"},
	{"growth of one long slice", busy(node("a", kind(site.Append), inField, doubles(1, 1, 1, 1, 1, 1, 1), func(s *site.Site) { s.Objects, s.Bytes = 7, 13208 })), 5, "first-room", "first room: 64", "append grows 1 slice per operation from nothing; 100 % get no more than 64 Node"},
	{"growth of one very long slice", busy(node("a", kind(site.Append), inField, doubles(1, 1, 1, 1, 1, 1, 1, 1, 1, 1), func(s *site.Site) { s.Objects, s.Bytes = 10, 106392 })), 5, "first-room", "first room: 32", "all get more than 32 Node, up to room for 512"},
	{"growth to one length, where nothing could keep scratch space", busy(node("a", kind(site.Append), owners(), doubles(1000, 1000, 1000))), 5, "first-room", "first room: 4", "57.1 % of the bytes"},
	{"growth to one length beside an owner", busy(node("a", kind(site.Append), doubles(1000, 1000, 1000))), 5, "scratch", "", ""},
	{"growth to one length in a function literal", busy(node("a", kind(site.Append), doubles(1000, 1000, 1000), func(s *site.Site) { s.Function = "(*parser).fields.func1" })), 5, "first-room", "first room: 4", ""},
	{"growth of most to one value", busy(node("a", kind(site.Append), inField, doubles(1000, 3, 2, 1))), 5, "scratch", "", ""},
	{"growth of one field at two places", busy(
		node("a", kind(site.Append), inField, doubles(1000, 500)),
		node("b", kind(site.Append), inField, at(11), doubles(0, 500, 1000, 1000)),
	), 5, "first-room", "first room: 8", ""},
	{"strings from a buffer that is filled again", busy(node("a", kind(site.ToString), facts(func(f *site.Facts) { f.Refilled = "Tokenizer.r" }))),
		13, site.Leave, "leave", "filled again from Tokenizer.r"},

	{"values of many owners, whose callers have one", busy(node("a", facts(func(f *site.Facts) {
		f.Owners = []site.Owner{{Type: "*Scope", How: "receiver s", Instances: 500}}
		f.Above = []site.Owner{{Type: "*Shared", How: "h of (*Shared).run", Lock: "mu"}, {Type: "*Parser", How: "p of (*Parser).parse", Instances: 1}}
	}))), 10, "slab", "slab in Parser, needs parameter", "callers have Parser (p of (*Parser).parse)"},
	{"values of many owners, whose callers are many", busy(node("a", facts(func(f *site.Facts) {
		f.Owners = []site.Owner{{Type: "*Scope", How: "receiver s", Instances: 500}}
		f.Above = []site.Owner{{Type: "*Block", How: "b of (*Block).parse", Instances: 400}}
	}))), 13, site.Leave, "leave", "Scope is not rare"},

	{"strings that repeat", busy(node("a", kind(site.ToString), facts(func(f *site.Facts) { f.Values = &site.Values{Looked: 1000, Distinct: 20} }))), 6, "intern", "intern", "of 1000 strings, 20 are distinct"},
	{"edges that are copied", busy(node("a", temporary, kind(site.MakeSlice), each(1000, 64), noOwner, facts(func(f *site.Facts) { f.WholeField, f.Size = "node.edges", 16 }))), 13, site.Leave, "leave", "it copies all of node.edges: 4 elements of 16 bytes"},
	{"an error that is never read", busy(node("a", calls("strconv.Atoi"), facts(func(f *site.Facts) { f.Unread = true }))), 2, "check-first", "check first (Atoi)", "an error that is only compared with nil"},
	{"strings that differ", busy(node("a", kind(site.ToString), facts(func(f *site.Facts) { f.Values = &site.Values{Looked: 1000, Distinct: 990} }))), 6, "avoid-copy", "share the input", "99 % of the strings differ"},
	{"strings that were not counted", busy(node("a", kind(site.ToString))), 6, "avoid-copy", "share the input", "was not counted"},
	{"strings that are retained and differ", busy(node("a", kind(site.ToString), retained, facts(func(f *site.Facts) { f.Values = &site.Values{Looked: 1000, Distinct: 990} }))), 13, site.Leave, "", ""},

	{"a large value that dies", busy(node("a", temporary, each(1, 4096), typed("scanner", 4096, site.SomePointers))), 7, "reuse", "pool.Pool", "nothing that lives longer"},
	{"a large value that an exported function returns", busy(node("a", temporary, each(1, 4096), typed("Program", 4096, site.SomePointers), facts(func(f *site.Facts) { f.Result, f.Returned = true, "NewProgram" }))), 13, site.Leave, "leave", "parser makes 1 Program"},
	{"a map that an exported function may return", busy(node("a", temporary, kind(site.MakeMap), each(1, 48), owners(), facts(func(f *site.Facts) { f.Returned = "Compile" }))), 13, site.Leave, "leave", "from Compile, which is exported"},
	{"large values of one owner", busy(node("a", temporary, each(100, 4096), typed("buffer", 4096, site.NoPointers))), 7, "reuse", "reuse in parser", "can keep it"},
	{"a map that dies", busy(node("a", temporary, kind(site.MakeMap), each(100, 48))), 7, "reuse", "reuse in parser", "it is a map"},
	{"a large value that its own type makes", busy(node("a", temporary, each(100, 160), typed("context", 160, site.SomePointers), owners(site.Owner{Type: "*context", How: "receiver c", Copied: "context.go:79", Instances: 100}))),
		7, "reuse", "pool.Pool", "nothing that lives longer could keep it: a pool does"},
	{"a large value of an owner that is copied", busy(node("a", temporary, each(100, 208), typed("set", 200, site.SomePointers), owners(site.Owner{Type: "*context", How: "receiver c", Copied: "context.go:79", Instances: 100}))),
		7, "reuse", "pool.Pool", "a pool keeps it, not context: context is copied by value at context.go:79"},
	{"small values of an owner that begins in the operation", busy(node("a", temporary, each(1000, 32), typed("token", 32, site.NoPointers),
		owners(site.Owner{Type: "*grammar", How: "receiver g", Instances: -1, Begun: 0.01}, site.Owner{Type: "*context", How: "parameter c", Instances: 1}))),
		7, "reuse", "reuse in context", "context makes 1000 token per operation (parameter c)"},
	{"small values of many owners from before", busy(node("a", temporary, each(140, 24), typed("token", 24, site.NoPointers),
		owners(site.Owner{Type: "*literal", How: "receiver l", Instances: -1, Begun: 0.01, SetUp: 100}))),
		13, site.Leave, "leave", "the set-up makes 100 literal, and each makes 1.4 token per operation"},
	{"nodes of many owners from before", busy(node("a", each(140, 112), owners(site.Owner{Type: "*literal", How: "receiver l", Instances: -1, Begun: 0.01, SetUp: 100}))),
		13, site.Leave, "leave", "the set-up makes 100 literal, and each makes 1.4 Node per operation; an allocator in it pays from 50"},
	{"large values of many owners from before", busy(node("a", temporary, each(140, 4096), owners(site.Owner{Type: "*literal", How: "receiver l", Instances: -1, Begun: 0.01, SetUp: 100}))),
		7, "reuse", "pool.Pool", ""},
	{"large values of a shared owner", busy(node("a", temporary, each(100, 4096), owners(site.Owner{Type: "*server", Lock: "mu", Instances: 0}))), 7, "reuse", "pool.Pool", "has a lock, mu"},
	{"small values that die", busy(node("a", temporary, each(1000, 32), typed("token", 32, site.NoPointers))), 7, "reuse", "reuse in parser", "slab.Slab"},
	{"small values that die without an owner", busy(node("a", temporary, each(1000, 32), noOwner)), 13, site.Leave, "leave", "only another design avoids it"},
	{"what can be reset", busy(node("a", temporary, calls("bufio.NewReaderSize"))), 7, "reuse", "reuse in parser", "Reset starts it anew"},

	{"nodes of a result", busy(node("a")), 8, "slab", "slab in parser", "1000 Node per operation, made by one parser"},
	{"nodes of which half are held", busy(node("a", mixed)), 8, "slab", "slab in parser", ""},
	{"slices of a result", busy(node("a", kind(site.MakeSlice))), 8, "slab", "slab in parser", ""},
	{"long slices of a result", busy(node("a", kind(site.MakeSlice), each(1000, 4096))), 13, site.Leave, "leave", "long"},
	{"nodes of unknown fate", busy(node("a", unknown)), 8, "slab", "slab in parser", "not known"},
	{"the second owner is fit", busy(node("a", owners(site.Owner{Type: "*Node", Instances: 1}, site.Owner{Type: "*parser", Instances: 1}))), 8, "slab", "slab in parser", ""},
	{"two sites of one type make enough", busy(node("a", each(30, 112)), node("b", each(30, 112), at(11))), 8, "slab", "slab in parser", ""},
	{"an owner that is not rare", busy(node("a", owners(site.Owner{Type: "*scope", Instances: 21}))), 13, site.Leave, "leave", "scope is not rare: an operation makes 21 of them"},
	{"an owner that is such a node", busy(node("a", temporary, each(1000, 48), owners(site.Owner{Type: "*p.Node", Instances: -1}))), 13, site.Leave, "leave", "Node is such a value itself"},
	{"an owner that makes few", busy(node("a", each(20, 5000), owners(site.Owner{Type: "*parser", Instances: -1}))), 13, site.Leave, "leave", "parser makes 20 Node per operation"},
	{"owners on the stack that make few", busy(node("a", owners(site.Owner{Type: "*parser", Instances: -1, Begun: 50}))), 13, site.Leave, "leave", "an operation makes 50 of them, and each makes 20 Node; an allocator in it pays from 50"},
	{"an owner that is reset after few", busy(node("a", owners(site.Owner{Type: "*parser", Instances: 0.5, Begun: 50}))), 13, site.Leave, "leave", "an operation makes 50 of them, and each makes 20 Node; an allocator in it pays from 50"},
	{"owners of callers that make few", busy(node("a", facts(func(f *site.Facts) {
		f.Owners, f.Above = nil, []site.Owner{{Type: "*parser", How: "p of (*parser).parse", Instances: -1, Begun: 50}}
	}))), 13, site.Leave, "leave", "parser is not rare: an operation makes 50 of them, and each makes 20 Node"},
	{"types that die together, of owners that make few", busy(
		node("a", temporary, typed("Element", 96, site.SomePointers), fewEach), node("b", temporary, kind(site.MakeSlice), typed("Attr", 32, site.SomePointers), at(11), fewEach),
		node("c", temporary, kind(site.ToString), typed("string", 1, site.NoPointers), at(12), fewEach), node("d", temporary, typed("Text", 24, site.SomePointers), at(13), fewEach),
	), 13, site.Leave, "leave", "pays from 50"},
	{"versions: nodes that die one by one", busy(node("a", aged, owners(site.Owner{Type: "*Txn", Instances: -1, Begun: 500}))), 13, site.Leave, "leave", "it outlives its maker, and is freed separately"},
	{"versions: long slices that die one by one", busy(node("a", aged, kind(site.MakeSlice), each(1000, 2700), owners(site.Owner{Type: "*Txn", Instances: -1, Begun: 500}))),
		13, site.Leave, "leave", "a value lives as long as 10 of them"},
	{"long slices that die with what made them", busy(node("a", fate(site.Fate{Temporary: 1, Method: site.HoldAndDrop, Age: 0.002}), kind(site.MakeSlice), each(1000, 2700), owners(site.Owner{Type: "*Txn", How: "receiver t", Instances: -1, Begun: 500}))),
		7, "reuse", "reuse in Txn", ""},
	{"a buffer of an owner that was not counted", busy(node("a", temporary, each(100, 4096), owners(site.Owner{Type: "*parser", Instances: -1}))), 7, "reuse", "pool.Pool", ""},
	{"an owner on the stack", busy(node("a", owners(site.Owner{Type: "*parser", Instances: -1}))), 8, "slab", "slab in parser", "allocates none"},
	{"a buffer of an owner that lives long", busy(node("a", temporary, each(100, 4096), owners(site.Owner{Type: "*parser", Instances: -1, Begun: 0.1}))), 7, "reuse", "reuse in parser", ""},
	{"an owner with a lock", busy(node("a", owners(site.Owner{Type: "*parser", Lock: "mu"}))), 13, site.Leave, "leave", "has a lock, mu"},
	{"an owner of goroutines", busy(node("a", owners(site.Owner{Type: "*parser", Goroutine: "parse.go:7"}))), 13, site.Leave, "leave", "goroutine at parse.go:7"},
	{"an owner that is copied", busy(node("a", owners(site.Owner{Type: "*parser", Copied: "parse.go:7"}))), 13, site.Leave, "leave", "copied by value"},
	{"a global owner", busy(node("a", owners(site.Owner{Type: "*parser", Global: "std"}))), 13, site.Leave, "leave", "package variable std"},

	{"types that die together", busy(
		node("a", temporary, typed("Element", 96, site.SomePointers)), node("b", temporary, kind(site.MakeSlice), typed("Attr", 32, site.SomePointers), at(11)),
		node("c", temporary, kind(site.ToString), typed("string", 1, site.NoPointers), at(12)), node("d", temporary, typed("Text", 24, site.SomePointers), at(13)),
	), 9, "arena", "arena in parser", "values of 4 types"},
	{"two types that die together", busy(
		node("a", temporary, typed("Element", 96, site.SomePointers)), node("b", temporary, kind(site.MakeSlice), typed("Attr", 32, site.SomePointers), at(11)),
	), 7, "reuse", "", ""},
	{"types of a result", busy(
		node("a", typed("Element", 96, site.SomePointers)), node("b", kind(site.MakeSlice), typed("Attr", 32, site.SomePointers), at(11)),
		node("c", kind(site.ToString), typed("string", 1, site.NoPointers), at(12)),
	), 8, "slab", "", ""},

	{"a constructor", busy(node("a", noOwner, func(s *site.Site) {
		s.Function, s.Facts.Callers = "NewNode", []site.Line{{File: "/p/parse.go", Line: 7}}
	})), 10, "slab", "slab, needs parameter", "called at parse.go:7"},
	{"a constructor of nodes from nodes", busy(node("a", owners(site.Owner{Type: "*Node", How: "parameter left", Instances: 1000}))), 10, "slab", "slab, needs parameter", ""},
	{"a constructor with an owner that is not fit", busy(node("a", owners(site.Owner{Type: "*Node", Instances: 1000}, site.Owner{Type: "*parser", Lock: "mu"}))), 13, site.Leave, "leave", "Node is such a value itself"},
	{"a constructor of retained values", busy(node("a", noOwner, retained)), 13, site.Leave, "", ""},

	{"retained records", marking(busy(node("a", retained, typed("entry", 48, site.OwnPointers)))), 11, "store", "store", "its own type only"},
	{"retained plain records", marking(busy(node("a", retained, typed("entry", 48, site.NoPointers)))), 11, "store", "store", "no pointers"},
	{"many retained records", busy(node("a", fate(site.Fate{Retained: 1, Method: site.Little, Age: 2000}), typed("entry", 48, site.NoPointers))), 11, "store", "store", "2000000 of them are live"},
	{"many records in use", busy(node("a", fate(site.Fate{Retained: 1, Method: site.HoldAndDrop}), typed("entry", 48, site.NoPointers), func(s *site.Site) { s.InUse = 2e6 })), 11, "store", "store", "2000000 of them are live"},
	{"few retained records", busy(node("a", retained, typed("entry", 48, site.OwnPointers))), 13, site.Leave, "leave", "too little"},
	{"retained trees", marking(busy(node("a", retained, facts(func(f *site.Facts) { f.Recursive = true })))), 11, "flat", "flat tree", "recursive"},
	{"retained values with strings", marking(busy(node("a", retained))), 13, site.Leave, "", ""},

	{"a value in an interface", busy(node("a", kind(site.Box), typed("int", 8, site.NoPointers), each(1000, 8))), 12, "concrete", "concrete type", "interface"},
	{"a channel", busy(node("a", kind(site.MakeChan), noOwner)), 13, site.Leave, "leave", "channel"},
	{"a closure", busy(node("a", kind(site.Closure))), 13, site.Leave, "leave", "function literal"},
	{"no source", busy(node("a", kind(site.Other), facts(func(f *site.Facts) { f.NoSource = "written in C" }))), 13, site.Leave, "leave", "written in C"},
}

func TestRules(t *testing.T) {
	matched := map[string]bool{}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			s := row.in.Sites[0]
			out := Decide(row.in)
			if s.Rule != row.rule || s.Remedy != row.remedy || row.do != "" && s.Do != row.do {
				t.Errorf("rule %d: %s, %q; want rule %d: %s, %q", s.Rule, s.Remedy, s.Do, row.rule, row.remedy, row.do)
			}
			if !slices.ContainsFunc(s.Why, func(why string) bool { return strings.Contains(why, row.why) }) {
				t.Errorf("why is %q, and none says %q", s.Why, row.why)
			}
			if leave := s.Remedy == site.Leave; leave != (s.Proposal == "") || leave == slices.ContainsFunc(out.Proposals, func(p site.Proposal) bool { return slices.Contains(p.Sites, s.ID) }) {
				t.Errorf("remedy %s, and the proposals are %+v", s.Remedy, out.Proposals)
			}
		})
		matched[fmt.Sprint(row.rule, row.remedy)] = true
	}
	for _, r := range remedies.Rules() {
		if !matched[fmt.Sprint(r.Number, r.Remedy.Name)] {
			t.Errorf("no row of the test is for rule %d: %s", r.Number, r.Name)
		}
	}
}
