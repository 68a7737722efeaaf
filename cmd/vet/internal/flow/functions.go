package flow

import (
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"reflect"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/passes/buildssa"
	"golang.org/x/tools/go/analysis/passes/ctrlflow"
	"golang.org/x/tools/go/ssa"
)

// Functions is an analyzer that replaces buildssa for the rules. It builds SSA form only for
// functions that may have findings. If there are few such functions, this saves gigabytes of memory
// and most of the time. In a package that uses the library, all functions may have findings,
// because the rules follow calls within the package. In other packages, only two groups of
// functions may have findings: functions that call sync.Pool.Put, directly or through a function of
// another package, and functions of this package that call one of the first group.
var Functions = &analysis.Analyzer{
	Name:       "coppicefunctions",
	Doc:        "build the SSA form of functions that use the library or put into a sync.Pool",
	Run:        functions,
	Requires:   []*analysis.Analyzer{ctrlflow.Analyzer},
	ResultType: reflect.TypeFor[*Program](),
	FactTypes:  []analysis.Fact{new(Helper)},
}

// Of returns the functions of the analyzed package that may have findings. It is for rules that
// require Functions.
func Of(pass *analysis.Pass) []*ssa.Function { return ProgramOf(pass).Functions }

// ProgramOf returns the result of Functions for the analyzed package.
func ProgramOf(pass *analysis.Pass) *Program { return pass.ResultOf[Functions].(*Program) }

func functions(pass *analysis.Pass) (any, error) {
	library, puts := mentions(pass)
	if !library && len(puts) == 0 {
		return newProgram(pass, nil), nil
	}
	inner := *pass
	if !library {
		keepBodies(&inner, slices.Concat(puts, callers(pass, puts)))
	}
	built, err := buildssa.Analyzer.Run(&inner)
	if err != nil {
		return nil, err
	}
	p := newProgram(pass, built.(*buildssa.SSA).SrcFuncs)
	p.export()
	return p, nil
}

// mentions reports whether a package mentions a function or method of the library. If it does not,
// mentions returns the positions of all identifiers that denote sync.Pool.Put, or a function of
// another package that resets objects or gives them to a pool.
func mentions(pass *analysis.Pass) (library bool, puts []token.Pos) {
	helper := map[*types.Func]bool{}
	for ident, object := range pass.TypesInfo.Uses {
		fn, ok := object.(*types.Func)
		if !ok || fn.Pkg() == nil {
			continue
		}
		fn = fn.Origin()
		switch path := fn.Pkg().Path(); {
		case strings.HasPrefix(path, module):
			return true, nil
		case path == "sync" && fn.FullName() == "(*sync.Pool).Put":
			puts = append(puts, ident.Pos())
		case fn.Pkg() != pass.Pkg:
			known, seen := helper[fn]
			if !seen {
				known = pass.ImportObjectFact(fn, new(Helper))
				helper[fn] = known
			}
			if known {
				puts = append(puts, ident.Pos())
			}
		}
	}
	return false, puts
}

// callers returns the positions at which the package mentions a function that contains one of the
// given positions.
func callers(pass *analysis.Pass, puts []token.Pos) (all []token.Pos) {
	slices.Sort(puts)
	helpers := map[types.Object]bool{}
	for _, file := range pass.Files {
		for _, d := range file.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && containsOne(fn, puts) {
				helpers[pass.TypesInfo.Defs[fn.Name]] = true
			}
		}
	}
	for ident, object := range pass.TypesInfo.Uses {
		if fn, ok := object.(*types.Func); ok && helpers[fn.Origin()] {
			all = append(all, ident.Pos())
		}
	}
	return all
}

// containsOne reports whether a function contains one of the positions, which must be sorted.
func containsOne(fn *ast.FuncDecl, positions []token.Pos) bool {
	first, _ := slices.BinarySearch(positions, fn.Pos())
	return first < len(positions) && positions[first] < fn.End()
}

// keepBodies replaces the files of the pass with copies in which functions have no body, except for
// functions that contain a wanted position.
func keepBodies(pass *analysis.Pass, wanted []token.Pos) {
	slices.Sort(wanted)
	info := *pass.TypesInfo
	info.FileVersions = maps.Clone(info.FileVersions)
	pass.TypesInfo, pass.Files = &info, slices.Clone(pass.Files)
	for i, file := range pass.Files {
		fewer := *file
		fewer.Decls = slices.Clone(file.Decls)
		for j, d := range fewer.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || fn.Body == nil {
				continue
			}
			if !containsOne(fn, wanted) {
				empty := *fn
				empty.Body = nil
				fewer.Decls[j] = &empty
			}
		}
		pass.Files[i] = &fewer
		info.FileVersions[&fewer] = info.FileVersions[file]
	}
}
