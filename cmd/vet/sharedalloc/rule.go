// Package sharedalloc finds slabs, arenas and stores that goroutines use concurrently without
// synchronization:
//
//	for part := range parts {
//		group.Go(func() { build(nodes.New(), part) }) // reported
//	}
//
// The correct code is
//
//	for part := range parts {
//		group.Go(func() {
//			var mine slab.Slab[node] // or a Writer of the store
//			build(mine.New(), part)
//		})
//	}
//
// These allocators do not use locks, so two concurrent calls to New may return the same slot. The
// race detector finds this mistake only if a test runs the two calls concurrently.
//
// The rule treats any lock, channel, sync.Once, errgroup or Wait between the two uses as
// synchronization. It cannot verify that this actually synchronizes the two goroutines, so it
// misses some mistakes in order to avoid false reports.
//
//	rule.go     the goroutines that a function starts, and conflicting uses
//	access.go   the allocators that a call, and the functions it calls, read and write
package sharedalloc

import (
	_ "embed"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/coppice-go/coppice/cmd/vet/internal/document"
	"github.com/coppice-go/coppice/cmd/vet/internal/finding"
	"github.com/coppice-go/coppice/cmd/vet/internal/flow"
	"github.com/coppice-go/coppice/cmd/vet/internal/order"
)

//go:embed rule.toml
var data []byte

// Document is the documentation of the rule.
var Document = document.MustParse(data)

// Analyzer checks the rule.
var Analyzer = &analysis.Analyzer{
	Name:     Document.Name,
	Doc:      Document.Doc(),
	Requires: []*analysis.Analyzer{flow.Functions},
	Run:      run,
}

func run(pass *analysis.Pass) (any, error) {
	for _, fn := range flow.Of(pass) {
		for _, block := range fn.Blocks {
			for _, instr := range block.Instrs {
				if g, ok := startOf(instr); ok {
					check(pass, g)
				}
			}
		}
	}
	return nil, nil
}

// A start describes an instruction that starts a function in one or more goroutines.
type start struct {
	at     ssa.CallInstruction
	does   accesses
	many   bool // the call runs the function in several goroutines and waits for them
	orders bool // the function may wait, and so may run after the instructions that follow
}

// startOf returns the start that describes an instruction. The second result is false if the
// instruction does not start a goroutine, or if the started function does not use allocators.
func startOf(instr ssa.Instruction) (start, bool) {
	call, ok := instr.(ssa.CallInstruction)
	if !ok {
		return start{}, false
	}
	common, g := call.Common(), start{at: call}
	if _, ok := instr.(*ssa.Go); ok {
		g.does = called(common, 3)
		g.orders = order.Waits(order.FunctionOf(common.Value), 2)
		return g, len(g.does) > 0
	}
	fn := common.StaticCallee()
	if fn == nil || len(common.Args) != 2 {
		return start{}, false
	}
	switch fn.String() {
	case "(*testing.B).RunParallel":
		g.many = true
	case "(*sync.WaitGroup).Go", "(*golang.org/x/sync/errgroup.Group).Go", "(*golang.org/x/sync/errgroup.Group).TryGo":
	default:
		return start{}, false
	}
	body := order.FunctionOf(common.Args[1])
	g.does = accessesOf(body, nil, 3)
	g.orders = order.Waits(body, 2)
	return g, len(g.does) > 0
}

// check reports the allocators that the goroutine g uses while other code may use them too.
func check(pass *analysis.Pass, g start) {
	for _, path := range g.does.paths() {
		mine := g.does[path]
		if g.many {
			if mine.writes && path.Root.Parent() == g.at.Parent() {
				finding.Reportf(pass, g.at.Pos(), "goroutines share %s without a lock; give each goroutine its own", mine.article)
			}
			continue
		}
		other := meets(g, path)
		if other == nil {
			continue
		}
		if other == g.at.(ssa.Instruction) {
			finding.Reportf(pass, g.at.Pos(), "the goroutines of this loop share %s without a lock; give each goroutine its own", mine.article)
			continue
		}
		finding.Reportf(pass, g.at.Pos(), "this goroutine and line %d use %s concurrently, without a lock", pass.Fset.Position(flow.Pos(other)).Line, mine.article)
	}
}

// meets returns the first instruction after the start that may use the object at path concurrently
// with the started goroutine. It returns nil if the function first waits for the goroutine or
// assigns a different object to the variable.
func meets(g start, path flow.Path) ssa.Instruction {
	type place struct {
		block *ssa.BasicBlock
		first int
	}
	seen := map[*ssa.BasicBlock]bool{}
	work := []place{{g.at.Block(), indexAfter(g.at)}}
	for len(work) > 0 {
		at := work[0]
		work = work[1:]
		ended := false
		for _, instr := range at.block.Instrs[at.first:] {
			if v, ok := instr.(ssa.Value); ok && v == path.Root || replaces(instr, path) {
				ended = true
				break
			}
			if other := collision(g, path, instr); other != nil {
				return other
			}
			if puts, ok := instr.(ssa.CallInstruction); order.Synchronizes(instr) && (!ok || puts != g.at) {
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

// indexAfter returns the index, in its block, of the instruction that follows instr.
func indexAfter(instr ssa.Instruction) int {
	for i, other := range instr.Block().Instrs {
		if other == instr {
			return i + 1
		}
	}
	return len(instr.Block().Instrs)
}

// replaces reports whether the path refers to a different object after an instruction.
func replaces(instr ssa.Instruction, path flow.Path) bool {
	store, ok := instr.(*ssa.Store)
	if !ok {
		return false
	}
	p := flow.PathOf(store.Addr)
	return p.Root == path.Root && strings.HasPrefix(path.Steps, p.Steps)
}

// collision reports whether instr conflicts with the goroutine: whether both use the object at
// path, and at least one of them writes. It returns the conflicting instruction, which is instr or,
// if instr returns from the function, a deferred call. It returns nil if the two do not conflict.
func collision(g start, path flow.Path, instr ssa.Instruction) ssa.Instruction {
	var theirs access
	if other, ok := startOf(instr); ok {
		if other.at == g.at || !g.orders && !other.orders {
			theirs = other.does[path]
		}
	} else if call, ok := instr.(*ssa.Call); ok && !g.orders {
		theirs = called(call.Common(), 3)[path]
	} else if _, ok := instr.(*ssa.RunDefers); ok && !g.orders && !order.DefersWait(instr.Parent()) {
		for at, call := range flow.Happening(instr) {
			if a := direct(call)[path]; a.uses {
				theirs, instr = a, at
			}
		}
	}
	if theirs.uses && (theirs.writes || g.does[path].writes) {
		return instr
	}
	return nil
}
