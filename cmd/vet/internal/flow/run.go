package flow

import (
	"go/token"
	"go/types"
	"iter"
	"slices"
	"strconv"

	"golang.org/x/tools/go/ssa"
)

// A Rule determines which instructions begin and end claims, and checks the state before each
// instruction.
type Rule interface {
	// Begin returns the claims that begin with a value, which is a parameter or the result of an
	// instruction.
	Begin(*State, ssa.Value) []Claim
	// End ends or forgets the claims that an instruction ends. It is called after the instruction.
	End(*State, ssa.Instruction)
	// Check is called once for each reachable instruction, with the state before the instruction.
	Check(*State, ssa.Instruction)
}

// Run computes the states of a function until they reach a fixed point, and then lets the rule
// check each instruction.
func Run(program *Program, fn *ssa.Function, rule Rule) {
	if len(fn.Blocks) == 0 {
		return
	}
	start := newState(program, fn)
	for _, p := range fn.Params {
		for _, c := range rule.Begin(start, p) {
			start.Add(p, c)
		}
	}
	states := map[*ssa.BasicBlock]*State{fn.Blocks[0]: start}
	for work := []*ssa.BasicBlock{fn.Blocks[0]}; len(work) > 0; {
		first := firstOf(work)
		block := work[first]
		work = slices.Delete(work, first, first+1)
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

// firstOf returns the index in work of the block that comes first in the function. Blocks are
// processed in this order so that the state of a block reaches later blocks before they are
// processed.
func firstOf(work []*ssa.BasicBlock) (first int) {
	for i, block := range work {
		if block.Index < work[first].Index {
			first = i
		}
	}
	return first
}

// edge returns the index of block among the predecessors of its i-th successor.
func edge(block *ssa.BasicBlock, i int) int {
	next := block.Succs[i]
	first := slices.Index(next.Preds, block)
	if i == 1 && block.Succs[0] == next { // both branches lead there
		return first + 1 + slices.Index(next.Preds[first+1:], block)
	}
	return first
}

// enter assigns the values of one incoming edge to the phis of a block, all at once. A phi that may
// denote one of several objects is treated as an object of its own, because an operation on the phi
// does not affect all of these objects.
func enter(s *State, block *ssa.BasicBlock, from int) {
	var phis []*ssa.Phi
	var come [][]part
	for _, instr := range block.Instrs {
		phi, ok := instr.(*ssa.Phi)
		if !ok {
			break
		}
		phis = append(phis, phi)
		come = append(come, s.parts(valueOf(phi.Edges[from]), phi.Type()))
	}
	for i, phi := range phis {
		s.redefine(phi)
		for _, p := range come[i] {
			if p.claim.Kind == Whole && p.claim.End == nil && !s.memory.isUniform(phi) {
				p.claim.Owner, p.claim.Birth = Path{Root: phi}, phi
			}
			s.add(place{Path: Path{phi, p.steps}}, p.claim, p.when)
		}
		if _, constant := phi.Edges[from].(*ssa.Const); len(come[i]) == 0 && !constant {
			s.add(valueOf(phi), Claim{}, s.path)
		}
		if isSlice(phi.Type()) && !isEmpty(phi.Edges[from]) && len(s.claims[elementsOf(phi)]) == 0 {
			s.add(elementsOf(phi), Claim{}, s.path)
		}
	}
}

// step applies an instruction to the state. For a call to an unknown function, it first ends the
// values that the function ends, and then forgets the claims whose owners the function may have
// replaced.
func step(s *State, instr ssa.Instruction, rule Rule) {
	if _, ok := instr.(*ssa.Phi); ok {
		return // assigned in enter
	}
	unknown := isUnknownCall(instr)
	var inherited []part
	if v, ok := instr.(ssa.Value); ok {
		inherited = inherit(s, v)
	}
	if unknown {
		rule.End(s, instr)
		if call := instr.(ssa.CallInstruction); !harmless(call) || deferredOrGo(call) {
			s.called(call)
		}
	}
	s.disturbed(instr)
	s.scattered(instr)
	if v, ok := instr.(ssa.Value); ok {
		s.define(v, inherited, rule)
	}
	if x, ok := instr.(*ssa.Store); ok {
		s.stored(x)
	}
	if !unknown {
		rule.End(s, instr)
	}
}

// isUnknownCall reports whether an instruction calls a function that is neither a builtin nor part
// of the library.
func isUnknownCall(instr ssa.Instruction) bool {
	x, ok := instr.(ssa.CallInstruction)
	if !ok {
		return false
	}
	_, builtin := x.Common().Value.(*ssa.Builtin)
	_, known := Known(x.Common())
	return !known && !builtin
}

func deferredOrGo(call ssa.CallInstruction) bool {
	_, ok := call.(*ssa.Call)
	return !ok
}

// define adds the claims that v inherits and the claims that begin with v. If v was loaded and is
// its own owner, the memory from which it was loaded gets the same claims.
func (s *State) define(v ssa.Value, inherited []part, rule Rule) {
	s.redefine(v)
	for _, p := range inherited {
		s.add(place{Path: Path{v, p.steps}}, p.claim, p.when)
	}
	began := rule.Begin(s, v)
	from, loaded := s.loaded(v)
	for _, c := range began {
		s.Add(v, c)
		if loaded && c.Kind == Whole && len(inherited) == 0 {
			s.memory.held[contentsOf(from)] = v.Type()
			s.add(contentsOf(from), c, s.path)
		}
	}
}

// loadedFrom returns the path of the memory from which a value was loaded. It returns false if the
// value was not loaded.
func loadedFrom(v ssa.Value) (Path, bool) {
	load, ok := v.(*ssa.UnOp)
	if !ok || load.Op != token.MUL {
		return Path{}, false
	}
	return memoryAt(load.X), true
}

// loaded is like loadedFrom, but also handles calls to functions of this package that only load a
// value and return it. The second result is false if the memory cannot be tracked.
func (s *State) loaded(v ssa.Value) (Path, bool) {
	if path, ok := loadedFrom(v); ok {
		return path, s.memory.trackable(path)
	}
	call, index := resultOf(v)
	if call == nil {
		return Path{}, false
	}
	o := s.program.originOf(call, index)
	if o.how != isLoaded {
		return Path{}, false
	}
	i := parameter(body(call.Call.StaticCallee()), o.path.Root)
	if i < 0 || i >= len(call.Call.Args) {
		return Path{}, false
	}
	path := memoryAt(base(call.Call.Args[i]))
	path.Steps += o.path.Steps
	return path, s.memory.trackable(path)
}

// inherit returns the claims that a value inherits, because it is a conversion or a part of another
// value, or was loaded from memory.
func inherit(s *State, v ssa.Value) []part {
	from := func(v ssa.Value) []part { return s.parts(valueOf(v), v.Type()) }
	switch x := v.(type) {
	case *ssa.FieldAddr:
		return from(x.X)
	case *ssa.IndexAddr:
		return from(x.X)
	case *ssa.Slice:
		return withoutElements(from(x.X))
	case *ssa.SliceToArrayPointer:
		return from(x.X)
	case *ssa.ChangeType:
		return from(x.X)
	case *ssa.ChangeInterface:
		return from(x.X)
	case *ssa.MakeInterface:
		return flat(withoutElements(from(x.X)))
	case *ssa.TypeAssert:
		return from(x.X)
	case *ssa.Extract:
		if call, ok := x.Tuple.(*ssa.Call); ok {
			return s.sharedParts(call, x.Index)
		}
		return from(x.Tuple)
	case *ssa.Field:
		return s.parts(place{Path: Path{x.X, "." + strconv.Itoa(x.Field)}}, x.Type())
	case *ssa.Convert:
		if isNumber(x.Type()) && isNumber(x.X.Type()) {
			return from(x.X)
		}
	case *ssa.BinOp:
		if x.Op == token.ADD || x.Op == token.SUB {
			return unnamed(append(from(x.X), from(x.Y)...))
		}
	case *ssa.UnOp:
		path, ok := s.loaded(x)
		if slot, isSlot := x.X.(*ssa.IndexAddr); isSlot && (!ok || len(s.claims[contentsOf(path)]) == 0) {
			return s.element(slot.X)
		} else if ok {
			return s.parts(contentsOf(path), x.Type())
		}
	case *ssa.Call:
		if fn, ok := x.Call.Value.(*ssa.Builtin); ok && fn.Name() == "append" {
			all := s.appended(x)
			if !isFull(x.Call.Args[0]) {
				all = append(all, mayAlias(from(x.Call.Args[0]))...)
			}
			return all
		}
		return s.returned(x)
	}
	return nil
}

// returned returns the claims on the result of a call that returns a part of an argument, or a
// value loaded through an argument.
func (s *State) returned(call *ssa.Call) []part {
	if _, several := call.Type().(*types.Tuple); !several {
		if parts := s.sharedParts(call, 0); parts != nil {
			return parts
		}
	}
	if path, ok := s.loaded(call); ok {
		return s.parts(contentsOf(path), call.Type())
	}
	if o := s.program.originOf(call, 0); o.how == isPart && call.Call.Signature().Results().Len() == 1 {
		if _, arg := o.mapped(call); arg != nil {
			return s.parts(valueOf(arg), arg.Type())
		}
	}
	return nil
}

// isFull reports whether a slice is known to have no spare capacity, so that append copies it.
func isFull(v ssa.Value) bool {
	slice, ok := v.(*ssa.Slice)
	return ok && slice.Max != nil
}

// withoutElements removes the claims on the elements of a slice.
func withoutElements(parts []part) []part {
	return slices.DeleteFunc(parts, func(p part) bool { return lists(p.steps) })
}

// mayAlias returns the claims on a slice that also apply to the result of appending to it. It
// returns only the claims of slices that are their own owners. A slice in an arena often has no
// spare capacity, so append copies it.
func mayAlias(parts []part) (all []part) {
	for _, p := range parts {
		if p.claim.Kind == Whole {
			all = append(all, p)
		}
	}
	return all
}

// flat turns claims on the fields of a struct into claims on a value, such as an interface, that
// contains the whole struct.
func flat(parts []part) []part {
	for i := range parts {
		parts[i].steps = ""
	}
	return parts
}

func isNumber(t types.Type) bool {
	basic, ok := t.Underlying().(*types.Basic)
	return ok && basic.Info()&types.IsInteger != 0
}

// unnamed returns the claims on a value that is computed from refs, given the claims on these refs.
// The value is a ref into the same store, but refers to a different record, so it does not end with
// the original record.
func unnamed(parts []part) (all []part) {
	for _, p := range parts {
		if p.claim.Kind == Ref || p.claim == (Claim{}) {
			p.claim.Of, p.claim.End = nil, nil
			all = append(all, p)
		}
	}
	return all
}

// Happening yields the calls into the library that an instruction executes. For a call instruction,
// this is the call itself. For the instruction that runs the deferred calls at the end of a
// function, these are the calls that are deferred on every path to it. Happening also yields the
// instruction from which the position of the call in the source is taken.
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
