package flow

import (
	"go/token"
	"go/types"
	"strconv"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// memory contains the facts about a function's variables that its states need.
//
// The contents of memory are identified by a Path: a load from s.node yields the value that was
// last stored to s.node. The contents become unknown if a different value may have been stored
// there, through another pointer to the same type or by a call that can reach the variable.
type memory struct {
	fn      *ssa.Function
	private map[*ssa.Alloc]bool // whether its address stays in the function
	held    map[place]types.Type
	uniform map[*ssa.Phi]bool // whether it is always the same object
}

func newMemory(fn *ssa.Function) *memory {
	return &memory{fn, map[*ssa.Alloc]bool{}, map[place]types.Type{}, map[*ssa.Phi]bool{}}
}

// trackable reports whether the contents of the memory at a path can be tracked in this function.
func (m *memory) trackable(p Path) bool {
	switch root := p.Root.(type) {
	case *ssa.FreeVar, *ssa.Const, nil:
		return false
	case *ssa.Global:
		return true
	case *ssa.Alloc:
		return root.Parent() == m.fn && !assignedInClosure(root)
	default:
		return root.Parent() == m.fn
	}
}

// memoryAt returns the path that identifies the contents of the memory at an address. If the
// address is based on a loaded pointer, the path starts at that pointer, not at the memory from
// which it was loaded, because that memory may contain a different pointer now.
func memoryAt(addr ssa.Value) Path {
	switch v := addr.(type) {
	case *ssa.FieldAddr:
		p := memoryAt(v.X)
		return Path{p.Root, p.Steps + "." + strconv.Itoa(v.Field)}
	case *ssa.UnOp:
		if only := onlyValue(v.X); v.Op == token.MUL && only == nil {
			return Path{Root: v}
		}
	}
	return PathOf(addr)
}

// isUniform reports whether a phi denotes the same object, or nil, regardless of the edge that is
// taken.
func (m *memory) isUniform(phi *ssa.Phi) bool {
	known, ok := m.uniform[phi]
	if !ok {
		objects := map[ssa.Value]bool{}
		collectObjects(phi, objects, map[*ssa.Phi]bool{})
		known = len(objects) <= 1
		m.uniform[phi] = known
	}
	return known
}

// collectObjects collects the objects of which a value may be a part, or from which it may have
// grown by append.
func collectObjects(v ssa.Value, objects map[ssa.Value]bool, seen map[*ssa.Phi]bool) {
	switch x := base(v).(type) {
	case *ssa.Const:
	case *ssa.Phi:
		if !seen[x] {
			seen[x] = true
			for _, e := range x.Edges {
				collectObjects(e, objects, seen)
			}
		}
	case *ssa.Call:
		if fn, ok := x.Call.Value.(*ssa.Builtin); ok && fn.Name() == "append" {
			collectObjects(x.Call.Args[0], objects, seen)
			return
		}
		objects[x] = true
	default:
		objects[x] = true
	}
}

// isPrivate reports whether a place is accessed only by instructions of this function, and only
// through the name of its variable.
func (m *memory) isPrivate(where place) bool {
	alloc, ok := where.Root.(*ssa.Alloc)
	if !ok || strings.Contains(where.Steps, "*") {
		return false
	}
	known, ok := m.private[alloc]
	if !ok {
		known = onlyAccessed(alloc)
		m.private[alloc] = known
	}
	return known
}

// onlyAccessed reports whether the variable at addr is only loaded and assigned to, so that its
// address is not passed on. Closures may load it.
func onlyAccessed(addr ssa.Value) bool {
	return onlyUsed(addr, func(s *ssa.Store, addr ssa.Value) bool { return s.Val != addr })
}

// onlyLoaded reports whether the variable at addr is only loaded, so that its address is not passed
// on.
func onlyLoaded(addr ssa.Value) bool {
	return onlyUsed(addr, func(*ssa.Store, ssa.Value) bool { return false })
}

// onlyUsed reports whether the variable at addr is only loaded or assigned to, and allowed returns
// true for all assignments.
func onlyUsed(addr ssa.Value, allowed func(s *ssa.Store, addr ssa.Value) bool) bool {
	for _, user := range *addr.Referrers() {
		switch user := user.(type) {
		case *ssa.Store:
			if !allowed(user, addr) {
				return false
			}
		case *ssa.UnOp, *ssa.DebugRef:
		case *ssa.FieldAddr:
			if !onlyUsed(user, allowed) {
				return false
			}
		case *ssa.MakeClosure:
			if !closureOnlyLoads(user, addr) {
				return false
			}
		default:
			return false
		}
	}
	return true
}

func closureOnlyLoads(closure *ssa.MakeClosure, addr ssa.Value) bool {
	for i, bound := range closure.Bindings {
		if bound == addr && !onlyLoaded(closure.Fn.(*ssa.Function).FreeVars[i]) {
			return false
		}
	}
	return true
}

// assignedInClosure reports whether a closure may assign to a variable.
func assignedInClosure(variable *ssa.Alloc) bool {
	for _, user := range *variable.Referrers() {
		if closure, ok := user.(*ssa.MakeClosure); ok && !closureOnlyLoads(closure, variable) {
			return true
		}
	}
	return false
}

// stored applies an assignment to the state.
func (s *State) stored(x *ssa.Store) {
	s.assigned(PathOf(x.Addr))
	to := memoryAt(x.Addr)
	direct, field := x.Val.Type(), stepped(x.Addr)
	for where := range s.claims {
		if !where.inside {
			continue
		}
		if _, below := where.within(to); below {
			delete(s.claims, where)
		} else if s.overlaps(where, to, direct, field) {
			s.lose(where)
		}
	}
	if !s.memory.trackable(to) {
		return
	}
	at := contentsOf(to)
	parts := s.parts(valueOf(x.Val), x.Val.Type())
	for _, p := range parts {
		where := contentsOf(Path{to.Root, to.Steps + p.steps})
		s.memory.held[where] = typeAt(x.Val.Type(), p.steps)
		s.add(where, p.claim, p.when)
	}
	if _, constant := x.Val.(*ssa.Const); len(parts) == 0 && !constant {
		s.memory.held[at] = x.Val.Type()
		s.add(at, Claim{}, s.path)
	}
}

// overlaps reports whether storing a value of type t at a path may change the contents of a place,
// because both may be the same memory. field states whether the store is to a field.
func (s *State) overlaps(where place, to Path, t types.Type, field bool) bool {
	if s.memory.isPrivate(where) || s.memory.isPrivate(contentsOf(to)) {
		return false
	}
	if where.Root == to.Root && !strings.Contains(where.Steps, "*") && !strings.Contains(to.Steps, "*") && field {
		return strings.HasPrefix(to.Steps, where.Steps+".") // another field, or a part of this one
	}
	if isVariable(where.Root) && isVariable(to.Root) && where.Root != to.Root && !strings.Contains(where.Steps+to.Steps, "*") {
		return false
	}
	if _, whole := t.Underlying().(*types.Struct); whole {
		return true
	}
	held := s.memory.held[where]
	return held == nil || types.Identical(held, t)
}

// isVariable reports whether a root is a variable rather than the target of a pointer.
func isVariable(root ssa.Value) bool {
	switch root.(type) {
	case *ssa.Alloc, *ssa.Global:
		return true
	}
	return false
}

// stepped reports whether an address is the address of a field.
func stepped(addr ssa.Value) bool {
	_, ok := addr.(*ssa.FieldAddr)
	return ok
}

// lose records that the contents of a place are unknown.
func (s *State) lose(where place) {
	delete(s.claims, where)
	s.add(where, Claim{}, s.path)
}

// disturbed forgets the contents of memory that an instruction may change. A call may change the
// memory that it can reach. While an instruction waits, other goroutines may change memory.
func (s *State) disturbed(instr ssa.Instruction) {
	call, isCall := instr.(ssa.CallInstruction)
	var given []Path
	all := true
	if isCall {
		if harmless(call) {
			return
		}
		given = reachedBy(call.Common(), memoryAt)
		all = !elsewhere(call)
	} else if !waitsHere(instr) {
		return
	}
	for where := range s.claims {
		if !where.inside || s.memory.isPrivate(where) {
			continue
		}
		reached := all
		for _, p := range given {
			_, below := where.within(p)
			reached = reached || below
		}
		if reached {
			s.lose(where)
		}
	}
}

// waitsHere reports whether an instruction other than a call may wait while other goroutines run.
func waitsHere(instr ssa.Instruction) bool {
	switch x := instr.(type) {
	case *ssa.UnOp:
		return x.Op == token.ARROW
	case *ssa.Select, *ssa.Send:
		return true
	}
	return false
}

// harmless reports whether a call does not change any tracked memory. This is the case for calls to
// the library and to builtins, for go and defer statements, and for calls to functions of this
// package that only read.
func harmless(call ssa.CallInstruction) bool {
	if _, ok := call.(*ssa.Call); !ok {
		return true // it runs later, or in another goroutine
	}
	common := call.Common()
	if _, ok := common.Value.(*ssa.Builtin); ok {
		return true
	}
	if _, ok := Known(common); ok {
		return true
	}
	fn := common.StaticCallee()
	return fn != nil && onlyReads(fn, 2)
}

// onlyReads reports whether a function changes no memory except its own variables. It follows calls
// up to the given depth.
func onlyReads(fn *ssa.Function, depth int) bool {
	if len(fn.Blocks) == 0 || depth == 0 {
		return false
	}
	for _, block := range fn.Blocks {
		for _, instr := range block.Instrs {
			switch x := instr.(type) {
			case *ssa.Store:
				alloc, ok := PathOf(x.Addr).Root.(*ssa.Alloc)
				if !ok || alloc.Parent() != fn || strings.Contains(PathOf(x.Addr).Steps, "*") {
					return false
				}
			case *ssa.MapUpdate, *ssa.Send, *ssa.Select, *ssa.Go, *ssa.Defer:
				return false
			case *ssa.Call:
				if b, ok := x.Call.Value.(*ssa.Builtin); ok && b.Name() != "copy" && b.Name() != "clear" {
					continue
				}
				if callee := x.Call.StaticCallee(); callee == nil || !onlyReads(callee, depth-1) {
					return false
				}
			}
		}
	}
	return true
}

// elsewhere reports whether a call runs code of another package that can reach variables of this
// package only through its arguments. It returns false for most functions of sync and sync/atomic,
// because they let other goroutines run.
func elsewhere(call ssa.CallInstruction) bool {
	fn := call.Common().StaticCallee()
	if fn == nil {
		return false
	}
	if origin := fn.Origin(); origin != nil {
		fn = origin
	}
	if fn.Pkg == nil || call.Parent().Pkg == nil || fn.Pkg == call.Parent().Pkg {
		return false
	}
	for _, arg := range call.Common().Args {
		if _, closure := arg.Type().Underlying().(*types.Signature); closure {
			return false
		}
	}
	path := fn.Pkg.Pkg.Path()
	return path != "sync" && path != "sync/atomic" || fn.Name() == "Put" || fn.Name() == "Get"
}

// reachedBy returns the paths of the objects that are passed to a call as arguments, as its
// receiver, or as captured variables. The call can reach all memory below these paths.
func reachedBy(common *ssa.CallCommon, path func(ssa.Value) Path) (given []Path) {
	for _, arg := range common.Args {
		given = append(given, path(base(arg)))
	}
	if common.IsInvoke() {
		given = append(given, path(common.Value))
	}
	if closure, ok := common.Value.(*ssa.MakeClosure); ok {
		for _, bound := range closure.Bindings {
			given = append(given, path(bound))
		}
	}
	return given
}

// typeAt returns the type of the field to which the steps lead from a value of type t.
func typeAt(t types.Type, steps string) types.Type {
	for _, step := range strings.Split(steps, ".")[1:] {
		fields, ok := t.Underlying().(*types.Struct)
		i, err := strconv.Atoi(step)
		if !ok || err != nil || i >= fields.NumFields() {
			return nil
		}
		t = fields.Field(i).Type()
	}
	return t
}
