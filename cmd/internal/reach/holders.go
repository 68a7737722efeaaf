package reach

import (
	"cmp"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/coppice-go/coppice/cmd/internal/reach/typekey"
)

// A value of another module may hold values of this module in memory that its type does not show. A
// timer, for example, holds a function, a sequence holds the map whose keys it yields, and a
// context holds the functions to call when it ends. The analysis therefore assumes that a value of
// such a type holds everything that the module passes to calls that return a value of the type,
// take such a value as an argument, or call one of its methods.

// heldBy returns the types of the values that a value of type t may hold without showing them in
// its type.
func (m *Module) heldBy(t types.Type) []types.Type {
	if m.handedTo == nil {
		m.findHolders()
	}
	return m.handedTo[holderKey(t)]
}

// holderKey returns the key under which the contents of values of type t are recorded.
func holderKey(t types.Type) string {
	if f, ok := t.Underlying().(*types.Signature); ok {
		return "func " + typekey.OfSignature(f)
	}
	if named, ok := types.Unalias(t).(*types.Named); ok {
		return typekey.Of(named.Origin())
	}
	return ""
}

// findHolders inspects the calls to functions of other modules, and the functions of other modules
// that are used as values.
func (m *Module) findHolders() {
	m.handedTo, m.hiding = map[string][]types.Type{}, map[string]bool{}
	for _, fn := range m.functions {
		for _, b := range fn.Blocks {
			for _, i := range b.Instrs {
				if call, ok := i.(ssa.CallInstruction); ok {
					m.holders(call.Common())
				}
			}
		}
	}
	values := slices.Collect(func(yield func(*ssa.Function) bool) {
		for fn := range m.asValue {
			if m.body(fn) == nil && !yield(fn) {
				return
			}
		}
	})
	slices.SortFunc(values, func(a, b *ssa.Function) int { return cmp.Compare(a.String(), b.String()) })
	for _, fn := range values {
		var given []types.Type
		for v := range fn.Signature.Params().Variables() {
			given = append(given, v.Type())
		}
		m.recordHolders(given, fn.Signature)
	}
}

// holders records which values may hold which others after a call to a function of another module.
func (m *Module) holders(call *ssa.CallCommon) {
	if _, builtin := call.Value.(*ssa.Builtin); builtin {
		return
	}
	var given []types.Type
	switch fn := call.StaticCallee(); {
	case call.IsInvoke():
		if m.own[pathOf(call.Method)] {
			return
		}
		given = append(given, call.Value.Type())
	case fn == nil || m.body(fn) != nil:
		return
	}
	for _, arg := range call.Args {
		given = append(given, unboxed(arg).Type())
		if v := unboxed(arg); v != arg {
			given = append(given, arg.Type())
		}
	}
	m.recordHolders(given, call.Signature())
}

// recordHolders records that each argument and each result of a call may hold the other arguments.
func (m *Module) recordHolders(given []types.Type, f *types.Signature) {
	var keys []string
	for _, t := range given {
		if _, function := t.Underlying().(*types.Signature); !function {
			keys = m.appendHolders(keys, t)
		}
	}
	for r := range f.Results().Variables() {
		keys = m.appendHolders(keys, r.Type())
	}
	for _, key := range keys {
		for _, t := range given {
			if holderKey(t) != key && !slices.ContainsFunc(m.handedTo[key], func(known types.Type) bool { return types.Identical(known, t) }) {
				m.handedTo[key] = append(m.handedTo[key], t)
			}
		}
	}
}

// appendHolders appends to keys the keys of those types in t that belong to other modules and may
// hold hidden values.
func (m *Module) appendHolders(keys []string, t types.Type) []string {
	t = types.Unalias(t)
	if named, ok := t.(*types.Named); ok {
		if named.Obj().Pkg() == nil || m.own[pathOf(named.Obj())] || !m.hides(named.Origin()) {
			return keys
		}
		return append(keys, holderKey(t))
	}
	if _, function := t.(*types.Signature); function {
		return append(keys, holderKey(t))
	}
	for _, elem := range typekey.Elements(t) {
		keys = m.appendHolders(keys, elem)
	}
	return keys
}

// hides reports whether a value of type t may hold other values that its type does not show,
// because the type contains a function, an interface or an unsafe.Pointer. A timer qualifies, too:
// its function is stored in the runtime, outside its fields.
func (m *Module) hides(t types.Type) bool {
	key := typekey.Of(t)
	is, known := m.hiding[key]
	if !known {
		is = hides(t, map[string]bool{})
		m.hiding[key] = is
	}
	return is
}

// hides implements Module.hides. It inspects each reachable type only once, so that it terminates
// for recursive types.
func hides(t types.Type, seen map[string]bool) bool {
	key := typekey.Of(t)
	if seen[key] {
		return false
	}
	seen[key] = true
	if key == "time.Timer" {
		return true
	}
	hidden := func(t types.Type) bool { return hides(t, seen) }
	switch u := t.Underlying().(type) {
	case *types.Interface, *types.Signature:
		return true
	case *types.Basic:
		return u.Kind() == types.UnsafePointer
	case *types.Struct:
		for f := range u.Fields() {
			if hidden(f.Type()) {
				return true
			}
		}
	}
	return slices.ContainsFunc(typekey.Elements(t), hidden)
}
