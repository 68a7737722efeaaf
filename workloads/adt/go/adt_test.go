package main

import (
	"errors"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/coppice-go/coppice/store"
)

// TestStrategiesPrintTheAnswer compares the output of every strategy with the answer that ../expect
// computes by formulas.
func TestStrategiesPrintTheAnswer(t *testing.T) {
	want, err := exec.Command("go", "run", "../expect", "9").Output()
	if err != nil {
		t.Fatal(err)
	}
	for name, s := range strategies {
		var got strings.Builder
		times, err := run(s.begin(), 9, &got)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if got.String() != string(want) {
			t.Errorf("%s printed\n%swant\n%s", name, got.String(), want)
		}
		var total float64
		for _, p := range times {
			total += p.total()
		}
		if total <= 0 || total > 60 {
			t.Errorf("%s: %v seconds of CPU in %+v", name, total, times)
		}
		if !strings.Contains(usage, " "+name) {
			t.Errorf("the usage does not name %s", name)
		}
	}
}

func TestBadArguments(t *testing.T) {
	for args, want := range map[string]string{
		"":                     "no strategy",
		"malloc 5":             `no strategy "malloc"`,
		"store":                "no depth",
		"store -report=x":      "no depth",
		"store 5 6":            "too many arguments",
		"store ten":            `depth "ten" is not a whole number from 1 to 31`,
		"store 0":              `depth "0" is not`,
		"store 32":             `depth "32" is not`,
		"store -report=x five": `depth "five" is not`,
	} {
		if _, _, _, err := parse(strings.Fields(args)); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: error %v, want %s", args, err, want)
		}
	}
	if _, report, depth, err := parse([]string{"slab", "-report=x.json", "7"}); err != nil || report != "x.json" || depth != 7 {
		t.Errorf("parsed %q, %d, %v", report, depth, err)
	}
	if err := solve("naive", "", 62); err == nil || !strings.Contains(err.Error(), "bytes, and") {
		t.Errorf("a depth beyond any machine gave %v", err)
	}
}

// TestCopiesAreApart verifies that a copy shares no node with the original, and that no node occurs
// twice in either tree.
func TestCopiesAreApart(t *testing.T) {
	const depth = 7
	for name, grow := range map[string]func() (tree, copied *node, err error){
		"naive": func() (*node, *node, error) {
			var x naive
			err := errors.Join(x.generate(depth), x.copy())
			return x.tree, x.copied, err
		},
		"slab": func() (*node, *node, error) {
			var x inSlabs
			err := errors.Join(x.generate(depth), x.copy())
			return x.tree, x.copied, err
		},
	} {
		tree, copied, err := grow()
		if err != nil {
			t.Fatal(err)
		}
		seen := map[*node]bool{}
		collectNodes(tree, seen)
		collectNodes(copied, seen)
		if len(seen) != 2*(1<<depth-1) {
			t.Errorf("%s: a tree and its copy have %d nodes, want %d", name, len(seen), 2*(1<<depth-1))
		}
	}
}

func collectNodes(n *node, into map[*node]bool) {
	if n != nil {
		into[n] = true
		collectNodes(n.left, into)
		collectNodes(n.right, into)
	}
}

func TestDestroyClosesBothStores(t *testing.T) {
	before := store.Totals() // other tests may leave stores open
	x := inStores{}
	if err := errors.Join(x.generate(7), x.copy(), x.destroy()); err != nil {
		t.Fatal(err)
	}
	if after := store.Totals(); !slices.Equal(after, before) {
		t.Errorf("%+v are open, and %+v were before", after, before)
	}
}
