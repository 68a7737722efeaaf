package reach

import (
	"fmt"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/packages"
	"golang.org/x/tools/go/ssa"

	"github.com/coppice-go/coppice/cmd/internal/reach/carriers"
	"github.com/coppice-go/coppice/cmd/internal/reach/typekey"
)

// A confinement is a search for the ways out of an owner. A way out is an instruction through which
// code outside the call that created the owner may get access to it.
type confinement struct {
	*Module
	*carriers.Carriers
	owner   string
	exposed *walk // walk of the types that other modules can name
	mention map[types.Type]bool
	why     string // the first way out
	grown   bool   // a type became a carrier, so the search begins again
	funcs   map[ssa.Value]bool
	structs map[typekey.Field]bool
	given   []*ssa.Function // function literals that count as if they had the owner
}

// Confined describes how other code may share, copy or keep the values of a struct, or observe an
// additional field. Other code is any code outside the call that created the value. The description
// includes the position of the code. It is "" if other code can do none of this.
func (m *Module) Confined(pkgPath, name string) (why string) {
	if why := m.unknown(pkgPath); why != "" {
		return "not all code that may reach " + name + " is known: " + why
	}
	owner := pkgPath + "." + name
	why, known := m.confined[owner]
	if !known {
		if m.confined == nil {
			m.confined = map[string]string{}
		}
		c := m.confinement(owner, carriers.New(m.fset, m.derived(owner)))
		why = c.search()
		m.confined[owner] = why
		if m.carriersOf == nil {
			m.carriersOf = map[string]*carriers.Carriers{}
		}
		m.carriersOf[owner] = c.Carriers
	}
	return why
}

// confinement returns a new search for the ways out of an owner.
func (m *Module) confinement(owner string, c *carriers.Carriers) *confinement {
	return &confinement{Module: m, owner: owner, Carriers: c, mention: map[types.Type]bool{}}
}

// unknown describes code that does not compile in a package that may reach the package pkgPath: a
// package that imports it, or an import of such a package. It returns "" if all of them compile.
// Other packages cannot be part of the same program.
func (m *Module) unknown(pkgPath string) (why string) {
	if len(m.broken) == 0 {
		return ""
	}
	imports := map[string]bool{pkgPath: true, "": true}
	packages.Visit(m.loaded, nil, func(p *packages.Package) { // imported packages come first
		for _, i := range p.Imports {
			imports[p.PkgPath] = imports[p.PkgPath] || imports[i.PkgPath]
		}
	})
	for _, b := range m.broken {
		if imports[b.pkgPath] {
			return b.why
		}
	}
	return ""
}

// Captured describes how other code could reach an owner if the code at the position at used a
// parameter of an enclosing function. The function literals in between would then capture the
// parameter. It returns "" if no other code could reach it. The parameter is identified by the
// position of its declaration.
func (m *Module) Captured(parameter, at token.Position) (why string) {
	for _, p := range m.params[parameter.String()] {
		literals := m.literals(p.Parent(), at)
		pointer, ok := p.Type().Underlying().(*types.Pointer)
		if len(literals) == 0 {
			continue
		} else if !ok {
			return "the owner is not a pointer"
		}
		n, ok := types.Unalias(pointer.Elem()).(*types.Named)
		if !ok {
			return "the owner has no name"
		}
		if why := m.Confined(pathOf(n.Obj()), n.Obj().Name()); why != "" {
			return why
		}
		owner := pathOf(n.Obj()) + "." + n.Obj().Name()
		c := m.confinement(owner, m.carriersOf[owner].Clone())
		c.given = literals
		if c.begin(); c.grown {
			c.search()
		}
		if c.why != "" {
			return c.why
		}
	}
	return ""
}

// literals returns the function literals in fn that enclose a position, including the bodies of
// range-over-func loops.
func (m *Module) literals(fn *ssa.Function, at token.Position) (all []*ssa.Function) {
	for _, literal := range fn.AnonFuncs {
		from, to := m.at(literal.Syntax().Pos()), m.at(literal.Syntax().End())
		if from.Filename == at.Filename && from.Offset <= at.Offset && at.Offset < to.Offset {
			all = append(append(all, literal), m.literals(literal, at)...)
		}
	}
	return all
}

// search returns a description of the first way out, or "" if there is none. It repeats the search
// while new carriers are found.
func (c *confinement) search() (why string) {
	for {
		c.begin()
		c.declarations()
		for _, fn := range c.functions {
			if c.why != "" {
				return c.why
			}
			c.function(fn)
		}
		if c.why != "" || !c.grown {
			return c.why
		}
	}
}

// begin resets the state for a new pass. The function literals in c.given are treated as if they
// had captured the owner.
func (c *confinement) begin() {
	c.grown, c.why = false, ""
	c.funcs, c.structs = map[ssa.Value]bool{}, map[typekey.Field]bool{}
	for _, literal := range c.given {
		c.value(literal)
	}
}

// recordEscape records a way out, unless one was recorded before.
func (c *confinement) recordEscape(i ssa.Instruction, format string, args ...any) {
	if c.why == "" {
		c.why = fmt.Sprintf(format, args...) + " at " + c.placeOf(i)
	}
}

// function inspects the instructions and parameters of a function.
func (c *confinement) function(fn *ssa.Function) {
	if slices.ContainsFunc(fn.TypeArgs(), c.Holds) && c.why == "" {
		c.why = fmt.Sprintf("the owner is a type argument of %s, which may inspect its size or copy it, at %s", originName(fn), c.place(fn.Pos()))
	}
	for _, p := range fn.Params {
		if c.Holds(p.Type()) && c.why == "" {
			c.why = fmt.Sprintf("the owner is copied: %s gets it by value at %s", fn.Name(), c.place(fn.Pos()))
		}
	}
	for _, b := range fn.Blocks {
		for _, i := range b.Instrs {
			if c.why != "" {
				return
			}
			c.copies(i)
			c.instruction(i)
		}
	}
}

// copies searches for instructions that copy an owner. The owner is then the value itself, not the
// target of a pointer.
func (c *confinement) copies(i ssa.Instruction) {
	v, ok := i.(ssa.Value)
	if !ok || v.Type() == nil {
		return
	}
	if c.Holds(v.Type()) {
		if !c.fresh(v) {
			c.recordEscape(i, "the owner is copied")
		}
		return
	}
	switch t := v.Type().Underlying().(type) {
	case *types.Slice:
		if c.Holds(t.Elem()) {
			c.recordEscape(i, "the owner is kept by value in %s, whose copies have the same owner", typekey.Short(v.Type()))
		}
	case *types.Map:
		if c.Holds(t.Elem()) || c.Holds(t.Key()) {
			c.recordEscape(i, "the owner is kept by value in %s", typekey.Short(v.Type()))
		}
	case *types.Pointer:
		if alloc, ok := i.(*ssa.Alloc); ok && c.Holds(t.Elem()) && !c.IsOwner(t.Elem()) {
			c.recordEscape(alloc, "the owner is kept by value in %s", typekey.Short(t.Elem()))
		}
	}
}

// instruction searches for ways out in one instruction.
func (c *confinement) instruction(i ssa.Instruction) {
	c.shows(i)
	switch i := i.(type) {
	case *ssa.Store:
		if g, ok := i.Addr.(*ssa.Global); ok && c.Carries(g.Type()) && !isZero(i.Val) {
			c.recordEscape(i, "the package variable %s holds the owner, and any goroutine may use it", g.Name())
		}
	case *ssa.Send:
		if c.Carries(i.X.Type()) {
			c.recordEscape(i, "the owner is sent on a channel")
		}
	case *ssa.MakeChan:
		if c.Carries(i.Type()) {
			c.recordEscape(i, "channels carry the owner")
		}
	case *ssa.MakeClosure:
		if slices.ContainsFunc(i.Bindings, func(b ssa.Value) bool { return c.Carries(b.Type()) }) {
			c.value(i)
		}
	case ssa.CallInstruction:
		c.call(i)
	}
	var callee ssa.Value
	if call, ok := i.(ssa.CallInstruction); ok && call.Common().StaticCallee() != nil {
		callee = call.Common().Value
	}
	for _, o := range i.Operands(nil) {
		switch v := (*o).(type) {
		case *ssa.Global:
			if c.Carries(v.Type()) {
				c.global(i, v)
			}
		case *ssa.Function:
			if v != callee {
				c.functionValue(i, v)
			}
		}
	}
}

// functionValue inspects a function that is used as a value, because the callers of such a function
// are unknown. For a bound method of another module, the value is a wrapper function whose body
// only calls the method.
func (c *confinement) functionValue(i ssa.Instruction, fn *ssa.Function) {
	if c.body(fn) != nil {
		return
	}
	bound := func(v *ssa.FreeVar) bool { return c.mentions(v.Type()) }
	if c.mentions(fn.Signature) || slices.ContainsFunc(fn.TypeArgs(), c.mentions) || slices.ContainsFunc(fn.FreeVars, bound) {
		c.recordEscape(i, "%s has no body here, gets or returns the owner, and is used as a value,", originName(fn))
	}
}

// isZero reports whether v is a constant with the zero value of its type.
func isZero(v ssa.Value) bool {
	k, ok := v.(*ssa.Const)
	return ok && (k.IsNil() || k.Value == nil)
}

// global inspects an instruction that uses a package variable whose type leads to an owner. The
// instruction may only read the variable or set it to its zero value.
func (c *confinement) global(i ssa.Instruction, g *ssa.Global) {
	switch i := i.(type) {
	case *ssa.UnOp:
		if i.Op == token.MUL {
			return
		}
	case *ssa.Store:
		if i.Addr == g {
			return // which is inspected separately
		}
	}
	c.recordEscape(i, "the package variable %s leads to the owner, and any goroutine may use it", g.Name())
}

// boxed inspects a conversion to an interface. Reflection can read all fields of the converted
// value, and code that gets the interface value has access to the owner. Interfaces that are used
// only by this module become carriers instead.
func (c *confinement) boxed(i ssa.Instruction, x ssa.Value, to types.Type) {
	c.foreignMethods(i, x.Type())
	if !c.Carries(x.Type()) {
		c.shown(i, x.Type())
		return
	}
	iface, ok := to.Underlying().(*types.Interface)
	if ok && isZero(x) && iface.NumMethods() > 0 {
		return // var _ I = (*T)(nil)
	}
	if c.Carries(to) {
		return
	}
	n, named := types.Unalias(to).(*types.Named)
	if !named || !ok || iface.NumMethods() == 0 || !c.own[pathOf(n.Obj())] || n.Obj().Exported() && c.importable(n.Obj().Pkg()) {
		c.recordEscape(i, "%s goes into %s, where printing or reflection may see its fields and other code may keep it,", c.Of(x.Type()), typekey.Short(to))
		return
	}
	c.grown = c.Include(to) || c.grown
}

// foreignMethods searches for promoted methods of other modules that accept or return the owner.
// After a conversion to an interface, other code can call these methods.
func (c *confinement) foreignMethods(i ssa.Instruction, t types.Type) {
	if types.IsInterface(t) || !c.mentions(t) {
		return
	}
	for selection := range types.NewMethodSet(t).Methods() {
		method := selection.Obj().(*types.Func)
		if !c.own[pathOf(method)] && c.mentions(method.Signature()) {
			c.recordEscape(i, "the method %s of another module gets or returns the owner, and may be called through an interface,", method.Name())
			return
		}
	}
}

func pathOf(o types.Object) string {
	if o.Pkg() == nil {
		return ""
	}
	return o.Pkg().Path()
}

// converted inspects conversions that depend on the fields of the owner or hide the owner, and
// conversions of a struct with a field that leads to the owner to another struct type.
func (c *confinement) converted(i ssa.Instruction, from, to types.Type) {
	pointee := func(t types.Type) types.Type {
		if p, ok := t.Underlying().(*types.Pointer); ok {
			return p.Elem()
		}
		return t
	}
	switch {
	case c.Holds(pointee(from)) != c.Holds(pointee(to)), c.Holds(pointee(from)) && typekey.Of(pointee(from)) != typekey.Of(pointee(to)):
		c.recordEscape(i, "the owner is converted from %s to %s, where its fields matter,", typekey.Short(from), typekey.Short(to))
	case c.Carries(from) && !c.Carries(to):
		c.recordEscape(i, "what leads to the owner is converted from %s to %s", typekey.Short(from), typekey.Short(to))
	case c.Carries(from) && isStruct(pointee(from)) && !types.Identical(pointee(from), pointee(to)):
		c.recordEscape(i, "a struct with the owner is converted from %s to %s, and its fields are not followed further,", typekey.Short(from), typekey.Short(to))
	}
}

func isStruct(t types.Type) bool {
	_, ok := t.Underlying().(*types.Struct)
	return ok
}

// synchronous lists packages whose functions call function arguments only before they return and
// only in the same goroutine, and do not store them.
var synchronous = []string{"sort", "slices", "strings", "bytes", "maps", "regexp", "path/filepath", "io/fs", "go/ast", "unicode"}

// call inspects a call that may pass an owner to other code.
func (c *confinement) call(i ssa.CallInstruction) {
	common := i.Common()
	_, goes := i.(*ssa.Go)
	args := slices.Clone(common.Args)
	if common.IsInvoke() {
		args = append(args, common.Value)
	}
	carried := slices.ContainsFunc(args, func(v ssa.Value) bool { return c.Carries(v.Type()) && !isZero(v) })
	fn := common.StaticCallee()
	if goes && carried {
		c.recordEscape(i, "a go statement gets the owner")
		return
	}
	if _, builtin := common.Value.(*ssa.Builtin); builtin || common.IsInvoke() {
		return // a builtin keeps nothing; a method of an interface that leads to the owner belongs to the module
	}
	if fn == nil || c.body(fn) != nil {
		return // all functions that can have such a parameter are inspected
	}
	typed := slices.ContainsFunc(fn.TypeArgs(), c.mentions)
	if !carried && !typed {
		return
	}
	if path := packageOf(fn); slices.Contains(synchronous, path) && !c.carriesFunction(common.Signature().Results()) {
		return
	}
	c.recordEscape(i, "%s gets the owner, and what it does is unknown,", originName(fn))
}

// carriesFunction reports whether one of the results is a function, which may have captured an
// argument.
func (c *confinement) carriesFunction(results *types.Tuple) bool {
	for v := range results.Variables() {
		if _, ok := v.Type().Underlying().(*types.Signature); ok {
			return true
		}
	}
	return false
}

func packageOf(fn *ssa.Function) string {
	if fn.Origin() != nil {
		fn = fn.Origin()
	}
	if fn.Object() == nil || fn.Object().Pkg() == nil {
		return ""
	}
	return fn.Object().Pkg().Path()
}

// body returns the function of the module that contains the body of fn: fn itself, or its
// counterpart if the same package was loaded a second time. It returns nil for functions of other
// modules, including wrappers of such functions, and for functions that are implemented in
// assembly.
func (m *Module) body(fn *ssa.Function) *ssa.Function {
	if fn.Blocks != nil && m.has(fn) {
		return fn
	}
	return m.bodies[fn.String()]
}
