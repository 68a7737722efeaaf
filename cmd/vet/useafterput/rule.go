// Package useafterput finds values that a function uses, or puts again, after it gave
// them to a pool.Pool or a sync.Pool.
package useafterput

import (
	_ "embed"
	"fmt"
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
		if !flow.AnyCall(fn, isPut) {
			continue
		}
		r := &rule{pass: pass}
		flow.Run(fn, r)
		r.report()
	}
	return nil, nil
}

func isPut(call flow.Call) bool {
	return call.Key() == "pool.Pool.Put" || call.Key() == "sync.Pool.Put"
}

// rule follows values through one function. Each value is its own owner. Its parts and aliases
// belong to it.
type rule struct {
	pass     *analysis.Pass
	mistakes finding.Firsts[mistake]
}

// A mistake is a value that is used after a Put.
type mistake struct {
	birth ssa.Value
	put   ssa.Instruction
	again bool // the use is another Put
}

// Begin implements flow.Rule.
func (r *rule) Begin(s *flow.State, v ssa.Value) []flow.Claim {
	for c := range s.Claims(v) {
		if c != (flow.Claim{}) {
			return nil // a part or an alias of another value
		}
	}
	switch v := v.(type) {
	case *ssa.Parameter, *ssa.Alloc, *ssa.MakeSlice, *ssa.MakeMap, *ssa.Extract, *ssa.TypeAssert, *ssa.Lookup, *ssa.UnOp:
	case *ssa.Call:
		if fn, ok := v.Call.Value.(*ssa.Builtin); ok && fn.Name() != "append" {
			return nil
		}
	default:
		return nil
	}
	if !isReference(v.Type()) {
		return nil
	}
	return []flow.Claim{{Owner: flow.Path{Root: v}, Kind: flow.Memory, Birth: v}}
}

// isReference reports whether copies of a value share memory.
func isReference(t types.Type) bool {
	switch t.Underlying().(type) {
	case *types.Pointer, *types.Slice, *types.Map, *types.Chan, *types.Interface:
		return true
	}
	return false
}

// End implements flow.Rule: a Put ends its argument.
func (r *rule) End(s *flow.State, instr ssa.Instruction) {
	for at, call := range flow.Happening(instr) {
		if !isPut(call) {
			continue
		}
		given := call.Args[0]
		owners := map[flow.Path]bool{}
		for c := range s.Claims(given) {
			owners[c.Owner] = true
		}
		s.Finish(at, func(c flow.Claim) bool { return owners[c.Owner] })
	}
}

// Check implements flow.Rule.
func (r *rule) Check(s *flow.State, instr ssa.Instruction) {
	call, ok := flow.CallOf(instr)
	again := ok && isPut(call)
	for _, used := range flow.Uses(instr) {
		for c := range s.Claims(used) {
			if c.End != nil {
				r.mistakes.Add(mistake{c.Birth, c.End, again}, flow.Pos(instr))
			}
		}
	}
	for at, call := range flow.Happening(instr) {
		if _, deferred := at.(*ssa.Defer); !deferred || !isPut(call) {
			continue
		}
		for c := range s.Claims(call.Args[0]) {
			if c.End != nil && c.End != at {
				r.mistakes.Add(mistake{c.Birth, c.End, true}, at.Pos())
			}
		}
	}
}

func (r *rule) report() {
	for m, pos := range r.mistakes.All() {
		line := r.pass.Fset.Position(m.put.Pos()).Line
		_, deferred := m.put.(*ssa.Defer)
		message := fmt.Sprintf("this value is used after Put in line %d gave it to the pool", line)
		switch {
		case m.again:
			message = fmt.Sprintf("this value is put a second time: Put in line %d gave it to the pool", line)
		case deferred:
			message = fmt.Sprintf("this value is returned, and the deferred Put in line %d gives it to the pool", line)
		}
		finding.Reportf(r.pass, pos, "%s", message)
	}
}
