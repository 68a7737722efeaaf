// Package vetrun runs analyzers over the packages of a module, in this process. It implements
// `coppice vet`, except for the flags and the output.
//
//	vetrun.go   a plan and its result
//	load.go     the packages, listed by the go command
//	graph.go    the order: each package after its imports, and as many at once as memory allows
//	check.go    the syntax and types of one package
//	analyze.go  the analyzers of one package
//	facts.go    facts about packages, for their importers
//	trouble.go  packages that do not compile, and those that import them
//	fix.go      applies the fixes of findings
//
// The syntax, the types of expressions and the SSA form of a package are dropped as soon as its
// findings are known, because they occupy gigabytes in a large module. Its declarations and facts
// are kept for other packages. docs/decisions/0014 gives the reasons.
package vetrun

import (
	"cmp"
	"context"
	"go/token"
	"slices"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/packages"
)

// A Plan names packages and the analyzers to run on them.
type Plan struct {
	Dir       string   // the folder to which the patterns are relative
	Patterns  []string // package patterns, as for the go command
	Tags      string   // build tags, separated by commas
	Tests     bool     // analyze test files too
	Analyzers []*analysis.Analyzer
}

// A Result contains the findings of a plan, and the packages that were not analyzed.
type Result struct {
	Findings []Finding // sorted by position, without duplicates
	Troubles []Trouble // packages that were not analyzed, with the reasons; sorted by name
	Root     string    // the folder of the main module, or Plan.Dir if there is none
}

// A Finding is one report of one analyzer.
type Finding struct {
	Rule     string
	Position token.Position
	Message  string
	FixText  string // a description of Fix
	Fix      []Edit // edits of one file; empty without a fix
}

// An Edit replaces the bytes from Start to End of a file.
type Edit struct {
	File       string
	Start, End int
	New        string
}

// Run returns the findings in all packages of the plan. A package that does not compile, or that
// imports such a package, is reported as a Trouble. All other packages are still analyzed.
func Run(ctx context.Context, plan Plan) (Result, error) {
	if err := analysis.Validate(plan.Analyzers); err != nil {
		return Result{}, err
	}
	loaded, err := load(ctx, plan)
	if err != nil {
		return Result{}, err
	}
	result := Result{Root: rootOf(plan.Dir, loaded)}
	first, untested := dropDuplicates(loaded)
	units, err := look(ctx, first, plan.Analyzers)
	if err != nil {
		return Result{}, err
	}
	// If only the tests of a package do not compile, the package is analyzed without them.
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
	// A finding occurs twice if its file belongs to two packages, because an external test needs a
	// test variant of the package.
	result.Findings = slices.CompactFunc(result.Findings, func(a, b Finding) bool { return byPosition(a, b) == 0 })
	return result, nil
}

// Check checks the patterns of the plan, but runs no analyzer. For patterns that match no package,
// it returns the same error as Run.
func Check(ctx context.Context, plan Plan) error {
	_, err := load(ctx, plan)
	return err
}

// look runs analyzers over packages, and returns the units with their results.
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
