// Package vet finds misuse of Coppice and of sync.Pool in source code. It provides the rules of
// `coppice vet` as analyzers for other drivers.
//
//	multichecker.Main(vet.Analyzers()...)
//
// Each rule has a folder with three parts. rule.go is the analyzer. rule.toml describes the
// mistake, the correction, the exceptions, and the findings in the code of other projects. testdata
// contains cases that must be reported and cases that must not be reported. Three rules follow
// values through functions, with package internal/flow.
//
// A rule analyzes one function at a time. It uses facts about the functions that this function
// calls, and reports a mistake only if it is certain. Checked builds (-tags coppice_checks) find
// other misuse at run time.
//
// Analyzers keep no state between packages. Any number of them may run concurrently.
package vet

import (
	"golang.org/x/tools/go/analysis"

	"github.com/coppice-go/coppice/cmd/vet/foreignref"
	"github.com/coppice-go/coppice/cmd/vet/internal/document"
	"github.com/coppice-go/coppice/cmd/vet/recordpointers"
	"github.com/coppice-go/coppice/cmd/vet/sharedalloc"
	"github.com/coppice-go/coppice/cmd/vet/slicegrowth"
	"github.com/coppice-go/coppice/cmd/vet/stalevalue"
	"github.com/coppice-go/coppice/cmd/vet/useafterput"
)

// A Document is the description of a rule, read from its rule.toml.
type Document = document.Document

// A Count is the number of findings of a rule in one body of code.
type Count = document.Count

// A Rule consists of an analyzer and its description.
type Rule struct {
	Document
	Analyzer *analysis.Analyzer // has the name of the rule
}

// Rules returns all rules, beginning with the rules about the library. The caller may modify the
// result.
func Rules() []Rule {
	return []Rule{
		{recordpointers.Document, recordpointers.Analyzer},
		{stalevalue.Document, stalevalue.Analyzer},
		{foreignref.Document, foreignref.Analyzer},
		{sharedalloc.Document, sharedalloc.Analyzer},
		{useafterput.Document, useafterput.Analyzer},
		{slicegrowth.Document, slicegrowth.Analyzer},
	}
}

// Analyzers returns the analyzers of all rules. The caller may modify the result.
func Analyzers() (all []*analysis.Analyzer) {
	for _, r := range Rules() {
		all = append(all, r.Analyzer)
	}
	return all
}
