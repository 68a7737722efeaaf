package main

import (
	"github.com/tdewolff/parse/v2/js"

	"github.com/coppice-go/coppice/workloads/jsast/syntax"
	"github.com/coppice-go/coppice/workloads/jsast/syntaxflat"
)

// resolveFlat finds the function that declares each used variable. The depth of each node, and
// whether a variable is captured, are in side tables.
func resolveFlat(t syntaxflat.Tree) (r resolution) {
	numbers := t.Numbers()
	depths, captured := depthsOf(t, numbers), syntaxflat.NewSideTable[bool](numbers)
	for n := range t.All {
		if n.Kind() != syntaxflat.KindIdent {
			continue
		}
		v := n.AsIdent().Var()
		hops := int(depths.Of(n) - depths.Of(v.AsAny()))
		switch {
		case v.Decl() == syntax.DeclType(js.NoDecl):
			r.undeclared++
		case hops == 0:
			r.own++
		default:
			r.outer++
			r.hops += hops
			if was := captured.At(v.AsAny()); !*was {
				*was = true
				r.captured++
			}
		}
	}
	return r
}

// A span is a part of the tree in which all nodes have the same depth, except for the nodes in the
// spans inside it. It is a function, which ends with the node last, or the name of a method, which
// ends before the node next.
type span struct {
	depth      int32
	last, next syntaxflat.Any
}

// depthsOf returns the number of functions around each use and each variable. The name of a
// method, which may be computed, is outside the method. The order of the records does not
// matter.
func depthsOf(t syntaxflat.Tree, numbers syntaxflat.Numbering) syntaxflat.SideTable[int32] {
	depths := syntaxflat.NewSideTable[int32](numbers)
	spans := []span{{}}
	top := spans[0]
	begin := func(s span) {
		spans = append(spans, s)
		top = s
	}
	end := func() {
		spans = spans[:len(spans)-1]
		top = spans[len(spans)-1]
	}
	for n := range t.Root().AsAny().Preorder {
		if n == top.next {
			end()
		}
		switch n.Kind() {
		case syntaxflat.KindIdent:
			depths.Set(n, top.depth)
		case syntaxflat.KindVar:
			depths.Set(n, top.depth)
			if n == top.last {
				end()
			}
		case syntaxflat.KindScope:
			if n == top.last {
				end()
			}
		case syntaxflat.KindFuncDecl:
			begin(span{depth: top.depth + 1, last: lastIn(n.AsFuncDecl().Body())})
		case syntaxflat.KindArrowFunc:
			begin(span{depth: top.depth + 1, last: lastIn(n.AsArrowFunc().Body())})
		case syntaxflat.KindMethodDecl:
			n, outside := n.AsMethodDecl(), top.depth
			begin(span{depth: outside + 1, last: lastIn(n.Body())})
			begin(span{depth: outside, next: firstIn(n.Params(), n.Body())})
		}
	}
	return depths
}

// firstIn returns the first node in preorder of a function's parameters and its body.
func firstIn(params syntaxflat.Params, body syntaxflat.BlockStmt) syntaxflat.Any {
	for p := range params.List {
		if bound := p.Binding(); !bound.IsNil() {
			return bound.AsAny()
		}
	}
	if !params.Rest().IsNil() {
		return params.Rest().AsAny()
	}
	return body.AsAny()
}

// lastIn returns the last node in preorder of a block: its scope, or the last variable of the
// scope.
func lastIn(body syntaxflat.BlockStmt) syntaxflat.Any {
	scope := body.Scope()
	if n := scope.NumDeclared(); n > 0 {
		return scope.DeclaredAt(n - 1).AsAny()
	}
	return scope.AsAny()
}

// renameFlat gives variables the same names as rename does. The number of a scope's first name
// is in a side table.
func renameFlat(t syntaxflat.Tree) int {
	var n namer
	s := bases{syntaxflat.NewSideTable[int32](t.Numbers())}
	for node := range t.All {
		if node.Kind() != syntaxflat.KindScope {
			continue
		}
		scope := node.AsScope()
		if scope.Parent().IsNil() {
			continue
		}
		i := s.first(scope)
		for v := range scope.Declared {
			if v.Decl() != syntax.DeclType(js.PrivateDecl) {
				v.SetData(n.name(i))
			}
			i++
		}
	}
	return n.renamed
}

// bases contains the number of each scope's first name, plus 1, or 0 if it is not known yet.
type bases struct{ known syntaxflat.SideTable[int32] }

func (s bases) first(scope syntaxflat.Scope) int {
	up := scope.Parent()
	if up.IsNil() || up.Parent().IsNil() {
		return 0
	}
	known := s.known.At(scope.AsAny())
	if *known == 0 {
		*known = int32(s.first(up)+up.NumDeclared()) + 1
	}
	return int(*known - 1)
}
