package gobench

import "strings"

// An Alias gives corresponding benchmarks of several Trees a common name, so that variants within
// one source tree can be compared. For example, BenchmarkX/impl=* refers to BenchmarkX/impl=old in
// one Tree, and to BenchmarkX/impl=new in another. The two Trees have the same binaries. An empty
// Alias does not change names.
type Alias struct {
	Any string // common element of names: impl=*, or Benchmark* if whole benchmarks are compared
	Own string // the tree's element in place of Any: impl=old
}

// word is the prefix of every benchmark name.
const word = "Benchmark"

// General converts the name that a benchmark has in the tree to the common name. It returns false
// if the benchmark has no common name.
func (a Alias) General(name string) (general string, ok bool) {
	return exchange(name, a.Own, a.Any)
}

// Special converts a common name to the name that the benchmark has in the tree.
func (a Alias) Special(general string) string {
	name, _ := exchange(general, a.Any, a.Own)
	return name
}

// exchange replaces the first element of a name that equals old with the element that is passed in
// with. Both old and with may omit the prefix Benchmark.
func exchange(name, old, with string) (changed string, ok bool) {
	if old == "" {
		return name, false
	}
	elements := strings.Split(name, "/")
	for i, e := range elements {
		lead := ""
		if rest, found := strings.CutPrefix(e, word); found && i == 0 {
			lead, e = word, rest
		}
		if e == strings.TrimPrefix(old, lead) {
			elements[i] = lead + strings.TrimPrefix(with, lead)
			return strings.Join(elements, "/"), true
		}
	}
	return name, false
}

// site converts the name of a keep.Site. If the site's name begins with the name of a benchmark
// that has a common name, the common name replaces it.
func (a Alias) site(name string) string {
	function, rest, found := strings.Cut(name, ": ")
	at := strings.LastIndexByte(function, '.') + 1
	general, ok := a.General(function[at:])
	switch {
	case !ok:
		return name
	case found:
		return function[:at] + general + ": " + rest
	}
	return function[:at] + general
}
