package keeps

import (
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// builtin records the flow of pointers through a call to a builtin function.
func (s *search) builtin(b *ssa.Builtin, call ssa.CallInstruction) {
	args := call.Common().Args
	result := call.Value() // nil for a deferred call
	switch b.Name() {
	case "append":
		s.appends(args, result)
	case "copy":
		s.moves(args[1], s.placeOf(args[0]))
	case "recover":
		if result != nil {
			s.flow(s.panics, s.placeOf(result))
			s.fromOutside(s.placeOf(result)) // a panic in the runtime, or in a known function
		}
	case "panic": // a deferred panic
		s.flow(s.placeOf(args[0]), s.panics)
	case "ssa:wrapnilchk":
		s.flow(s.placeOf(args[0]), s.placeOf(result))
	case "min", "max", "len", "cap", "delete", "clear", "close", "complex", "real", "imag", "print", "println":
	default: // functions of package unsafe
		for _, arg := range args {
			s.leak(s.placeOf(arg))
		}
		if result != nil {
			s.fromOutside(s.placeOf(result))
		}
	}
}

// appends records a call to append. The result may point to the old array or to a new one. Both
// contain the old and the appended elements.
func (s *search) appends(args []ssa.Value, result *ssa.Call) {
	if result == nil {
		return
	}
	list := s.placeOf(result)
	s.flow(s.placeOf(args[0]), list)
	made := listPlace(elementOf(result.Type())).part(element)
	s.add(list.leads, made)
	s.load(s.placeOf(args[0]), made)
	if len(args) > 1 {
		s.moves(args[1], list)
	}
}

// moves records that elements of one slice are copied to another.
func (s *search) moves(from ssa.Value, to *place) {
	if _, list := from.Type().Underlying().(*types.Slice); !list {
		return // the argument is a string
	}
	between := newPlace(elementOf(from.Type()))
	s.load(s.placeOf(from), between)
	s.store(to, between)
}
