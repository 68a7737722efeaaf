package reach

import (
	"fmt"
	"go/token"
	"go/types"
	"maps"
	"net"
	"os"
	"reflect"
	"slices"
	"sync"

	"golang.org/x/tools/go/ssa"

	"github.com/coppice-go/coppice/cmd/internal/reach/typekey"
)

// The garbage collector closes files, folders, processes and connections of the standard library
// when they become unreachable. A value that shares memory with other values keeps them alive.
// Files and connections that are reachable from these other values then stay open longer.

// closed contains the types whose values the collector closes. It maps their keys to descriptions.
var closed = map[string]string{"os.File": "a file", "os.Root": "a folder", "os.Process": "a process", "net.netFD": "a connection"}

// closing returns the set of exported methods of each type in closed.
var closing = sync.OnceValue(func() (sets []map[string]bool) {
	for _, value := range []any{&os.File{}, &os.Root{}, &os.Process{},
		&net.TCPConn{}, &net.UDPConn{}, &net.IPConn{}, &net.UnixConn{}, &net.TCPListener{}, &net.UnixListener{}} {
		set, t := map[string]bool{}, reflect.TypeOf(value)
		for i := range t.NumMethod() {
			set[t.Method(i).Name] = true
		}
		sets = append(sets, set)
	}
	return sets
})

// mayClose reports whether an interface may contain a value that the collector closes. It compares
// only method names.
func mayClose(t *types.Interface) bool {
	return slices.ContainsFunc(closing(), func(set map[string]bool) bool {
		for f := range t.Methods() {
			if !set[f.Name()] {
				return false
			}
		}
		return true
	})
}

// collected describes a value that the collector closes and that is reachable from values of type
// t. It returns "" if there is none.
func (m *Module) collected(t types.Type) (why string) {
	m.findChanges()
	s := closedSearch{m, map[string]bool{}, ""}
	if what := s.leads(t); what != "" {
		return fmt.Sprintf("it leads to %s%s, which the collector closes when it is unreachable: another value in the same chunk would keep it open", what, s.by)
	}
	return ""
}

// A closedSearch searches for a value that the collector closes, among all values that are
// reachable from values of a given type.
type closedSearch struct {
	*Module
	seen map[string]bool
	by   string // the field from which it is reached
}

// leads describes the first value found that is reachable from values of type t and that the
// collector closes. It returns "" if there is none.
func (s *closedSearch) leads(t types.Type) (what string) {
	key := typekey.Of(t)
	if s.seen[key] {
		return ""
	}
	s.seen[key] = true
	if what = closed[key]; what != "" {
		return what
	}
	if _, ok := types.Unalias(t).(*types.TypeParam); ok {
		return s.anyLeads(s.typeArguments())
	}
	if what = s.anyLeads(slices.Concat(s.heldBy(t), typekey.Elements(t))); what != "" {
		return what
	}
	switch u := t.Underlying().(type) {
	case *types.Struct:
		for i := range u.NumFields() {
			if what = s.field(t, u, i); what != "" {
				return what
			}
		}
	case *types.Interface:
		if s.makes {
			return "what reflection may have made"
		}
		return s.behind(t)
	case *types.Signature:
		if s.makes {
			return "what reflection may have made"
		}
		return s.captured(u)
	case *types.Basic:
		if u.Kind() == types.UnsafePointer { // a pool of the standard library
			if what = s.behind(anything); what == "" {
				what = s.anyLeads(s.unsafeOf())
			}
			return what
		}
	}
	return ""
}

// unsafeOf returns the types of the values that the module converts to unsafe.Pointer.
func (m *Module) unsafeOf() []types.Type {
	m.findChanges()
	return m.unsafes
}

// field inspects field i of a struct. If the field has an interface type, and the values that the
// module assigns to it are known, field inspects these values.
func (s *closedSearch) field(structure types.Type, fields *types.Struct, i int) (what string) {
	f := fields.Field(i)
	defer func() {
		if what != "" && s.by == "" && s.own[pathOf(f)] {
			s.by = " by the field " + f.Name()
		}
	}()
	if _, parameter := types.Unalias(f.Type()).(*types.TypeParam); parameter || !types.IsInterface(f.Type()) {
		return s.leads(f.Type())
	}
	sources, known := s.sourcesOf(structure, i)
	if !known {
		return s.leads(f.Type())
	}
	for _, source := range sources {
		if s.streams || !isStandardStream(source) {
			if what = s.leads(source.Type()); what != "" {
				return what
			}
		}
	}
	return ""
}

// anyLeads calls leads for each of the given types, and returns the first result that is not "".
func (s *closedSearch) anyLeads(all []types.Type) (what string) {
	for _, t := range all {
		if what = s.leads(t); what != "" {
			return what
		}
	}
	return ""
}

// typeArguments returns all type arguments that the module uses, sorted by key.
func (m *Module) typeArguments() (all []types.Type) {
	byKey := map[string]types.Type{}
	for _, p := range m.loaded {
		if p.TypesInfo == nil {
			continue
		}
		for _, instance := range p.TypesInfo.Instances {
			for t := range instance.TypeArgs.Types() {
				byKey[typekey.Of(t)] = t
			}
		}
	}
	for _, key := range slices.Sorted(maps.Keys(byKey)) {
		all = append(all, byKey[key])
	}
	return all
}

// captured inspects the variables that are captured by function literals and method values with the
// given signature.
func (s *closedSearch) captured(signature *types.Signature) (what string) {
	s.findChanges()
	return s.anyLeads(s.captures[typekey.OfSignature(signature)])
}

// behind inspects the values that an interface may contain, which are the values that the module
// converts to it. An interface type of a different module may contain other values, too: a file, if
// files have the methods of the interface, or a container, such as a context, whose contents the
// module has converted to any. Conversions between interfaces inside other modules are not
// followed.
func (s *closedSearch) behind(t types.Type) (what string) {
	if named, ok := types.Unalias(t).(*types.Named); ok && !s.own[pathOf(named.Obj())] && typekey.Of(t) != "error" {
		if what = s.leads(anything); what != "" {
			return what
		}
	}
	into, fits := s.into(t), t.Underlying().(*types.Interface)
	if mayClose(fits) && slices.ContainsFunc(slices.Collect(maps.Values(into)), s.isOpen) {
		return "what may be a file or a connection"
	}
	s.findBoxes()
	for _, boxed := range s.boxedIn(fits) {
		if what = s.boxedAs(boxed, into); what != "" {
			return what
		}
	}
	return ""
}

// boxedAs inspects the type boxed if the module converts its values to one of the interfaces in
// into.
func (s *closedSearch) boxedAs(boxed types.Type, into map[string]types.Type) (what string) {
	for _, i := range s.boxes[typekey.Of(boxed)] {
		if into[typekey.Of(i.Type())] != nil && (s.streams || !isStandardStream(i.X)) {
			return s.leads(boxed)
		}
	}
	return ""
}

// isOpen reports whether an interface may contain a file that was not converted to it by the
// module. This is the case if the module does not declare the interface, and files have all of its
// methods.
func (s *closedSearch) isOpen(t types.Type) bool {
	named, ok := types.Unalias(t).(*types.Named)
	i := t.Underlying().(*types.Interface)
	return i.NumMethods() > 0 && !(ok && s.own[pathOf(named.Obj())]) && mayClose(i)
}

// isStandardStream reports whether v is one of the files that the standard library opens when the
// process starts, such as os.Stdout. They stay open until the process ends, unless the module
// replaces them.
func isStandardStream(v ssa.Value) bool {
	load, ok := v.(*ssa.UnOp)
	if !ok {
		return false
	}
	global, ok := load.X.(*ssa.Global)
	return ok && global.Object() != nil && pathOf(global.Object()) == "os"
}

// into returns t and all interfaces whose values the module converts to t, directly or indirectly.
// The result is indexed by key.
func (s *closedSearch) into(t types.Type) map[string]types.Type {
	s.findChanges()
	all := map[string]types.Type{typekey.Of(t): t}
	for next := []types.Type{t}; len(next) > 0; {
		froms := s.changes[typekey.Of(next[0])]
		if typekey.Of(next[0]) == "error" { // fmt.Errorf makes an error from values of type any
			froms = append(froms[:len(froms):len(froms)], anything)
		}
		for _, from := range froms {
			if key := typekey.Of(from); all[key] == nil {
				all[key] = from
				next = append(next, from)
			}
		}
		next = next[1:]
	}
	return all
}

// findChanges collects the conversions between interfaces, the variables that closures capture, and
// the types that are converted to unsafe.Pointer.
func (m *Module) findChanges() {
	if m.changes != nil {
		return
	}
	m.changes, m.captures = map[string][]types.Type{}, map[string][]types.Type{}
	note := func(from, to types.Type) {
		if types.IsInterface(from) && types.IsInterface(to) {
			m.changes[typekey.Of(to)] = append(m.changes[typekey.Of(to)], from)
		}
	}
	for _, fn := range m.functions {
		for _, b := range fn.Blocks {
			for _, i := range b.Instrs {
				m.noteStreams(i)
				switch i := i.(type) {
				case ssa.CallInstruction:
					m.noteCall(i, note)
				case *ssa.ChangeInterface:
					note(i.X.Type(), i.Type())
				case *ssa.TypeAssert:
					note(i.X.Type(), i.AssertedType)
				case *ssa.Convert:
					if isUnsafe(i.Type()) {
						m.unsafes = append(m.unsafes, i.X.Type())
					}
				case *ssa.MakeClosure:
					key := typekey.OfSignature(i.Type().Underlying().(*types.Signature))
					for _, v := range i.Bindings {
						m.captures[key] = append(m.captures[key], v.Type())
					}
				}
			}
		}
	}
}

// noteStreams records whether an instruction may replace a file in a variable of package os, such
// as os.Stdout.
func (m *Module) noteStreams(i ssa.Instruction) {
	load, ok := i.(*ssa.UnOp)
	if ok && load.Op == token.MUL {
		return
	}
	for _, o := range i.Operands(nil) {
		if g, ok := (*o).(*ssa.Global); ok && g.Object() != nil && pathOf(g.Object()) == "os" {
			m.streams = true
		}
	}
}

// noteCall records how calls to the standard library change values or create new ones: errors.As
// stores an error in a variable of a different interface type, and reflection creates functions,
// and values of types that the module does not name.
func (m *Module) noteCall(call ssa.CallInstruction, note func(from, to types.Type)) {
	fn := call.Common().StaticCallee()
	if fn == nil {
		return
	}
	failure := types.Universe.Lookup("error").Type()
	switch name := originName(fn); packageOf(fn) {
	case "errors":
		if name == "As" && len(call.Common().Args) == 2 {
			if p, ok := unboxed(call.Common().Args[1]).Type().Underlying().(*types.Pointer); ok {
				note(failure, p.Elem())
			}
		}
		for _, t := range fn.TypeArgs() { // AsType
			note(failure, t)
		}
	case "reflect":
		m.makes = m.makes || slices.Contains([]string{"MakeFunc", "New", "Method", "MethodByName"}, name)
	}
}
