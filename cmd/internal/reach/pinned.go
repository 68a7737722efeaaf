package reach

import (
	"fmt"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// pinning are packages that can do something to the memory of any value that they get.
var pinning = []string{"runtime", "weak"}

// A pin is what somebody does to the memory of values of a type.
type pin struct{ what, where string }

// Pinned says what the module does to values of a type that wants each of them in memory of its own: finalizers, cleanups, weak pointers,
// casts by unsafe.Pointer, and atomic operations on fields, whose alignment depends on where a value begins. It is empty if there is nothing.
func (m *Module) Pinned(t types.Type) (why string) {
	if m.pins == nil {
		m.findPins()
	}
	for {
		for _, key := range []string{"", typeKey(t)} {
			if p, ok := m.pins[key]; ok {
				return fmt.Sprintf("%s at %s wants values that are allocated one by one", p.what, p.where)
			}
		}
		switch u := t.Underlying().(type) { // what begins a value begins where it does
		case *types.Struct:
			if u.NumFields() == 0 {
				return ""
			}
			t = u.Field(0).Type()
		case *types.Array:
			t = u.Elem()
		default:
			return ""
		}
	}
}

// findPins collects what is done to the memory of values, by their types; by "" where the type is not known.
func (m *Module) findPins() {
	m.pins = map[string]pin{}
	for _, fn := range m.functions {
		for _, b := range fn.Blocks {
			for _, i := range b.Instrs {
				switch i := i.(type) {
				case *ssa.Convert:
					if basic, ok := i.Type().Underlying().(*types.Basic); ok && basic.Kind() == types.UnsafePointer && isStruct(i.X.Type()) {
						m.pin(i, i.X.Type(), "a cast by unsafe.Pointer")
					}
				case ssa.CallInstruction:
					m.pinCall(i)
				}
			}
		}
	}
}

// isStruct tells pointers to structs. A cast of a pointer to a number sees that number, wherever it stands.
func isStruct(t types.Type) bool {
	p, ok := t.Underlying().(*types.Pointer)
	if !ok {
		return false
	}
	_, ok = p.Elem().Underlying().(*types.Struct)
	return ok
}

func (m *Module) pin(i ssa.Instruction, pointer types.Type, what string) {
	key := ""
	if p, ok := pointer.Underlying().(*types.Pointer); ok {
		key = typeKey(p.Elem())
	} else if !types.IsInterface(pointer) {
		return
	}
	if _, old := m.pins[key]; !old {
		m.pins[key] = pin{what, m.placeOf(i)}
	}
}

// pinCall notes calls of functions that want values to begin an allocation, or an aligned word.
func (m *Module) pinCall(call ssa.CallInstruction) {
	common := call.Common()
	fn := common.StaticCallee()
	if fn == nil || len(common.Args) == 0 {
		return
	}
	arg := common.Args[0]
	switch path := packageOf(fn); {
	case path == "runtime" && slices.Contains([]string{"SetFinalizer", "AddCleanup"}, originName(fn)), path == "weak" && originName(fn) == "Make":
		if boxed, ok := arg.(*ssa.MakeInterface); ok {
			arg = boxed.X
		}
		m.pin(call, arg.Type(), path+"."+originName(fn))
	case path == "sync/atomic" && fn.Signature.Recv() == nil && strings.HasSuffix(fn.Name(), "64"):
		for {
			field, ok := arg.(*ssa.FieldAddr)
			if !ok {
				return
			}
			m.pin(call, field.X.Type(), "sync/atomic."+fn.Name())
			arg = field.X
		}
	}
}

func originName(fn *ssa.Function) string {
	if fn.Origin() != nil {
		fn = fn.Origin()
	}
	return fn.Name()
}
