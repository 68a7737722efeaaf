package sharedalloc

import (
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// locks reports whether a function ensures mutual exclusion: it takes a lock, or passes a token
// through channels.
func locks(fn *ssa.Function) bool {
	sends, receives := false, false
	for _, block := range fn.Blocks {
		for _, instr := range block.Instrs {
			switch x := instr.(type) {
			case *ssa.Send:
				sends = true
			case *ssa.UnOp:
				receives = receives || x.Op == token.ARROW
			case *ssa.Select:
				return true
			case ssa.CallInstruction:
				if name := syncCall(x.Common()); strings.Contains(name, "Lock") || name == "Do" || name == "CompareAndSwap" || name == "Acquire" {
					return true
				}
			}
		}
	}
	return sends && receives
}

// waits reports whether a function, or one that it calls, waits for another goroutine.
func waits(fn *ssa.Function, depth int) bool {
	if fn == nil || depth == 0 {
		return false
	}
	for _, block := range fn.Blocks {
		for _, instr := range block.Instrs {
			switch x := instr.(type) {
			case *ssa.UnOp:
				if x.Op == token.ARROW {
					return true
				}
			case *ssa.Select:
				return true
			case *ssa.Call:
				if orders(x.Common(), depth) {
					return true
				}
			}
		}
	}
	return false
}

// synchronizes reports whether after an instruction all goroutines started before may have ended or
// be locked out.
func synchronizes(instr ssa.Instruction) bool {
	switch x := instr.(type) {
	case *ssa.UnOp:
		return x.Op == token.ARROW
	case *ssa.Select, *ssa.Send:
		return true
	case *ssa.Call:
		return orders(x.Common(), 2)
	}
	return false
}

// orders reports whether a call may wait for other goroutines. It decides by the name of the
// function and by the arguments; an unknown function may wait.
func orders(common *ssa.CallCommon, depth int) bool {
	if _, ok := common.Value.(*ssa.Builtin); ok {
		return false
	}
	if name := syncCall(common); name != "" {
		return name != "Add" && name != "Done" && name != "Go" && name != "Put" && name != "Get" && name != "Store"
	}
	fn := functionOf(common.Value)
	if fn == nil {
		return true
	}
	name := strings.ToLower(fn.Name())
	for _, word := range []string{"wait", "lock", "join", "sync", "drain", "stop", "shutdown"} {
		if strings.Contains(name, word) {
			return true
		}
	}
	for _, arg := range common.Args {
		if _, ok := arg.Type().Underlying().(*types.Chan); ok || syncType(arg.Type()) != "" {
			return true
		}
	}
	return waits(fn, depth-1)
}

// syncCall returns the name of the called method if its type is of package sync, sync/atomic or
// errgroup, and "" otherwise.
func syncCall(common *ssa.CallCommon) string {
	if common.IsInvoke() {
		if syncType(common.Value.Type()) != "" {
			return common.Method.Name()
		}
		return ""
	}
	fn := common.StaticCallee()
	if fn == nil || fn.Signature.Recv() == nil || syncType(fn.Signature.Recv().Type()) == "" {
		return ""
	}
	if origin := fn.Origin(); origin != nil {
		fn = origin
	}
	return fn.Name()
}

// syncType returns the package of a type that synchronizes goroutines, or "" for other types.
func syncType(t types.Type) string {
	if p, ok := types.Unalias(t).(*types.Pointer); ok {
		t = p.Elem()
	}
	named, ok := types.Unalias(t).(*types.Named)
	if !ok || named.Obj().Pkg() == nil {
		return ""
	}
	switch path := named.Obj().Pkg().Path(); path {
	case "sync", "sync/atomic", "golang.org/x/sync/errgroup", "golang.org/x/sync/semaphore":
		return path
	}
	return ""
}
