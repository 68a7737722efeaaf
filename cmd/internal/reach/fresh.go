package reach

import (
	"go/token"

	"golang.org/x/tools/go/ssa"
)

// fresh reports whether a value that contains an owner is new and unused: a composite literal, a
// zero value, or the result of a function of the module that returns only such values. Such a value
// may be copied: its copies do not share an allocator, because the value has none yet.
func (c *confinement) fresh(v ssa.Value) bool { return c.unused(v, map[ssa.Value]bool{}) }

// unused implements fresh. The map above contains the values that are being checked. They are
// assumed to be unused, so in a recursive function the other return statements determine the
// result.
func (c *confinement) unused(v ssa.Value, above map[ssa.Value]bool) bool {
	if above[v] {
		return true
	}
	above[v] = true
	switch v := v.(type) {
	case *ssa.Const:
		return true
	case *ssa.UnOp:
		alloc, ok := v.X.(*ssa.Alloc)
		return ok && v.Op == token.MUL && c.onlyFilled(alloc, above)
	case *ssa.Phi:
		for _, e := range v.Edges {
			if !c.unused(e, above) {
				return false
			}
		}
		return true
	case *ssa.Call:
		return c.returnsUnused(v, 0, above)
	case *ssa.Extract:
		call, ok := v.Tuple.(*ssa.Call)
		return ok && c.returnsUnused(call, v.Index, above)
	}
	return false
}

// onlyFilled reports whether a variable is still unused when it is read. Code may assign to its
// fields, assign an unused value to the whole variable, and read the whole variable. No code may
// take its address, so no method was called on it.
func (c *confinement) onlyFilled(place ssa.Value, above map[ssa.Value]bool) bool {
	for _, i := range *place.Referrers() {
		switch i := i.(type) {
		case *ssa.DebugRef:
		case *ssa.UnOp:
			if i.Op != token.MUL {
				return false
			}
		case *ssa.FieldAddr:
			if !c.onlyFilled(i, above) {
				return false
			}
		case *ssa.Store:
			if i.Addr != place || c.Holds(i.Val.Type()) && !c.unused(i.Val, above) {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// returnsUnused reports whether the called function is known, and each of its return statements
// returns an unused value for the given result.
func (c *confinement) returnsUnused(call *ssa.Call, result int, above map[ssa.Value]bool) bool {
	fn := call.Call.StaticCallee()
	if fn == nil {
		return false
	}
	if fn = c.body(fn); fn == nil || fn.Recover != nil {
		return false
	}
	for _, b := range fn.Blocks {
		if i, ok := b.Instrs[len(b.Instrs)-1].(*ssa.Return); ok && !c.unused(i.Results[result], above) {
			return false
		}
	}
	return true
}
