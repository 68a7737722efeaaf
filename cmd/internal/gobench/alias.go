package gobench

import "strings"

// An Alias gives several benchmarks a common name, and states which of them the name refers to in a
// tree. For example, BenchmarkX/impl=* refers to BenchmarkX/impl=old in one Tree, and to
// BenchmarkX/impl=new in another. The two Trees have the same binaries. An empty Alias changes
// nothing.
type Alias struct {
	Any string // element of the name that stands for all: impl=*, or Benchmark* where whole benchmarks are compared
	Own string // the tree's own element of the name: impl=old
}

// word is the prefix of the names of benchmarks.
const word = "Benchmark"

// General returns the common name, if name is the tree's own name for a benchmark.
func (a Alias) General(name string) (general string, ok bool) {
	return exchange(name, a.Own, a.Any)
}

// Special returns the name that a benchmark has in the tree.
func (a Alias) Special(general string) string {
	name, _ := exchange(general, a.Any, a.Own)
	return name
}

// exchange replaces the first element that is equal to old. At the beginning of a name, the word
// Benchmark may be left out.
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

// site returns the name of a position at which results are kept. If the name begins with a function
// of the tree's own, this function is replaced with the common name.
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
