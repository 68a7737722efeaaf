package reach

import (
	"fmt"
	"go/types"
	"maps"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// pinning are packages that can do something to the memory of any value that they get.
var pinning = []string{"runtime", "weak"}

// A pin is what somebody does to the memory of values of a type.
type pin struct {
	what, where string
	death       bool                // it tells when a value dies
	methods     map[string]struct{} // of the type and of pointers to it
}

func (p pin) String() string {
	return fmt.Sprintf("%s at %s wants values that are allocated one by one", p.what, p.where)
}

// Pinned says what the module does to values of a type that wants each of them in memory of its own: finalizers, cleanups, weak pointers,
// casts by unsafe.Pointer, and atomic operations on fields, whose alignment depends on where a value begins. What values lead to counts for
// finalizers, cleanups and weak pointers, because a value keeps its neighbours alive. It is empty if there is nothing.
func (m *Module) Pinned(t types.Type) (why string) {
	if m.pins == nil {
		m.findPins()
	}
	if m.words != nil && hasWord(t) {
		return m.words.String()
	}
	if len(m.pins) == 0 {
		return ""
	}
	if p, ok := m.pins[""]; ok {
		return p.String()
	}
	if p, ok := m.pins[typeKey(t)]; ok {
		return p.String()
	}
	seen := map[string]bool{}
	var leads func(t types.Type, inside bool) *pin
	leads = func(t types.Type, inside bool) *pin {
		key := typeKey(t)
		if inside {
			key = "in " + key
		}
		if seen[key] {
			return nil
		}
		seen[key] = true
		if p, ok := m.pins[typeKey(t)]; ok && (p.death || inside) {
			return &p
		}
		switch u := t.Underlying().(type) {
		case *types.Pointer:
			return leads(u.Elem(), false)
		case *types.Slice:
			return leads(u.Elem(), false)
		case *types.Array:
			return leads(u.Elem(), inside)
		case *types.Chan:
			return leads(u.Elem(), false)
		case *types.Map:
			if p := leads(u.Key(), false); p != nil {
				return p
			}
			return leads(u.Elem(), false)
		case *types.Struct:
			for f := range u.Fields() {
				if p := leads(f.Type(), inside); p != nil {
					return p
				}
			}
		case *types.Interface:
			return m.pinBehind(u)
		case *types.Signature: // anything may be behind it
			return m.pinBehind(types.NewInterfaceType(nil, nil))
		}
		return nil
	}
	if p := leads(t, true); p != nil {
		return p.String()
	}
	return ""
}

// hasWord reports whether a value has a number of 64 bits in it.
func hasWord(t types.Type) bool {
	switch t := t.Underlying().(type) {
	case *types.Basic:
		return t.Kind() == types.Int64 || t.Kind() == types.Uint64
	case *types.Array:
		return hasWord(t.Elem())
	case *types.Struct:
		for f := range t.Fields() {
			if hasWord(f.Type()) {
				return true
			}
		}
	}
	return false
}

// pinBehind returns a pin of a type whose values an interface may have, or nil.
func (m *Module) pinBehind(t *types.Interface) *pin {
	for _, key := range slices.Sorted(maps.Keys(m.pins)) {
		p := m.pins[key]
		fits := p.death
		for f := range t.Methods() {
			_, has := p.methods[f.Name()]
			fits = fits && has
		}
		if fits {
			return &p
		}
	}
	return nil
}

// findPins collects what is done to the memory of values, by their types; by "" where the type is not known.
func (m *Module) findPins() {
	m.pins = map[string]pin{}
	var conversions []*ssa.ChangeType
	for fn := range m.asValue {
		if what := pinsDeath(fn); what != "" {
			m.pins[""] = pin{what: what + " as a value", where: "a place that is not known", death: true}
		}
	}
	for _, fn := range m.functions {
		for _, b := range fn.Blocks {
			for _, i := range b.Instrs {
				switch i := i.(type) {
				case *ssa.ChangeType:
					if _, ok := i.Type().Underlying().(*types.Pointer); ok {
						conversions = append(conversions, i)
					}
				case *ssa.Convert:
					if basic, ok := i.Type().Underlying().(*types.Basic); ok && basic.Kind() == types.UnsafePointer {
						m.pin(i, i.X.Type(), "a cast by unsafe.Pointer", false)
					}
				case ssa.CallInstruction:
					m.pinCall(i)
				}
			}
		}
	}
	for more := true; more; {
		more = false
		for _, c := range conversions {
			more = m.pinAlso(c, c.X.Type(), c.Type()) || more
			more = m.pinAlso(c, c.Type(), c.X.Type()) || more
		}
	}
}

// pinAlso notes what is done to values by pointers of one type for another type, which a pointer to the same value has: one is converted to the
// other. It reports whether that is new.
func (m *Module) pinAlso(c *ssa.ChangeType, from, to types.Type) bool {
	elem := func(t types.Type) string { return typeKey(t.Underlying().(*types.Pointer).Elem()) }
	p, ok := m.pins[elem(from)]
	if old, known := m.pins[elem(to)]; !ok || known && (old.death || !p.death) {
		return false
	}
	m.pin(c, to, p.what, p.death)
	return true
}

// pin notes what is done to what a pointer points to.
func (m *Module) pin(i ssa.Instruction, pointer types.Type, what string, death bool) {
	key, methods := "", map[string]struct{}{}
	var elem types.Type
	switch p := pointer.Underlying().(type) {
	case *types.Pointer:
		elem = p.Elem()
	case *types.Slice:
		elem = p.Elem()
	case *types.Interface:
	default:
		return
	}
	if elem != nil {
		key = typeKey(elem)
		for method := range types.NewMethodSet(types.NewPointer(elem)).Methods() {
			methods[method.Obj().Name()] = struct{}{}
		}
	}
	if old, ok := m.pins[key]; !ok || death && !old.death {
		m.pins[key] = pin{what, m.placeOf(i), death, methods}
	}
}

// pinCall notes calls of functions that want values to begin an allocation, or an aligned word.
func (m *Module) pinCall(call ssa.CallInstruction) {
	common := call.Common()
	if b, ok := common.Value.(*ssa.Builtin); ok && slices.Contains([]string{"SliceData", "Slice", "Add"}, b.Name()) {
		m.pin(call, common.Args[0].Type(), "unsafe."+b.Name(), false)
		return
	}
	fn := common.StaticCallee()
	if fn == nil || len(common.Args) == 0 {
		return
	}
	arg := common.Args[0]
	switch path := packageOf(fn); {
	case pinsDeath(fn) != "":
		m.pin(call, unboxed(arg).Type(), pinsDeath(fn), true)
	case m.keepers[path]:
		for _, arg := range common.Args {
			m.pin(call, unboxed(arg).Type(), path+"."+originName(fn)+", which may set a finalizer,", true)
		}
	case path == "sync/atomic" && fn.Signature.Recv() == nil && strings.HasSuffix(fn.Name(), "64"):
		m.pinWord(call, arg, "sync/atomic."+fn.Name())
	}
}

// pinWord notes the structs that an atomic operation on 64 bits works on. Where its address comes from elsewhere, it may be any struct with such
// a field.
func (m *Module) pinWord(call ssa.CallInstruction, address ssa.Value, what string) {
	for {
		switch a := address.(type) {
		case *ssa.FieldAddr:
			m.pin(call, a.X.Type(), what, false)
			address = a.X
			continue
		case *ssa.Global, *ssa.Alloc, *ssa.IndexAddr:
		default:
			if !isFieldOf(address) && m.words == nil {
				m.words = &pin{what: what, where: m.placeOf(call)}
			}
		}
		return
	}
}

// isFieldOf reports whether a pointer is one to a struct: the end of a chain of fields.
func isFieldOf(v ssa.Value) bool {
	p, ok := v.Type().Underlying().(*types.Pointer)
	if !ok {
		return false
	}
	_, ok = p.Elem().Underlying().(*types.Struct)
	return ok
}

// pinsDeath names a function that tells when a value dies; empty for others.
func pinsDeath(fn *ssa.Function) string {
	switch path, name := packageOf(fn), originName(fn); {
	case path == "runtime" && (name == "SetFinalizer" || name == "AddCleanup"), path == "weak" && name == "Make":
		return path + "." + name
	}
	return ""
}

// unboxed is what is behind an interface, where that is seen.
func unboxed(v ssa.Value) ssa.Value {
	if boxed, ok := v.(*ssa.MakeInterface); ok {
		return boxed.X
	}
	return v
}

func originName(fn *ssa.Function) string {
	if fn.Origin() != nil {
		fn = fn.Origin()
	}
	return fn.Name()
}
