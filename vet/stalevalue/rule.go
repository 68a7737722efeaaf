// Package stalevalue finds pointers and refs that a function uses after it ended their
// life itself: with Reset, Close, Del or Rewind of what they came from.
package stalevalue

import (
	_ "embed"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/coppice-go/coppice/vet/internal/document"
	"github.com/coppice-go/coppice/vet/internal/finding"
	"github.com/coppice-go/coppice/vet/internal/flow"
)

//go:embed rule.toml
var data []byte

// Document says what the rule is for.
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
		if !endsSomething(fn) {
			continue
		}
		r := &rule{pass: pass, first: map[mistake]token.Pos{}}
		flow.Run(fn, r)
		r.report()
	}
	return nil, nil
}

// endsSomething tells whether there is anything to follow in a function.
func endsSomething(fn *ssa.Function) bool {
	for _, block := range fn.Blocks {
		for _, instr := range block.Instrs {
			if call, ok := flow.CallOf(instr); ok && flow.Effects[call.Key()].Ends != flow.EndsNothing {
				return true
			}
		}
	}
	return false
}

// rule follows what belongs to stores, slabs and arenas through one function.
type rule struct {
	pass  *analysis.Pass
	first map[mistake]token.Pos // the first use of each
	order []mistake
}

// A mistake is a value that is used after something ended it.
type mistake struct {
	birth ssa.Value
	end   ssa.Instruction
	what  string
}

// Begin implements flow.Rule: what the library's calls return belongs to its receiver.
func (r *rule) Begin(s *flow.State, v ssa.Value) []flow.Claim { return flow.Given(s, v) }

// End implements flow.Rule.
func (r *rule) End(s *flow.State, instr ssa.Instruction) {
	for at, call := range flow.Happening(instr) {
		owner := flow.PathOf(call.Recv)
		mine := func(c flow.Claim) bool { return c.Owner == owner }
		switch flow.Effects[call.Key()].Ends {
		case flow.EndsAll:
			s.Finish(at, mine)
		case flow.EndsRecord:
			names := flow.Names(s, call.Args[0])
			s.Finish(at, func(c flow.Claim) bool { return mine(c) && c.Of != nil && names[c.Of] })
			for name := range names {
				s.Add(name, flow.Claim{Owner: owner, Kind: flow.Effects[call.Key()].Takes[0], Birth: name, Of: name, End: at})
			}
		case flow.EndsSinceMark:
			mark, ok := call.Args[0].(*ssa.Call)
			if ok {
				s.Finish(at, func(c flow.Claim) bool { return mine(c) && bornAfter(c, mark) })
			}
		}
		if call.Name == "Mark" {
			// What an earlier turn of a loop made after its own Mark is older than this one.
			if mark, ok := at.(*ssa.Call); ok {
				s.Forget(func(c flow.Claim) bool { return mine(c) && bornAfter(c, mark) })
			}
		}
	}
}

// bornAfter tells whether a value was made after a Mark. One that grew may be older.
func bornAfter(c flow.Claim, mark *ssa.Call) bool {
	birth, ok := c.Birth.(ssa.Instruction)
	if call, known := flow.CallOf(birth); ok && known && flow.Effects[call.Key()].Grows {
		return false
	}
	if !ok || birth.Block() == mark.Block() {
		return ok && position(birth) > position(mark)
	}
	return mark.Block().Dominates(birth.Block())
}

// position is the index of an instruction in its block.
func position(instr ssa.Instruction) int {
	for i, other := range instr.Block().Instrs {
		if other == instr {
			return i
		}
	}
	return -1
}

// Check implements flow.Rule: memory must not be touched, and names must not be given
// back to their owner, once they have ended.
func (r *rule) Check(s *flow.State, instr ssa.Instruction) {
	for _, used := range flow.Uses(instr) {
		for c := range s.Claims(used) {
			if c.End != nil && c.Kind == flow.Memory {
				r.found(c, instr)
			}
		}
	}
	call, ok := flow.CallOf(instr)
	if !ok {
		return
	}
	for i, kind := range flow.Effects[call.Key()].Takes {
		for c := range s.Claims(call.Args[i]) {
			// A stale Handle is no mistake: Get and Del say that it is.
			if c.End != nil && kind != flow.Handle && c.Owner == flow.PathOf(call.Recv) {
				r.found(c, instr)
			}
		}
	}
}

func (r *rule) found(c flow.Claim, at ssa.Instruction) {
	what := types.TypeString(c.Birth.Type(), r.short)
	m := mistake{c.Birth, c.End, what}
	pos := flow.Pos(at)
	known, ok := r.first[m]
	if !ok {
		r.order = append(r.order, m)
	}
	if !ok || pos < known {
		r.first[m] = pos
	}
}

// short is how messages name packages: the one at hand not at all.
func (r *rule) short(p *types.Package) string {
	if p == r.pass.Pkg {
		return ""
	}
	return p.Name()
}

func (r *rule) report() {
	for _, m := range r.order {
		call, _ := flow.CallOf(m.end)
		how := "is used after " + call.Name + " ended it"
		if _, deferred := m.end.(*ssa.Defer); deferred {
			how = "is returned, and the deferred " + call.Name + " ends it"
		}
		finding.Reportf(r.pass, r.first[m], "the %s of %s %s in line %d", m.what, call.Article(), how, r.pass.Fset.Position(m.end.Pos()).Line)
	}
}
