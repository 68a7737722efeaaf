package main

import (
	"testing"
)

// TestStrategiesCountAlike verifies that every strategy gets the same counts as go/ast, in all
// phases.
func TestStrategiesCountAlike(t *testing.T) {
	paths, err := corpus(5)
	if err != nil {
		t.Fatal(err)
	}
	if len(paths) != 32 {
		t.Fatalf("%d files", len(paths))
	}
	_, files, err := parse(paths)
	if err != nil {
		t.Fatal(err)
	}
	want := countParsed(files)
	if want.files != 32 || want.nodes < 10_000 || want.calls < 100 || want.identifiers < 1000 {
		t.Errorf("implausible counts\n%v", want)
	}
	for _, s := range strategies {
		got, phases, err := measure(s.make(), paths)
		if err != nil || got != want {
			t.Errorf("%s counts\n%v\nwant\n%v\n(error %v)", s.name, got, want, err)
		}
		for _, metric := range []string{"parse_s", "node_bytes"} {
			if phases[metric] <= 0 {
				t.Errorf("%s: %s is %v", s.name, metric, phases[metric])
			}
		}
	}
}

func TestDepthIsTheNumberOfFiles(t *testing.T) {
	one, err := corpus(0)
	if err != nil || len(one) != 1 {
		t.Errorf("depth 0: %v, %v", one, err)
	}
	all, err := corpus(greatestDepth)
	if err != nil || len(all) < 1000 {
		t.Errorf("depth %d: %d files, %v", greatestDepth, len(all), err)
	}
}

// TestFlatWalksDoNotAllocate verifies that walks over a flat tree do not allocate. Only the
// preorder walk may, if a node has so many children that the list of pending nodes must grow.
func TestFlatWalksDoNotAllocate(t *testing.T) {
	paths, err := corpus(3)
	if err != nil {
		t.Fatal(err)
	}
	_, files, err := parse(paths)
	if err != nil {
		t.Fatal(err)
	}
	f := &flatTree{}
	if err := f.build(files); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		walk func() counts
		most float64
	}{"buffer": {f.countBuffer, 0}, "preorder": {f.countPreorder, 10}, "recursion": {f.count, 0}} {
		if allocs := testing.AllocsPerRun(10, func() { c.walk() }); allocs > c.most {
			t.Errorf("the %s walk allocates %v times", name, allocs)
		}
	}
}
