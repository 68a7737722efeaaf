package keeps

import (
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// call records the calls to all functions that a call instruction may run.
func (s *search) call(call ssa.CallInstruction) {
	common := call.Common()
	if b, ok := common.Value.(*ssa.Builtin); ok {
		s.builtin(b, call)
		return
	}
	args := make([]*place, len(common.Args))
	for i, arg := range common.Args {
		args[i] = s.placeOf(arg)
	}
	result := newPlace(types.NewTuple())
	if v := call.Value(); v != nil {
		result = s.placeOf(v)
	}
	if _, deferred := call.(*ssa.Defer); deferred {
		s.recovers(common)
	}
	if common.IsInvoke() {
		s.invoke(common.Method, s.placeOf(common.Value), args, result)
		return
	}
	if callee := common.StaticCallee(); callee != nil {
		if _, literal := common.Value.(*ssa.MakeClosure); !literal {
			s.run(s.functionPlace(callee), args, result)
			return
		}
	}
	at := s.at
	s.each(s.placeOf(common.Value).leads, func(p *place) { s.attribute(at, func() { s.calls(p, common.Signature(), args, result) }) })
}

// recovers records that a deferred function may get a panic's value by calling recover. Functions
// whose bodies are known are excluded. So are functions of the standard library, because they do
// not recover.
func (s *search) recovers(call *ssa.CallCommon) {
	at := s.at
	may := func(fn *ssa.Function) {
		if fn == nil || !s.hasBody(fn) && !standard(packageOf(fn)) {
			s.leak(s.panics)
		}
	}
	if fn := call.StaticCallee(); fn != nil {
		may(fn)
		return
	}
	s.each(s.placeOf(call.Value).leads, func(p *place) {
		s.attribute(at, func() {
			switch {
			case p.kind == boxed:
				may(s.prog.LookupMethod(p.typ, call.Method.Pkg(), call.Method.Name()))
			case p.kind == theirs: // callers know about it
			case p.kind == outside && !call.IsInvoke() && s.writtenHere(call.Signature()):
			default:
				may(p.fn)
			}
		})
	})
}

// standard reports whether a path belongs to the standard library.
func standard(path string) bool {
	first, _, _ := strings.Cut(path, "/")
	return !strings.Contains(first, ".")
}

// calls analyzes a call to the function value p, which may run any function that p may denote. If
// the value comes from outside and other modules cannot name its type, it must be one of the
// functions of this module, with any captured variables.
func (s *search) calls(p *place, signature *types.Signature, args []*place, result *place) {
	switch {
	case p.kind == function:
		s.run(p, args, result)
	case p.kind == outside && s.writtenHere(signature):
		for _, fn := range s.functionsOf(signature) {
			p := s.functionPlace(fn)
			for i := range fn.FreeVars {
				s.fromOutside(p.part(i))
			}
			s.run(p, args, result)
		}
	default:
		s.unknown(args, result)
	}
}

// run records a call to a function.
func (s *search) run(p *place, args []*place, result *place) {
	if !s.hasBody(p.fn) {
		for i := range p.fn.FreeVars { // a method value has its receiver as a free variable
			args = append([]*place{p.part(i)}, args...)
		}
		if h := habitOf(p.fn); h == callsIt {
			s.callsBack(args[1:])
		} else {
			s.applyHabit(h, args, result)
		}
		return
	}
	for i, param := range p.fn.Params {
		if i < len(args) {
			s.flow(args[i], s.placeOf(param))
		}
	}
	s.enter(p)
	s.returns(s.resultsOf(p.fn), result)
}

// returns records that a function's result or results flow to the caller.
func (s *search) returns(from, to *place) {
	if parts := from.allParts(); len(parts) == 1 {
		if _, several := to.typ.(*types.Tuple); !several {
			s.flow(parts[0], to)
			return
		}
	}
	s.flow(from, to)
}

// invoke records a method call through an interface.
func (s *search) invoke(method *types.Func, receiver *place, args []*place, result *place) {
	at := s.at
	s.each(receiver.leads, func(p *place) {
		s.attribute(at, func() {
			switch p.kind {
			case boxed:
				fn := s.prog.LookupMethod(p.typ, method.Pkg(), method.Name())
				if fn == nil {
					return
				}
				s.run(s.functionPlace(fn), append([]*place{p.part(0)}, args...), result)
			case other:
				s.applyHabit(takesAll, append([]*place{p.part(0)}, args...), result)
			case outside:
				for _, arg := range args {
					s.leak(arg)
				}
				s.unknown(args, result)
			default:
				s.unknown(args, result)
			}
		})
	})
}

var nothing = types.NewSignatureType(nil, nil, nil, nil, nil, false)

// callsBack records that a function of the standard library calls the functions that it gets as
// arguments.
func (s *search) callsBack(functions []*place) {
	at := s.at
	for _, f := range functions {
		s.each(f.leads, func(p *place) { s.attribute(at, func() { s.calls(p, nothing, nil, newPlace(types.NewTuple())) }) })
	}
}
