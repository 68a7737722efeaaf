// Package tidy holds the rules of this house that a machine can check. Each rule is
// one function from the tree of sources to complaints, and each complaint names the
// fix. The one test that matters runs all rules over the repository; the others run
// them over small trees that break them, so that every rule is seen to bite.
package tidy

import (
	"cmp"
	"fmt"
	"slices"
)

// A Complaint is one breach of one rule.
type Complaint struct {
	File string // path from the root, with slashes
	Line int    // 0 if it concerns the whole file
	Text string // what is wrong, and after a semicolon what to do
}

// String returns "file:line: text".
func (c Complaint) String() string {
	if c.Line == 0 {
		return fmt.Sprintf("%s: %s", c.File, c.Text)
	}
	return fmt.Sprintf("%s:%d: %s", c.File, c.Line, c.Text)
}

// rules are all rules, in the order of the files that hold them.
var rules = []func(*Tree) []Complaint{
	longFiles, longFunctions, emptyNames, generatedNames, // size.go
	unsafeFiles, unsafeUses, runtimeTricks, // unsafe.go
	importDirection, allocatorImports, // imports.go
	undocumented, withoutExample, // docs.go
	benchmarkNames,                                  // names.go
	panicNames,                                      // panics.go
	brokenLinks, tablesWithoutCommand, foreignPaths, // text.go
}

// Check applies every rule and returns the complaints, sorted by place.
func Check(t *Tree) []Complaint {
	var all []Complaint
	for _, rule := range rules {
		all = append(all, rule(t)...)
	}
	slices.SortFunc(all, func(a, b Complaint) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Text, b.Text))
	})
	return all
}
