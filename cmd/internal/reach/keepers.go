package reach

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/coppice-go/coppice/cmd/internal/goroot"
	"github.com/coppice-go/coppice/cmd/internal/reach/typekey"
)

// If an imported module observes when values die, any value that leaves the module under analysis
// may reach the imported module: through a function of a different module that calls it, through a
// callback that it has registered, or through the standard library, which passes values on in
// contexts, panics, maps and logs. These ways are not followed. The analysis checks only whether
// values of a type leave the module: in an interface, or to and from other modules.

// hasKeeper reports whether an imported module observes when values die, or the module uses, as a
// value, a function that observes when values die.
func (m *Module) hasKeeper() bool {
	for fn := range m.asValue {
		if pinsDeath(fn) != "" {
			return true
		}
	}
	return m.keeps
}

// pinGiven records the values that an instruction converts to an interface, extracts from one, or
// shares with other modules.
func (m *Module) pinGiven(i ssa.Instruction) {
	switch i := i.(type) {
	case *ssa.MakeInterface:
		if !isZero(i.X) || len(uses(i)) > 0 { // all except var _ I = (*T)(nil)
			m.pinShared(i, i.X.Type(), "an interface")
		}
	case *ssa.TypeAssert:
		m.pinShared(i, i.AssertedType, "an interface")
	case *ssa.ChangeType:
		if m.declaredElsewhere(i.Type()) || m.declaredElsewhere(i.X.Type()) {
			m.pinShared(i, i.X.Type(), "a conversion")
			m.pinShared(i, i.Type(), "a conversion")
		}
	case *ssa.FieldAddr:
		m.pinField(i, i.X.Type(), i.Field)
	case *ssa.Field:
		m.pinField(i, i.X.Type(), i.Field)
	case ssa.CallInstruction:
		m.pinUnknown(i)
	}
	for _, o := range i.Operands(nil) {
		switch v := (*o).(type) {
		case *ssa.Global:
			if object := v.Object(); object != nil && m.isElsewhere(pathOf(object)) {
				m.pinShared(i, v.Type().Underlying().(*types.Pointer).Elem(), pathOf(object)+"."+v.Name())
			}
		case *ssa.Function:
			if m.isUnknown(v) {
				m.pinShared(i, v.Signature, functionName(v))
			}
		}
	}
}

// pinField records the values in a field of a struct of a different module.
func (m *Module) pinField(i ssa.Instruction, structure types.Type, field int) {
	if p, ok := structure.Underlying().(*types.Pointer); ok {
		structure = p.Elem()
	}
	if f := typekey.StructOf(structure).Field(field); m.declaredElsewhere(structure) || m.isElsewhere(pathOf(f)) {
		m.pinShared(i, f.Type(), "field "+f.Name()+" of another module")
	}
}

// pinUnknown records the arguments and results of a call to a function that may belong to a
// different module.
func (m *Module) pinUnknown(call ssa.CallInstruction) {
	common, what := call.Common(), "a function value"
	fn := common.StaticCallee()
	switch {
	case fn != nil && !m.isUnknown(fn):
		return
	case fn != nil:
		what = functionName(fn)
	case common.IsInvoke():
		what = "method " + common.Method.Name()
	default:
		if _, builtin := common.Value.(*ssa.Builtin); builtin {
			return
		}
	}
	for _, arg := range common.Args {
		m.pinShared(call, arg.Type(), what)
	}
	m.pinShared(call, common.Signature().Results(), what)
}

// pinShared is pinReached for values that may reach code that observes when values die. For each
// type, only the first position is recorded.
func (m *Module) pinShared(i ssa.Instruction, t types.Type, what string) {
	if m.shared[t] {
		return
	}
	if m.shared == nil {
		m.shared = map[types.Type]bool{}
	}
	m.shared[t] = true
	m.pinReached(i, t, what+", by which it may go to code that sets a finalizer,")
}

// isUnknown recognizes functions that have no body in the module and do not belong to the
// standard library.
func (m *Module) isUnknown(fn *ssa.Function) bool {
	return m.body(fn) == nil && !goroot.Has(packageOf(fn))
}

// isElsewhere recognizes packages of other modules.
func (m *Module) isElsewhere(path string) bool { return !m.own[path] && !goroot.Has(path) }

// declaredElsewhere recognizes types that other modules declare, and pointers to them.
func (m *Module) declaredElsewhere(t types.Type) bool {
	if p, ok := types.Unalias(t).(*types.Pointer); ok {
		return m.declaredElsewhere(p.Elem())
	}
	named, ok := types.Unalias(t).(*types.Named)
	return ok && m.isElsewhere(pathOf(named.Obj()))
}

// functionName returns the name of a function with its package.
func functionName(fn *ssa.Function) string { return packageOf(fn) + "." + originName(fn) }

// pinReached records that every value to which a value of a type leads may get a finalizer. Values
// in interfaces are recorded where they are converted. A type of a different module leads to its
// type arguments.
func (m *Module) pinReached(i ssa.Instruction, t types.Type, what string) {
	w := walk{Module: m, hidden: true, seen: map[string]bool{}}
	w.found = func(t types.Type) bool {
		if named, ok := t.(*types.Named); ok && !m.own[pathOf(named.Obj())] {
			for arg := range named.TypeArgs().Types() {
				m.pin(i, types.NewPointer(arg), what, true)
			}
		}
		switch u := t.Underlying().(type) {
		case *types.Pointer, *types.Slice:
			m.pin(i, u, what, true)
		}
		return false
	}
	w.in(t)
}
