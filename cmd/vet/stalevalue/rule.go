// Package stalevalue finds pointers and refs that a function uses after a call to their owner's
// Reset, Close, Delete or Rewind has ended their lifetime:
//
//	node := nodes.New()
//	nodes.Reset()
//	return node.left // reported: it may belong to another tree by now
//
// The correct form is
//
//	node := nodes.New()
//	left := *node.left
//	nodes.Reset()
//	return left
//
// The owner reuses the memory, so a read returns a different value, and a write overwrites a
// different value. After Close of a store, an access faults. Checked builds (-tags coppice_checks)
// find the mistake only on the paths that a test executes.
//
// If a call ends the values only under a condition, it is ignored on paths on which the same
// condition is false. Stale Handles are not reported, because Get and Delete detect them at run
// time.
package stalevalue

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

// Analyzer reports uses of values whose lifetime has ended.
var Analyzer = &analysis.Analyzer{
	Name:     Document.Name,
	Doc:      Document.Doc(),
	Requires: []*analysis.Analyzer{flow.Functions},
	Run:      run,
}

func run(pass *analysis.Pass) (any, error) {
	program := flow.ProgramOf(pass)
	for _, fn := range program.Functions {
		if !program.Ends(fn, endsAll) && !endsSome(fn) {
			continue
		}
		r := &rule{pass: pass, program: program, ends: map[end]flow.Ended{}}
		flow.Run(program, fn, r)
		r.report()
	}
	return nil, nil
}

func endsAll(e flow.Ended) bool { return flow.Effects[e.Call.Key()].Ends == flow.EndsAll }

// endsSome reports whether a function contains a call that ends at least some values of its
// receiver.
func endsSome(fn *ssa.Function) bool {
	return flow.AnyCall(fn, func(call flow.Call) bool { return flow.Effects[call.Key()].Ends != flow.EndsNothing })
}

// rule is the state of an analysis of one function. It follows the values of stores, slabs and
// arenas through the function.
type rule struct {
	pass     *analysis.Pass
	program  *flow.Program
	ends     map[end]flow.Ended
	mistakes finding.Firsts[mistake]
}

// An end identifies an instruction that ends values, and the owner of these values.
type end struct {
	at    ssa.Instruction
	owner flow.Path
}

// A mistake describes a value that is used after a call has ended it.
type mistake struct {
	birth ssa.Value
	end   ssa.Instruction
	owner flow.Path
	what  string
	left  string // where it stays after the function, or ""
}

// Begin implements flow.Rule. The results of calls to the library belong to the receiver.
func (r *rule) Begin(s *flow.State, v ssa.Value) []flow.Claim { return flow.Given(s, v) }

// End implements flow.Rule.
func (r *rule) End(s *flow.State, instr ssa.Instruction) {
	for _, e := range r.program.Endings(instr) {
		if endsAll(e) && !e.Fresh {
			r.ends[end{e.At, e.Path}] = e
			s.Finish(e.At, func(c flow.Claim) bool { return c.Owner == e.Path })
		}
	}
	for at, call := range flow.Happening(instr) {
		owner := r.program.Settle(flow.PathOf(call.Recv))
		mine := func(c flow.Claim) bool { return c.Owner == owner }
		switch flow.Effects[call.Key()].Ends {
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
			// A value that an earlier iteration created after its own Mark is older than this Mark.
			if mark, ok := at.(*ssa.Call); ok {
				s.Forget(func(c flow.Claim) bool { return mine(c) && bornAfter(c, mark) })
			}
		}
	}
}

// bornAfter reports whether a value was created after a Mark. It returns false for a value that
// grew in place, because that value may be older.
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

// position returns the index of an instruction in its block.
func position(instr ssa.Instruction) int {
	for i, other := range instr.Block().Instrs {
		if other == instr {
			return i
		}
	}
	return -1
}

// Check implements flow.Rule. It reports code that accesses the memory of values that have ended,
// or that passes refs or texts of such values to the owner.
func (r *rule) Check(s *flow.State, instr ssa.Instruction) {
	for c := range s.Used(instr) {
		if c.End != nil && c.Kind == flow.Memory {
			r.addMistake(c, instr)
		}
	}
	if ret, ok := instr.(*ssa.Return); ok {
		for place, c := range s.Left(ret) {
			if c.End != nil && c.Kind == flow.Memory {
				r.mistakes.Add(mistake{c.Birth, c.End, c.Owner, r.typeName(c), place}, c.End.Pos())
			}
		}
	}
	call, ok := flow.CallOf(instr)
	if !ok {
		return
	}
	for i, kind := range flow.Effects[call.Key()].Takes {
		for c := range s.Claims(call.Args[i]) {
			// A stale Handle is not reported, because Get and Delete detect it.
			if c.End != nil && kind != flow.Handle && c.Owner == r.program.Settle(flow.PathOf(call.Recv)) {
				r.addMistake(c, instr)
			}
		}
	}
}

func (r *rule) addMistake(c flow.Claim, at ssa.Instruction) {
	r.mistakes.Add(mistake{c.Birth, c.End, c.Owner, r.typeName(c), ""}, flow.Pos(at))
}

// typeName formats the type of a value for a message.
func (r *rule) typeName(c flow.Claim) string { return types.TypeString(c.Birth.Type(), r.short) }

// short returns the name of a package for messages, or "" for the package under analysis.
func (r *rule) short(p *types.Package) string {
	if p == r.pass.Pkg {
		return ""
	}
	return p.Name()
}

func (r *rule) report() {
	for m, pos := range r.mistakes.All() {
		call, _ := flow.CallOf(m.end)
		by := call.Name
		if e, ok := r.ends[end{m.end, m.owner}]; ok {
			call, by = e.Call, e.Call.Name
			if e.Helper != "" {
				by += " in " + e.Helper
			}
		}
		if m.left != "" {
			finding.Reportf(r.pass, pos, "the %s of %s stays in %s, and %s ends it here; copy it, or set %s to another value", m.what, call.Article(), m.left, by, m.left)
			continue
		}
		how := "is used after " + by + " ended it"
		if _, deferred := m.end.(*ssa.Defer); deferred {
			how = "is returned, and the deferred " + by + " ends it"
		}
		finding.Reportf(r.pass, pos, "the %s of %s %s in line %d", m.what, call.Article(), how, r.pass.Fset.Position(m.end.Pos()).Line)
	}
}
