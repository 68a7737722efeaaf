// Package vetrun runs analyzers over the packages of a module, in this process: it is what
// `coppice vet` does between its flags and its output.
//
//	vetrun.go   load packages, run, collect findings
//	fix.go      apply the fixes that findings suggest
package vetrun

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"go/token"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/checker"
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

// A Finding is one report of one analyzer.
type Finding struct {
	Rule     string
	Position token.Position
	Message  string
	Fix      []Edit // of one file; none if nobody knows how to fix it
}

// An Edit replaces the bytes from Start to End of a file.
type Edit struct {
	File       string
	Start, End int
	New        string
}

// ErrPattern is what errors wrap that say that patterns match nothing to look at.
var ErrPattern = errors.New("no such package")

// Run returns the findings in all packages of the plan, by position, each once. It fails
// with the first mistake if a package does not compile.
func Run(ctx context.Context, plan Plan) ([]Finding, error) {
	loaded, err := load(ctx, plan)
	if err != nil {
		return nil, err
	}
	graph, err := checker.Analyze(plan.Analyzers, loaded, nil)
	if err != nil {
		return nil, err
	}
	var all []Finding
	for _, action := range graph.Roots {
		if action.Err != nil {
			return nil, fmt.Errorf("%s: %s: %w", action.Package.PkgPath, action.Analyzer.Name, action.Err)
		}
		for _, d := range action.Diagnostics {
			all = append(all, findingOf(action, d))
		}
	}
	byPosition := func(a, b Finding) int {
		return cmp.Or(cmp.Compare(a.Position.Filename, b.Position.Filename), cmp.Compare(a.Position.Offset, b.Position.Offset),
			cmp.Compare(a.Rule, b.Rule), cmp.Compare(a.Message, b.Message))
	}
	slices.SortFunc(all, byPosition)
	// A file is in two packages where an external test needs one of its own.
	return slices.CompactFunc(all, func(a, b Finding) bool { return byPosition(a, b) == 0 }), nil
}

func findingOf(action *checker.Action, d analysis.Diagnostic) Finding {
	files := action.Package.Fset
	f := Finding{Rule: action.Analyzer.Name, Position: files.Position(d.Pos), Message: d.Message}
	if len(d.SuggestedFixes) == 0 {
		return f
	}
	for _, e := range d.SuggestedFixes[0].TextEdits {
		start, end := files.PositionFor(e.Pos, false), files.PositionFor(e.Pos, false)
		if e.End.IsValid() {
			end = files.PositionFor(e.End, false)
		}
		f.Fix = append(f.Fix, Edit{start.Filename, start.Offset, end.Offset, string(e.NewText)})
	}
	return f
}

// load reads the packages with all that they import: whether a function ever returns
// depends on those that it calls.
func load(ctx context.Context, plan Plan) ([]*packages.Package, error) {
	config := &packages.Config{
		Context: ctx, Dir: plan.Dir, Tests: plan.Tests,
		Mode: packages.LoadAllSyntax | packages.NeedModule,
	}
	if plan.Tags != "" {
		config.BuildFlags = []string{"-tags=" + plan.Tags}
	}
	loaded, err := packages.Load(config, plan.Patterns...)
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if err != nil {
		text := err.Error()
		if _, said, ok := strings.Cut(text, "stderr: "); ok {
			text = said // by the go command
		}
		return nil, fmt.Errorf("%w: %s", ErrPattern, firstLine(text))
	}
	if len(loaded) == 0 {
		return nil, fmt.Errorf("%w: %s", ErrPattern, strings.Join(plan.Patterns, " "))
	}
	loaded = once(loaded)
	for _, p := range loaded {
		if err := brokenness(plan.Dir, p); err != nil {
			return nil, err
		}
	}
	return loaded, nil
}

// once leaves out the mains that the go command makes for tests, and packages that are
// there again with their tests.
func once(loaded []*packages.Package) []*packages.Package {
	withTests := map[string]bool{}
	for _, p := range loaded {
		if p.ForTest == p.PkgPath {
			withTests[p.PkgPath] = true
		}
	}
	return slices.DeleteFunc(loaded, func(p *packages.Package) bool {
		return strings.HasSuffix(p.ID, ".test") || p.ForTest == "" && withTests[p.PkgPath]
	})
}

// brokenness says what is wrong with a package or with one that it imports, if anything.
func brokenness(dir string, p *packages.Package) (err error) {
	packages.Visit([]*packages.Package{p}, nil, func(p *packages.Package) {
		if err != nil || len(p.Errors) == 0 {
			return
		}
		first := p.Errors[0]
		text := firstLine(first.Msg)
		if first.Kind == packages.ListError {
			err = fmt.Errorf("%w: %s", ErrPattern, text)
			return
		}
		place := first.Pos
		if relative, inside := strings.CutPrefix(place, dir+string(filepath.Separator)); inside {
			place = relative
		}
		err = fmt.Errorf("package %s does not compile: %s: %s", p.PkgPath, place, text)
	})
	return err
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return line
}
