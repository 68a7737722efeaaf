package reach

import (
	"go/scanner"
	"go/token"
	"go/types"
	"os"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
	"golang.org/x/tools/go/ssa"

	"github.com/coppice-go/coppice/cmd"
	"github.com/coppice-go/coppice/cmd/internal/goroot"
	"github.com/coppice-go/coppice/cmd/internal/reach/typekey"
)

// An imported module may observe when values die, for example with finalizers. Any value that
// leaves the module under analysis may reach such a module: through a function of a third module,
// through a callback that it has registered, or through the standard library, which passes values
// on in contexts, panics, maps and logs. The analysis does not follow these paths. It checks only
// whether values of a type leave the module, either in an interface or in an exchange with other
// modules.

// finalizes matches the names of the functions with which code observes when values die.
var finalizes = regexp.MustCompile(`\b(SetFinalizer|AddCleanup)\b`)

// ownStore is Coppice's package store, which reports stores that were not closed. It is exempt
// because it observes only its own stores. Otherwise, programs that use Coppice could not be
// changed further.
const ownStore = cmd.Library + "/store"

// keeps reports whether a package of another module observes when values die. It does so if it
// imports package weak, or if it calls or links (by go:linkname) a function that matches finalizes.
func keeps(p *packages.Package) bool {
	if p.PkgPath == ownStore {
		return false
	}
	reaches := p.Imports["runtime"] != nil || p.Imports["unsafe"] != nil // unsafe allows go:linkname
	return p.Imports["weak"] != nil || reaches && slices.ContainsFunc(p.GoFiles, finalizesIn)
}

// finalizesIn reports whether a file contains the name of a function that matches finalizes, in
// code or in a directive. Other comments are ignored, such as the warnings about finalizers in
// package arena.
func finalizesIn(name string) (found bool) {
	data, err := os.ReadFile(name)
	if err != nil {
		return false
	}
	var s scanner.Scanner
	s.Init(token.NewFileSet().AddFile(name, -1, len(data)), data, nil, scanner.ScanComments)
	for !found {
		_, kind, text := s.Scan()
		switch kind {
		case token.EOF:
			return false
		case token.IDENT:
			found = finalizes.MatchString(text)
		case token.COMMENT:
			found = strings.HasPrefix(text, "//go:") && finalizes.MatchString(text)
		}
	}
	return found
}

// hasKeeper reports whether an imported module observes when values die, or whether the module
// itself uses a function that does so as a function value.
func (m *Module) hasKeeper() bool {
	for fn := range m.asValue {
		if pinsDeath(fn) != "" {
			return true
		}
	}
	return m.keeps
}

// pinGiven records the values that an instruction converts to an interface, extracts from an
// interface, or exchanges with other modules.
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

// pinField records the values in a field of a struct that another module declares.
func (m *Module) pinField(i ssa.Instruction, structure types.Type, field int) {
	if p, ok := structure.Underlying().(*types.Pointer); ok {
		structure = p.Elem()
	}
	if f := typekey.StructOf(structure).Field(field); m.declaredElsewhere(structure) || m.isElsewhere(pathOf(f)) {
		m.pinShared(i, f.Type(), "field "+f.Name()+" of another module")
	}
}

// pinUnknown records the arguments and results of a call to a function that may belong to another
// module.
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

// pinShared calls pinReached for values that may reach code that observes when values die. Only the
// first position is recorded for each type.
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

// isUnknown reports whether the body of fn is neither in the module nor in the standard library.
func (m *Module) isUnknown(fn *ssa.Function) bool {
	return m.body(fn) == nil && !goroot.Has(packageOf(fn))
}

// isElsewhere reports whether a package path belongs to another module. The standard library is not
// considered another module.
func (m *Module) isElsewhere(path string) bool { return !m.own[path] && !goroot.Has(path) }

// declaredElsewhere reports whether another module declares t, or the type to which t points.
func (m *Module) declaredElsewhere(t types.Type) bool {
	if p, ok := types.Unalias(t).(*types.Pointer); ok {
		return m.declaredElsewhere(p.Elem())
	}
	named, ok := types.Unalias(t).(*types.Named)
	return ok && m.isElsewhere(pathOf(named.Obj()))
}

// functionName returns the name of a function, qualified with its package path.
func functionName(fn *ssa.Function) string { return packageOf(fn) + "." + originName(fn) }

// pinReached records that values of all types that are reachable from t may get a finalizer. Values
// in interfaces are recorded where they are converted. From a type of another module, only its type
// arguments are reachable.
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
	w.finds(t)
}
