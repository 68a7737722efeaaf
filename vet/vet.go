// Package vet finds misuse of Coppice, and of sync.Pool, before the program runs: the rules
// of `coppice vet` as analyzers that other drivers can take.
//
//	multichecker.Main(vet.Analyzers()...)
//
// The rules are folders of their own. Each has rule.go, the analyzer; rule.toml, which says
// what is wrong, why, what to write instead, when not to, and what the rule found in code
// that is not ours; and testdata, what it must report and what it must not. Three of them
// follow values through functions, with what internal/flow has for them.
//
// The rules report what the code shows, in one function, and are silent where they are not
// sure. What they cannot see, checked builds (-tags coppice_checks) find when it happens.
//
// Analyzers keep nothing between packages, and any number may run at once.
package vet

import (
	"golang.org/x/tools/go/analysis"

	"github.com/coppice-go/coppice/vet/foreignref"
	"github.com/coppice-go/coppice/vet/internal/document"
	"github.com/coppice-go/coppice/vet/recordpointers"
	"github.com/coppice-go/coppice/vet/sharedalloc"
	"github.com/coppice-go/coppice/vet/slicegrowth"
	"github.com/coppice-go/coppice/vet/stalevalue"
	"github.com/coppice-go/coppice/vet/useafterput"
)

// A Document is what a rule says of itself, as its rule.toml has it.
type Document = document.Document

// A Count is what a rule found in one body of code.
type Count = document.Count

// A Rule is an analyzer and what there is to say of it.
type Rule struct {
	Document
	Analyzer *analysis.Analyzer // named as the rule is
}

// Rules returns all rules, those of the library first. The result is the caller's.
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

// Analyzers returns the analyzers of all rules. The result is the caller's.
func Analyzers() (all []*analysis.Analyzer) {
	for _, r := range Rules() {
		all = append(all, r.Analyzer)
	}
	return all
}
