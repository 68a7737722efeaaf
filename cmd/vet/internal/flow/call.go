package flow

import (
	"go/types"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// module is the prefix of the import paths of the library.
const module = "github.com/coppice-go/coppice/"

// A Call is a call to a method of one of the library's types, to a function of package arena whose
// first parameter is an Arena, or to a method of sync.Pool.
type Call struct {
	Type   string      // "store.Store"
	Name   string      // "At"
	Recv   ssa.Value   // the receiver, or the Arena
	Args   []ssa.Value // the other arguments
	Common *ssa.CallCommon
}

// Known returns the Call for a function call. It returns false if the called function is not one of
// the functions that Call describes.
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

// CallOf returns the Call for an instruction, which may also be a go or defer statement. It returns
// false for all other instructions, and for calls to functions that Call does not describe.
func CallOf(instr ssa.Instruction) (Call, bool) {
	if call, ok := instr.(ssa.CallInstruction); ok {
		return Known(call.Common())
	}
	return Call{}, false
}

// AnyCall reports whether a function contains a Call for which match returns true.
func AnyCall(fn *ssa.Function, match func(Call) bool) bool {
	for _, block := range fn.Blocks {
		for _, instr := range block.Instrs {
			if call, ok := CallOf(instr); ok && match(call) {
				return true
			}
		}
	}
	return false
}

// TypeName returns the short name of a type that the rules know, or of a pointer to it:
// "store.Store" for *store.Store[T]. It returns "" for other types.
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

// owners contains the types of the library that own values.
var owners = map[string]bool{
	"store.Store": true, "store.Handles": true, "store.Writer": true,
	"slab.Slab": true, "arena.Arena": true, "pool.Pool": true,
	"arena.Pool": true, "arena.Builder": true, "arena.Interner": true,
}

// Key returns the key of the call in Effects.
func (c Call) Key() string { return c.Type + "." + c.Name }

// Article returns the type of the receiver with an indefinite article, for messages, such as "a
// store.Store".
func (c Call) Article() string {
	if strings.HasPrefix(c.Type, "arena") {
		return "an " + c.Type
	}
	return "a " + c.Type
}

// Owners returns the Paths of the objects that own the results of the call: the receiver and, if
// the receiver belongs to another object, that object. A Writer belongs to its Store, and a Slab
// from arena.Of to the Arena. A value that a Builder or an Interner returns belongs to its Arena.
func (c Call) Owners() []Path {
	all := []Path{PathOf(c.Recv)}
	if c.Type == "arena.Builder" || c.Type == "arena.Interner" {
		if arena := arenaIn(c.Recv); arena != nil {
			return []Path{PathOf(arena)}
		}
		return []Path{{all[0].Root, all[0].Steps + arenaField(c.Recv.Type())}}
	}
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

// arenaIn returns the Arena that is stored in a Builder or an Interner. It returns nil unless the
// source shows exactly one Arena.
func arenaIn(made ssa.Value) (only ssa.Value) {
	variable, ok := made.(*ssa.Alloc)
	if !ok {
		return nil
	}
	for _, user := range *variable.Referrers() {
		if store, ok := user.(*ssa.Store); ok && only == nil {
			if literal, ok := store.Val.(*ssa.UnOp); ok {
				only = arenaIn(literal.X)
			}
			continue
		}
		field, ok := user.(*ssa.FieldAddr)
		if !ok {
			continue
		}
		for _, u := range *field.Referrers() {
			store, ok := u.(*ssa.Store)
			if !ok || TypeName(store.Val.Type()) != "arena.Arena" {
				continue
			}
			if only != nil {
				return nil
			}
			only = store.Val
		}
	}
	return only
}

// arenaField returns the steps of a Path from a Builder or an Interner to its Arena.
func arenaField(pointer types.Type) string {
	for i := 0; ; i++ {
		switch f := fieldAt(pointer, i); {
		case f == nil:
			return ""
		case f.Name() == "Arena":
			return "." + strconv.Itoa(i) + "*"
		}
	}
}

// source returns the value of the variable from which v was loaded, if that variable is assigned
// only once. Otherwise, it returns v.
func source(v ssa.Value) ssa.Value {
	if load, ok := v.(*ssa.UnOp); ok {
		if only := onlyValue(load.X); only != nil {
			return source(only)
		}
	}
	return v
}

// Makes reports whether fn is a function that creates a store.
func Makes(fn *ssa.Function) bool { return ofStore(fn, "New", "NewHandles") }

// IsMust reports whether fn is store.Must, which returns its first argument.
func IsMust(fn *ssa.Function) bool { return ofStore(fn, "Must") }

// ofStore reports whether fn is a function, not a method, of package store that has one of the
// given names.
func ofStore(fn *ssa.Function, names ...string) bool {
	if origin := fn.Origin(); origin != nil {
		fn = origin
	}
	obj := fn.Object()
	return obj != nil && obj.Pkg() != nil && obj.Pkg().Path() == module+"store" && fn.Signature.Recv() == nil && slices.Contains(names, obj.Name())
}
