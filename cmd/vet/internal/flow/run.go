package flow

import (
	"go/token"
	"go/types"
	"iter"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// A Rule defines where claims begin and end, and checks the states between.
type Rule interface {
	// Begin returns the claims that a parameter, or the value of an instruction, starts with.
	Begin(*State, ssa.Value) []Claim
	// End ends or forgets claims after an instruction.
	End(*State, ssa.Instruction)
	// Check is called once for each reachable instruction, with the state before it.
	Check(*State, ssa.Instruction)
}

// Run computes the states of a function up to a fixed point, and then lets the rule check each
// instruction.
func Run(fn *ssa.Function, rule Rule) {
	if len(fn.Blocks) == 0 {
		return
	}
	start := newState()
	for _, p := range fn.Params {
		for _, c := range rule.Begin(start, p) {
			start.Add(p, c)
		}
	}
	states := map[*ssa.BasicBlock]*State{fn.Blocks[0]: start}
	for work := []*ssa.BasicBlock{fn.Blocks[0]}; len(work) > 0; {
		block := work[0]
		work = work[1:]
		after := states[block].clone()
		for _, instr := range block.Instrs {
			step(after, instr, rule)
		}
		for i, next := range block.Succs {
			reached := after.clone()
			if branch, ok := block.Instrs[len(block.Instrs)-1].(*ssa.If); ok {
				reached.assume(conditionOf(branch.Cond, i == 0))
			}
			enter(reached, next, edge(block, i))
			known := states[next]
			if known == nil {
				states[next] = reached
			} else if !known.merge(reached) {
				continue
			}
			if !slices.Contains(work, next) {
				work = append(work, next)
			}
		}
	}
	for _, block := range fn.Blocks {
		if s := states[block]; s != nil {
			for _, instr := range block.Instrs {
				rule.Check(s, instr)
				step(s, instr, rule)
			}
		}
	}
}

// edge returns the index of a block among the predecessors of its i-th successor.
func edge(block *ssa.BasicBlock, i int) int {
	next := block.Succs[i]
	first := slices.Index(next.Preds, block)
	if i == 1 && block.Succs[0] == next { // both branches lead there
		return first + 1 + slices.Index(next.Preds[first+1:], block)
	}
	return first
}

// enter assigns the values of one incoming edge to the phis of a block, all at once.
func enter(s *State, block *ssa.BasicBlock, from int) {
	before := s.clone()
	for _, instr := range block.Instrs {
		phi, ok := instr.(*ssa.Phi)
		if !ok {
			return
		}
		s.redefine(phi)
		come := before.claims[place{value: phi.Edges[from]}]
		for c, when := range come {
			s.add(place{value: phi}, c, when)
		}
		if _, constant := phi.Edges[from].(*ssa.Const); len(come) == 0 && !constant {
			s.add(place{value: phi}, Claim{}, s.path)
		}
	}
}

// step applies one instruction to the state.
func step(s *State, instr ssa.Instruction, rule Rule) {
	if _, ok := instr.(*ssa.Phi); ok {
		return // assigned in enter
	}
	if v, ok := instr.(ssa.Value); ok {
		inherited := inherit(s, v)
		s.redefine(v)
		for c, when := range inherited {
			s.add(place{value: v}, c, when)
		}
		for _, c := range rule.Begin(s, v) {
			s.Add(v, c)
		}
	}
	switch x := instr.(type) {
	case *ssa.Store:
		s.assigned(PathOf(x.Addr))
		if variable, ok := x.Addr.(*ssa.Alloc); ok && isLocal(variable) {
			inside := place{variable, true}
			s.copyClaims(inside, place{value: x.Val})
			if _, constant := x.Val.(*ssa.Const); len(s.claims[inside]) == 0 && !constant {
				s.add(inside, Claim{}, s.path)
			}
		}
	case ssa.CallInstruction:
		_, builtin := x.Common().Value.(*ssa.Builtin)
		if _, known := Known(x.Common()); !known && !builtin {
			s.called(x.Common())
		}
	}
	rule.End(s, instr)
}

// inherit returns the claims that a value has because it is a conversion or a part of another.
func inherit(s *State, v ssa.Value) map[Claim]conditions {
	from := func(v ssa.Value) map[Claim]conditions { return s.claims[place{value: v}] }
	switch x := v.(type) {
	case *ssa.FieldAddr:
		return from(x.X)
	case *ssa.IndexAddr:
		return from(x.X)
	case *ssa.Slice:
		return from(x.X)
	case *ssa.SliceToArrayPointer:
		return from(x.X)
	case *ssa.ChangeType:
		return from(x.X)
	case *ssa.ChangeInterface:
		return from(x.X)
	case *ssa.MakeInterface:
		return from(x.X)
	case *ssa.TypeAssert:
		return from(x.X)
	case *ssa.Extract:
		return from(x.Tuple)
	case *ssa.Convert:
		if isNumber(x.Type()) && isNumber(x.X.Type()) {
			return from(x.X)
		}
	case *ssa.BinOp:
		if x.Op == token.ADD || x.Op == token.SUB {
			return unnamed(from(x.X), from(x.Y))
		}
	case *ssa.UnOp:
		if variable, ok := x.X.(*ssa.Alloc); ok && x.Op == token.MUL {
			return s.claims[place{variable, true}]
		}
	}
	return nil
}

func isNumber(t types.Type) bool {
	basic, ok := t.Underlying().(*types.Basic)
	return ok && basic.Info()&types.IsInteger != 0
}

// unnamed returns claims on a value computed from refs. It is a ref of the same store but not of
// the same record, so the end of that record does not end it.
func unnamed(sets ...map[Claim]conditions) map[Claim]conditions {
	all := map[Claim]conditions{}
	for _, set := range sets {
		for c, when := range set {
			if c.Kind == Ref || c == (Claim{}) {
				c.Of, c.End = nil, nil
				all[c] = when
			}
		}
	}
	return all
}

// Happening yields the calls of the library that an instruction executes: its own and, if it
// returns from the function, those deferred on every path to it. With each call it yields the
// instruction that has a position in the source.
func Happening(instr ssa.Instruction) iter.Seq2[ssa.Instruction, Call] {
	return func(yield func(ssa.Instruction, Call) bool) {
		switch x := instr.(type) {
		case *ssa.Call:
			if call, ok := Known(x.Common()); ok {
				yield(x, call)
			}
		case *ssa.RunDefers:
			for _, block := range x.Parent().Blocks {
				for _, other := range block.Instrs {
					d, ok := other.(*ssa.Defer)
					if !ok || !block.Dominates(x.Block()) {
						continue
					}
					if call, ok := Known(d.Common()); ok && !yield(d, call) {
						return
					}
				}
			}
		}
	}
}
