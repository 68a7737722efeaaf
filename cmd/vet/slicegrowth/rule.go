// Package slicegrowth finds loops that grow a slice by append although the number of elements is
// known in advance:
//
//	var names []string
//	for _, c := range cities {
//		names = append(names, c.Name) // reported
//	}
//
// The fix inserts a line before the loop:
//
//	var names []string
//	names = slices.Grow(names, len(cities))
//	for _, c := range cities {
//		names = append(names, c.Name)
//	}
//
// If a slice is full, append doubles its capacity, or adds a quarter if the slice is large, and
// copies the elements each time. The fix uses Grow instead of make([]string, 0, n), because Grow
// changes only the number of allocations: an empty result stays nil, and the declaration may be
// anywhere before the loop.
//
// github.com/alexkohler/prealloc finds the slices and their counts. This package reports only the
// findings whose count is certain, and adds the fix. It ignores loops that may end early, loops
// that append only in some iterations, and counts that the body of the loop may change.
//
//	rule.go   runs prealloc, and reports
//	loop.go   finds the loop that a report of prealloc is about
//	start.go  whether the slice is empty where the loop begins, and its capacity can be grown there
//	steady.go whether the count is still right while the loop runs
//	watch.go  what a loop, and the function around it, may change
//	fix.go    inserts a line before the loop, and the import it needs
package slicegrowth

import (
	_ "embed"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
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

// Analyzer implements the rule.
var Analyzer = &analysis.Analyzer{
	Name: Document.Name,
	Doc:  Document.Doc(),
	Run:  run,
}

func run(pass *analysis.Pass) (any, error) {
	eachGrowth(pass, func(g *growth) {
		if !ast.IsGenerated(g.file) {
			finding.Report(pass, analysis.Diagnostic{
				Pos: g.variable, End: g.variable + 1,
				Message:        fmt.Sprintf("append grows %s in a loop whose count is known: %s allocates once", g.name, g.remedy()),
				SuggestedFixes: g.fix(),
			})
		}
	})
	return nil, nil
}

// remedy returns the code that the message recommends for growing the capacity: a call to
// slices.Grow or, if the file's language version is too old, a make with a capacity.
func (g *growth) remedy() string {
	if g.old() {
		return fmt.Sprintf("make with a capacity of %s (package slices came with go1.21)", g.raw)
	}
	return fmt.Sprintf("slices.Grow(%s, %s)", g.name, g.count)
}

// Counts returns the slices that a loop grows although the number of elements is known. It maps
// each of them to the Go expression for that number. The pass needs the files and the types of a
// package, and no results of other analyzers.
func Counts(pass *analysis.Pass) map[types.Object]string {
	counts := map[types.Object]string{}
	eachGrowth(pass, func(g *growth) { counts[g.object] = g.count })
	return counts
}

// A Room describes how to reserve capacity for all elements of a slice, before the loop that
// appends them.
type Room struct {
	Count string    // Go expression for the number of elements; never negative
	Raw   string    // the same number as an integer of any type, which may be negative
	Loop  ast.Stmt  // the loop that contains the only appends to the slice
	Slice token.Pos // where the slice is declared or emptied
	// Line returns the statement that is inserted before the loop. The parameter slices is the name
	// of package slices at the position of the statement.
	Line func(slices string) string
}

// Rooms is like Counts, but maps each slice to its Room.
func Rooms(pass *analysis.Pass) map[types.Object]Room {
	rooms := map[types.Object]Room{}
	eachGrowth(pass, func(g *growth) {
		rooms[g.object] = Room{Count: g.count, Raw: g.raw, Loop: g.loop, Slice: g.variable, Line: g.line}
	})
	return rooms
}

// eachGrowth calls f for each finding of prealloc whose count is certain.
func eachGrowth(pass *analysis.Pass, f func(*growth)) {
	var advice []analysis.Diagnostic
	inner := *pass
	inner.Report = func(d analysis.Diagnostic) { advice = append(advice, d) }
	prealloc.Check(&inner, true, true, true)
	for _, d := range advice {
		name, count, ok := parse(d.Message)
		file := finding.File(pass, d.Pos)
		if !ok || file == nil {
			continue
		}
		g := growth{pass: pass, file: file, name: name}
		if g.find(d.Pos) && g.setCount(count) {
			f(&g)
		}
	}
}

// parse returns the variable and the number of elements in a message of prealloc.
func parse(message string) (name, count string, ok bool) {
	rest, ok := strings.CutPrefix(message, "Consider preallocating ")
	if !ok {
		return "", "", false
	}
	return strings.Cut(rest, " with capacity ")
}
