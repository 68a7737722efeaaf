package reach

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/coppice-go/coppice/cmd/internal/reach/typekey"
)

// value follows a function value that has captured an owner. Every instruction that uses the value
// must either call it in the same goroutine or pass it to code in which it can be followed further.
// Any other instruction is recorded as a way out.
func (c *confinement) value(v ssa.Value) {
	if c.funcs[v] || c.why != "" {
		return
	}
	c.funcs[v] = true
	for _, use := range uses(v) {
		switch use := use.(type) {
		case ssa.CallInstruction:
			c.handed(use, v)
		case *ssa.Store:
			c.followStored(use, v)
		case *ssa.MakeClosure:
			c.captured(use, v)
		case *ssa.Phi:
			c.value(use)
		case *ssa.ChangeType:
			c.value(use)
		case *ssa.Return:
			c.returned(use, v)
		case *ssa.BinOp, *ssa.If, *ssa.DebugRef:
		default:
			c.recordEscape(use, "a function value captures the owner, and where it goes is unknown,")
		}
	}
}

// handed follows a function value that is called or passed as an argument.
func (c *confinement) handed(call ssa.CallInstruction, v ssa.Value) {
	common := call.Common()
	if _, goes := call.(*ssa.Go); goes {
		c.recordEscape(call, "a go statement starts a function that captures the owner")
		return
	}
	for n, arg := range common.Args {
		if arg != v {
			continue
		}
		fn := common.StaticCallee()
		if fn == nil {
			c.recordEscape(call, "a function value that captures the owner goes to an unknown function")
			return
		}
		if body := c.body(fn); body != nil {
			c.value(body.Params[n])
			continue
		}
		if c.runsAtOnce(fn, v) {
			continue
		}
		c.recordEscape(call, "%s gets a function that captures the owner, and may keep it or run it in another goroutine,", originName(fn))
	}
}

// runsAtOnce reports whether a function of another module calls its argument v only before it
// returns.
func (c *confinement) runsAtOnce(fn *ssa.Function, v ssa.Value) bool {
	path := packageOf(fn)
	if slices.Contains(synchronous, path) {
		return !c.carriesFunction(fn.Signature.Results())
	}
	if path == "testing" && fn.Name() == "Run" {
		closure, ok := v.(*ssa.MakeClosure)
		return ok && c.isSerial(closure.Fn.(*ssa.Function).Params[0], map[ssa.Value]bool{})
	}
	return false
}

// isSerial reports whether v, a *testing.T, is used only in known ways that do not let other tests
// run at the same time, as calling Parallel would. v is followed into variables, closures and
// functions of the module; all other uses are considered unknown.
func (c *confinement) isSerial(v ssa.Value, asked map[ssa.Value]bool) bool {
	if asked[v] {
		return true
	}
	asked[v] = true
	for _, use := range uses(v) {
		known := false
		switch use := use.(type) {
		case ssa.CallInstruction:
			known = c.isSerialCall(use, v, asked)
		case *ssa.FieldAddr: // *testing.T has the methods of its embedded fields
			known = c.isSerial(use, asked)
		case *ssa.UnOp:
			_, plain := use.Type().Underlying().(*types.Basic) // b.N
			known = plain || c.isSerial(use, asked)
		case *ssa.Store:
			_, local := use.Addr.(*ssa.Alloc)
			known = local && use.Val == v && c.isSerial(use.Addr, asked) || use.Addr == v
		case *ssa.MakeClosure:
			known = true
			for n, bound := range use.Bindings {
				known = known && (bound != v || c.isSerial(use.Fn.(*ssa.Function).FreeVars[n], asked))
			}
		case *ssa.DebugRef:
			known = true
		}
		if !known {
			return false
		}
	}
	return true
}

// isSerialCall implements isSerial for a use of v in a call.
func (c *confinement) isSerialCall(call ssa.CallInstruction, v ssa.Value, asked map[ssa.Value]bool) bool {
	fn := call.Common().StaticCallee()
	if fn == nil {
		return false
	}
	if packageOf(fn) == "testing" {
		return slices.Contains(serial, fn.Name())
	}
	body := c.body(fn)
	for n, arg := range call.Common().Args {
		if arg == v && (body == nil || !c.isSerial(body.Params[n], asked)) {
			return false
		}
	}
	return true
}

// serial lists the methods of *testing.T and *testing.B that do not let other tests run at the same
// time. The arguments of Cleanup and Run are followed separately.
var serial = []string{
	"ArtifactDir", "Attr", "Chdir", "Cleanup", "Context", "Deadline", "Elapsed", "Error", "Errorf", "Fail", "FailNow", "Failed", "Fatal", "Fatalf", "Helper", "Log", "Logf", "Loop",
	"Name", "Output", "ReportAllocs", "ReportMetric", "ResetTimer", "Run", "SetBytes", "Setenv", "Skip", "SkipNow", "Skipf", "Skipped", "StartTimer", "StopTimer", "TempDir",
}

// followStored follows a function value that is stored in a variable or a field.
func (c *confinement) followStored(s *ssa.Store, v ssa.Value) {
	if s.Val != v {
		c.recordEscape(s, "a function value captures the owner, and where it goes is unknown,")
		return
	}
	switch addr := s.Addr.(type) {
	case *ssa.Alloc:
		c.variable(addr)
	case *ssa.FreeVar:
		c.variable(addr)
		for _, closure := range c.closures[addr.Parent()] {
			c.outer(addr, closure)
		}
	case *ssa.FieldAddr:
		c.field(s, addr)
	default:
		c.recordEscape(s, "a function value that captures the owner is kept where other code may find it")
	}
}

// outer follows a captured variable to the function that declares the variable.
func (c *confinement) outer(v *ssa.FreeVar, closure *ssa.MakeClosure) {
	for n, free := range v.Parent().FreeVars {
		if free == v {
			c.variable(closure.Bindings[n])
		}
	}
}

// variable follows a function value that is stored in a local variable.
func (c *confinement) variable(a ssa.Value) {
	if c.funcs[a] || c.why != "" {
		return
	}
	c.funcs[a] = true
	if free, ok := a.(*ssa.FreeVar); ok {
		for _, closure := range c.closures[free.Parent()] {
			c.outer(free, closure)
		}
	}
	for _, use := range uses(a) {
		switch use := use.(type) {
		case *ssa.Store:
			if use.Addr != a {
				c.recordEscape(use, "the address of a function that captures the owner is kept")
			}
		case *ssa.UnOp:
			c.value(use)
		case *ssa.MakeClosure:
			c.captured(use, a)
		case *ssa.DebugRef:
		default:
			c.recordEscape(use, "a variable holds a function that captures the owner, and where it goes is unknown,")
		}
	}
}

// captured follows a function value into a closure that captures it, and also follows that closure.
func (c *confinement) captured(closure *ssa.MakeClosure, v ssa.Value) {
	for n, b := range closure.Bindings {
		if b != v {
			continue
		}
		free := closure.Fn.(*ssa.Function).FreeVars[n]
		if _, address := b.Type().Underlying().(*types.Pointer); address {
			c.variable(free)
		} else {
			c.value(free)
		}
	}
	c.value(closure)
}

// field follows a function value that is stored in a field. It inspects all code that reads this
// field, in any struct of the type.
func (c *confinement) field(s *ssa.Store, addr *ssa.FieldAddr) {
	structType := addr.X.Type().Underlying().(*types.Pointer).Elem()
	named, ok := types.Unalias(structType).(*types.Named)
	if !ok || !c.own[pathOf(named.Obj())] {
		c.recordEscape(s, "a function value that captures the owner is kept in %s, and its callers are unknown,", typekey.Short(structType))
		return
	}
	if !c.Carries(structType) {
		c.grown = c.Include(structType) || c.grown
	}
	key := typekey.OfField(c.Module.fset, addr.X.Type(), addr.Field)
	if c.structs[key] {
		return
	}
	c.structs[key] = true
	for _, v := range c.fields[key] {
		if at, ok := v.(*ssa.FieldAddr); ok {
			c.variable(at)
			continue
		}
		c.value(v)
	}
}

// returned follows a function value that is returned to the callers.
func (c *confinement) returned(r *ssa.Return, v ssa.Value) {
	fn := r.Parent()
	if c.asValue[fn] || c.called(fn) {
		c.recordEscape(r, "%s returns a function that captures the owner, and its callers are unknown,", fn.Name())
		return
	}
	for n, result := range r.Results {
		if result != v {
			continue
		}
		for _, call := range c.calls[fn] {
			got, ok := call.(*ssa.Call)
			switch {
			case !ok:
				continue
			case len(r.Results) == 1:
				c.value(got)
				continue
			}
			for _, use := range uses(got) {
				if e, ok := use.(*ssa.Extract); ok && e.Index == n {
					c.value(e)
				}
			}
		}
	}
}

// called reports whether a function may have unknown callers: code of other modules, or calls
// through an interface.
func (c *confinement) called(fn *ssa.Function) bool {
	if fn.Signature.Recv() != nil {
		return true // an interface may have it
	}
	o := fn.Object()
	return o != nil && o.Exported() && c.importable(o.Pkg()) && !c.inTest(fn)
}
