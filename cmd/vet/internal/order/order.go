// Package order finds the instructions that synchronize goroutines, such as operations on locks and
// channels, and calls to Wait. It considers the names, arguments and code of functions. When in
// doubt, it assumes that an instruction synchronizes.
package order

import (
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/coppice-go/coppice/cmd/vet/internal/flow"
)

// Locks reports whether a function ensures mutual exclusion, by acquiring a lock or by passing a
// token through channels.
func Locks(fn *ssa.Function) bool {
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

// Waits reports whether a function waits for another goroutine, directly or in a function that it
// calls. It follows calls up to the given depth.
func Waits(fn *ssa.Function, depth int) bool {
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

// Synchronizes reports whether an instruction may wait for other goroutines, so that the goroutines
// that were started before it may have ended, or may be blocked by a lock.
func Synchronizes(instr ssa.Instruction) bool {
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

// orders reports whether a call may wait for other goroutines, judging by the name of the called
// function, its arguments and its code. A function that is not known statically may wait.
func orders(common *ssa.CallCommon, depth int) bool {
	if _, ok := common.Value.(*ssa.Builtin); ok {
		return false
	}
	if name := syncCall(common); name != "" {
		return name != "Add" && name != "Done" && name != "Go" && name != "Put" && name != "Get" && name != "Store"
	}
	fn := FunctionOf(common.Value)
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
	return Waits(fn, depth-1)
}

// syncCall returns the name of the called method if its receiver type belongs to package sync,
// sync/atomic, errgroup or semaphore, and "" otherwise.
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

// syncType returns the import path of a type's package if that package synchronizes goroutines, and
// "" otherwise.
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

// FunctionOf returns the function that v denotes, or nil if it is known only at run time.
func FunctionOf(v ssa.Value) *ssa.Function {
	switch v := v.(type) {
	case *ssa.Function:
		return v
	case *ssa.MakeClosure:
		return v.Fn.(*ssa.Function)
	}
	return nil
}

// DefersWait reports whether a function defers a call that may wait for goroutines.
func DefersWait(fn *ssa.Function) bool {
	for _, block := range fn.Blocks {
		for _, instr := range block.Instrs {
			d, ok := instr.(*ssa.Defer)
			if !ok {
				continue
			}
			if _, known := flow.Known(d.Common()); !known && orders(d.Common(), 2) {
				return true
			}
		}
	}
	return false
}
