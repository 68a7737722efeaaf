package reach

import (
	"fmt"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/coppice-go/coppice/cmd/internal/reach/typekey"
)

// To combine smaller numbers in a struct into a 64-bit operand, code needs the address of one of
// them, or of the struct. The analysis therefore checks whether the module passes such addresses to
// other code. It does not follow values that other modules get through function values, interfaces
// and reflection.

// handedOn returns the position at which the address of a value of type t, or of a number inside
// it, is passed to code that may read a larger number at that address. It returns "" if there is
// none. Numbers outside structs, as in a slice of numbers, are assumed to be passed on.
func (m *Module) handedOn(t types.Type) (where string) {
	if m.handed == nil {
		m.findHanded()
	}
	if where := m.handed[typekey.Of(t)]; where != "" {
		return where
	}
	switch u := t.Underlying().(type) {
	case *types.Struct:
		for f := range u.Fields() {
			if _, single := f.Type().Underlying().(*types.Basic); single || numbersOf(f.Type()) == noNumbers {
				continue
			}
			if list, ok := f.Type().Underlying().(*types.Array); ok && isNumber(list.Elem()) {
				continue // its address is the address of a field
			}
			if where := m.handedOn(f.Type()); where != "" {
				return where
			}
		}
		return ""
	case *types.Array:
		return m.handedOn(u.Elem())
	}
	return "where its address goes is not known"
}

// isNumber reports whether t is a numeric or boolean type. In memory, a boolean is a number, too.
func isNumber(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&(types.IsNumeric|types.IsBoolean) != 0
}

// findHanded finds the structs that contain a number whose address is passed on, and the structs
// whose own addresses are passed to other modules.
func (m *Module) findHanded() {
	m.handed = map[string]string{}
	for _, fn := range m.functions {
		for _, b := range fn.Blocks {
			for _, i := range b.Instrs {
				switch i := i.(type) {
				case *ssa.FieldAddr:
					if ofNumbers(i) && getsOut(i) {
						m.hand(i, i.X.Type().Underlying().(*types.Pointer).Elem(), "the address of a number in it")
					}
				case ssa.CallInstruction:
					if fn := i.Common().StaticCallee(); fn != nil && m.isUnknown(fn) {
						for _, arg := range i.Common().Args {
							m.handReached(i, arg.Type())
						}
					}
				}
			}
		}
	}
}

// hand records that the address of a value of type t is passed on.
func (m *Module) hand(i ssa.Instruction, t types.Type, what string) {
	if key := typekey.Of(t); m.handed[key] == "" {
		m.handed[key] = fmt.Sprintf("%s is handed on at %s", what, m.placeOf(i))
	}
}

// handReached records the types that a function of another module can reach from t through pointers
// and slices.
func (m *Module) handReached(i ssa.Instruction, t types.Type) {
	w := walk{Module: m, hidden: true, seen: map[string]bool{}}
	w.found = func(t types.Type) bool {
		switch u := t.Underlying().(type) {
		case *types.Pointer:
			m.hand(i, u.Elem(), "its address")
		case *types.Slice:
			m.hand(i, u.Elem(), "a list of it")
		}
		return false
	}
	w.finds(t)
}

// ofNumbers reports whether v is the address of a number or of an array of numbers.
func ofNumbers(v ssa.Value) bool {
	elem := v.Type().Underlying().(*types.Pointer).Elem()
	for {
		list, ok := elem.Underlying().(*types.Array)
		if !ok {
			return isNumber(elem)
		}
		elem = list.Elem()
	}
}

// getsOut reports whether an address is used for anything other than reading or setting the number
// at that address.
func getsOut(address ssa.Value) bool {
	for _, use := range uses(address) {
		switch use := use.(type) {
		case *ssa.DebugRef:
		case *ssa.UnOp: // which reads it
		case *ssa.Store:
			if use.Val == address {
				return true
			}
		case *ssa.IndexAddr:
			if getsOut(use) {
				return true
			}
		default:
			return true
		}
	}
	return false
}
