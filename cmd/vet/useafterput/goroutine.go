package useafterput

import (
	"go/token"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/coppice-go/coppice/cmd/vet/internal/finding"
	"github.com/coppice-go/coppice/cmd/vet/internal/flow"
	"github.com/coppice-go/coppice/cmd/vet/internal/order"
)

// goroutines reports values that a function gives to a pool while a goroutine that it started may
// still use them.
func (r *rule) goroutines(fn *ssa.Function) {
	reported := map[token.Pos]bool{}
	for _, block := range fn.Blocks {
		for i, instr := range block.Instrs {
			for _, value := range usedByGoroutine(instr) {
				put := r.putBeforeWait(value, block, i+1)
				if put == nil || reported[put.Pos()] {
					continue
				}
				reported[put.Pos()] = true
				finding.Reportf(r.pass, put.Pos(), "a goroutine that line %d started may still use this value when it is given to the pool",
					r.pass.Fset.Position(instr.Pos()).Line)
			}
		}
	}
}

// usedByGoroutine returns the values that are used by the goroutine that an instruction starts. It
// returns nil for other instructions.
func usedByGoroutine(instr ssa.Instruction) []ssa.Value {
	call, ok := instr.(ssa.CallInstruction)
	if !ok {
		return nil
	}
	common := call.Common()
	if _, ok := instr.(*ssa.Go); ok {
		all := capturedBy(order.FunctionOf(common.Value))
		for i, arg := range common.Args {
			if fn := common.StaticCallee(); isReference(arg.Type()) && (fn == nil || len(fn.Blocks) == 0 || len(*fn.Params[i].Referrers()) > 0) {
				all = append(all, flow.PathOf(arg).Root)
			}
		}
		return all
	}
	if fn := common.StaticCallee(); fn != nil && len(common.Args) == 2 {
		switch fn.String() {
		case "(*sync.WaitGroup).Go", "(*golang.org/x/sync/errgroup.Group).Go":
			return capturedBy(order.FunctionOf(common.Args[1]))
		}
	}
	return nil
}

// capturedBy returns the values of the enclosing function that a closure captures and uses.
func capturedBy(closure *ssa.Function) (all []ssa.Value) {
	if closure == nil || closure.Parent() == nil {
		return nil
	}
	for _, block := range closure.Blocks {
		for _, instr := range block.Instrs {
			for _, used := range flow.Uses(instr) {
				path := flow.PathOf(used)
				if path.Steps == "" && path.Root.Parent() == closure.Parent() && isReference(path.Root.Type()) && !slices.Contains(all, path.Root) {
					all = append(all, path.Root)
				}
			}
		}
	}
	return all
}

// putBeforeWait searches, from a position in the code, for the first instruction that gives a value
// to a pool. It returns nil if an instruction before it waits for goroutines.
func (r *rule) putBeforeWait(value ssa.Value, block *ssa.BasicBlock, first int) ssa.Instruction {
	type place struct {
		block *ssa.BasicBlock
		first int
	}
	seen := map[*ssa.BasicBlock]bool{}
	for work := []place{{block, first}}; len(work) > 0; {
		at := work[0]
		work = work[1:]
		ended := false
		for _, instr := range at.block.Instrs[at.first:] {
			if put := r.putsValue(instr, value); put != nil {
				return put
			}
			if v, ok := instr.(ssa.Value); ok && v == value || order.Synchronizes(instr) {
				ended = true
				break
			}
		}
		for _, next := range at.block.Succs {
			if !ended && !seen[next] {
				seen[next] = true
				work = append(work, place{next, 0})
			}
		}
	}
	return nil
}

// putsValue returns the instruction that gives a value to a pool when instr runs. This is instr
// itself or, if instr runs deferred calls, one of these calls.
func (r *rule) putsValue(instr ssa.Instruction, value ssa.Value) ssa.Instruction {
	if _, end := instr.(*ssa.RunDefers); end && order.DefersWait(instr.Parent()) {
		return nil
	}
	for _, e := range r.program.Endings(instr) {
		if e.IsPut() && e.Path == (flow.Path{Root: value}) {
			return e.At
		}
	}
	return nil
}
