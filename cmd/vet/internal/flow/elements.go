package flow

import (
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// elements is the step of a Path that leads from a slice to its elements. All elements of a slice
// are treated as a single place, which has the claims of every element. Only appended values are
// tracked. The elements become unknown if one of them is assigned to, if the slice is resliced, or
// if it is passed to a call.
const elements = "[]"

func elementsOf(v ssa.Value) place { return place{Path: Path{v, elements}} }

// lists reports whether steps end at the elements of a slice.
func lists(steps string) bool { return strings.HasSuffix(steps, elements) }

// isSlice reports whether a type is a slice.
func isSlice(t types.Type) bool {
	_, ok := t.Underlying().(*types.Slice)
	return ok
}

// element returns the claims on an element of a slice. It returns nil if the element may have an
// unknown value.
func (s *State) element(slice ssa.Value) (all []part) {
	for c, when := range s.claims[elementsOf(slice)] {
		if c == (Claim{}) {
			return nil
		}
		all = append(all, part{"", c, when})
	}
	return all
}

// isEmpty reports whether a slice is known to be empty because it is nil, was created with length
// zero, or is a phi of such slices. It must be called only for slices whose elements have no
// claims.
func isEmpty(v ssa.Value) bool {
	var length ssa.Value
	switch x := v.(type) {
	case *ssa.Const, *ssa.Phi:
		return true
	case *ssa.MakeSlice:
		length = x.Len
	case *ssa.Slice:
		if _, array := x.X.(*ssa.Alloc); array {
			length = x.High
		}
	}
	k, ok := length.(*ssa.Const)
	return ok && k.Value != nil && k.Int64() == 0
}

// appended returns the claims on the elements of a slice that append returns.
func (s *State) appended(call *ssa.Call) (all []part) {
	for c, when := range s.claims[elementsOf(call.Call.Args[0])] {
		all = append(all, part{elements, c, when})
	}
	if len(all) == 0 && !isEmpty(call.Call.Args[0]) {
		all = append(all, part{steps: elements})
	}
	listed, ok := call.Call.Args[1].(*ssa.Slice)
	if !ok {
		return all
	}
	array, ok := listed.X.(*ssa.Alloc)
	if !ok {
		return all
	}
	for _, user := range *array.Referrers() {
		slot, ok := user.(*ssa.IndexAddr)
		if !ok {
			continue
		}
		for c, when := range s.claims[contentsOf(Path{Root: slot})] {
			if c.Kind == Memory {
				all = append(all, part{elements, c, when})
			}
		}
	}
	return all
}

// scattered records that the elements of all slices are unknown, if an instruction may assign to an
// element.
func (s *State) scattered(instr ssa.Instruction) {
	switch x := instr.(type) {
	case *ssa.Store:
		slot, ok := x.Addr.(*ssa.IndexAddr)
		if !ok || !isSlice(slot.X.Type()) {
			return
		}
	case ssa.CallInstruction:
		if !s.getsElements(x.Common()) {
			return
		}
	default:
		return
	}
	for where := range s.claims {
		if lists(where.Steps) {
			s.lose(where)
		}
	}
}

// getsElements reports whether a call may assign to the elements of a slice.
func (s *State) getsElements(common *ssa.CallCommon) bool {
	if fn, ok := common.Value.(*ssa.Builtin); ok {
		return fn.Name() == "clear" || fn.Name() == "copy"
	}
	if _, known := Known(common); known {
		return false
	}
	for _, arg := range common.Args {
		if len(s.claims[elementsOf(arg)]) > 0 {
			return true
		}
	}
	return false
}
