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

// Functions replaces buildssa for the rules. It builds SSA form only for functions that may have
// findings, which saves gigabytes and most of the time if they are few. In a package that calls
// the library these are all functions, because the rules follow calls within the package. In
// other packages these are the functions that call sync.Pool.Put, which are analyzed separately.
var Functions = &analysis.Analyzer{
	Name:       "coppicefunctions",
	Doc:        "build the SSA form of functions that use the library or put into a sync.Pool",
	Run:        functions,
	Requires:   []*analysis.Analyzer{ctrlflow.Analyzer},
	ResultType: reflect.TypeFor[[]*ssa.Function](),
}

// Of returns the functions of the package under analysis, for rules that require Functions.
func Of(pass *analysis.Pass) []*ssa.Function { return pass.ResultOf[Functions].([]*ssa.Function) }

func functions(pass *analysis.Pass) (any, error) {
	library, puts := mentions(pass.TypesInfo)
	if !library && len(puts) == 0 {
		return []*ssa.Function(nil), nil
	}
	inner := *pass
	if !library {
		only(&inner, puts)
	}
	built, err := buildssa.Analyzer.Run(&inner)
	if err != nil {
		return nil, err
	}
	return built.(*buildssa.SSA).SrcFuncs, nil
}

// mentions reports whether a package mentions a function or method of the library. It also returns
// the positions of all mentions of sync.Pool.Put, in order.
func mentions(info *types.Info) (library bool, puts []token.Pos) {
	for ident, object := range info.Uses {
		fn, ok := object.(*types.Func)
		if !ok || fn.Pkg() == nil {
			continue
		}
		switch path := fn.Pkg().Path(); {
		case strings.HasPrefix(path, module):
			return true, nil
		case path == "sync" && fn.FullName() == "(*sync.Pool).Put":
			puts = append(puts, ident.Pos())
		}
	}
	slices.Sort(puts)
	return false, puts
}

// only removes the bodies of all functions from a pass, except those that contain the positions.
func only(pass *analysis.Pass, wanted []token.Pos) {
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
			first, _ := slices.BinarySearch(wanted, fn.Pos())
			if first == len(wanted) || wanted[first] >= fn.End() {
				empty := *fn
				empty.Body = nil
				fewer.Decls[j] = &empty
			}
		}
		pass.Files[i] = &fewer
		info.FileVersions[&fewer] = info.FileVersions[file]
	}
}
