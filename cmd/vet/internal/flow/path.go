package flow

import (
	"go/token"
	"strconv"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// A Path identifies a variable or a part of one. It consists of a value and the steps from there:
// ".2" for the third field, "*" for the target of a pointer, "[]" for the elements of a slice. Two
// equal Paths refer to the same object unless a variable or field on the path is assigned to in
// between. The zero Path is unknown.
type Path struct {
	Root  ssa.Value
	Steps string
}

// PathOf returns the Path of the object to which v points. It replaces a captured variable with the
// variable of the enclosing function, and a variable that is assigned only once with its value.
func PathOf(v ssa.Value) Path {
	switch v := v.(type) {
	case *ssa.FieldAddr:
		p := PathOf(v.X)
		return Path{p.Root, p.Steps + "." + strconv.Itoa(v.Field)}
	case *ssa.ChangeType:
		return PathOf(v.X)
	case *ssa.MakeInterface:
		return PathOf(v.X)
	case *ssa.TypeAssert:
		if !v.CommaOk {
			return PathOf(v.X)
		}
	case *ssa.Extract:
		if assert, ok := v.Tuple.(*ssa.TypeAssert); ok && v.Index == 0 {
			return PathOf(assert.X)
		}
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

// name returns a path as a Go expression, such as p.text. No pointer other than the root may be on
// the path.
func (p Path) name() string {
	fields, _ := fieldsOf(p)
	name := p.Root.Name()
	for _, f := range fields {
		name += "." + f.Name()
	}
	return name
}

// replaceable reports whether the path q goes through the object at p and then through a pointer.
// In this case, code with access to p can assign to that pointer, so that q refers to a different
// object.
func (p Path) replaceable(q Path) bool {
	steps, below := q.within(p)
	return below && strings.Contains(steps, "*")
}

// within returns the steps from p to q, and reports whether q is at or below p.
func (q Path) within(p Path) (steps string, below bool) {
	steps, below = strings.CutPrefix(q.Steps, p.Steps)
	return steps, below && p.Root == q.Root && (steps == "" || strings.IndexByte(".*[", steps[0]) >= 0)
}

// isNil reports whether the pointer at which a path starts is always nil, because it is a constant
// or a variable that is never assigned to.
func (p Path) isNil() bool {
	variable, ok := p.Root.(*ssa.Alloc)
	if !ok {
		_, constant := p.Root.(*ssa.Const)
		return constant
	}
	stores, escapes := assignments(variable)
	return p.Steps == "*" && len(stores) == 0 && !escapes
}

// binding returns the value to which the enclosing function binds a captured variable of a closure.
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

// onlyValue returns the value of the variable at addr if the variable is assigned exactly once, and
// nil otherwise. In SSA form, a variable that a closure captures is kept in memory.
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

// assignments returns the assignments to the variable at addr, including those in closures. escapes
// reports whether the address of the variable escapes.
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

// isLocal reports whether a variable is assigned to only in the function that declares it, so that
// its value can be tracked there.
func isLocal(variable *ssa.Alloc) bool {
	stores, escapes := assignments(variable)
	for _, s := range stores {
		escapes = escapes || s.Parent() != variable.Parent()
	}
	return !escapes
}
