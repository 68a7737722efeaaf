package flow

import (
	"go/token"
	"strconv"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// A Path names a variable or a part of one: a value, and the steps from there, ".2" for
// the third field and "*" for what a pointer points to. Two equal Paths are one object
// as long as nothing is assigned on the way. The zero Path is unknown.
type Path struct {
	Root  ssa.Value
	Steps string
}

// PathOf returns the Path of the object that v, a pointer, points to. Variables that a
// closure captured, and those that are assigned once, are traced to where they come from.
func PathOf(v ssa.Value) Path {
	switch v := v.(type) {
	case *ssa.FieldAddr:
		p := PathOf(v.X)
		return Path{p.Root, p.Steps + "." + strconv.Itoa(v.Field)}
	case *ssa.ChangeType:
		return PathOf(v.X)
	case *ssa.MakeInterface:
		return PathOf(v.X)
	case *ssa.FreeVar:
		if outer := binding(v); outer != nil {
			return PathOf(outer)
		}
	case *ssa.UnOp:
		if v.Op != token.MUL {
			break
		}
		if only := onlyValue(v.X); only != nil {
			return PathOf(only)
		}
		switch x := v.X.(type) {
		case *ssa.Alloc, *ssa.FreeVar, *ssa.Global, *ssa.FieldAddr:
			p := PathOf(x)
			return Path{p.Root, p.Steps + "*"}
		}
	}
	return Path{v, ""}
}

// replaceable tells whether whoever has the object p can make q, a path through it,
// another object: because a pointer stands on the way.
func (p Path) replaceable(q Path) bool {
	rest, below := strings.CutPrefix(q.Steps, p.Steps)
	return p.Root == q.Root && below && strings.Contains(rest, "*")
}

// binding returns what the function around a closure bound to one of its free variables.
func binding(free *ssa.FreeVar) ssa.Value {
	inner := free.Parent()
	if inner.Parent() == nil {
		return nil
	}
	for _, block := range inner.Parent().Blocks {
		for _, instr := range block.Instrs {
			closure, ok := instr.(*ssa.MakeClosure)
			if !ok || closure.Fn != inner {
				continue
			}
			for i, f := range inner.FreeVars {
				if f == free {
					return closure.Bindings[i]
				}
			}
		}
	}
	return nil
}

// onlyValue returns the value of the variable at addr if it is assigned exactly once, and
// nil otherwise. SSA form keeps a variable in memory if a closure captures it.
func onlyValue(addr ssa.Value) ssa.Value {
	for {
		free, ok := addr.(*ssa.FreeVar)
		if !ok {
			break
		}
		addr = binding(free)
	}
	variable, ok := addr.(*ssa.Alloc)
	if !ok {
		return nil
	}
	stores, escapes := assignments(variable)
	if escapes || len(stores) != 1 {
		return nil
	}
	return stores[0].Val
}

// assignments returns what assigns to the variable at addr, in closures too, and whether
// its address goes somewhere else.
func assignments(addr ssa.Value) (stores []*ssa.Store, escapes bool) {
	for _, user := range *addr.Referrers() {
		switch user := user.(type) {
		case *ssa.Store:
			if user.Val == addr {
				return nil, true
			}
			stores = append(stores, user)
		case *ssa.UnOp, *ssa.DebugRef:
		case *ssa.MakeClosure:
			for i, bound := range user.Bindings {
				if bound != addr {
					continue
				}
				more, gone := assignments(user.Fn.(*ssa.Function).FreeVars[i])
				if gone {
					return nil, true
				}
				stores = append(stores, more...)
			}
		default:
			return nil, true
		}
	}
	return stores, false
}

// isLocal tells whether only the function around the variable assigns to it, so that its
// value can be followed there.
func isLocal(variable *ssa.Alloc) bool {
	stores, escapes := assignments(variable)
	for _, s := range stores {
		escapes = escapes || s.Parent() != variable.Parent()
	}
	return !escapes
}
