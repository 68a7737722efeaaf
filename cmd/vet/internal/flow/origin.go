package flow

import (
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// A resultOrigin classifies the relation between a result of a function and a parameter.
type resultOrigin int

const (
	isNothing resultOrigin = iota // it is a constant, or was not computed yet
	isPart                        // it is the parameter, or memory inside the object
	isLoaded                      // it was loaded from the path
	isCut                         // it was cut from the object at the path
	isUnknown
)

// An origin describes where a result of a function comes from. Its path starts at a parameter.
type origin struct {
	how     resultOrigin
	path    Path
	source  string // of a cut
	library bool
}

// merge merges two possible origins of a value. If they differ, the result is an unknown origin; an
// origin of kind isNothing is ignored.
func (o origin) merge(other origin) origin {
	switch {
	case o.how == isNothing || o == other:
		return other
	case other.how == isNothing:
		return o
	}
	return origin{how: isUnknown}
}

// mapped translates the path of an origin to the corresponding path in the caller. If the path does
// not go through a pointer, it also returns the argument.
func (o origin) mapped(call *ssa.Call) (Path, ssa.Value) {
	return mapped(o.path, parameter(body(call.Call.StaticCallee()), o.path.Root), call.Call.Args)
}

// originOf returns the origin of a result of a call.
func (p *Program) originOf(call *ssa.Call, index int) origin {
	fn := call.Call.StaticCallee()
	if fn == nil {
		return origin{how: isUnknown}
	}
	all, known := p.origins[body(fn)]
	if !known || index >= len(all) {
		return origin{how: isUnknown}
	}
	return all[index]
}

// computeOrigins computes the origins of the results of all functions. Because functions may call
// each other, it starts without origins and repeats the computation until no origin changes.
func (p *Program) computeOrigins() {
	for _, fn := range p.Functions {
		p.origins[fn] = make([]origin, fn.Signature.Results().Len())
	}
	for again := true; again; {
		again = false
		for _, fn := range p.Functions {
			for i, before := range p.origins[fn] {
				now := before.merge(p.returned(fn, i))
				again = again || now != before
				p.origins[fn][i] = now
			}
		}
	}
}

// returned returns the origin of a result of a function, based on the origins that are known so
// far.
func (p *Program) returned(fn *ssa.Function, i int) (found origin) {
	if !canAlias(fn.Signature.Results().At(i).Type()) || len(fn.Blocks) == 0 {
		return origin{how: isUnknown}
	}
	t := tracer{p, fn, map[ssa.Value]bool{}}
	for _, block := range fn.Blocks {
		if ret, ok := block.Instrs[len(block.Instrs)-1].(*ssa.Return); ok {
			found = found.merge(t.originOf(ret.Results[i]))
		}
	}
	return found
}

// canAlias reports whether a value of a type can share memory with another value. A number, for
// example, cannot.
func canAlias(t types.Type) bool {
	switch u := t.Underlying().(type) {
	case *types.Pointer, *types.Slice:
		return true
	case *types.Basic:
		return u.Info()&types.IsString != 0
	}
	return false
}

// A tracer determines the origins of the values in a function.
type tracer struct {
	program *Program
	fn      *ssa.Function
	seen    map[ssa.Value]bool
}

// originOf returns the origin of a value.
func (t *tracer) originOf(v ssa.Value) (found origin) {
	switch x := v.(type) {
	case *ssa.Const:
		return origin{}
	case *ssa.Slice:
		return t.originOf(x.X)
	case *ssa.ChangeType:
		return t.originOf(x.X)
	case *ssa.Phi:
		if t.seen[x] {
			return origin{}
		}
		t.seen[x] = true
		for _, e := range x.Edges {
			found = found.merge(t.originOf(e))
		}
		return found
	case *ssa.Call, *ssa.Extract:
		return t.result(v)
	}
	return t.reached(v)
}

// result returns the origin of the result of a call.
func (t *tracer) result(v ssa.Value) origin {
	call, index := resultOf(v)
	if call == nil {
		return origin{how: isUnknown}
	}
	if direct := directCuts(call, index); len(direct) > 0 {
		last := direct[len(direct)-1]
		return t.lasting(origin{isCut, last.Owner, last.Source, last.Library})
	}
	if arg, how := shared(call, index); how == partOf {
		return t.originOf(arg)
	}
	o := t.program.originOf(call, index)
	switch o.how {
	case isNothing:
		return o
	case isPart, isCut:
		o.path, _ = o.mapped(call)
		return t.lasting(o)
	}
	return origin{how: isUnknown}
}

// reached returns the origin of a value that is a parameter, is a part of a parameter, or was
// loaded through one.
func (t *tracer) reached(v ssa.Value) origin {
	if from, loaded := loadedFrom(v); loaded {
		if only := onlyValue(v.(*ssa.UnOp).X); only != nil {
			return t.originOf(only)
		}
		if t.ofParameter(from) && onlyReads(t.fn, 2) {
			return origin{how: isLoaded, path: from}
		}
		return origin{how: isUnknown}
	}
	return t.lasting(origin{how: isPart, path: PathOf(v)})
}

// lasting returns the origin unchanged if its path starts at a parameter and always refers to the
// same object. Otherwise, it returns an unknown origin.
func (t *tracer) lasting(o origin) origin {
	o.path = t.program.Settle(o.path)
	if !t.ofParameter(o.path) || indirect(o.path.Steps) && (o.how == isPart || !t.program.fixed(o.path)) {
		return origin{how: isUnknown}
	}
	return o
}

func (t *tracer) ofParameter(p Path) bool {
	param, ok := p.Root.(*ssa.Parameter)
	return ok && param.Parent() == t.fn
}
