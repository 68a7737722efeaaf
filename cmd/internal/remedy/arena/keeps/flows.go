package keeps

import (
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// flow records an assignment, which is a flow of all pointers in one place to another place of the
// same type.
func (s *search) flow(from, to *place) {
	switch {
	case from == to:
	case to.kind == theirs:
		s.toTheirs(from)
	case from.kind == theirs && to.kind != outside:
		s.fromTheirs(to)
	case to.kind == outside:
		s.leak(from)
	case from.kind == outside:
		s.fromOutside(to)
	case to.leads != nil:
		s.edge(from.leads, to.leads)
	default:
		parts := from.allParts()
		for i, part := range to.allParts() {
			if i < len(parts) {
				s.flow(parts[i], part)
			}
		}
	}
}

// fromOutside records that all pointers in a place may point to memory outside.
func (s *search) fromOutside(to *place) {
	if to.leads != nil {
		s.add(to.leads, s.outside)
	}
	for _, part := range to.allParts() {
		s.fromOutside(part)
	}
}

// load records that a value is read from the memory to which a pointer points.
func (s *search) load(pointer, to *place) {
	at := s.at
	s.each(pointer.leads, func(p *place) { s.attribute(at, func() { s.flow(p, to) }) })
}

// store records that a value is written to the memory to which a pointer points.
func (s *search) store(pointer, from *place) {
	at := s.at
	s.each(pointer.leads, func(p *place) { s.attribute(at, func() { s.flow(from, p) }) })
}

// leaves calls a function for each pointer that a place contains.
func leaves(p *place, f func(*place)) {
	if p.leads != nil {
		f(p)
		return
	}
	for _, part := range p.allParts() {
		leaves(part, f)
	}
}

// filtered records that a pointer may point to those places of a node that fit the pointer's type.
func (s *search) filtered(from *node, to *place) {
	s.each(from, func(p *place) {
		if p.fits(to.typ) {
			s.add(to.leads, p)
		}
	})
}

// placeOf returns the place for a value in a function's SSA form.
func (s *search) placeOf(v ssa.Value) *place {
	if p := s.values[v]; p != nil {
		return p
	}
	p := newPlace(v.Type())
	s.values[v] = p
	switch v := v.(type) {
	case *ssa.Global:
		if s.theirs != nil && !s.own[v.Pkg.Pkg.Path()] {
			s.add(p.leads, s.theirs)
		} else {
			s.add(p.leads, s.outside)
		}
	case *ssa.Function:
		s.add(p.leads, s.functionPlace(v))
	}
	return p
}

// functionPlace returns the place of a declared function.
func (s *search) functionPlace(fn *ssa.Function) *place {
	if p := s.declared[fn]; p != nil {
		return p
	}
	p := &place{kind: function, fn: fn, typ: fn.Signature}
	s.declared[fn] = p
	return p
}

// box returns a place for the dynamic value of an interface.
func box(t types.Type) *place { return &place{kind: boxed, typ: t} }

// enter schedules a function for analysis, and records that its captured variables flow into it.
func (s *search) enter(p *place) {
	if s.entered[p] {
		return
	}
	s.entered[p] = true
	for i, free := range p.fn.FreeVars {
		s.flow(p.part(i), s.placeOf(free))
	}
	if !s.runs[p.fn] {
		s.runs[p.fn] = true
		s.unseen = append(s.unseen, p.fn)
	}
}

// leak records that all memory that is reachable from a value is out.
func (s *search) leak(from *place) {
	at := s.at
	if from.opaque() {
		return
	}
	leaves(from, func(leaf *place) {
		if s.leaking[leaf] {
			return
		}
		s.leaking[leaf] = true
		s.each(leaf.leads, func(p *place) { s.attribute(at, func() { s.expose(p) }) })
	})
}

// expose records that code outside has a pointer to a place. Such code may read and write the
// place, call it if it is a function, and call its methods.
func (s *search) expose(p *place) {
	if p.opaque() || s.isOut[p] != nil {
		return
	}
	s.isOut[p] = s.at
	if s.isOut[p] == nil {
		s.isOut[p] = nowhere
	}
	s.order = append(s.order, p)
	switch p.kind {
	case function:
		s.runOutside(p)
	case boxed:
		s.methodsOutside(p.part(0))
	case memory:
		s.methodsOutside(s.pointerTo(p))
	}
	for _, held := range p.contents() {
		s.leak(held)
		s.fromOutside(held)
	}
}

// pointerTo returns a place for a value that refers to p. The value is a pointer, a map or a
// channel.
func (s *search) pointerTo(p *place) *place {
	made := s.pointers[p]
	if made == nil {
		t := p.typ
		if p.leads != nil || !isPointer(t) {
			t = types.NewPointer(t)
		}
		made = newPlace(t)
		s.pointers[p] = made
		s.add(made.leads, p)
	}
	return made
}

// runOutside analyzes a function that code outside may call.
func (s *search) runOutside(p *place) {
	if !s.hasBody(p.fn) {
		return
	}
	for _, param := range p.fn.Params {
		s.fromOutside(s.placeOf(param))
	}
	s.enter(p)
	s.leak(s.resultsOf(p.fn))
}

// methodsOutside analyzes all methods of a value to which code outside has access.
func (s *search) methodsOutside(receiver *place) {
	for m := range s.prog.MethodSets.MethodSet(receiver.typ).Methods() {
		fn := s.prog.MethodValue(m)
		if fn == nil || !s.hasBody(fn) {
			continue
		}
		s.flow(receiver, s.placeOf(fn.Params[0]))
		for _, param := range fn.Params[1:] {
			s.fromOutside(s.placeOf(param))
		}
		s.enter(s.functionPlace(fn))
		s.leak(s.resultsOf(fn))
	}
}

// unknown records a call to a function whose body is not known.
func (s *search) unknown(args []*place, result *place) {
	if s.theirs != nil {
		s.unknownAfter(args, result)
		return
	}
	for _, arg := range args {
		s.leak(arg)
	}
	s.fromOutside(result)
}

// fromTheirs records that each pointer of a place may point to any memory to which callers have
// access: their own objects, results, and the values that were stored in their objects.
func (s *search) fromTheirs(to *place) {
	leaves(to, func(leaf *place) {
		s.add(leaf.leads, s.theirs)
		if !types.Identical(leaf.typ.Underlying(), anything) {
			s.filtered(s.had, leaf)
		}
		s.filtered(s.put, leaf)
	})
}

// puts records that the places of a node are stored in the callers' objects. Places outside are
// ignored, because callers can reach them anyway.
func (s *search) puts(n *node) {
	s.each(n, func(p *place) {
		if !p.opaque() {
			s.add(s.put, p)
		}
	})
}

// toTheirs records that a value is stored in the callers' objects.
func (s *search) toTheirs(from *place) {
	leaves(from, func(leaf *place) { s.puts(leaf.leads) })
}

// unknownAfter records that a caller calls a function whose body is not known. Such a function may
// store one argument in another, but nowhere else.
func (s *search) unknownAfter(args []*place, result *place) {
	at := s.at
	for i, arg := range args {
		leaves(arg, func(leaf *place) {
			s.each(leaf.leads, func(p *place) {
				if p.kind == outside {
					s.attribute(at, func() {
						for j, other := range args {
							if i != j {
								s.leak(other)
							}
						}
					})
				}
			})
		})
	}
	s.fromTheirs(result)
}
