package keeps

import (
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// A habit describes what a function of a different module does with its arguments.
type habit int

const (
	keepsIt  habit = iota // the effects are unknown, and the function may keep its arguments
	readsIt               // reads the value and what it leads to, and calls methods that return text; the result may hold all of these
	movesIt               // moves elements of lists and maps, calls functions with them, and returns some of them
	sortsIt               // calls the methods of sort.Interface
	takesAll              // may move its arguments and what they lead to, and may call any method
	callsIt               // calls functions that it gets as arguments, except for its receiver
)

// habits maps packages and functions of the standard library to their habits. All other functions
// may keep their arguments.
var habits = map[string]habit{
	"fmt": readsIt, "math": readsIt, "math/bits": readsIt, "unicode": readsIt,
	"cmp": movesIt, "maps": movesIt, "slices": movesIt, "sort": movesIt, "strconv": movesIt, "unicode/utf16": movesIt, "unicode/utf8": movesIt,
	"bytes": takesAll, "strings": takesAll,
	"errors.As": takesAll, "errors.AsType": takesAll, "errors.Is": takesAll, "errors.Join": readsIt, "errors.New": readsIt, "errors.Unwrap": takesAll,
	"fmt.Append": takesAll, "fmt.Appendf": takesAll, "fmt.Appendln": takesAll, "fmt.FormatString": takesAll,
	"fmt.Fprint": takesAll, "fmt.Fprintf": takesAll, "fmt.Fprintln": takesAll,
	"fmt.Fscan": keepsIt, "fmt.Fscanf": keepsIt, "fmt.Fscanln": keepsIt, "fmt.Scan": keepsIt, "fmt.Scanf": keepsIt, "fmt.Scanln": keepsIt,
	"fmt.Sscan": keepsIt, "fmt.Sscanf": keepsIt, "fmt.Sscanln": keepsIt,
	"sort.IsSorted": sortsIt, "sort.Sort": sortsIt, "sort.Stable": sortsIt, "sort.Reverse": readsIt,
	"(*strconv.NumError).Error": takesAll, "(*strconv.NumError).Unwrap": takesAll,
	"(*sync.Once).Do": callsIt,
}

// habitOf returns the habit of a function.
func habitOf(fn *ssa.Function) habit {
	if h, ok := habits[fullName(fn)]; ok {
		return h
	}
	return habits[packageOf(fn)]
}

// applyHabit records a call to a function with the given habit.
func (s *search) applyHabit(h habit, args []*place, result *place) {
	switch h {
	case keepsIt:
		s.unknown(args, result)
	case readsIt:
		s.recordResult(result, s.read(args))
	case movesIt:
		s.moved(args, result)
	case sortsIt:
		at := s.at
		s.each(args[0].leads, func(p *place) { s.attribute(at, func() { s.sorted(p) }) })
	case takesAll:
		all := s.read(args)
		s.recordResult(result, all)
		s.shuffle(s.read(s.written(args, all)), all)
	}
}

// written returns the arguments in which a function can store pointers, or to which it can pass
// pointers. Function arguments whose parameters and results contain no pointers, such as func(rune)
// bool, are not returned; written analyzes them itself.
func (s *search) written(args []*place, all *node) (some []*place) {
	for _, arg := range args {
		switch u := arg.typ.Underlying().(type) {
		case *types.Signature:
			if pointerless(u.Params()) && pointerless(u.Results()) {
				at := s.at
				s.each(arg.leads, func(p *place) {
					s.attribute(at, func() {
						if p.kind == function && s.hasBody(p.fn) {
							s.passArguments(p, p.fn.Params, all)
						}
					})
				})
				continue
			}
		case *types.Slice:
			if pointerless(u.Elem()) {
				continue
			}
		case *types.Pointer:
			if pointerless(u.Elem()) {
				continue
			}
		default:
			if pointerless(u) {
				continue
			}
		}
		some = append(some, arg)
	}
	return some
}

// pointerless reports whether values of a type contain no pointers. The pointers in strings are
// ignored, because nothing can be stored through them.
func pointerless(t types.Type) bool {
	if isPointer(t) {
		return false
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return true
	case *types.Array:
		return pointerless(u.Elem())
	case *types.Struct:
		for field := range u.Fields() {
			if !pointerless(field.Type()) {
				return false
			}
		}
		return true
	case *types.Tuple:
		for v := range u.Variables() {
			if !pointerless(v.Type()) {
				return false
			}
		}
		return true
	}
	return false
}

// read returns all places that are reachable from the given values, or from the values of panics.
// It also analyzes the methods that package fmt calls to format these places.
func (s *search) read(args []*place) *node {
	all, at := &node{}, s.at
	s.each(all, func(p *place) {
		s.attribute(at, func() {
			if p.kind == memory {
				s.texts(s.pointerTo(p))
			}
			for _, held := range p.contents() {
				s.readParts(held, all)
			}
		})
	})
	for _, arg := range append(args, s.panics) {
		s.readParts(arg, all)
	}
	return all
}

// readParts adds to a node the places to which a value and its parts point, and analyzes the
// methods that format the value and its parts.
func (s *search) readParts(p *place, all *node) {
	s.texts(p)
	s.edge(p.leads, all)
	for _, part := range p.allParts() {
		s.readParts(part, all)
	}
}

// textMethods lists the methods with which package fmt formats a value.
var textMethods = []string{"Error", "Format", "GoString", "String"}

// errorMethods lists the methods that package errors calls.
var errorMethods = []string{"As", "Is", "Unwrap"}

// texts analyzes the textMethods of a value. Their arguments come from outside.
func (s *search) texts(p *place) {
	if !p.opaque() && !s.texted[p] {
		s.texted[p] = true
		s.methods(p, textMethods, func(param *place) { s.fromOutside(param) })
	}
}

// methods analyzes the named methods of a value, or all methods if names is nil. The function give
// sets the parameters of the methods, and their results are added to the nodes in results. Methods
// without a known body affect only the value.
func (s *search) methods(receiver *place, names []string, give func(param *place), results ...*node) {
	for m := range s.prog.MethodSets.MethodSet(receiver.typ).Methods() {
		if names != nil && !slices.Contains(names, m.Obj().Name()) {
			continue
		}
		fn := s.prog.MethodValue(m)
		switch {
		case fn == nil: // an interface method; the values in the interface have their own methods
		case s.hasBody(fn):
			s.flow(receiver, s.placeOf(fn.Params[0]))
			for _, param := range fn.Params[1:] {
				give(s.placeOf(param))
			}
			s.enter(s.functionPlace(fn))
			for _, all := range results {
				leaves(s.resultsOf(fn), func(leaf *place) { s.edge(leaf.leads, all) })
			}
		case habitOf(fn) == keepsIt:
			s.leak(receiver)
		case habitOf(fn) == takesAll && !s.taken[receiver]:
			s.taken[receiver] = true
			s.applyHabit(takesAll, []*place{receiver}, newPlace(types.NewTuple()))
		}
	}
}

// sorted analyzes the methods that package sort calls.
func (s *search) sorted(p *place) {
	switch p.kind {
	case boxed:
		s.methods(p.part(0), []string{"Len", "Less", "Swap"}, func(*place) {})
	case other:
		s.applyHabit(takesAll, []*place{p.part(0)}, newPlace(types.NewTuple()))
	}
}

// passArguments analyzes a function that gets the places of a node as arguments. The results of the
// function flow to the same node.
func (s *search) passArguments(p *place, params []*ssa.Parameter, all *node) {
	for _, param := range params {
		s.give(s.placeOf(param), all)
	}
	s.enter(p)
	leaves(s.resultsOf(p.fn), func(leaf *place) { s.edge(leaf.leads, all) })
}

// give records that a value may be any of the places of a node that fit its type. A function among
// these places may belong to the caller, and may keep its arguments.
func (s *search) give(to *place, all *node) {
	leaves(to, func(leaf *place) {
		if _, function := leaf.typ.Underlying().(*types.Signature); function {
			s.add(leaf.leads, s.outside)
			s.add(all, s.outside)
		}
		s.filtered(all, leaf)
	})
}

// recordResult records that a result may point to the places of a node, and to new memory that
// contains these places.
func (s *search) recordResult(result *place, all *node) {
	leaves(result, func(leaf *place) {
		if _, function := leaf.typ.Underlying().(*types.Signature); function { // an iterator
			s.fromOutside(leaf)
			s.escapes(all)
		} else {
			s.new(leaf, all)
			s.fromKnown(leaf)
		}
		s.filtered(all, leaf)
	})
}

// new records that a pointer may point to new memory that a function of a different module
// allocates. This memory contains the places of a node. One place represents all of the memory that
// an instruction allocates for a pointer.
func (s *search) new(pointer *place, all *node) {
	p := s.others[foreignMemory{s.at, pointer}]
	if p == nil {
		switch u := pointer.typ.Underlying().(type) {
		case *types.Pointer:
			p = newPlace(u.Elem())
		case *types.Slice:
			p = listPlace(u.Elem()).part(element)
		case *types.Interface:
			p = &place{kind: other, typ: pointer.typ}
		default:
			p = memoryOf(pointer.typ)
		}
		s.others[foreignMemory{s.at, pointer}] = p
		s.add(pointer.leads, p)
	}
	for _, held := range p.contents() {
		leaves(held, func(leaf *place) {
			if p.kind == other {
				s.edge(all, leaf.leads)
			} else {
				s.filtered(all, leaf)
			}
		})
	}
}

// escapes marks all places of a node as out.
func (s *search) escapes(all *node) {
	at := s.at
	s.each(all, func(p *place) { s.attribute(at, func() { s.expose(p) }) })
}

// moved records a call to a function that moves elements. The function may move the elements of the
// containers to which its arguments refer, and the elements one level deeper.
func (s *search) moved(args []*place, result *place) {
	all, containers := &node{}, s.containers(args)
	s.edge(containers, all)
	s.each(containers, func(p *place) {
		for _, held := range p.contents() {
			leaves(held, func(leaf *place) { s.edge(leaf.leads, all) })
		}
	})
	s.recordResult(result, all)
	s.shuffle(s.containers(s.written(args, all)), all)
}

// containers returns the memory to which the given values refer, directly or through an interface.
// An example is the list that is passed to package sort.
func (s *search) containers(values []*place) *node {
	all := &node{}
	for _, v := range values {
		leaves(v, func(leaf *place) { s.edge(leaf.leads, all) })
	}
	s.each(all, func(p *place) {
		if p.kind == boxed || p.kind == other {
			leaves(p.part(0), func(leaf *place) { s.edge(leaf.leads, all) })
		}
	})
	return all
}

// shuffle records that a function may store any place of the node all in any place of the node
// places whose type fits. It analyzes the functions and methods in places, which may get the places
// in all as arguments.
func (s *search) shuffle(places, all *node) {
	at := s.at
	s.each(places, func(p *place) {
		s.attribute(at, func() {
			switch p.kind {
			case outside:
				s.escapes(all)
			case theirs:
				s.puts(all)
			case function:
				if s.hasBody(p.fn) {
					s.passArguments(p, p.fn.Params, all)
					leaves(s.resultsOf(p.fn), func(leaf *place) { s.edge(leaf.leads, places) })
				} else {
					s.escapes(all)
				}
			case boxed:
				s.methods(p.part(0), nil, func(param *place) { s.give(param, all) }, all, places)
			case memory:
				for _, held := range p.contents() {
					leaves(held, func(leaf *place) {
						s.filtered(all, leaf)
						s.fromKnown(leaf)
					})
				}
			}
		})
	})
}

// fromKnown records that a pointer to a different module's error type may point outside, because a
// known function may have created the error. An example is *strconv.NumError.
func (s *search) fromKnown(leaf *place) {
	pointer, ok := leaf.typ.Underlying().(*types.Pointer)
	if !ok {
		return
	}
	n, ok := types.Unalias(pointer.Elem()).(*types.Named)
	if ok && n.Obj().Pkg() != nil && !s.own[n.Obj().Pkg().Path()] && types.Implements(pointer, errorType) {
		s.add(leaf.leads, s.outside)
	}
}

var errorType = types.Universe.Lookup("error").Type().Underlying().(*types.Interface)

func packageOf(fn *ssa.Function) string {
	if fn.Origin() != nil {
		fn = fn.Origin()
	}
	switch {
	case fn.Pkg != nil:
		return fn.Pkg.Pkg.Path()
	case fn.Object() != nil && fn.Object().Pkg() != nil:
		return fn.Object().Pkg().Path()
	}
	return ""
}

// fullName returns the name of a function, with its package and its receiver, such as
// bytes.NewReader or (*bytes.Reader).Reset.
func fullName(fn *ssa.Function) string {
	if fn.Origin() != nil {
		fn = fn.Origin()
	}
	if object, ok := fn.Object().(*types.Func); ok {
		return object.FullName()
	}
	return strings.TrimSuffix(fn.String(), "$bound")
}
