package facts

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/coppice-go/coppice/cmd/internal/site"
)

const twoOnALine = `package p

type T struct{ a, b, c, d int64 }

type Big struct{ all [40]int64 }

var kept []any

func Build(n int) []*T {
	var a []*T
	for range n {
		a = append(a, &T{a: 1})
	}
	return a
}

func Pair() (*T, *Big) { return &T{}, &Big{} }

func Twins(n int64) (*T, *T) { return &T{a: n}, &T{b: n} }

func One(n int64) *T { return &T{a: n} }
`

// TestDivide divides sites that consist of several instructions. Each expression on the line must
// get its own instructions.
func TestDivide(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"go.mod": "module example.com/p\n\ngo 1.26\n", "p.go": twoOnALine} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	of := func(in string, at uint64, objects, bytes float64, varies bool) site.Instruction {
		sizes := []site.Size{{Bytes: int64(bytes / objects), Objects: objects}}
		if varies {
			sizes = []site.Size{{Bytes: 8, Objects: 1}, {Bytes: int64(bytes-8) / int64(objects-1), Objects: objects - 1}}
		}
		return site.Instruction{In: in, At: at, Cost: site.Cost{Objects: objects, Bytes: bytes, Malloc: objects / 1e5, Sizes: sizes}, Fate: site.Fate{Result: 1, Method: site.HoldAndDrop}}
	}
	for _, c := range []struct {
		name, function, text string
		list                 []site.Instruction
		want                 string
	}{
		{"growth and what is appended", "Build", "a = append(a", []site.Instruction{of("p.Build", 10, 4001, 4001*32, false), of("p.Build", 90, 15, 105_000, true)},
			"append *T 15 105000; literal T 4001 128032"},
		{"the order of addresses does not matter", "Build", "a = append(a", []site.Instruction{of("p.Build", 10, 15, 105_000, true), of("p.Build", 90, 4001, 4001*32, false)},
			"append *T 15 105000; literal T 4001 128032"},
		{"growth whose mean is the size of a value", "Build", "a = append(a", []site.Instruction{of("p.Build", 10, 1000, 32_000, false), of("p.Build", 90, 3000, 96_000, true)},
			"append *T 3000 96000; literal T 1000 32000"},
		{"inlined to two functions", "Build", "a = append(a", []site.Instruction{of("p.A", 10, 10, 320, false), of("p.A", 90, 3, 448, true), of("p.B", 20, 2, 192, true), of("p.B", 30, 5, 160, false)},
			"append *T 5 640; literal T 15 480"},
		{"two sizes", "Pair", "func Pair", []site.Instruction{of("p.Pair", 10, 7, 7*320, false), of("p.Pair", 20, 7, 7*32, false)}, "literal Big 7 2240; literal T 7 224"},
		{"two of one type", "Twins", "func Twins", []site.Instruction{of("p.Twins", 10, 7, 224, false), of("p.Twins", 20, 7, 224, false)}, "literal T 7 224; literal T 7 224"},
		{"one expression, inlined twice", "One", "func One", []site.Instruction{of("p.A", 10, 7, 224, false), of("p.B", 20, 8, 256, false)}, "literal T 15 480"},
		{"one expression that the compiler has doubled", "One", "func One", []site.Instruction{of("p.One", 10, 7, 224, false), of("p.One", 20, 8, 256, false)}, "literal T 15 480"},
	} {
		s := &site.Site{Place: site.Place{Package: "example.com/p", Function: c.function, File: filepath.Join(dir, "p.go"), Line: 1 + strings.Count(twoOnALine[:strings.Index(twoOnALine, c.text)], "\n")}}
		s.Instructions = c.list
		s.Cost, s.Fate = totalCost(c.list), commonFate(c.list)
		sites := []*site.Site{s}
		if _, err := Fill(context.Background(), Options{Dir: dir, Divided: func(part, _ *site.Site) { sites = append(sites, part) }}, []*site.Site{s}); err != nil {
			t.Fatal(err)
		}
		if got := lines(sites); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
		ids := map[string]bool{}
		for _, s := range sites {
			if ids[s.ID] || s.Fate.Result != 1 || s.Fate.Method != site.HoldAndDrop {
				t.Errorf("%s: %+v has an ID of another one, or another fate", c.name, s)
			}
			ids[s.ID] = true
		}
		checkAgain(t, dir, c.name, sites)
	}
}

// checkAgain reads the facts about the sites again, as for a stored report and in reverse order.
// IDs and kinds must not change.
func checkAgain(t *testing.T, dir, name string, sites []*site.Site) {
	t.Helper()
	var again []*site.Site
	for _, s := range slices.Backward(sites) {
		read := *s
		read.Instructions = nil
		again = append(again, &read)
	}
	if _, err := Fill(context.Background(), Options{Dir: dir}, again); err != nil {
		t.Fatal(err)
	}
	slices.Reverse(again)
	for i, s := range again {
		if s.ID != sites[i].ID || s.Facts.Kind != sites[i].Facts.Kind {
			t.Errorf("%s: %s %s is %s %s when it is read again", name, sites[i].ID, sites[i].Facts.Kind, s.ID, s.Facts.Kind)
		}
	}
}

// lines formats sites, one clause each, in sorted order.
func lines(sites []*site.Site) string {
	var all []string
	all = slices.Grow(all, len(sites))
	for _, s := range sites {
		all = append(all, fmt.Sprintf("%s %s %.0f %.0f", s.Facts.Kind, s.Facts.Type, s.Objects, s.Bytes))
	}
	slices.SortFunc(all, cmp.Compare[string])
	return strings.Join(all, "; ")
}
