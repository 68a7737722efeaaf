package main

import (
	"github.com/tdewolff/parse/v2/js"

	"github.com/coppice-go/coppice/workloads/jsast/go/fromjs"
	"github.com/coppice-go/coppice/workloads/jsast/go/walkjs"
)

// A fact is what a resolver knows about a variable.
type fact struct {
	depth    int // nesting depth of the function that declares the variable
	captured bool
}

// resolve finds the function that declares each used variable. The parser's variables have no field
// for facts, so the facts are in a map.
func resolve(ast *js.AST) (r resolution) {
	facts := map[*js.Var]fact{}
	w := walkjs.Walker{}
	w.Enter = func(s *js.Scope) {
		for _, v := range s.Declared {
			facts[v] = fact{depth: w.Depth}
		}
	}
	w.Leave = func(*js.Scope) {}
	w.Use = func(v *js.Var) {
		v = fromjs.Resolved(v)
		known, ok := facts[v]
		switch {
		case !ok:
			r.undeclared++
		case known.depth == w.Depth:
			r.own++
		default:
			r.outer++
			r.hops += w.Depth - known.depth
			if !known.captured {
				r.captured++
				facts[v] = fact{known.depth, true}
			}
		}
	}
	w.Module(ast)
	return r
}

// rename gives short names to variables. It does not rename the variables of the module, private
// names, and variables that no scope declares. The names of a scope continue the sequence of names
// of the enclosing scope.
func rename(ast *js.AST) int {
	var n namer
	base := []int{0}
	w := walkjs.Walker{}
	w.Enter = func(s *js.Scope) {
		first := base[len(base)-1]
		if len(base) == 1 {
			base = append(base, 0)
			return
		}
		for i, v := range s.Declared {
			if v.Decl != js.PrivateDecl {
				v.Data = n.name(first + i)
			}
		}
		base = append(base, first+len(s.Declared))
	}
	w.Leave = func(*js.Scope) { base = base[:len(base)-1] }
	w.Use = func(v *js.Var) {
		if v.Link != nil {
			v.Data = v.Name() // the printer compares Data with a property name
		}
	}
	w.Module(ast)
	return n.renamed
}
