package gobench

import "testing"

// TestAlias verifies that an alias maps a benchmark's name to the general one and back, and that it
// replaces whole elements only: Old does not match Older.
func TestAlias(t *testing.T) {
	for _, c := range []struct {
		alias         Alias
		name, general string // general is empty if the alias does not match the name
	}{
		{Alias{"impl=*", "impl=old"}, "BenchmarkX/impl=old", "BenchmarkX/impl=*"},
		{Alias{"impl=*", "impl=old"}, "BenchmarkX/n=10/impl=old/all", "BenchmarkX/n=10/impl=*/all"},
		{Alias{"impl=*", "impl=old"}, "BenchmarkX/impl=older", ""},
		{Alias{"impl=*", "impl=old"}, "BenchmarkX/myimpl=old", ""},
		{Alias{"*", "old"}, "BenchmarkX/old", "BenchmarkX/*"},
		{Alias{"*", "Old"}, "BenchmarkOld/n=10", "Benchmark*/n=10"},
		{Alias{"*", "BenchmarkOld"}, "BenchmarkOld/n=10", "Benchmark*/n=10"},
		{Alias{"*", "Old"}, "BenchmarkOlder", ""},
		{Alias{}, "BenchmarkX", ""},
	} {
		general, ok := c.alias.General(c.name)
		if ok != (c.general != "") || ok && general != c.general || !ok && general != c.name {
			t.Errorf("%+v: %s is %s, %v", c.alias, c.name, general, ok)
		}
		if back := c.alias.Special(general); back != c.name {
			t.Errorf("%+v: %s is %s again", c.alias, general, back)
		}
	}
}

// TestSitesOfAnAlias verifies that the result sites of two benchmarks that are compared get the
// same name.
func TestSitesOfAnAlias(t *testing.T) {
	a := Alias{"*", "Old"}
	for name, want := range map[string]string{
		"BenchmarkOld: Sum(10)":           "Benchmark*: Sum(10)",
		"BenchmarkOlder: Sum(10)":         "BenchmarkOlder: Sum(10)",
		"example.org/m.BenchmarkOld":      "example.org/m.Benchmark*",
		"example.org/m.BenchmarkNew":      "example.org/m.BenchmarkNew",
		"tree":                            "tree",
		"example.org/BenchmarkOld.Helper": "example.org/BenchmarkOld.Helper",
	} {
		if got := a.site(name); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
	if got := (Alias{}).site("BenchmarkOld: x"); got != "BenchmarkOld: x" {
		t.Error(got)
	}
}
