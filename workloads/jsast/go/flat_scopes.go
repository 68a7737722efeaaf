package main

import (
	"github.com/tdewolff/parse/v2/js"

	"github.com/coppice-go/coppice/workloads/jsast/syntax"
	"github.com/coppice-go/coppice/workloads/jsast/syntaxflat"
)

// resolveFlat finds the functions that declare what is used. The depth of each node, and whether a
// variable is captured, are in side tables.
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

// A span is a part of the tree in which the depth is the same but in parts of it. Its last node has
// the highest number.
type span struct{ last, depth int }

// depthsOf returns how many functions each use and each variable is in. The name of a method,
// which may be computed, is outside. The tree must be canonical: then the nodes after a
// function have higher numbers than those in it.
func depthsOf(t syntaxflat.Tree, numbers syntaxflat.Numbering) syntaxflat.SideTable[int32] {
	depths := syntaxflat.NewSideTable[int32](numbers)
	spans := []span{{numbers.Len(), 0}}
	depth := func(number int) int {
		for spans[len(spans)-1].last < number {
			spans = spans[:len(spans)-1]
		}
		return spans[len(spans)-1].depth
	}
	for n := range t.Root().AsAny().Preorder {
		switch n.Kind() {
		case syntaxflat.KindIdent, syntaxflat.KindVar:
			depths.Set(n, int32(depth(numbers.Of(n))))
		case syntaxflat.KindFuncDecl, syntaxflat.KindArrowFunc:
			number := numbers.Of(n)
			spans = append(spans, span{number, depth(number) + 1})
		case syntaxflat.KindMethodDecl:
			number := numbers.Of(n)
			outside := depth(number)
			spans = append(spans, span{number, outside + 1})
			if name := n.AsMethodDecl().Name().Computed(); !name.IsNil() {
				spans = append(spans, span{numbers.Of(name.AsAny()), outside})
			}
		}
	}
	return depths
}

// renameFlat gives variables the names that rename gives them. The number of a scope's first name
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

// bases has the number of each scope's first name, plus 1, or 0 if it is not known yet.
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
