// Package foreignref finds refs, handles and texts of one store that a function passes to a
// different store:
//
//	root := oaks.Alloc(node{})
//	return ashes.At(root) // reported
//
// The correct form is
//
//	root := oaks.Alloc(node{})
//	return oaks.At(root)
//
// Why: a ref is an index and does not identify its store. In a different store of the same type, it
// refers to an unrelated record, or causes a panic. The compiler cannot detect this, because refs
// of both stores have the type Ref[node].
//
// Refs of a store are also valid in its Clone and in a store that was filled by CopyFrom. So the
// rule ignores a pair of stores if one call in the function can reach both of them, and it reports
// a ref only if its store is known on every path.
package foreignref

import (
	_ "embed"
	"go/types"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/coppice-go/coppice/cmd/vet/internal/document"
	"github.com/coppice-go/coppice/cmd/vet/internal/finding"
	"github.com/coppice-go/coppice/cmd/vet/internal/flow"
)

//go:embed rule.toml
var data []byte

// Document describes the rule.
var Document = document.MustParse(data)

// Analyzer is the rule.
var Analyzer = &analysis.Analyzer{
	Name:     Document.Name,
	Doc:      Document.Doc(),
	Requires: []*analysis.Analyzer{flow.Functions},
	Run:      run,
}

func run(pass *analysis.Pass) (any, error) {
	for _, fn := range flow.Of(pass) {
		if takesNames(fn) {
			flow.Run(flow.ProgramOf(pass), fn, &rule{pass: pass, meetings: meetingsIn(outermost(fn))})
		}
	}
	return nil, nil
}

// takesNames reports whether a function contains a call that passes refs, handles or texts to a
// store.
func takesNames(fn *ssa.Function) bool {
	return flow.AnyCall(fn, func(call flow.Call) bool { return len(flow.Effects[call.Key()].Takes) > 0 })
}

func outermost(fn *ssa.Function) *ssa.Function {
	for fn.Parent() != nil {
		fn = fn.Parent()
	}
	return fn
}

// rule is the state of the rule while it follows refs, handles and texts through one function.
type rule struct {
	pass     *analysis.Pass
	meetings []meeting
}

// Begin implements flow.Rule.
func (r *rule) Begin(s *flow.State, v ssa.Value) []flow.Claim { return flow.Given(s, v) }

// End implements flow.Rule. A foreign ref stays foreign after a Reset.
func (r *rule) End(*flow.State, ssa.Instruction) {}

// Check implements flow.Rule. It reports a ref, handle or text only if, on every path to the
// instruction, its store is known and differs from the receiver.
func (r *rule) Check(s *flow.State, instr ssa.Instruction) {
	call, ok := flow.CallOf(instr)
	if !ok {
		return
	}
	user := flow.PathOf(call.Recv)
	for i, kind := range flow.Effects[call.Key()].Takes {
		foreign := false
		for c := range s.Claims(call.Args[i]) {
			if c.Kind != kind || c.Owner == user || !distinct(c.Owner, user) || r.met(c.Owner, user) {
				foreign = false
				break
			}
			foreign = true
		}
		if foreign {
			what := types.TypeString(call.Args[i].Type(), func(p *types.Package) string {
				if p == r.pass.Pkg {
					return ""
				}
				return p.Name()
			})
			finding.Reportf(r.pass, flow.Pos(instr), "this %s belongs to a different %s than the one whose %s gets it", what, call.Type, call.Name)
		}
	}
}

// distinct reports whether the source shows that two paths refer to different stores: they are
// different parameters, variables or fields, or stores created by different calls.
func distinct(a, b flow.Path) bool { return anchored(a.Root) && anchored(b.Root) }

// anchored reports whether paths that start at a value can be compared with other paths. They
// cannot if the value comes from an unknown call, a map or a slice, because two such values may be
// the same store.
func anchored(root ssa.Value) bool {
	switch root.(type) {
	case *ssa.Parameter, *ssa.Alloc, *ssa.FreeVar:
		return true
	}
	return fresh(root, 3)
}

// fresh reports whether a value is a new store, created by store.New or by a function of this
// package that returns new stores. depth is the maximum depth of calls that it follows.
func fresh(v ssa.Value, depth int) bool {
	index := 0
	if part, ok := v.(*ssa.Extract); ok {
		v, index = part.Tuple, part.Index
	}
	call, ok := v.(*ssa.Call)
	if !ok || depth == 0 {
		return false
	}
	fn := call.Call.StaticCallee()
	if fn == nil {
		return false
	}
	if flow.Makes(fn) {
		return true
	}
	if flow.IsMust(fn) {
		return fresh(call.Call.Args[0], depth)
	}
	made := false
	for _, block := range fn.Blocks {
		ret, ok := block.Instrs[len(block.Instrs)-1].(*ssa.Return)
		if !ok {
			continue
		}
		result := ret.Results[index]
		if k, ok := result.(*ssa.Const); ok && k.IsNil() {
			continue
		}
		if !fresh(result, depth-1) {
			return false
		}
		made = true
	}
	return made
}
