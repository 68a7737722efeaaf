package prove

import (
	"slices"
	"testing"

	"github.com/coppice-go/coppice/cmd/internal/gobench"
	"github.com/coppice-go/coppice/cmd/internal/meter"
)

// TestBenchmarksOfAKey verifies that a benchmark is compared if it has all values of the key at the
// same position of its name. A benchmark that lacks a value is reported, and a benchmark without
// the key is ignored.
func TestBenchmarksOfAKey(t *testing.T) {
	for _, c := range []struct {
		key           Key
		names         []string
		want, missing []string
	}{
		{
			Key{"impl", []string{"old", "new"}},
			[]string{"BenchmarkX/impl=old", "BenchmarkX/impl=new", "BenchmarkX/impl=newer", "BenchmarkY/impl=old", "BenchmarkZ"},
			[]string{"BenchmarkX/impl=*"}, []string{"BenchmarkY/impl=* has no impl=new; it is left out"},
		},
		{
			Key{"impl", []string{"old", "new"}},
			[]string{"BenchmarkX/n=1/impl=old", "BenchmarkX/n=2/impl=old", "BenchmarkX/n=1/impl=new", "BenchmarkX/n=2/impl=new"},
			[]string{"BenchmarkX/n=1/impl=*", "BenchmarkX/n=2/impl=*"}, nil,
		},
		{
			Key{"", []string{"Old", "New", "Third"}},
			[]string{"BenchmarkOld/a", "BenchmarkNew/a", "BenchmarkThird/a", "BenchmarkOld/b", "BenchmarkNew/b"},
			[]string{"Benchmark*/a"}, []string{"Benchmark*/b has no Third; it is left out"},
		},
		{Key{"impl", []string{"old", "new"}}, []string{"BenchmarkX/impl=new"}, nil, []string{"BenchmarkX/impl=* has no impl=old; it is left out"}},
		{
			Key{"impl", []string{"old", "new", "fast"}},
			[]string{"BenchmarkX/impl=new", "BenchmarkX/impl=fast", "BenchmarkY/impl=fast", "BenchmarkY/impl=new", "BenchmarkY/impl=old"},
			[]string{"BenchmarkY/impl=*"}, []string{"BenchmarkX/impl=* has no impl=old; it is left out"},
		},
	} {
		var found []gobench.Benchmark
		for _, name := range c.names {
			found = append(found, gobench.Benchmark{Name: name, Procs: 2})
		}
		common, missing := c.key.common(found)
		var got []string
		for _, b := range common {
			got = append(got, b.Name)
		}
		if !slices.Equal(got, c.want) || !slices.Equal(missing, c.missing) {
			t.Errorf("%v of %q: %q, %q", c.key, c.names, got, missing)
		}
	}
}

// The sides of a key comparison share one binary, but must count as different programs. Otherwise
// runs with different values would be merged in one folder.
func TestProgramsOfAKey(t *testing.T) {
	k := Key{"impl", []string{"old", "new"}}
	a, b := &gobench.Tree{Alias: k.alias("old")}, &gobench.Tree{Alias: k.alias("new")}
	if programOf(a, "p") == programOf(b, "p") || programOf(&gobench.Tree{}, "p") != "p" {
		t.Error(programOf(a, "p"), programOf(b, "p"))
	}
}

// If each side has exactly one result under a name of its own, the two are compared with each
// other.
func TestPairRest(t *testing.T) {
	kept := func(all ...string) map[string]meter.Kept {
		m := map[string]meter.Kept{}
		for _, site := range all {
			m[site] = meter.Kept{Hash: site}
		}
		return m
	}
	was, again, now := kept("tree", "B: Old(1)"), kept("tree", "B: Old(1)"), kept("tree", "B: New(1)")
	if name := pairRest(was, again, now); name != "Old(1) and New(1)" || was[name].Hash != "B: Old(1)" || again[name].Hash != "B: Old(1)" || now[name].Hash != "B: New(1)" || len(was)+len(now) != 4 {
		t.Errorf("%q: %v, %v, %v", name, was, again, now)
	}
	for _, others := range [][]string{{"tree"}, {"tree", "B: New(1)", "B: New(2)"}, {"tree", "B: Old(1)"}} {
		if name := pairRest(kept("tree", "B: Old(1)"), kept("tree", "B: Old(1)"), kept(others...)); name != "" {
			t.Errorf("%v: %q", others, name)
		}
	}
}
