package show_test

import (
	"bytes"
	"io"
	"math"
	"regexp"
	"strings"
	"testing"

	"github.com/google/pprof/profile"
	"pgregory.net/rapid"

	"github.com/coppice-go/coppice/cmd/internal/find"
	"github.com/coppice-go/coppice/cmd/internal/find/show"
	"github.com/coppice-go/coppice/cmd/internal/site"
	"github.com/coppice-go/coppice/internal/testkit/random"
)

// extremes contains values that divisions and profiles from other tools may yield.
var extremes = []float64{0, math.NaN(), math.Inf(1), math.Inf(-1), math.MaxFloat64, -math.MaxFloat64, math.SmallestNonzeroFloat64, math.Copysign(0, -1), -1, 1}

// odd draws results with arbitrary numbers and strings. The strings contain neither n nor N, so
// that noNumber finds only numbers.
type odd struct{ *rapid.T }

func (o odd) figure() float64 {
	return rapid.OneOf(rapid.Float64(), rapid.Float64Range(0, 1), rapid.SampledFrom(extremes)).Draw(o.T, "figure")
}

func (o odd) text() string {
	return rapid.OneOf(rapid.StringMatching(`[a-fA-F0-9 /.:世\x00-\x20"'<>|]{0,150}`), rapid.SampledFrom([]string{"", "a.go", "/x/y.go", "p1"})).Draw(o.T, "text")
}

func (o odd) texts() []string {
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) string { return odd{t}.text() }), 0, 4).Draw(o.T, "texts")
}

func (o odd) count() int { return rapid.IntRange(-1, 2000).Draw(o.T, "count") }

func (o odd) change() find.Change {
	return find.Change{Ratio: o.figure(), Lo: o.figure(), Hi: o.figure(), Proven: rapid.Bool().Draw(o.T, "proven")}
}

func (o odd) setting() find.Setting {
	s := find.Setting{Name: o.text(), Rounds: o.count(), CPU: o.change()}
	if rapid.Bool().Draw(o.T, "memory") {
		c := o.change()
		s.RSS = &c
	}
	return s
}

func (o odd) site() *site.Site {
	s := &site.Site{
		ID: o.text(), Place: site.Place{Package: o.text(), Function: o.text(), File: o.text(), Line: o.count()},
		Cost: site.Cost{Objects: o.figure(), Bytes: o.figure(), ObjectsPart: o.figure(), BytesPart: o.figure(), Malloc: o.figure(), Samples: o.count()},
		Fate: site.Fate{Temporary: o.figure(), Result: o.figure(), Retained: o.figure(), Age: o.figure(), Method: rapid.SampledFrom([]site.Method{site.Unknown, site.Little}).Draw(o.T, "method")},
		Facts: site.Facts{
			Kind: rapid.SampledFrom([]site.Kind{site.Literal, site.Append, site.Call}).Draw(o.T, "kind"), Type: o.text(), Size: int64(o.count()),
			Escapes: []site.Escape{{Column: o.count(), Message: o.text()}}, NoSource: o.text(),
		},
		Advice: site.Advice{Remedy: rapid.SampledFrom([]site.Remedy{"", site.Leave, "slab", "strange"}).Draw(o.T, "remedy"), Do: o.text(), Why: o.texts(), Proposal: o.text()},
	}
	if rapid.Bool().Draw(o.T, "leaf") {
		s.Leaf = &site.Place{Package: o.text(), File: o.text(), Line: o.count()}
	}
	return s
}

func (o odd) result() *find.Result {
	r := &find.Result{
		Target:  find.Target{Package: o.text(), Name: o.text(), Unit: rapid.SampledFrom([]string{"", "run", "second", "profile"}).Draw(o.T, "unit"), Dir: o.text()},
		Op:      find.Op{CPU: o.figure(), Allocs: o.figure(), Bytes: o.figure(), Cycles: o.figure()},
		Classes: site.Classes{Malloc: o.figure(), Assist: o.figure(), Mark: o.figure(), Sweep: o.figure(), Barrier: o.figure(), Samples: o.count()},
		Answer:  rapid.SampledFrom([]find.Answer{"", find.LeaveAlone, find.SetGOGC, find.FixSites, find.NotKnown}).Draw(o.T, "answer"),
		Reason:  o.text(), Warnings: o.texts(), Environment: map[string]string{o.text(): o.text()},
	}
	if rapid.Bool().Draw(o.T, "ceiling") {
		s := o.setting()
		r.Ceiling = &s
	}
	for range rapid.IntRange(0, 2).Draw(o.T, "settings") {
		r.Settings = append(r.Settings, o.setting())
	}
	for range rapid.IntRange(0, 4).Draw(o.T, "sites") {
		r.Sites = append(r.Sites, o.site())
	}
	for range rapid.IntRange(0, 2).Draw(o.T, "proposals") {
		e := find.Estimate{CPU: o.figure(), Lo: o.figure(), Hi: o.figure(), If: o.texts(), Void: o.texts()}
		r.Proposals = append(r.Proposals, find.Proposal{ID: o.text(), Title: o.text(), Sites: o.texts(), Estimate: e, Why: o.texts(), Price: o.texts(), Page: o.text()})
	}
	return r
}

var noNumber = regexp.MustCompile(`NaN|Inf`)

// TestExtremeResults verifies that no output format panics, fails or prints NaN or Inf, whatever
// the result. On the screen no line is too wide, and in a file nothing is truncated.
func TestExtremeResults(t *testing.T) {
	samples := &profile.Profile{SampleType: []*profile.ValueType{{Type: "objects", Unit: "count"}}, Sample: []*profile.Sample{{Value: []int64{1}}}}
	random.Check(t, func(t *rapid.T) {
		r := odd{t}.result()
		o := show.Options{Top: odd{t}.count(), Min: odd{t}.figure(), All: rapid.Bool().Draw(t, "all"), Columns: rapid.SampledFrom([]int{0, 80, 100, 200}).Draw(t, "columns")}
		for name, print := range map[string]func(io.Writer) error{
			"screen":   func(w io.Writer) error { return show.Screen(w, r, o) },
			"markdown": func(w io.Writer) error { return show.Markdown(w, r, o) },
			"json":     func(w io.Writer) error { return show.JSON(w, r) },
			"sarif":    func(w io.Writer) error { return show.SARIF(w, "/x", r) },
			"html": func(w io.Writer) error {
				return show.HTML(w, r, o, func(name string) ([]byte, error) { return []byte(strings.Repeat(name+"\n", 9)), nil })
			},
			"profile": func(w io.Writer) error {
				return show.Profile(w, r, samples, func(*profile.Sample) *site.Site { return &site.Site{} })
			},
		} {
			var out bytes.Buffer
			if err := print(&out); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if name != "profile" && noNumber.Match(out.Bytes()) {
				t.Fatalf("%s has what is no number:\n%s", name, out.String())
			}
			if all := wide(out.String(), columns(o)); name == "screen" && len(all) > 0 {
				t.Fatalf("too wide: %q", all)
			}
			if name == "screen" && o.Columns == 0 && strings.Contains(out.String(), "…") {
				t.Fatalf("cut:\n%s", out.String())
			}
		}
	})
}
