// Package vetrun runs analyzers over the packages of a module, in this process: it is what
// `coppice vet` does between its flags and its output.
//
//	vetrun.go   a plan, and what comes of it
//	load.go     which packages, as the go command lists them
//	graph.go    one after the other, each after its imports, and as many at once as memory allows
//	check.go    one package: its syntax and types
//	analyze.go  its analyzers
//	facts.go    what they pass on to packages that import it
//	trouble.go  packages that do not compile, and those that import them
//	fix.go      apply the fixes that findings suggest
//
// The syntax, the types of expressions and the SSA form of a package are dropped as soon as its
// findings are there: a large module has gigabytes of them. What other packages need of it
// stays: its declarations, and the facts. docs/decisions/0014 says why it is done so.
package vetrun

import (
	"cmp"
	"context"
	"go/token"
	"slices"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/packages"
)

// A Plan is what to run over what.
type Plan struct {
	Dir       string   // the folder that patterns are relative to
	Patterns  []string // of packages, as the go command has them
	Tags      string   // build tags, with commas between
	Tests     bool     // look at test files too
	Analyzers []*analysis.Analyzer
}

// A Result is what came of a plan.
type Result struct {
	Findings []Finding // by position, each once
	Troubles []Trouble // packages that were not looked at, and why, by name
	Root     string    // the folder of the main module; the plan's, if there is none
}

// A Finding is one report of one analyzer.
type Finding struct {
	Rule     string
	Position token.Position
	Message  string
	FixText  string // what Fix does, in words
	Fix      []Edit // of one file; none if nobody knows how to fix it
}

// An Edit replaces the bytes from Start to End of a file.
type Edit struct {
	File       string
	Start, End int
	New        string
}

// Run returns the findings in all packages of the plan. A package that does not compile,
// or that imports one, is a Trouble, and the others are looked at all the same.
func Run(ctx context.Context, plan Plan) (Result, error) {
	if err := analysis.Validate(plan.Analyzers); err != nil {
		return Result{}, err
	}
	loaded, err := load(ctx, plan)
	if err != nil {
		return Result{}, err
	}
	result := Result{Root: rootOf(plan.Dir, loaded)}
	first, untested := once(loaded)
	units, err := look(ctx, first, plan.Analyzers)
	if err != nil {
		return Result{}, err
	}
	// Where only the tests of a package do not compile, the package is looked at without them.
	var again []*packages.Package
	for _, u := range units {
		if p := untested[u.PkgPath]; u.trouble != nil && u.ForTest == u.PkgPath && p != nil {
			again = append(again, p)
		}
	}
	if len(again) > 0 {
		more, err := look(ctx, again, plan.Analyzers)
		if err != nil {
			return Result{}, err
		}
		units = append(units, more...)
	}
	result.Troubles = troubles(plan.Dir, units)
	for _, u := range units {
		result.Findings = append(result.Findings, u.findings...)
	}
	byPosition := func(a, b Finding) int {
		return cmp.Or(cmp.Compare(a.Position.Filename, b.Position.Filename), cmp.Compare(a.Position.Offset, b.Position.Offset),
			cmp.Compare(a.Rule, b.Rule), cmp.Compare(a.Message, b.Message))
	}
	slices.SortFunc(result.Findings, byPosition)
	// A file is in two packages where an external test needs one of its own.
	result.Findings = slices.CompactFunc(result.Findings, func(a, b Finding) bool { return byPosition(a, b) == 0 })
	return result, nil
}

// look runs analyzers over packages, and returns these with what came of it.
func look(ctx context.Context, at []*packages.Package, analyzers []*analysis.Analyzer) (roots []*unit, err error) {
	g := newGraph(at, analyzers)
	if err := g.run(ctx); err != nil {
		return nil, err
	}
	for _, p := range at {
		roots = append(roots, g.byID[p.ID])
	}
	return roots, nil
}
