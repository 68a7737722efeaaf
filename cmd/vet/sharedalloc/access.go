package sharedalloc

import (
	"cmp"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/coppice-go/coppice/cmd/vet/internal/flow"
	"github.com/coppice-go/coppice/cmd/vet/internal/order"
)

// An access records whether code uses an allocator, and whether it writes to the allocator.
type access struct {
	uses, writes bool
	article      string // "a slab.Slab"
}

func (a access) merge(b access) access {
	return access{a.uses || b.uses, a.writes || b.writes, cmp.Or(a.article, b.article)}
}

// accesses maps the path of each allocator to the access to it.
type accesses map[flow.Path]access

func (as accesses) add(path flow.Path, a access) { as[path] = as[path].merge(a) }

// paths returns the allocators in a deterministic order.
func (as accesses) paths() []flow.Path {
	all := make([]flow.Path, 0, len(as))
	for p := range as {
		all = append(all, p)
	}
	slices.SortFunc(all, func(a, b flow.Path) int {
		return cmp.Or(cmp.Compare(a.Root.Pos(), b.Root.Pos()), cmp.Compare(a.Root.Name()+a.Steps, b.Root.Name()+b.Steps))
	})
	return all
}

// guarded contains the allocator types whose values several goroutines must not use at the same
// time without synchronization.
var guarded = map[string]bool{
	"store.Store": true, "store.Handles": true, "store.Writer": true, "slab.Slab": true, "arena.Arena": true,
}

// shareable contains the methods that do not write to their allocator. The value is false for
// methods that only read, and true for methods that are safe to call concurrently with any other
// method.
var shareable = map[string]bool{
	"store.Store.At": false, "store.Store.Slice": false, "store.Store.Len": false, "store.Store.Cap": false,
	"store.Store.Max": false, "store.Store.All": false, "store.Store.Text": false, "store.Store.TextBytes": false,
	"store.Store.Clone":  false,
	"store.Store.Writer": true,
	"store.Handles.Get":  false, "store.Handles.Len": false, "store.Handles.All": false,
	"slab.Slab.Len": false, "slab.Slab.Cap": false, "slab.Slab.Stats": false,
	"arena.Arena.Stats": false,
}

// direct returns the accesses to allocators by a call to one of the library's methods.
func direct(call flow.Call) accesses {
	if !guarded[call.Type] {
		return nil
	}
	always, reads := shareable[call.Key()]
	if always {
		return nil
	}
	all := accesses{}
	owners := call.Owners()
	if call.Type == "store.Writer" {
		owners = []flow.Path{flow.PathOf(call.Recv)} // concurrent writes to its Store are allowed
	}
	for _, owner := range owners {
		all.add(owner, access{uses: true, writes: !reads, article: call.Article()})
	}
	return all
}

// called returns the accesses to allocators by a call to one of the library's methods, or to a
// function in the analyzed package. depth is the maximum depth to which it follows nested calls.
func called(common *ssa.CallCommon, depth int) accesses {
	if call, ok := flow.Known(common); ok {
		return direct(call)
	}
	fn := order.FunctionOf(common.Value)
	if fn == nil {
		return nil
	}
	given := map[ssa.Value]flow.Path{}
	for i, p := range fn.Params {
		if i < len(common.Args) {
			given[p] = flow.PathOf(common.Args[i])
		}
	}
	return accessesOf(fn, given, depth)
}

// accessesOf returns the accesses by the function fn to its arguments, to captured variables and to
// package variables, but not to its local variables. If fn acquires a lock, done returns nil.
func accessesOf(fn *ssa.Function, given map[ssa.Value]flow.Path, depth int) accesses {
	if fn == nil || depth == 0 || order.Locks(fn) {
		return nil
	}
	all := accesses{}
	for _, block := range fn.Blocks {
		for _, instr := range block.Instrs {
			call, ok := instr.(ssa.CallInstruction)
			if !ok {
				continue
			}
			for path, a := range called(call.Common(), depth-1) {
				if outer, ok := given[path.Root]; ok {
					all.add(flow.Path{Root: outer.Root, Steps: outer.Steps + path.Steps}, a)
				} else if path.Root.Parent() != fn {
					all.add(path, a)
				}
			}
		}
	}
	return all
}
