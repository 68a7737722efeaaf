package vetrun

import (
	"fmt"
	"go/ast"
	"go/types"
	"os"
	"reflect"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/packages"
)

// factual returns the analyzers that export facts, from among the given analyzers and all analyzers
// that they require. The returned analyzers run over all packages. All other analyzers run only
// over packages whose findings are wanted.
func factual(analyzers []*analysis.Analyzer) (all []*analysis.Analyzer) {
	seen := map[*analysis.Analyzer]bool{}
	var visit func([]*analysis.Analyzer)
	visit = func(some []*analysis.Analyzer) {
		for _, a := range some {
			if !seen[a] {
				seen[a] = true
				visit(a.Requires)
				if len(a.FactTypes) > 0 {
					all = append(all, a)
				}
			}
		}
	}
	visit(analyzers)
	return all
}

// A pass is the state of an analysis of one unit.
type pass struct {
	graph   *graph
	unit    *unit
	syntax  []*ast.File
	info    *types.Info
	results map[*analysis.Analyzer]any
}

// run runs analyzers, each after the analyzers that it requires.
func (p *pass) run(analyzers []*analysis.Analyzer) error {
	p.results = map[*analysis.Analyzer]any{}
	for _, a := range analyzers {
		if err := p.analyze(a); err != nil {
			return err
		}
	}
	return nil
}

func (p *pass) analyze(a *analysis.Analyzer) error {
	if _, done := p.results[a]; done {
		return nil
	}
	inputs := map[*analysis.Analyzer]any{}
	for _, needed := range a.Requires {
		if err := p.analyze(needed); err != nil {
			return err
		}
		inputs[needed] = p.results[needed]
	}
	result, err := guarded(a, p.passOf(a, inputs))
	if err != nil {
		return fmt.Errorf("%s: %w", a.Name, err)
	}
	if got := reflect.TypeOf(result); got != a.ResultType {
		return fmt.Errorf("%s: the result is a %v, not a %v", a.Name, got, a.ResultType)
	}
	p.results[a] = result
	return nil
}

// guarded runs an analyzer. It turns a panic into an error of the package, so that other packages
// are still analyzed.
func guarded(a *analysis.Analyzer, of *analysis.Pass) (result any, err error) {
	defer func() {
		if wrong := recover(); wrong != nil {
			err = fmt.Errorf("a bug in the rule: %v; please report it, and leave out the rule with -rules until then", wrong)
		}
	}()
	return a.Run(of)
}

// passOf returns the input of an analyzer for the unit.
func (p *pass) passOf(a *analysis.Analyzer, inputs map[*analysis.Analyzer]any) *analysis.Pass {
	facts, u := &p.graph.facts, p.unit
	return &analysis.Pass{
		Analyzer: a, Fset: p.graph.files, Files: p.syntax, OtherFiles: u.OtherFiles, IgnoredFiles: u.IgnoredFiles,
		Pkg: u.declared, TypesInfo: p.info, TypesSizes: u.TypesSizes, Module: moduleOf(u.Module),
		ResultOf: inputs, ReadFile: os.ReadFile,
		Report: func(d analysis.Diagnostic) {
			if u.root {
				u.findings = append(u.findings, p.findingOf(a, d))
			}
		},
		ImportObjectFact:  func(o types.Object, f analysis.Fact) bool { return facts.get(o.Pkg(), o, f) },
		ExportObjectFact:  func(o types.Object, f analysis.Fact) { facts.set(u.declared, o, f) },
		ImportPackageFact: func(of *types.Package, f analysis.Fact) bool { return facts.get(of, nil, f) },
		ExportPackageFact: func(f analysis.Fact) { facts.set(u.declared, nil, f) },
		AllObjectFacts:    func() []analysis.ObjectFact { return facts.ofObjects(u.declared, a.FactTypes) },
		AllPackageFacts:   func() []analysis.PackageFact { return facts.ofPackages(u.declared, a.FactTypes) },
	}
}

// moduleOf converts a module's description to the type that analyzers use.
func moduleOf(m *packages.Module) *analysis.Module {
	if m == nil {
		return &analysis.Module{}
	}
	return &analysis.Module{Path: m.Path, Version: m.Version, GoVersion: m.GoVersion}
}

// findingOf converts a diagnostic to a Finding, which does not depend on the file set.
func (p *pass) findingOf(a *analysis.Analyzer, d analysis.Diagnostic) Finding {
	files := p.graph.files
	f := Finding{Rule: a.Name, Position: files.Position(d.Pos), Message: d.Message}
	if len(d.SuggestedFixes) == 0 {
		return f
	}
	f.FixText = d.SuggestedFixes[0].Message
	for _, e := range d.SuggestedFixes[0].TextEdits {
		start, end := files.PositionFor(e.Pos, false), files.PositionFor(e.Pos, false)
		if e.End.IsValid() {
			end = files.PositionFor(e.End, false)
		}
		f.Fix = append(f.Fix, Edit{start.Filename, start.Offset, end.Offset, string(e.NewText)})
	}
	return f
}
