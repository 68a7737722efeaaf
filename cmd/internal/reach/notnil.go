package reach

import (
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/coppice-go/coppice/cmd/internal/reach/typekey"
)

// A nils determines whether values may be nil pointers.
type nils struct {
	*Module
	asked map[asked]bool // values being checked; they count as not nil, so in a cycle another value decides
}

// asked identifies a value that is being checked, or one of several results of a call.
type asked struct {
	value  ssa.Value
	result int
}

// seenBefore reports whether v was checked before, and marks it as checked.
func (n *nils) seenBefore(v ssa.Value, result int) bool {
	known := n.asked[asked{v, result}]
	n.asked[asked{v, result}] = true
	return known
}

// NotNil reports whether a parameter is never nil in the code between two positions, either because
// the function has already dereferenced it or because no caller passes nil. The parameter is
// identified by the position of its declaration.
func (m *Module) NotNil(parameter token.Position, from, to token.Position) bool {
	all := m.params[parameter.String()]
	for _, p := range all {
		n := &nils{m, map[asked]bool{}}
		if !n.followed(p, n.find(p.Parent(), from, to)...) && !n.fromCallers(p) {
			return false
		}
	}
	return len(all) > 0
}

// find returns the instructions of fn between two positions. For code in closures, it returns the
// instructions that create the closures.
func (n *nils) find(fn *ssa.Function, from, to token.Position) (all []ssa.Instruction) {
	within := func(p token.Position) bool {
		return p.Filename == from.Filename && from.Offset <= p.Offset && p.Offset <= to.Offset
	}
	for _, b := range fn.Blocks {
		for _, i := range b.Instrs {
			closure, ok := i.(*ssa.MakeClosure)
			if i.Pos().IsValid() && within(n.at(i.Pos())) || ok && len(n.find(closure.Fn.(*ssa.Function), from, to)) > 0 {
				all = append(all, i)
			}
		}
	}
	return all
}

// followed reports whether the function always dereferences v before it executes any of the given
// instructions.
func (n *nils) followed(v ssa.Value, before ...ssa.Instruction) bool {
	if len(before) == 0 {
		return false
	}
	for _, same := range aliases(v) {
		for _, use := range uses(same) {
			late := func(i ssa.Instruction) bool { return !precedes(use, i) }
			if (follows(use, same) && !n.mayNotRun(use) || n.callFollows(use, same)) && !slices.ContainsFunc(before, late) {
				return true
			}
		}
	}
	return false
}

// aliases returns v, and the loads from those variables in which only v is ever stored.
func aliases(v ssa.Value) []ssa.Value {
	all := []ssa.Value{v}
	for _, use := range uses(v) {
		s, ok := use.(*ssa.Store)
		if !ok || s.Val != v {
			continue
		}
		a, ok := s.Addr.(*ssa.Alloc)
		if !ok || stores(a) != 1 {
			continue
		}
		for _, load := range uses(a) {
			if l, ok := load.(*ssa.UnOp); ok {
				all = append(all, l)
			}
		}
	}
	return all
}

// stores returns the number of stores to a variable, including those in closures. The result is at
// least 2 if unknown code may set the variable.
func stores(a ssa.Value) (n int) {
	for _, use := range uses(a) {
		switch use := use.(type) {
		case *ssa.Store:
			n++
		case *ssa.MakeClosure:
			for i, b := range use.Bindings {
				if b == a {
					n += stores(use.Fn.(*ssa.Function).FreeVars[i])
				}
			}
		case *ssa.UnOp, *ssa.DebugRef:
		default:
			n += 2 // its address goes elsewhere
		}
	}
	return n
}

// follows reports whether an instruction panics if the pointer v is nil.
func follows(i ssa.Instruction, v ssa.Value) bool {
	switch i := i.(type) {
	case *ssa.FieldAddr:
		return i.X == v
	case *ssa.UnOp:
		return i.Op == token.MUL && i.X == v
	case *ssa.Store:
		return i.Addr == v
	}
	return false
}

// callFollows reports whether an instruction passes v to a function that always dereferences it.
func (n *nils) callFollows(i ssa.Instruction, v ssa.Value) bool {
	call, ok := i.(*ssa.Call)
	if !ok {
		return false
	}
	fn := call.Call.StaticCallee()
	if fn == nil {
		return false
	}
	if fn = n.body(fn); fn == nil {
		return false
	}
	for index, arg := range call.Call.Args {
		if arg == v && index < len(fn.Params) && n.alwaysFollows(fn.Params[index]) {
			return true
		}
	}
	return false
}

// alwaysFollows reports whether a function always dereferences the parameter p before it returns.
func (n *nils) alwaysFollows(p *ssa.Parameter) bool {
	known, ok := n.following[p]
	if ok {
		return known
	}
	if n.following == nil {
		n.following = map[*ssa.Parameter]bool{}
	}
	n.following[p] = false // in a recursion, another function decides
	var returns []ssa.Instruction
	for _, b := range p.Parent().Blocks {
		if r, ok := b.Instrs[len(b.Instrs)-1].(*ssa.Return); ok {
			returns = append(returns, r)
		}
	}
	n.following[p] = p.Parent().Recover == nil && n.followed(p, returns...)
	return n.following[p]
}

// precedes reports whether instruction a always runs before instruction b of the same function.
func precedes(a, b ssa.Instruction) bool {
	if a.Parent() != b.Parent() {
		return false
	}
	if a.Block() != b.Block() {
		return a.Block().Dominates(b.Block())
	}
	for _, i := range a.Block().Instrs {
		switch i {
		case b:
			return false
		case a:
			return true
		}
	}
	return false
}

// fromCallers reports whether no caller passes nil for the parameter p.
func (n *nils) fromCallers(p *ssa.Parameter) bool {
	if n.seenBefore(p, 0) {
		return true
	}
	fn := p.Parent()
	index := 0
	for fn.Params[index] != p {
		index++
	}
	if fn.Object() != nil && n.Linked(pathOf(fn.Object()), symbol(fn)) != "" {
		return false // code that uses the linker name may pass anything
	}
	if n.open(fn) {
		if index > 0 || fn.Signature.Recv() == nil || !n.boxedNotNil(p.Type()) {
			return false
		}
	}
	calls := n.calls[fn]
	if n.asValue[fn] {
		more := n.dynamic[typekey.OfSignature(fn.Signature)]
		if fn.Signature.Recv() != nil || len(more) == 0 || n.givenAway(fn.Signature) {
			return false // a method expression, or a call that is not known
		}
		calls = append(calls[:len(calls):len(calls)], more...)
	}
	for _, call := range calls {
		args := call.Common().Args
		if index >= len(args) || !n.notNil(args[index], call) {
			return false
		}
	}
	return true
}

// open reports whether a function may have unknown callers, which call it through an interface or
// from another module.
func (n *nils) open(fn *ssa.Function) bool {
	if fn.Parent() != nil {
		return false
	}
	if recv := fn.Signature.Recv(); recv != nil {
		n.findBoxes()
		return n.boxed[typekey.Of(recv.Type())] && (token.IsExported(fn.Name()) || n.boxMethods[fn.Name()])
	}
	o := fn.Object()
	return o == nil || o.Exported() && n.importable(o.Pkg()) && !n.inTest(fn)
}

// givenAway reports whether functions with the signature s may reach code without a known body: as
// an argument, inside an argument, or in an interface. Such code may call them with any arguments.
func (m *Module) givenAway(s *types.Signature) bool {
	if m.given == nil {
		m.given = map[string]bool{}
		w := &walk{Module: m, hidden: true, seen: map[string]bool{}, found: func(t types.Type) bool {
			if f, ok := t.(*types.Signature); ok {
				m.given[typekey.OfSignature(f)] = true
			}
			return false
		}}
		for _, fn := range m.functions {
			for _, b := range fn.Blocks {
				for _, i := range b.Instrs {
					m.giveAway(i, w)
				}
			}
		}
	}
	return m.given[typekey.OfSignature(s)]
}

// giveAway visits the types of the values that an instruction passes to code without a known body.
func (m *Module) giveAway(i ssa.Instruction, w *walk) {
	if boxed, ok := i.(*ssa.MakeInterface); ok {
		w.finds(boxed.X.Type())
	}
	var callee *ssa.Function
	if call, ok := i.(ssa.CallInstruction); ok {
		if callee = call.Common().StaticCallee(); callee != nil && m.body(callee) == nil {
			for _, arg := range call.Common().Args {
				w.finds(arg.Type())
			}
		}
	}
	for _, o := range i.Operands(nil) { // a function without a body may be called by its value, with arguments of these types
		if fn, ok := (*o).(*ssa.Function); ok && fn != callee && m.body(fn) == nil {
			w.finds(fn.Signature.Params())
		}
	}
}

// boxedNotNil reports whether the pointers of type t that are converted to interfaces are never
// nil. A nil pointer in an interface would become the receiver of methods that are called through
// the interface.
func (n *nils) boxedNotNil(t types.Type) bool {
	for _, boxed := range n.boxes[typekey.Of(t)] {
		if !n.notNil(boxed.X, boxed) {
			return false
		}
	}
	return true
}

// findBoxes collects the types whose values are converted to interfaces, and the methods that can
// be called through these interfaces. The receivers of these methods may be nil pointers.
func (m *Module) findBoxes() {
	if m.boxed != nil {
		return
	}
	m.boxed, m.boxMethods, m.boxes = map[string]bool{}, map[string]bool{}, map[string][]*ssa.MakeInterface{}
	methods := func(t types.Type) {
		if i, ok := t.Underlying().(*types.Interface); ok {
			for f := range i.Methods() {
				m.boxMethods[f.Name()] = true
			}
		}
	}
	for _, fn := range m.functions {
		for _, b := range fn.Blocks {
			for _, i := range b.Instrs {
				switch i := i.(type) {
				case *ssa.MakeInterface:
					if !isZero(i.X) || len(uses(i)) > 0 { // all except var _ I = (*T)(nil)
						m.boxed[typekey.Of(i.X.Type())] = true
						m.boxes[typekey.Of(i.X.Type())] = append(m.boxes[typekey.Of(i.X.Type())], i)
					}
					methods(i.Type())
				case *ssa.ChangeInterface:
					methods(i.Type())
				case *ssa.TypeAssert:
					methods(i.AssertedType)
				}
			}
		}
	}
}

// notNil reports whether v cannot be a nil pointer when the instruction at uses it.
func (n *nils) notNil(v ssa.Value, at ssa.Instruction) bool {
	if n.followed(v, at) {
		return true
	}
	switch v := v.(type) {
	case *ssa.Alloc, *ssa.FieldAddr, *ssa.IndexAddr, *ssa.Global, *ssa.MakeClosure:
		return true
	case *ssa.Parameter:
		return n.fromCallers(v)
	case *ssa.FreeVar:
		return n.captured(v)
	case *ssa.ChangeType:
		return n.notNil(v.X, v)
	case *ssa.Phi:
		if n.seenBefore(v, 0) {
			return true
		}
		for _, e := range v.Edges {
			if !n.notNil(e, v) {
				return false
			}
		}
		return true
	case *ssa.TypeAssert:
		return n.asserted(v)
	case *ssa.Call:
		return n.result(v, 0)
	case *ssa.Extract:
		call, ok := v.Tuple.(*ssa.Call)
		return ok && n.result(call, v.Index)
	case *ssa.UnOp:
		if field, ok := v.X.(*ssa.FieldAddr); ok && v.Op == token.MUL {
			return n.field(v, field)
		}
		return v.Op == token.MUL && n.variable(v)
	}
	return false
}

// field reports whether a field of a struct that the function itself has created is not nil when it
// is loaded. The function must have set the field before. No code may set this field to nil in any
// struct of the type, or assign a struct of the type as a whole.
func (n *nils) field(load *ssa.UnOp, at *ssa.FieldAddr) bool {
	made, ok := at.X.(*ssa.Alloc)
	if !ok || n.seenBefore(load, 0) {
		return ok
	}
	set := false
	for _, other := range n.fields[typekey.OfField(n.fset, at.X.Type(), at.Field)] {
		place, ok := other.(*ssa.FieldAddr)
		if !ok {
			return false // of a copy
		}
		for _, use := range uses(place) {
			switch use := use.(type) {
			case *ssa.Store:
				if use.Addr != place || !n.notNil(use.Val, use) {
					return false
				}
				set = set || place.X == made && precedes(use, load)
			case *ssa.UnOp, *ssa.DebugRef:
			default:
				return false // its address goes elsewhere
			}
		}
	}
	return set && !n.wholes[typekey.OfField(n.fset, at.X.Type(), 0).Type]
}

// captured reports whether a captured value is never nil.
func (n *nils) captured(v *ssa.FreeVar) bool {
	if n.seenBefore(v, 0) {
		return true
	}
	index := 0
	for v.Parent().FreeVars[index] != v {
		index++
	}
	for _, closure := range n.closures[v.Parent()] {
		if !n.notNil(closure.Bindings[index], closure) {
			return false
		}
	}
	return len(n.closures[v.Parent()]) > 0
}

// result reports whether a function of the module never returns nil as the given result.
func (n *nils) result(call *ssa.Call, index int) bool {
	fn := call.Call.StaticCallee()
	if fn == nil {
		return false
	}
	if fn = n.body(fn); fn == nil {
		return false
	}
	if n.seenBefore(call, index) {
		return true
	}
	returns := 0
	for _, b := range fn.Blocks {
		r, ok := b.Instrs[len(b.Instrs)-1].(*ssa.Return)
		if !ok {
			continue
		}
		returns++
		if !n.notNil(r.Results[index], r) {
			return false
		}
	}
	return returns > 0 && fn.Recover == nil // after a recover, the function returns nil
}

// variable reports whether a local variable is never nil when an instruction loads it.
func (n *nils) variable(load *ssa.UnOp) bool {
	a := load.X
	var from ssa.Instruction = load
	for {
		free, ok := a.(*ssa.FreeVar)
		if !ok {
			break
		}
		made := n.closures[free.Parent()]
		if len(made) != 1 {
			return false
		}
		index := 0
		for free.Parent().FreeVars[index] != free {
			index++
		}
		a, from = made[0].Bindings[index], made[0]
	}
	alloc, ok := a.(*ssa.Alloc)
	if !ok || n.seenBefore(load, 0) {
		return ok
	}
	set := false
	for _, s := range allStores(alloc) {
		if s == nil || !n.notNil(s.Val, s) {
			return false
		}
		set = set || precedes(s, from)
	}
	return set
}
