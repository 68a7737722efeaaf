package chart

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// labels returns the labels of the ticks, joined by semicolons.
func labels(all []Tick) string {
	texts := make([]string, 0, len(all))
	for _, t := range all {
		texts = append(texts, t.Label)
	}
	return strings.Join(texts, "; ")
}

// The ticks of a byte axis are multiples of powers of two, and those of a time axis are decimal.
// Ratios are labeled as fractions, percentages or multiples.
func TestTicks(t *testing.T) {
	for _, c := range []struct {
		unit   Unit
		lo, hi float64
		log    bool
		most   int
		want   string
	}{
		{Bytes, 0, 100 << 20, false, 6, "0; 32 MiB; 64 MiB; 96 MiB"},
		{Bytes, 30 << 20, 3 << 30, true, 5, "64 MiB; 256 MiB; 1 GiB"},
		{Seconds, 0, 0.5, false, 5, "0; 100 ms; 200 ms; 300 ms; 400 ms; 500 ms"},
		{Seconds, 1e-6, 1.5, true, 8, "1 µs; 10 µs; 100 µs; 1 ms; 10 ms; 100 ms; 1 s"},
		{Seconds, 0.6, 60, true, 8, "1 s; 2 s; 5 s; 10 s; 20 s; 50 s"},
		{Ratio, 0.09, 2.1, true, 6, "1/10; 1/5; 1/3; 1/2; equal; 2×"},
		{Ratio, 0.85, 1.12, true, 6, "−15 %; −10 %; −5 %; equal; +5 %; +10 %"},
		{Count, 0, 12000, false, 4, "0; 5 k; 10 k"},
	} {
		if got := labels(labeled(c.unit, rules(c.unit, c.lo, c.hi, c.log)[0](c.unit, c.lo, c.hi, c.most))); got != c.want {
			t.Errorf("%v to %v: %s, want %s", c.lo, c.hi, got, c.want)
		}
	}
	if rules := rules(Count, 3, 3, false); len(rules) > 0 {
		t.Error("an axis of one value has ticks")
	}
}

// If round numbers would give too few ticks, the axis has other ticks.
func TestFallbackTicks(t *testing.T) {
	for _, c := range []struct {
		unit   Unit
		lo, hi float64
		log    bool
		want   string
	}{
		{Seconds, 0, 2.9, false, "0; 600 ms; 1.2 s; 1.8 s; 2.4 s"},
		{Bytes, 0, 700 << 20, false, "0; 160 MiB; 320 MiB; 480 MiB; 640 MiB"},
		{Bytes, 30 << 20, 3 << 30, true, "32 MiB; 128 MiB; 512 MiB; 2 GiB"},
		{Ratio, 0.6, 2.5, true, "equal; +50 %; 2×; 2.5×"},
	} {
		s := scale{from: 0, to: 300, lo: c.lo, hi: c.hi, log: c.log}
		room := func(t Tick) (from, to float64) {
			half := width(t.Label, 12) / 2
			return s.at(t.Value) - half, s.at(t.Value) + half
		}
		if got := labels(s.ticks(c.unit, int(s.to/62), room)); got != c.want {
			t.Errorf("%v to %v: %s, want %s", c.lo, c.hi, got, c.want)
		}
	}
}

// An axis of more than 240 pixels has at least four ticks, whatever its unit, scale and range, and
// the labels do not touch. The random values have the magnitudes of measurements, because labels of
// longer numbers would need more room.
func TestAxesHaveTicks(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	for i := range 2000 {
		lo := math.Exp(12 * random.NormFloat64())
		unit := []Unit{Count, Seconds, Bytes, Ratio}[i%4]
		log, least := i%8 >= 4 || unit == Ratio, 1.3
		switch unit {
		case Ratio:
			lo = min(math.Exp(random.NormFloat64()), 1)
		case Bytes:
			lo = min(max(lo, 64), 1<<24)
		case Count:
			lo = min(max(lo, 1e-3), 1e6)
		case Seconds:
			lo = min(max(lo, 1e-9), 1)
		}
		if log && unit != Ratio {
			least = 8 // with a smaller range, an axis starts at zero
		}
		s := scale{from: 200, to: 200 + 150 + 400*random.Float64(), lo: lo, hi: lo * (least + math.Exp(3*random.NormFloat64())), log: log}
		switch {
		case !log:
			s.lo = 0
		case unit == Ratio:
			s.hi = max(s.hi, 1) // a ratio axis includes the reference, 1
		}
		room := func(t Tick) (from, to float64) {
			half := width(t.Label, 12) / 2
			return s.at(t.Value) - half, s.at(t.Value) + half
		}
		all := s.ticks(unit, int((s.to-s.from)/62), room)
		if !separated(all, room) {
			t.Errorf("labels of %v touch: %s", s, labels(all))
		}
		if len(all) < 1 || len(all) < 4 && s.to-s.from > 240 {
			t.Errorf("%v has the ticks %q", s, labels(all))
		}
	}
}

// Names that are cut because they are too wide are still different after the cut.
func TestCutNamesDiffer(t *testing.T) {
	family := strings.Repeat("family ", 12)
	names := []string{"go " + family + "uint64", "go " + family + "url", "go " + strings.Repeat("family ", 6) + "other " + strings.Repeat("family ", 6) + "url", "c " + family + "url"}
	r := Rows{Name: "x", Panels: []Panel{{}}}
	for _, name := range names {
		r.Panels[0].Marks = append(r.Panels[0].Marks, Mark{Name: name, Value: 1, Text: "1 s"})
	}
	for _, form := range []Form{Page, Phone} {
		seen := map[string]bool{}
		for _, m := range regexp.MustCompile(`<text class="name"[^>]*>([^<]*)</text>`).FindAllStringSubmatch(r.SVG(form), -1) {
			if seen[m[1]] || !strings.Contains(m[1], "…") {
				t.Errorf("%q is there twice, or not cut", m[1])
			}
			seen[m[1]] = true
		}
		if len(seen) != len(names) {
			t.Errorf("%d names", len(seen))
		}
	}
}

// There is enough room for the name of our contender, which is wider because it is bold.
func TestNamesOfOursAreNotCut(t *testing.T) {
	rows := sample()
	rows.Panels[0].Marks[1].Name = "go flat encoding/json v2"
	if picture := rows.SVG(Page); !strings.Contains(picture, ">go flat encoding/json v2<") {
		t.Errorf("the name is cut:\n%s", picture)
	}
}

// An axis title that is too wide is not cut. It continues on a second line, and the rows begin
// lower by the height of that line.
func TestWideAxis(t *testing.T) {
	rows := sample()
	top := func(picture string) int {
		y, _ := strconv.Atoi(regexp.MustCompile(`data-top="(\d+)"`).FindStringSubmatch(picture)[1])
		return y
	}
	low := rows.SVG(Phone)
	rows.Axis = "work CPU against that of the baseline, measured on a busy machine"
	high := rows.SVG(Phone)
	if strings.Contains(high, "…") || !strings.Contains(high, ">measured on a busy machine<") {
		t.Errorf("the axis is cut:\n%s", high)
	}
	if top(high) != top(low)+15 {
		t.Errorf("rows do not begin lower:\n%s\n%s", low, high)
	}
}

// sample returns a chart with three rows. The second one is ours.
func sample() Rows {
	marks := []Mark{
		{Name: "c <arena>", Language: "C", Value: 1, Lo: 0.9, Hi: 1.2, Text: "1 s", Tip: "c: 1 s"},
		{Name: "go slab", Language: "Go", Kind: Ours, Value: 2, Lo: math.Inf(-1), Hi: math.Inf(1), Text: "2 s", Data: [][2]string{{"ours", "yes"}}},
		{Name: "go naive", Language: "Go", Kind: Baseline, Value: 20, Text: "20 s"},
	}
	return Rows{Name: "a picture", Axis: "CPU time", Unit: Seconds, Panels: []Panel{{Heading: "one", Marks: marks}}}
}

// wellFormed fails the test if svg is not well-formed XML.
func wellFormed(t *testing.T, svg string) {
	t.Helper()
	for d := xml.NewDecoder(strings.NewReader(svg)); ; {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			return
		} else if err != nil {
			t.Fatalf("%v in\n%s", err, svg)
		}
	}
}

// All forms of a chart contain the same marks. A standalone file contains the drawing of the page,
// and also its own style.
func TestFormsHaveTheSameMarks(t *testing.T) {
	page, alone, phone := sample().SVG(Page), sample().SVG(Alone), sample().SVG(Phone)
	for _, svg := range []string{page, alone, phone} {
		wellFormed(t, svg)
		for _, want := range []string{">go slab</text>", "c &lt;arena&gt;", ">20 s</text>", `data-ours="yes"`, `class="star"`, "lang-c\"", ">equal<"} {
			if strings.Contains(svg, want) == (want == ">equal<") {
				t.Errorf("%q is in it or not:\n%s", want, svg)
			}
		}
	}
	inside := page[strings.Index(page, "\n"):]
	if !strings.Contains(alone, strings.TrimSuffix(inside, "</svg>")) {
		t.Error("the file has other marks than the page")
	}
	if strings.Contains(page, "<style>") || !strings.Contains(alone, "<style>") || !strings.Contains(alone, "prefers-color-scheme: dark") {
		t.Error("a page has its style once, a file has its own, for dark too")
	}
}

// Each language has its own shape, so that a chart can be read without colors.
func TestLanguagesDifferByShape(t *testing.T) {
	seen := map[string]string{}
	for language, l := range languages {
		for _, part := range []string{l.class, l.path} {
			if other, ok := seen[part]; ok {
				t.Errorf("%s and %s share %q", language, other, part)
			}
			seen[part] = language
		}
		if !strings.Contains(Style, "."+l.class+" {") {
			t.Errorf("no colour of %s", l.class)
		}
	}
}

// Values that are far apart are drawn on a logarithmic axis. A row without an interval has no
// whisker.
func TestRowScale(t *testing.T) {
	r := sample()
	if r.Logarithmic() {
		t.Error("20 to 1 has bars")
	}
	if n := strings.Count(r.SVG(Page), `class="interval"`); n != 3 {
		t.Errorf("%d lines of intervals, want the three of the first row", n)
	}
	r.Panels[0].Marks[0].Value = 0.1
	if svg := r.SVG(Page); !r.Logarithmic() || strings.Contains(svg, `class="bar"`) {
		t.Error("20 to 0.1 has bars")
	}
}

// Unusual input, such as no rows, zeros, NaN, infinities or very long names, gives a well-formed
// chart with valid coordinates.
func TestDegenerateInput(t *testing.T) {
	for name, marks := range map[string][]Mark{
		"nothing": nil,
		"zero":    {{Name: "a"}, {Name: "b"}},
		"nan":     {{Name: "a", Value: math.NaN()}, {Name: "b", Value: math.Inf(1), Lo: 1, Hi: 2}, {Name: "c", Value: 3, Lo: 2, Hi: 4}},
		"long":    {{Name: strings.Repeat("a long name ", 30), Value: 1, Text: "1 s"}},
		"runs":    {{Name: "a", Value: 1, Runs: []float64{0.5, 1, 2}}},
	} {
		for _, log := range []bool{false, true} {
			svg := Rows{Name: name, Log: log, Panels: []Panel{{Marks: marks}}}.SVG(Phone)
			wellFormed(t, svg)
			if strings.Contains(svg, "NaN") || strings.Contains(svg, "Inf") || strings.Contains(svg, "-922337") {
				t.Errorf("%s: a place is no number:\n%s", name, svg)
			}
		}
		s := Scatter{Name: name, Marks: marks}
		wellFormed(t, s.SVG(Page))
	}
}

var (
	pointName = regexp.MustCompile(`<text class="name"[^>]* x="([-\d.]+)" y="([-\d.]+)">([^<]*)</text>`)
	frame     = regexp.MustCompile(`viewBox="0 0 ([\d.]+) ([\d.]+)"`)
)

// The names of points neither overlap nor leave the chart. The caption lists the names that did not
// fit.
func TestNamesOfPointsDoNotOverlap(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{2, 10, 45, 150} {
		s := Scatter{Name: "x"}
		for i := range n {
			s.Marks = append(s.Marks, Mark{Name: fmt.Sprint("contender number ", i), Value: math.Exp(random.NormFloat64()), Up: math.Exp(random.NormFloat64())})
		}
		svg := s.SVG(Page)
		size := frame.FindStringSubmatch(svg)
		wide, _ := strconv.ParseFloat(size[1], 64)
		found := pointName.FindAllStringSubmatch(svg, -1)
		taken := make([]box, 0, len(found))
		if len(found)+len(s.WithoutName) != n || n <= 45 && len(s.WithoutName) > 2 || strings.Contains(s.Caption(), "lack of room") != (len(s.WithoutName) > 0) {
			t.Errorf("%d points: %d names, %d without, %q", n, len(found), len(s.WithoutName), s.Caption())
		}
		for _, m := range found {
			x, _ := strconv.ParseFloat(m[1], 64)
			y, _ := strconv.ParseFloat(m[2], 64)
			b := box{x, y - 10, x + width(m[3], letter), y + 2}
			if b.x1 < 0 || b.x2 > wide {
				t.Errorf("%s leaves the picture", m[3])
			}
			for _, o := range taken {
				if b.meets(o) {
					t.Errorf("%d points: %s is over another name", n, m[3])
				}
			}
			taken = append(taken, b)
		}
	}
}

// Values of any magnitude give a chart without NaN or infinite coordinates.
func TestExtremeValues(t *testing.T) {
	for _, v := range []float64{5e-324, 1e-200, 1e-149, 1, 1e149, 1e200, math.MaxFloat64, math.Inf(1), math.NaN()} {
		for _, u := range []Unit{Count, Seconds, Bytes, Ratio} {
			r := Rows{Unit: u, Log: true, Reference: 1, Panels: []Panel{{Marks: []Mark{{Name: "a", Value: v, Lo: v / 2, Hi: 2 * v}, {Name: "b", Value: 1}}}}}
			if svg := r.SVG(Page); strings.Contains(svg, "NaN") || strings.Contains(svg, "Inf") {
				t.Errorf("unit %d, %g:\n%s", u, v, svg)
			}
		}
	}
}

var leaderLine = regexp.MustCompile(`class="leader" x1="([\d.]+)" y1="([\d.]+)" x2="([\d.]+)" y2="([\d.]+)"`)

// No line between a point and its name passes through another name.
func TestLeadersAvoidNames(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	s := Scatter{Name: "x"}
	for i := range 32 {
		s.Marks = append(s.Marks, Mark{Name: fmt.Sprint("number ", i), Value: math.Exp(0.4 * random.NormFloat64()), Up: math.Exp(0.4 * random.NormFloat64())})
	}
	svg := s.SVG(Page)
	number := func(text string) float64 { v, _ := strconv.ParseFloat(text, 64); return v }
	leaders := leaderLine.FindAllStringSubmatch(svg, -1)
	if len(leaders) < 5 {
		t.Fatalf("%d lines: the points are too far apart to show anything", len(leaders))
	}
	for _, m := range leaders {
		l := line{number(m[1]), number(m[2]), number(m[3]), number(m[4])}
		for _, n := range pointName.FindAllStringSubmatch(svg, -1) {
			x, y := number(n[1]), number(n[2])
			if b := (box{x, y - 9, x + width(n[3], letter), y}); l.crosses(b) && !(l.x2 >= b.x1-2 && l.x2 <= b.x2+3 && l.y2 >= b.y1-4 && l.y2 <= b.y2+4) {
				t.Errorf("the line from %v passes through %s", l, n[3])
			}
		}
	}
}

// An East Asian character is as wide as the font size, and a combining character has no width. A
// text is never cut between a letter and its combining characters.
func TestWidthOfLetters(t *testing.T) {
	if got := width("树", 10); got != 10 {
		t.Errorf("width %v, want 10", got)
	}
	if got, want := width("e\u0301", 10), width("e", 10); got != want {
		t.Errorf("width %v, want %v", got, want)
	}
	if got := fit("e\u0301e\u0301e\u0301e\u0301e\u0301", 10, width("ee…", 10)); got != "e\u0301e\u0301…" {
		t.Errorf("cut to %q", got)
	}
}
