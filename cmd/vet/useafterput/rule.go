// Package useafterput finds values that a function uses, or puts again, after it gave them to a
// pool.Pool or a sync.Pool:
//
//	defer pool.Put(buf)
//	return buf.Bytes() // reported: Put runs before the caller reads the result
//
// The correct form is
//
//	defer pool.Put(buf)
//	return bytes.Clone(buf.Bytes())
//
// After Put, a call to Get may return the value to another goroutine. If the value is still used
// then, the effect appears far from the mistake, and only under load.
//
// Programs rarely use the value itself after Put. Therefore the rule also tracks memory that
// belongs to the value, such as a string in an arena or the result of a buffer's Bytes method. For
// a sync.Pool, it does so only if the package resets values of that type somewhere. Without a
// Reset, the memory stays valid after Put, and the report would be false.
package useafterput

import (
	_ "embed"
	"fmt"
	"go/types"
	"iter"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/coppice-go/coppice/cmd/vet/internal/document"
	"github.com/coppice-go/coppice/cmd/vet/internal/finding"
	"github.com/coppice-go/coppice/cmd/vet/internal/flow"
)

//go:embed rule.toml
var data []byte

// Document contains the documentation of the rule.
var Document = document.MustParse(data)

// Analyzer reports values that are used after Put.
var Analyzer = &analysis.Analyzer{
	Name:     Document.Name,
	Doc:      Document.Doc(),
	Requires: []*analysis.Analyzer{flow.Functions},
	Run:      run,
}

func run(pass *analysis.Pass) (any, error) {
	program := flow.ProgramOf(pass)
	for _, fn := range program.Functions {
		if !program.Ends(fn, flow.Ended.IsPut) {
			continue
		}
		r := &rule{pass: pass, program: program, puts: map[ssa.Instruction]flow.Ended{}}
		flow.Run(program, fn, r)
		r.report()
		r.goroutines(fn)
	}
	return nil, nil
}

// rule tracks the values in one function. Each value is its own owner. Its fields, elements and
// aliases, and the memory that is cut from it, belong to it.
type rule struct {
	pass     *analysis.Pass
	program  *flow.Program
	puts     map[ssa.Instruction]flow.Ended
	mistakes finding.Firsts[mistake]
}

// A mistake is the use of a value after a Put.
type mistake struct {
	birth ssa.Value
	put   ssa.Instruction
	cut   bool // the value was cut from the value that was put
	again bool // the use is another Put
}

// Begin implements flow.Rule. It returns the claims with which a new value begins.
func (r *rule) Begin(s *flow.State, v ssa.Value) []flow.Claim {
	for c := range s.Claims(v) {
		if c != (flow.Claim{}) {
			return nil // a part or an alias of another value
		}
	}
	if cut := r.cut(s, v); len(cut) > 0 {
		return cut
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
	return []flow.Claim{{Owner: flow.Path{Root: v}, Kind: flow.Whole, Birth: v}}
}

// cut returns the claims on v if v was cut from the memory of another value, as an object in an
// arena or the bytes of a buffer are.
func (r *rule) cut(s *flow.State, v ssa.Value) (all []flow.Claim) {
	for _, cut := range r.program.Cuts(v) {
		if cut.From == nil {
			continue
		}
		for c := range s.Claims(cut.From) {
			if c != (flow.Claim{}) && c.End == nil {
				all = append(all, flow.Claim{Owner: c.Owner, Kind: flow.Memory, Birth: v, Via: cut.Owner})
			}
		}
	}
	return all
}

// isReference reports whether copies of a value share memory.
func isReference(t types.Type) bool {
	switch t.Underlying().(type) {
	case *types.Pointer, *types.Slice, *types.Map, *types.Chan, *types.Interface:
		return true
	}
	return false
}

// End implements flow.Rule. A Put ends the life of its argument.
func (r *rule) End(s *flow.State, instr ssa.Instruction) {
	for _, e := range r.program.Endings(instr) {
		if e.IsPut() {
			r.puts[e.At] = e
			r.end(s, e)
		}
	}
}

// end ends the values that a Put gives to the pool: the argument, the values that were cut from it,
// and the slices in it whose memory is reused.
func (r *rule) end(s *flow.State, e flow.Ended) {
	owners, parts := map[flow.Path]bool{}, map[ssa.Value]bool{}
	for c := range r.putClaims(s, e) {
		if c.Kind == flow.Whole {
			owners[c.Owner] = true
		} else {
			parts[c.Birth] = true // the put value was cut from an owner that is not put
		}
	}
	s.Finish(e.At, func(c flow.Claim) bool {
		if c.Kind == flow.Whole || !owners[c.Owner] || e.Fresh {
			return c.Kind == flow.Whole && owners[c.Owner] || parts[c.Birth]
		}
		for _, cut := range r.program.Cuts(c.Birth) {
			if e.Reuses(cut.Source) {
				return true
			}
		}
		return false
	})
}

// putClaims returns the claims on the values that a Put gives to the pool.
func (r *rule) putClaims(s *flow.State, e flow.Ended) iter.Seq[flow.Claim] {
	return func(yield func(flow.Claim) bool) {
		if e.Steps == "" {
			for c := range s.Claims(e.From) {
				if !yield(c) {
					return
				}
			}
		} else if from, ok := strings.CutSuffix(e.Steps, "*"); ok {
			for steps, c := range s.Contents(e.From, from) {
				if steps == "" && !yield(c) {
					return
				}
			}
		}
		for steps, c := range s.Contents(e.From, e.Steps) {
			if e.Fresh || c == (flow.Claim{}) {
				continue
			}
			_, slice := c.Birth.Type().Underlying().(*types.Slice)
			if slice && (steps == "" || r.program.Reused(c.Birth)) && !yield(c) {
				return
			}
		}
	}
}

// Check implements flow.Rule. It records the uses of values whose life has ended.
func (r *rule) Check(s *flow.State, instr ssa.Instruction) {
	again := false
	for _, e := range r.program.Endings(instr) {
		again = again || e.IsPut() && e.At == instr
	}
	for c := range s.Used(instr) {
		if c.End != nil {
			r.mistakes.Add(mistake{c.Birth, c.End, c.Kind == flow.Memory, again}, flow.Pos(instr))
		}
	}
	if _, end := instr.(*ssa.RunDefers); !end {
		return
	}
	for _, e := range r.program.Endings(instr) {
		if !e.IsPut() || e.Steps != "" {
			continue
		}
		for c := range s.Claims(e.From) {
			if c.End != nil && c.End != e.At {
				r.mistakes.Add(mistake{c.Birth, c.End, c.Kind == flow.Memory, true}, e.At.Pos())
			}
		}
	}
}

func (r *rule) report() {
	for m, pos := range r.mistakes.All() {
		finding.Reportf(r.pass, pos, "%s", r.message(m))
	}
}

func (r *rule) message(m mistake) string {
	by := r.puts[m.put].Call.Name
	if helper := r.puts[m.put].Helper; helper != "" {
		by = helper
	}
	by = fmt.Sprintf("%s in line %d", by, r.pass.Fset.Position(m.put.Pos()).Line)
	_, deferred := m.put.(*ssa.Defer)
	what := "value"
	if m.cut {
		what = types.TypeString(m.birth.Type(), r.short)
	}
	switch {
	case m.again:
		return fmt.Sprintf("this %s is put a second time: %s gave it to the pool", what, by)
	case deferred && m.cut:
		return fmt.Sprintf("this %s is returned, and it is memory of what the deferred %s gives to the pool", what, by)
	case deferred:
		return fmt.Sprintf("this value is returned, and the deferred %s gives it to the pool", by)
	case m.cut:
		return fmt.Sprintf("this %s is used, and it is memory of what %s gave to the pool", what, by)
	}
	return fmt.Sprintf("this value is used after %s gave it to the pool", by)
}

// short returns the package name that qualifies a type in messages. It is "" for the package under
// analysis.
func (r *rule) short(p *types.Package) string {
	if p == r.pass.Pkg {
		return ""
	}
	return p.Name()
}
