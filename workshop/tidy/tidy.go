// Package tidy checks rules about the sources and documents of this repository. Each rule is a
// function that returns complaints about a tree of files, and each complaint states how to fix the
// problem. TestRepository applies all rules to the repository. The other tests apply the rules to
// small trees that violate them, to show that every rule can fail.
package tidy

import (
	"cmp"
	"fmt"
	"slices"
)

// A Complaint describes one violation of a rule.
type Complaint struct {
	File string // path from the root, with slashes
	Line int    // line number; 0 if the complaint concerns the whole file
	Text string // the problem and, after a semicolon, the fix
}

// String returns "file:line: text".
func (c Complaint) String() string {
	if c.Line == 0 {
		return fmt.Sprintf("%s: %s", c.File, c.Text)
	}
	return fmt.Sprintf("%s:%d: %s", c.File, c.Line, c.Text)
}

// rules contains all rules, in the order of their files.
var rules = []func(*Tree) []Complaint{
	longFiles, fullFolders, longFunctions, emptyNames, generatedNames, // size.go
	longLists, choices, // parameters.go
	unsafeFiles, unsafeUses, runtimeTricks, // unsafe.go
	importDirection, allocatorImports, importablePackages, // imports.go
	groupDirection,               // groups.go
	moduleFiles,                  // modules.go
	undocumented, withoutExample, // docs.go
	benchmarkNames,        // names.go
	panicNames,            // panics.go
	freeSeeds, freeHashes, // chance.go
	untestedStatistics,                              // statistics.go
	fileOrder,                                       // layers.go
	unnamedDecisions,                                // decisions.go
	movingActions,                                   // actions.go
	unknownNames,                                    // known.go
	brokenLinks, tablesWithoutCommand, foreignPaths, // text.go
	longReadme, otherGo, // readme.go
	oddPhrases,              // words.go
	wideComments, wideProse, // width.go
}

// Check applies all rules to a tree and returns the complaints, sorted by position.
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
