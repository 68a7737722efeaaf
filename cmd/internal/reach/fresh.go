package reach

import (
	"go/token"

	"golang.org/x/tools/go/ssa"
)

// fresh reports whether a value that contains an owner is new and has not been used yet. It may be
// a composite literal, a zero value, or the result of a function of the module that returns only
// such values. Copying a fresh value is safe: the copies do not share an allocator, because the
// value does not have one yet.
func (c *confinement) fresh(v ssa.Value) bool { return c.unused(v, map[ssa.Value]bool{}) }

// unused implements fresh. The values in above are already being checked, and are assumed to be
// unused. In a recursive function, the other return statements therefore determine the result.
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

// onlyFilled reports whether the value of a variable is still unused whenever it is read. Code may
// assign to the variable's fields, assign an unused value to the variable, and read the variable as
// a whole. It may not take the address, so no method has been called on the variable.
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

// returnsUnused reports whether all return statements of the called function return an unused value
// as the given result. It returns false if the function is unknown.
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
