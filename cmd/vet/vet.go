// Package vet contains static analyzers that report misuse of Coppice and of sync.Pool. They are
// the rules of `coppice vet`, for use in other drivers.
//
//	multichecker.Main(vet.Analyzers()...)
//
// Each rule has a folder that contains three parts. rule.go is the analyzer. rule.toml describes
// the mistake, how to correct it, the exceptions, and what the rule found in the code of other
// projects. testdata contains test cases that must be reported, and others that must not. Three
// rules follow values through functions, using package internal/flow.
//
// A rule analyzes one function at a time, using facts about the functions that it calls, and
// reports a mistake only if it is certain. Checked builds (-tags coppice_checks) detect other
// misuse at run time.
//
// Analyzers keep no state between packages, and may run concurrently.
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

// A Document is the description of a rule, which is read from its rule.toml.
type Document = document.Document

// A Count is the number of findings of a rule in one code base.
type Count = document.Count

// A Rule is an analyzer together with its description.
type Rule struct {
	Document
	Analyzer *analysis.Analyzer // its Name is the name of the rule
}

// Rules returns all rules. The rules about Coppice itself come first. The caller may modify the
// slice.
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

// Analyzers returns the analyzers of all rules. The caller may modify the slice.
func Analyzers() (all []*analysis.Analyzer) {
	for _, r := range Rules() {
		all = append(all, r.Analyzer)
	}
	return all
}
