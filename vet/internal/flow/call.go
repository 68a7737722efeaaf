package flow

import (
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// module is the path that the library's packages start with.
const module = "github.com/coppice-go/coppice/"

// A Call is a call of a method of one of the library's types, of a function of package
// arena that takes an Arena, or of a method of sync.Pool.
type Call struct {
	Type   string      // "store.Store"
	Name   string      // "At"
	Recv   ssa.Value   // the receiver, or the Arena
	Args   []ssa.Value // the other arguments
	Common *ssa.CallCommon
}

// Known returns the call as one of the library, if it is one.
func Known(common *ssa.CallCommon) (Call, bool) {
	fn := common.StaticCallee()
	if fn == nil || len(common.Args) == 0 {
		return Call{}, false
	}
	if origin := fn.Origin(); origin != nil {
		fn = origin
	}
	if fn.Signature.Recv() == nil && fn.Signature.Params().Len() == 0 {
		return Call{}, false
	}
	of := TypeName(common.Args[0].Type())
	called := Call{of, fn.Name(), common.Args[0], common.Args[1:], common}
	if fn.Signature.Recv() != nil {
		return called, of != ""
	}
	return called, of == "arena.Arena" && fn.Pkg != nil && fn.Pkg.Pkg.Path() == module+"arena"
}

// CallOf returns the call that an instruction is, started with go or deferred ones too.
func CallOf(instr ssa.Instruction) (Call, bool) {
	if call, ok := instr.(ssa.CallInstruction); ok {
		return Known(call.Common())
	}
	return Call{}, false
}

// TypeName returns "store.Store" for *store.Store[T] and the like, and "" for types that
// the rules know nothing of.
func TypeName(t types.Type) string {
	if p, ok := types.Unalias(t).(*types.Pointer); ok {
		t = p.Elem()
	}
	named, ok := types.Unalias(t).(*types.Named)
	if !ok || named.Obj().Pkg() == nil {
		return ""
	}
	path := named.Obj().Pkg().Path()
	name := named.Obj().Pkg().Name() + "." + named.Obj().Name()
	if name == "sync.Pool" && path == "sync" || strings.HasPrefix(path, module) && owners[name] {
		return name
	}
	return ""
}

// owners are the types of the library that own values.
var owners = map[string]bool{
	"store.Store": true, "store.Handles": true, "store.Writer": true,
	"slab.Slab": true, "arena.Arena": true, "pool.Pool": true,
}

// Key is what the table of effects calls the call.
func (c Call) Key() string { return c.Type + "." + c.Name }

// Article returns the type of the receiver for a message: "a store.Store".
func (c Call) Article() string {
	if strings.HasPrefix(c.Type, "arena") {
		return "an " + c.Type
	}
	return "a " + c.Type
}

// Owners returns the Paths of the objects that the results of the call belong to: the
// receiver, and what that is itself a part of, as a Writer is of its Store and a Slab
// from arena.Of of the Arena.
func (c Call) Owners() []Path {
	all := []Path{PathOf(c.Recv)}
	if made, ok := source(c.Recv).(*ssa.Call); ok {
		if outer, ok := Known(made.Common()); ok {
			switch outer.Key() {
			case "store.Store.Writer":
				return []Path{PathOf(outer.Recv)}
			case "arena.Arena.Of":
				return append(all, PathOf(outer.Recv))
			}
		}
	}
	return all
}

// source returns where the value of a variable that is assigned once comes from.
func source(v ssa.Value) ssa.Value {
	if load, ok := v.(*ssa.UnOp); ok {
		if only := onlyValue(load.X); only != nil {
			return source(only)
		}
	}
	return v
}

// Makes tells whether a function is one of those that make a new store.
func Makes(fn *ssa.Function) bool {
	if origin := fn.Origin(); origin != nil {
		fn = origin
	}
	obj := fn.Object()
	return obj != nil && obj.Pkg() != nil && obj.Pkg().Path() == module+"store" && fn.Signature.Recv() == nil &&
		(obj.Name() == "New" || obj.Name() == "NewHandles")
}
