// Package slicegrowth finds loops that grow a slice by append although the number of elements
// is known in advance. github.com/alexkohler/prealloc finds the slices and their counts; this
// package keeps the certain ones and adds the fix.
//
//	rule.go   runs prealloc, and reports
//	loop.go   finds the loop of a report of prealloc
//	fix.go    inserts a line before the loop, and the import it needs
package slicegrowth

import (
	_ "embed"
	"fmt"
	"go/ast"
	"strings"

	prealloc "github.com/alexkohler/prealloc/pkg"
	"golang.org/x/tools/go/analysis"

	"github.com/coppice-go/coppice/cmd/vet/internal/document"
	"github.com/coppice-go/coppice/cmd/vet/internal/finding"
)

//go:embed rule.toml
var data []byte

// Document describes the rule.
var Document = document.MustParse(data)

// Analyzer is the rule.
var Analyzer = &analysis.Analyzer{
	Name: Document.Name,
	Doc:  Document.Doc(),
	Run:  run,
}

func run(pass *analysis.Pass) (any, error) {
	var advice []analysis.Diagnostic
	inner := *pass
	inner.Report = func(d analysis.Diagnostic) { advice = append(advice, d) }
	prealloc.Check(&inner, true, true, true)
	for _, d := range advice {
		name, count, ok := parse(d.Message)
		file := finding.File(pass, d.Pos)
		if !ok || file == nil || ast.IsGenerated(file) {
			continue
		}
		g := growth{pass: pass, file: file, name: name}
		if g.find(d.Pos) && g.setCount(count) {
			finding.Report(pass, analysis.Diagnostic{
				Pos: g.variable, End: g.variable + 1,
				Message:        fmt.Sprintf("append grows %s in a loop whose count is known: slices.Grow(%s, %s) allocates once", name, name, g.count),
				SuggestedFixes: g.fix(),
			})
		}
	}
	return nil, nil
}

// parse splits prealloc's message into the variable and the count of elements.
func parse(message string) (name, count string, ok bool) {
	rest, ok := strings.CutPrefix(message, "Consider preallocating ")
	if !ok {
		return "", "", false
	}
	return strings.Cut(rest, " with capacity ")
}
