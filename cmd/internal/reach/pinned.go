package reach

import (
	"cmp"
	"fmt"
	"go/types"
	"maps"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/coppice-go/coppice/cmd/internal/reach/typekey"
)

// A pin records that code uses values of a type in a way that depends on how their memory is
// allocated.
type pin struct {
	what, where string
	death       bool                // it observes when a value dies
	methods     map[string]struct{} // of the type and of pointers to it
}

func (p pin) String() string {
	return fmt.Sprintf("%s at %s needs values that are allocated one by one", p.what, p.where)
}

// PinnedItself is like Pinned, but ignores the values that are reachable from values of type t. It
// is for changes after which memory is freed only when all values in it are dead.
func (m *Module) PinnedItself(t types.Type) (why string) {
	if why := m.misaligned(t); why != "" {
		return why
	}
	return m.pinnedBy(t, func(s *pinSearch) *pin { return s.within(t) })
}

// Pinned describes code that requires each value of type t to be allocated separately. It returns
// "" if there is none. Such code uses finalizers, cleanups, weak pointers, casts through
// unsafe.Pointer, or atomic operations, which require an aligned address. For finalizers, cleanups,
// weak pointers, files and connections, Pinned also inspects all reachable values, because a value
// in a chunk keeps its neighbours alive.
func (m *Module) Pinned(t types.Type) (why string) {
	return cmp.Or(m.pinned(t), m.misaligned(t), m.collected(t))
}

func (m *Module) pinned(t types.Type) (why string) {
	return m.pinnedBy(t, func(s *pinSearch) *pin { return s.leads(t, true) })
}

// pinnedBy describes the pin of t itself or, if there is none, the pin that find returns. It
// returns "" if there is neither.
func (m *Module) pinnedBy(t types.Type, find func(*pinSearch) *pin) (why string) {
	if m.pins == nil {
		m.findPins()
	}
	if len(m.pins) == 0 {
		return ""
	}
	if p, ok := m.pins[""]; ok {
		return p.String()
	}
	if p, ok := m.pins[typekey.Of(t)]; ok {
		return p.String()
	}
	if p := find(&pinSearch{m, map[string]bool{}}); p != nil {
		return p.String()
	}
	return ""
}

// within returns the first pin of t or of a type that t contains by value, or nil. It does not
// follow pointers.
func (s *pinSearch) within(t types.Type) *pin {
	if p, ok := s.pins[typekey.Of(t)]; ok {
		return &p
	}
	switch u := t.Underlying().(type) {
	case *types.Array:
		return s.within(u.Elem())
	case *types.Struct:
		for f := range u.Fields() {
			if p := s.within(f.Type()); p != nil {
				return p
			}
		}
	}
	return nil
}

// A pinSearch searches for pins of the types that are reachable from a type.
type pinSearch struct {
	*Module
	seen map[string]bool
}

// leads returns the first pin of a type that is reachable from t, or nil if there is none. inside
// is set if t is contained in the original value itself.
func (s *pinSearch) leads(t types.Type, inside bool) *pin {
	key := typekey.Of(t)
	if inside {
		key = "in " + key
	}
	if s.seen[key] {
		return nil
	}
	s.seen[key] = true
	if p, ok := s.pins[typekey.Of(t)]; ok && (p.death || inside) {
		return &p
	}
	for _, held := range s.heldBy(t) {
		if p := s.leads(held, false); p != nil {
			return p
		}
	}
	switch u := t.Underlying().(type) {
	case *types.Pointer:
		return s.leads(u.Elem(), false)
	case *types.Slice:
		return s.leads(u.Elem(), false)
	case *types.Array:
		return s.leads(u.Elem(), inside)
	case *types.Chan:
		return s.leads(u.Elem(), false)
	case *types.Map:
		if p := s.leads(u.Key(), false); p != nil {
			return p
		}
		return s.leads(u.Elem(), false)
	case *types.Struct:
		for i := range u.NumFields() {
			if p := s.field(t, u, i, inside); p != nil {
				return p
			}
		}
	case *types.Interface:
		return s.behind(u)
	case *types.Signature: // it may have captured anything
		return s.pinBehind(types.NewInterfaceType(nil, nil))
	case *types.Basic:
		if u.Kind() == types.UnsafePointer {
			return s.pinBehind(types.NewInterfaceType(nil, nil))
		}
	}
	return nil
}

// field inspects field i of a struct. If the field has an interface type, and the values that the
// module assigns to it are known, field inspects these values.
func (s *pinSearch) field(structure types.Type, fields *types.Struct, i int, inside bool) *pin {
	t := fields.Field(i).Type()
	if !types.IsInterface(t) {
		return s.leads(t, inside)
	}
	sources, known := s.sourcesOf(structure, i)
	if !known {
		return s.leads(t, inside)
	}
	for _, source := range sources {
		if p := s.leads(source.Type(), false); p != nil {
			return p
		}
	}
	return nil
}

// behind returns the first pin of a value that the interface t may contain, or that is reachable
// from such a value. A value whose type another module declares may hold anything that the module
// converts to an interface. A context, for example, holds its values, a list its elements, and a
// reader its source.
func (s *pinSearch) behind(t *types.Interface) *pin {
	if !s.isClosed(t) {
		t = types.NewInterfaceType(nil, nil)
	}
	if p := s.pinBehind(t); p != nil {
		return p
	}
	for _, boxed := range s.boxedIn(t) {
		if p := s.leads(boxed, false); p != nil {
			return p
		}
	}
	return nil
}

// isClosed reports whether only types of the module can implement an interface, because one of its
// methods is not exported.
func (m *Module) isClosed(t *types.Interface) bool {
	for f := range t.Methods() {
		if !f.Exported() && m.own[pathOf(f)] {
			return true
		}
	}
	return false
}

// pinBehind returns the pin of a type whose values an interface may contain, or nil if there is
// none.
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

// boxedIn returns the types that the module converts to any interface and that have the methods of
// t.
func (m *Module) boxedIn(t *types.Interface) (all []types.Type) {
	m.findBoxes()
	for _, key := range slices.Sorted(maps.Keys(m.boxes)) {
		boxed := m.boxes[key][0].X.Type()
		if m.hasMethods(boxed, t) {
			all = append(all, boxed)
		}
	}
	return all
}

// hasMethods reports whether a type has the methods of the interface t. It compares only names,
// because the two types may come from separate loads of a package.
func (m *Module) hasMethods(of types.Type, t *types.Interface) bool {
	methods := m.methodSets.MethodSet(of)
	for f := range t.Methods() {
		if methods.Lookup(f.Pkg(), f.Name()) == nil {
			return false
		}
	}
	return true
}

// findPins collects the pins in the module, indexed by type. A pin under the key "" applies to
// values of unknown type.
func (m *Module) findPins() {
	m.pins = map[string]pin{}
	keeper := m.hasKeeper()
	var conversions []conversion
	for _, fn := range m.functions {
		for _, b := range fn.Blocks {
			for _, i := range b.Instrs {
				var callee ssa.Value
				if keeper {
					m.pinGiven(i)
				}
				switch i := i.(type) {
				case *ssa.ChangeType:
					if _, ok := i.Type().Underlying().(*types.Pointer); ok && !isParameter(i.X.Type()) {
						conversions = append(conversions, conversion{i, i.X.Type(), i.Type()})
					}
				case *ssa.MultiConvert:
					conversions = append(conversions, conversion{i, i.X.Type(), i.Type()})
				case *ssa.Convert:
					if basic, ok := i.Type().Underlying().(*types.Basic); ok && basic.Kind() == types.UnsafePointer {
						m.pin(i, i.X.Type(), "a cast by unsafe.Pointer", keeper)
					}
				case ssa.CallInstruction:
					if i.Common().StaticCallee() != nil {
						callee = i.Common().Value
					}
					m.pinCall(i)
				}
				for _, o := range i.Operands(nil) {
					if fn, ok := (*o).(*ssa.Function); ok && fn != callee {
						m.pinValue(i, fn)
					}
				}
			}
		}
	}
	for more := true; more; {
		more = false
		for _, c := range conversions {
			more = m.pinAlso(c, c.from, c.to) || more
			more = m.pinAlso(c, c.to, c.from) || more
		}
	}
}

// A conversion is an instruction that converts a pointer to a different pointer type, or that
// converts values in generic code. When a generic function passes one of its own type parameters to
// another generic function, package ssa does not instantiate the callee. Instead, the caller
// converts its pointers to the callee's type parameter and back. Such a conversion does not change
// the type, and is not recorded.
type conversion struct {
	at       ssa.Instruction
	from, to types.Type
}

// isParameter reports whether a type is a type parameter.
func isParameter(t types.Type) bool {
	_, is := types.Unalias(t).(*types.TypeParam)
	return is
}

// pinAlso handles the conversion of a pointer: it copies the pins of one pointer type to the other.
// It reports whether a pin was added or changed. A type parameter stands for a pointer whose target
// type is unknown.
func (m *Module) pinAlso(c conversion, from, to types.Type) bool {
	elem := func(t types.Type) (key string, pointer bool) {
		if p, ok := t.Underlying().(*types.Pointer); ok {
			return typekey.Of(p.Elem()), true
		}
		return "", isParameter(t)
	}
	fromKey, isPointer := elem(from)
	toKey, becomes := elem(to)
	p, ok := m.pins[fromKey]
	if old, known := m.pins[toKey]; !isPointer || !becomes || !ok || known && (old.death || !p.death) {
		return false
	}
	m.pin(c.at, to, p.what, p.death)
	return true
}

// pinValue inspects a function that is used as a function value, and records its parameter types if
// it observes when values die or has no body. The function may be called with any values of its
// parameter types. Values in interfaces are recorded where they are converted.
func (m *Module) pinValue(i ssa.Instruction, fn *ssa.Function) {
	if what := pinsDeath(fn); what != "" {
		m.pinReached(i, fn.Signature.Params(), what)
	}
	if m.own[packageOf(fn)] && fn.Blocks == nil && fn.Synthetic == "" {
		for v := range fn.Signature.Params().Variables() {
			m.pin(i, v.Type(), "a function without a body", false)
		}
	}
}

// pin records a pin of the target type of a pointer.
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
		key = typekey.Of(elem)
		for method := range types.NewMethodSet(types.NewPointer(elem)).Methods() {
			methods[method.Obj().Name()] = struct{}{}
		}
	}
	if old, ok := m.pins[key]; !ok || death && !old.death {
		m.pins[key] = pin{what, m.placeOf(i), death, methods}
	}
}

// pinCall records calls to functions that require a pointer to the start of an allocation.
func (m *Module) pinCall(call ssa.CallInstruction) {
	common := call.Common()
	if b, ok := common.Value.(*ssa.Builtin); ok && slices.Contains([]string{"SliceData", "Slice", "Add", "String"}, b.Name()) {
		m.pin(call, common.Args[0].Type(), "unsafe."+b.Name(), false)
		return
	}
	fn := common.StaticCallee()
	if fn == nil || len(common.Args) == 0 {
		return
	}
	if what := pinsDeath(fn); what != "" {
		m.pin(call, unboxed(common.Args[0]).Type(), what, true)
	}
	if m.own[packageOf(fn)] && fn.Blocks == nil && fn.Synthetic == "" {
		for _, arg := range common.Args {
			m.pin(call, arg.Type(), "a function without a body", false)
		}
	}
}

// pinsDeath returns the name of fn if it observes when a value dies, as runtime.SetFinalizer does,
// and "" otherwise.
func pinsDeath(fn *ssa.Function) string {
	switch path, name := packageOf(fn), originName(fn); {
	case path == "runtime" && (name == "SetFinalizer" || name == "AddCleanup"), path == "weak" && name == "Make":
		return path + "." + name
	}
	return ""
}

// unboxed returns the operand of v if v is a conversion to an interface, and v itself otherwise.
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
