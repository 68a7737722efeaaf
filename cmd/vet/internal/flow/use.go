package flow

import (
	"go/constant"
	"go/token"
	"go/types"
	"iter"

	"golang.org/x/tools/go/ssa"
)

// Uses returns the values whose memory an instruction reads, writes or passes on. Comparing or
// copying a pointer, or taking the length of a slice, is not a use. Computing the address of a part
// is not a use either; reading that part is.
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

// Used yields the claims on what an instruction uses. A function that returns a pointer to a variable
// of its own, or a slice that it appended to, hands on what these hold.
func (s *State) Used(instr ssa.Instruction) iter.Seq[Claim] {
	return func(yield func(Claim) bool) {
		for _, v := range Uses(instr) {
			for c := range s.Claims(v) {
				if !yield(c) {
					return
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

// comparedTexts returns the strings whose bytes a comparison reads. A comparison with "" reads
// lengths only.
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

// Pos returns the position of an instruction or, if it has none, of the nearest one before it in
// its block.
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
