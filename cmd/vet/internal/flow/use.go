package flow

import (
	"go/constant"
	"go/token"
	"go/types"
	"iter"

	"golang.org/x/tools/go/ssa"
)

// Uses returns the values whose memory an instruction reads, writes or passes to other code.
// Comparing or copying a pointer, taking the length of a slice, and computing the address of a
// field or an element do not use the memory. Reading the field or the element does.
func Uses(instr ssa.Instruction) []ssa.Value {
	switch x := instr.(type) {
	case *ssa.Phi, *ssa.If, *ssa.DebugRef, *ssa.Extract, *ssa.ChangeType, *ssa.ChangeInterface,
		*ssa.MakeInterface, *ssa.TypeAssert, *ssa.FieldAddr, *ssa.IndexAddr, *ssa.Slice,
		*ssa.SliceToArrayPointer, *ssa.Field:
		return nil
	case *ssa.BinOp:
		if x.Op == token.EQL || x.Op == token.NEQ {
			return comparedTexts(x)
		}
	case *ssa.Store:
		if variable, ok := x.Addr.(*ssa.Alloc); ok && isLocal(variable) {
			return nil
		}
	case *ssa.Call:
		if fn, ok := x.Call.Value.(*ssa.Builtin); ok && (fn.Name() == "len" || fn.Name() == "cap") {
			return nil
		}
		if fn := x.Call.StaticCallee(); fn != nil && fn.String() == "runtime.KeepAlive" {
			return nil
		}
	}
	var all []ssa.Value
	for _, operand := range instr.Operands(nil) {
		if *operand != nil {
			all = append(all, *operand)
		}
	}
	return all
}

// Used yields the claims on the values that an instruction uses. If a function returns a pointer to
// one of its variables, or a slice to which it has appended, the return instruction also uses the
// contents of this variable or slice. A closure that is called, returned or passed to other code
// uses the variables that it reads.
func (s *State) Used(instr ssa.Instruction) iter.Seq[Claim] {
	return func(yield func(Claim) bool) {
		for _, v := range Uses(instr) {
			for c := range s.Claims(v) {
				if !yield(c) {
					return
				}
			}
			if !runs(instr) {
				continue
			}
			for _, closure := range closuresOf(v) {
				for c := range s.captured(closure) {
					if !yield(c) {
						return
					}
				}
			}
		}
		ret, ok := instr.(*ssa.Return)
		if !ok {
			return
		}
		for _, v := range ret.Results {
			for _, p := range s.element(v) {
				if !yield(p.claim) {
					return
				}
			}
			made, ok := base(v).(*ssa.Alloc)
			if !ok {
				continue
			}
			for _, c := range s.Contents(made, "") {
				if !yield(c) {
					return
				}
			}
		}
	}
}

// runs reports whether an instruction calls closures, or passes them to code that may call them.
func runs(instr ssa.Instruction) bool {
	switch instr.(type) {
	case *ssa.Call, *ssa.Go, *ssa.Return:
		return true
	}
	return false
}

// closuresOf returns the closures that v may be. If v is a closure, this is v itself. If v is
// loaded from a variable, such as a result of a function with deferred calls, these are the
// closures that are always assigned to the variable before the load.
func closuresOf(v ssa.Value) (all []*ssa.MakeClosure) {
	switch x := base(v).(type) {
	case *ssa.MakeClosure:
		return []*ssa.MakeClosure{x}
	case *ssa.UnOp:
		variable, ok := x.X.(*ssa.Alloc)
		if !ok {
			return nil
		}
		stores, _ := assignments(variable)
		for _, s := range stores {
			if closure, ok := base(s.Val).(*ssa.MakeClosure); ok && precedes(s, x) {
				all = append(all, closure)
			}
		}
	}
	return all
}

// captured yields the claims on the variables that a closure reads but does not assign to, and on
// the receiver of a method value.
func (s *State) captured(closure *ssa.MakeClosure) iter.Seq[Claim] {
	return func(yield func(Claim) bool) {
		for _, bound := range closure.Bindings {
			for c := range s.Claims(bound) {
				if !yield(c) {
					return
				}
			}
			if _, variable := bound.(*ssa.Alloc); !variable || !closureOnlyLoads(closure, bound) {
				continue
			}
			for _, c := range s.Contents(bound, "") {
				if !yield(c) {
					return
				}
			}
		}
	}
}

// Left yields the claims on the values that remain in package variables and in fields of the
// receiver when a function returns, each with the name of the variable or field.
func (s *State) Left(ret *ssa.Return) iter.Seq2[string, Claim] {
	fn := ret.Parent()
	return func(yield func(string, Claim) bool) {
		for where, claims := range s.claims {
			_, global := where.Root.(*ssa.Global)
			receiver := fn.Signature.Recv() != nil && where.Root == fn.Params[0]
			if !where.inside || !global && !receiver || indirect(where.Steps) || lists(where.Steps) {
				continue
			}
			for c := range claims {
				if !yield(where.name(), c) {
					return
				}
			}
		}
	}
}

// comparedTexts returns the strings whose bytes a comparison reads. A comparison with "" only reads
// the length.
func comparedTexts(x *ssa.BinOp) []ssa.Value {
	for _, v := range []ssa.Value{x.X, x.Y} {
		basic, ok := v.Type().Underlying().(*types.Basic)
		k, isConst := v.(*ssa.Const)
		if !ok || basic.Info()&types.IsString == 0 || isConst && constant.StringVal(k.Value) == "" {
			return nil
		}
	}
	return []ssa.Value{x.X, x.Y}
}

// Pos returns the position of an instruction. If the instruction has none, Pos returns the position
// of an operand or of the closest preceding instruction in its block that has a position.
func Pos(instr ssa.Instruction) token.Pos {
	if instr.Pos().IsValid() {
		return instr.Pos()
	}
	for _, operand := range instr.Operands(nil) {
		if v, ok := (*operand).(ssa.Instruction); ok && v.Pos().IsValid() {
			return v.Pos()
		}
	}
	block := instr.Block()
	for i := len(block.Instrs) - 1; i >= 0; i-- {
		if block.Instrs[i] == instr {
			for ; i >= 0; i-- {
				if pos := block.Instrs[i].Pos(); pos.IsValid() {
					return pos
				}
			}
		}
	}
	return instr.Parent().Pos()
}
