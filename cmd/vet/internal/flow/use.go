package flow

import (
	"go/token"

	"golang.org/x/tools/go/ssa"
)

// Uses returns the values whose memory an instruction reads, writes or passes on. Comparing or
// copying a pointer, or taking the length of a slice, is not a use. Computing the address of a part
// is not a use either; reading that part is.
func Uses(instr ssa.Instruction) []ssa.Value {
	switch x := instr.(type) {
	case *ssa.Phi, *ssa.If, *ssa.DebugRef, *ssa.Extract, *ssa.ChangeType, *ssa.ChangeInterface,
		*ssa.MakeInterface, *ssa.TypeAssert, *ssa.FieldAddr, *ssa.IndexAddr, *ssa.Slice,
		*ssa.SliceToArrayPointer:
		return nil
	case *ssa.BinOp:
		if x.Op == token.EQL || x.Op == token.NEQ {
			return nil
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
