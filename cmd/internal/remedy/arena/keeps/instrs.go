package keeps

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// body records the flow of pointers through the instructions of a function.
func (s *search) body(fn *ssa.Function) {
	for _, b := range fn.Blocks {
		for _, i := range b.Instrs {
			s.attribute(i, func() { s.look(i) })
		}
	}
}

// look records the flow of pointers through one instruction.
func (s *search) look(i ssa.Instruction) {
	switch i := i.(type) {
	case *ssa.Alloc:
		s.add(s.placeOf(i).leads, newPlace(i.Type().Underlying().(*types.Pointer).Elem()))
	case *ssa.MakeSlice:
		s.add(s.placeOf(i).leads, listPlace(elementOf(i.Type())).part(element))
	case *ssa.MakeMap:
		s.add(s.placeOf(i).leads, memoryOf(i.Type()))
	case *ssa.MakeChan:
		s.add(s.placeOf(i).leads, memoryOf(i.Type()))
	case *ssa.MakeInterface:
		s.makeInterface(i)
	case *ssa.MakeClosure:
		p := &place{kind: function, fn: i.Fn.(*ssa.Function), typ: i.Type()}
		for n, b := range i.Bindings {
			s.flow(s.placeOf(b), p.part(n))
		}
		s.add(s.placeOf(i).leads, p)
	case *ssa.Store:
		s.store(s.placeOf(i.Addr), s.placeOf(i.Val))
	case *ssa.MapUpdate:
		s.mapUpdate(i)
	case *ssa.Return:
		for n, v := range i.Results {
			s.flow(s.placeOf(v), s.resultsOf(i.Parent()).part(n))
		}
	case *ssa.Panic:
		s.flow(s.placeOf(i.X), s.panics)
	case *ssa.Send:
		s.partOf(s.placeOf(i.Chan), element, func(p *place) { s.flow(s.placeOf(i.X), p) })
	case *ssa.Select:
		s.choose(i)
	case *ssa.Go:
		if s.theirs != nil {
			s.call(i)
			return
		}
		s.never = "a goroutine may still read a value of the result, and may keep it after Reset: " + s.formatPos(i)
	case ssa.CallInstruction: // a call or a defer
		s.call(i)
	case ssa.Value:
		s.derive(i)
	}
}

// derive records the sources of a value that an instruction computes from other values.
func (s *search) derive(v ssa.Value) {
	switch v := v.(type) {
	case *ssa.Phi:
		for _, edge := range v.Edges {
			s.flow(s.placeOf(edge), s.placeOf(v))
		}
	case *ssa.UnOp:
		switch v.Op {
		case token.MUL:
			s.load(s.placeOf(v.X), s.placeOf(v))
		case token.ARROW:
			s.partOf(s.placeOf(v.X), element, func(p *place) { s.flow(p, s.received(v)) })
		}
	case *ssa.ChangeType:
		s.flow(s.placeOf(v.X), s.placeOf(v))
	case *ssa.ChangeInterface:
		s.flow(s.placeOf(v.X), s.placeOf(v))
	case *ssa.Convert:
		s.convert(v, v.X)
	case *ssa.MultiConvert:
		s.convert(v, v.X)
	case *ssa.SliceToArrayPointer:
		s.each(s.placeOf(v.X).leads, func(p *place) { s.add(s.placeOf(v).leads, arrayOf(p, v.Type())) })
	case *ssa.FieldAddr:
		s.partAddress(s.placeOf(v.X), v.Field, s.placeOf(v))
	case *ssa.IndexAddr:
		s.indexAddress(v.X, s.placeOf(v))
	case *ssa.Slice:
		if isPointer(v.Type()) {
			s.indexAddress(v.X, s.placeOf(v))
		}
	case *ssa.Field:
		s.flow(s.placeOf(v.X).part(v.Field), s.placeOf(v))
	case *ssa.Index:
		if elementOf(v.X.Type()) != nil {
			s.flow(s.placeOf(v.X).part(element), s.placeOf(v))
		}
	case *ssa.Extract:
		s.flow(s.placeOf(v.Tuple).part(v.Index), s.placeOf(v))
	case *ssa.Lookup:
		s.lookup(v)
	case *ssa.Range:
		s.values[v] = s.placeOf(v.X)
	case *ssa.Next:
		s.next(v)
	case *ssa.TypeAssert:
		s.assert(v)
	}
}

// makeInterface records the conversion of a value to an interface.
func (s *search) makeInterface(i *ssa.MakeInterface) {
	p := box(i.X.Type())
	s.flow(s.placeOf(i.X), p.part(0))
	s.add(s.placeOf(i).leads, p)
}

// partAddress records that one pointer points to a part of the memory to which another pointer
// points.
func (s *search) partAddress(pointer *place, part int, to *place) {
	s.each(pointer.leads, func(p *place) { s.add(to.leads, p.part(part)) })
}

// indexAddress records that a pointer points to an element of x, which is a slice or a pointer to
// an array.
func (s *search) indexAddress(x ssa.Value, to *place) {
	if _, list := x.Type().Underlying().(*types.Slice); list {
		s.edge(s.placeOf(x).leads, to.leads)
		return
	}
	s.partAddress(s.placeOf(x), element, to)
}

// arrayOf returns the array that contains an element. It is used for conversions of a slice to an
// array pointer, which then points into the array of the slice.
func arrayOf(p *place, t types.Type) *place {
	if p.opaque() {
		return p
	}
	made := newPlace(t.Underlying().(*types.Pointer).Elem())
	made.within, made.parts = p.within, map[int]*place{element: p}
	return made
}

// partOf calls a function for a given part of each map or channel to which a value may refer.
func (s *search) partOf(v *place, part int, do func(*place)) {
	at := s.at
	s.each(v.leads, func(p *place) { s.attribute(at, func() { do(p.part(part)) }) })
}

func (s *search) mapUpdate(i *ssa.MapUpdate) {
	s.partOf(s.placeOf(i.Map), key, func(p *place) { s.flow(s.placeOf(i.Key), p) })
	s.partOf(s.placeOf(i.Map), value, func(p *place) { s.flow(s.placeOf(i.Value), p) })
}

func (s *search) lookup(v *ssa.Lookup) {
	if _, ok := v.X.Type().Underlying().(*types.Map); !ok {
		return // the operand is a string
	}
	to := s.placeOf(v)
	if v.CommaOk {
		to = to.part(0)
	}
	s.partOf(s.placeOf(v.X), value, func(p *place) { s.flow(p, to) })
}

func (s *search) next(v *ssa.Next) {
	if v.IsString {
		return
	}
	for i, part := range []int{key, value} {
		if to := s.placeOf(v).part(1 + i); to.typ != types.Typ[types.Invalid] { // otherwise it is unused
			s.partOf(s.placeOf(v.Iter), part, func(p *place) { s.flow(p, to) })
		}
	}
}

// received returns the place for a value that is received from a channel.
func (s *search) received(v *ssa.UnOp) *place {
	if v.CommaOk {
		return s.placeOf(v).part(0)
	}
	return s.placeOf(v)
}

// choose records the values that a select statement may send and receive.
func (s *search) choose(i *ssa.Select) {
	got := 2
	for _, state := range i.States {
		if state.Dir == types.SendOnly {
			s.partOf(s.placeOf(state.Chan), element, func(p *place) { s.flow(s.placeOf(state.Send), p) })
			continue
		}
		to := s.placeOf(i).part(got)
		got++
		s.partOf(s.placeOf(state.Chan), element, func(p *place) { s.flow(p, to) })
	}
}

// convert records a conversion. The conversion of a string allocates a new slice. The result of
// converting an unsafe.Pointer may point anywhere.
func (s *search) convert(v, x ssa.Value) {
	switch {
	case isUnsafe(v.Type()) || isUnsafe(x.Type()):
		s.leak(s.placeOf(x))
		s.fromOutside(s.placeOf(v))
	case !isPointer(v.Type()):
	case isPointer(x.Type()):
		s.flow(s.placeOf(x), s.placeOf(v))
	default:
		if elem := elementOf(v.Type()); elem != nil {
			s.add(s.placeOf(v).leads, listPlace(elem).part(element))
		} else {
			s.fromOutside(s.placeOf(v))
		}
	}
}

func isUnsafe(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && (b.Kind() == types.UnsafePointer || b.Kind() == types.Uintptr)
}

// assert records the result of a type assertion.
func (s *search) assert(v *ssa.TypeAssert) {
	to := s.placeOf(v)
	if v.CommaOk {
		to = to.part(0)
	}
	s.each(s.placeOf(v.X).leads, func(p *place) { s.behind(p, v.AssertedType, to) })
}

// behind records that the dynamic value of an interface flows to the result of a type assertion, if
// the dynamic value has the asserted type.
func (s *search) behind(p *place, t types.Type, to *place) {
	if s.asserted[assertion{p, to}] {
		return
	}
	s.asserted[assertion{p, to}] = true
	switch {
	case p.kind == outside:
		s.fromOutside(to)
	case p.kind == theirs:
		s.fromTheirs(to)
	case p.kind == other:
		if types.IsInterface(t) {
			s.add(to.leads, p)
		} else if isPointer(t) {
			s.filtered(p.part(0).leads, to)
			s.fromKnown(to)
		}
		s.each(p.part(0).leads, func(q *place) {
			if q.kind != memory && q.kind != function {
				s.behind(q, t, to)
			}
		})
	case types.IsInterface(t):
		if p.fits(t) {
			s.add(to.leads, p)
		}
	case p.kind == boxed && types.Identical(p.typ, t):
		s.flow(p.part(0), to)
	}
}
