package flow

import (
	"go/token"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// An Ended describes an object that an instruction resets or gives to a pool, directly or by
// calling a function that does so.
type Ended struct {
	At     ssa.Instruction // has a position in the source
	Call   Call            // the call of the library; without arguments if another function makes it
	From   ssa.Value       // the argument, or variable that a closure captured, that leads to the object
	Steps  string          // from there to the object; "" if it is the object
	Path   Path            // of the object
	Helper string          // the function that makes the call, or ""
	Fresh  bool            // the function may have given the object other memory before
	resets map[string]bool // the types whose Reset is mentioned in the package of the call
}

// IsPut reports whether the object was given to a pool rather than reset.
func (e Ended) IsPut() bool { return isPut(e.Call) }

func isPut(call Call) bool {
	switch call.Key() {
	case "pool.Pool.Put", "sync.Pool.Put", "arena.Pool.Put":
		return true
	}
	return false
}

// Reuses reports whether the memory of an object is reused after a Put, which requires that the
// object is reset. source is the type of the object, as in a Cut. The pools of the library reset
// their objects themselves. A value from a slab that is never reset stays valid.
func (e Ended) Reuses(source string) bool {
	itself := e.Call.Key() != "sync.Pool.Put" && e.Steps == "" && sourceOf(e.From.Type()) == source
	return e.resets[source] || itself
}

// An ending describes an object that a function resets or gives to a pool on every path. The object
// is reached from a parameter of the function or from a variable of the enclosing function.
type ending struct {
	param  int // the parameter that the path starts at, or -1
	path   Path
	call   Call // type and name only
	helper string
	fresh  bool // the object may have been given other memory before
	resets map[string]bool
}

// Endings returns the objects that an instruction resets or gives to a pool. For a call, these are
// the objects that the called function ends. For the instruction at the end of a function that runs
// the deferred calls, they are the objects that these calls end.
func (p *Program) Endings(instr ssa.Instruction) (all []Ended) {
	switch x := instr.(type) {
	case *ssa.Call:
		return p.endedBy(x, x.Common())
	case *ssa.RunDefers:
		for _, d := range defers(x) {
			all = append(all, p.endedBy(d, d.Common())...)
		}
	}
	return all
}

// defers returns the calls that are deferred on every path to the end of a function, in the order
// in which they are executed.
func defers(end *ssa.RunDefers) (all []*ssa.Defer) {
	for _, block := range end.Parent().Blocks {
		if !block.Dominates(end.Block()) {
			continue
		}
		for _, instr := range block.Instrs {
			if d, ok := instr.(*ssa.Defer); ok {
				all = append([]*ssa.Defer{d}, all...)
			}
		}
	}
	return all
}

func (p *Program) endedBy(at ssa.Instruction, common *ssa.CallCommon) (all []Ended) {
	if call, ok := Known(common); ok {
		e := Ended{At: at, Call: call, resets: p.resets}
		switch {
		case isPut(call) && len(call.Args) == 1:
			e.From = call.Args[0]
		case Effects[call.Key()].Ends == EndsAll:
			e.From = call.Recv
		default:
			return nil
		}
		e.Path = p.Settle(pathAt(at, e.From))
		return []Ended{e}
	}
	fn := common.StaticCallee()
	if fn == nil {
		return nil
	}
	for _, d := range p.endingsOf(fn) {
		e := Ended{At: at, Call: d.call, Helper: d.helper, Fresh: d.fresh, resets: d.resets, From: d.path.Root, Steps: d.path.Steps}
		if d.param >= len(common.Args) {
			continue
		} else if d.param >= 0 {
			e.From = common.Args[d.param]
		}
		e.Path = pathAt(at, e.From)
		e.Path.Steps += e.Steps
		e.Path = p.Settle(e.Path)
		all = append(all, e)
	}
	return all
}

// pathAt returns the path of the object to which v points, as seen by an instruction that ends the
// object. If v was loaded from memory in which a different pointer may have been stored since, the
// path starts at v.
func pathAt(at ssa.Instruction, v ssa.Value) Path {
	path := PathOf(base(v))
	if !indirect(path.Steps) {
		return path
	}
	for on := base(v); ; {
		switch x := on.(type) {
		case *ssa.FieldAddr:
			on = x.X
			continue
		case *ssa.UnOp:
			if storedBetween(x, at) {
				return Path{Root: v}
			}
			on = x.X
			continue
		}
		return path
	}
}

// storedBetween reports whether the memory from which a value was loaded may be overwritten between
// the load and another instruction.
func storedBetween(load *ssa.UnOp, at ssa.Instruction) bool {
	from := PathOf(load.X)
	for _, block := range load.Parent().Blocks {
		for _, instr := range block.Instrs {
			store, ok := instr.(*ssa.Store)
			if !ok || precedes(store, load) || precedes(at, store) {
				continue
			}
			if _, below := from.within(PathOf(store.Addr)); below {
				return true
			}
		}
	}
	return false
}

// precedes reports whether an instruction is always executed before another, if the other is
// executed.
func precedes(first, second ssa.Instruction) bool {
	if first.Block() != second.Block() {
		return first.Parent() == second.Parent() && first.Block().Dominates(second.Block())
	}
	for _, instr := range first.Block().Instrs {
		switch instr {
		case second:
			return false
		case first:
			return true
		}
	}
	return false
}

// mapped translates a path that starts at the i-th parameter of a called function to the
// corresponding path in the caller. It also returns the i-th argument, unless the path goes through
// a pointer.
func mapped(path Path, i int, args []ssa.Value) (Path, ssa.Value) {
	if i < 0 || i >= len(args) {
		return Path{}, nil
	}
	outer := PathOf(base(args[i]))
	outer.Steps += path.Steps
	if indirect(path.Steps) {
		return outer, nil
	}
	return outer, args[i]
}

// parameter returns the index of v among the parameters of fn, or -1.
func parameter(fn *ssa.Function, v ssa.Value) int {
	return slices.IndexFunc(fn.Params, func(p *ssa.Parameter) bool { return p == v })
}

// body returns the function that contains the code of fn. For an instance of a generic function,
// this is the generic function.
func body(fn *ssa.Function) *ssa.Function {
	if origin := fn.Origin(); origin != nil && len(fn.Blocks) == 0 {
		return origin
	}
	return fn
}

// base returns the value whose memory v refers to. For example, it returns s for s[:0] and for an
// interface that contains s.
func base(v ssa.Value) ssa.Value {
	for {
		switch x := v.(type) {
		case *ssa.Slice:
			v = x.X
		case *ssa.MakeInterface:
			v = x.X
		case *ssa.ChangeType:
			v = x.X
		case *ssa.ChangeInterface:
			v = x.X
		default:
			return v
		}
	}
}

// computeEndings returns the objects that a function resets or gives to a pool on every path.
func (p *Program) computeEndings(fn *ssa.Function) (all []ending) {
	type key struct {
		path Path
		name string
	}
	sites := map[key][]ssa.Instruction{}
	made := map[key]ending{}
	var order []key
	for _, block := range fn.Blocks {
		for _, instr := range block.Instrs {
			for _, e := range p.Endings(instr) {
				if e.Path.Root == nil || !isOuter(e.Path.Root, fn) {
					continue
				}
				k := key{e.Path, e.Call.Key()}
				if sites[k] == nil {
					order = append(order, k)
				}
				sites[k] = append(sites[k], instr)
				made[k] = ending{
					parameter(fn, e.Path.Root), e.Path, Call{Type: e.Call.Type, Name: e.Call.Name}, fn.Name(),
					made[k].fresh || e.Fresh || renews(fn, e.Path, instr), e.resets,
				}
			}
		}
	}
	for _, k := range order {
		if alwaysPasses(fn, k.path, sites[k]) && !replacedBefore(fn, k.path, sites[k]) {
			all = append(all, made[k])
		}
	}
	return all
}

// isOuter reports whether a value is a parameter of fn or belongs to an enclosing function.
func isOuter(v ssa.Value, fn *ssa.Function) bool {
	if parameter(fn, v) >= 0 {
		return true
	}
	for outer := fn.Parent(); outer != nil; outer = outer.Parent() {
		if v.Parent() == outer {
			return true
		}
	}
	return false
}

// alwaysPasses reports whether every path through a function passes one of the sites. It ignores
// paths on which the object is nil, or is dropped because it is too large.
func alwaysPasses(fn *ssa.Function, object Path, sites []ssa.Instruction) bool {
	passes := map[*ssa.BasicBlock]bool{}
	for _, site := range sites {
		passes[site.Block()] = true
	}
	known := map[*ssa.BasicBlock]bool{}
	var reach func(*ssa.BasicBlock) bool
	reach = func(block *ssa.BasicBlock) bool {
		if passes[block] {
			return true
		}
		if result, ok := known[block]; ok {
			return result
		}
		known[block] = true // a path that returns to this block ends elsewhere
		last := block.Instrs[len(block.Instrs)-1]
		result := true
		switch last := last.(type) {
		case *ssa.Return:
			result = false
		case *ssa.If:
			first, second := reach(block.Succs[0]), reach(block.Succs[1])
			result = first && second || (first || second) && dropsWhen(last.Cond, object)
		default:
			for _, next := range block.Succs {
				result = reach(next) && result
			}
		}
		known[block] = result
		return result
	}
	return reach(fn.Blocks[0])
}

// dropsWhen reports whether a condition only tests whether an object is nil or how large it is.
func dropsWhen(cond ssa.Value, object Path) bool {
	compared, ok := cond.(*ssa.BinOp)
	if !ok {
		return false
	}
	for _, side := range []ssa.Value{compared.X, compared.Y} {
		if of := measured(side); of != nil && PathOf(base(of)).Root == object.Root {
			return compared.Op != token.EQL && compared.Op != token.NEQ
		}
		k, isConst := side.(*ssa.Const)
		if !isConst || !k.IsNil() {
			continue
		}
		other := compared.X
		if other == side {
			other = compared.Y
		}
		if path := PathOf(base(other)); path.Root == object.Root {
			_, above := object.within(path)
			return above
		}
	}
	return false
}

// measured returns x if v is the capacity of x, and nil otherwise.
func measured(v ssa.Value) ssa.Value {
	call, ok := v.(*ssa.Call)
	if !ok || len(call.Call.Args) != 1 {
		return nil
	}
	if fn, ok := call.Call.Value.(*ssa.Builtin); ok && fn.Name() == "cap" {
		v := call.Call.Args[0]
		if load, ok := v.(*ssa.UnOp); ok && load.Op == token.MUL {
			return load.X
		}
		return v
	}
	if fn := call.Call.StaticCallee(); fn != nil && fn.Name() == "Cap" {
		return call.Call.Args[0]
	}
	return nil
}

// renews reports whether a function may give an object different memory, because it assigns a slice
// or a struct inside the object, or calls a function that may do so. Reslicing a field, as in x.f =
// x.f[:0], does not give the object different memory.
func renews(fn *ssa.Function, object Path, end ssa.Instruction) bool {
	for _, block := range fn.Blocks {
		for _, instr := range block.Instrs {
			switch x := instr.(type) {
			case *ssa.Store:
				to := PathOf(x.Addr)
				load, cut := base(x.Val).(*ssa.UnOp)
				cut = cut && isSlice(x.Val.Type()) && PathOf(load.X) == to
				memory := isSlice(x.Val.Type()) || isStruct(x.Val.Type())
				if _, below := to.within(object); below && memory && !cut {
					return true
				}
			case *ssa.Call:
				if instr == end || harmless(x) || elsewhere(x) {
					continue
				}
				for _, given := range reachedBy(x.Common(), PathOf) {
					if _, below := object.within(given); below {
						return true
					}
				}
			}
		}
	}
	return false
}

// replacedBefore reports whether a path through a pointer may refer to a different object at one of
// the sites than at the start of the function.
func replacedBefore(fn *ssa.Function, path Path, sites []ssa.Instruction) bool {
	if !strings.Contains(path.Steps, "*") {
		return false
	}
	for _, block := range fn.Blocks {
		for _, instr := range block.Instrs {
			if mayReplace(instr, path) && !allBefore(sites, instr) {
				return true
			}
		}
	}
	return false
}

func mayReplace(instr ssa.Instruction, path Path) bool {
	switch x := instr.(type) {
	case *ssa.Store:
		to := PathOf(x.Addr)
		steps, below := path.within(to)
		return below && steps != ""
	case *ssa.Call:
		if harmless(x) {
			return false
		}
		for _, given := range reachedBy(x.Common(), PathOf) {
			if given.replaceable(path) {
				return true
			}
		}
	}
	return false
}

// allBefore reports whether all sites are always executed before an instruction.
func allBefore(sites []ssa.Instruction, instr ssa.Instruction) bool {
	for _, site := range sites {
		if site != instr && !precedes(site, instr) {
			return false
		}
	}
	return true
}
