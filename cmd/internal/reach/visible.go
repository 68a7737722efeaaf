package reach

import (
	"fmt"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/coppice-go/coppice/cmd/internal/reach/carriers"
)

// Visible describes code that may observe an additional field of a struct: code that prints or
// reflects on values of the struct, converts them, uses their size, or contains a literal without
// field names. The description includes the position. It is "" if no such code exists. Visible does
// not check whether values are shared; Confined does.
func (m *Module) Visible(pkgPath, name string) (why string) {
	if why := m.unknown(pkgPath); why != "" {
		return "not all code that may see the fields of " + name + " is known: " + why
	}
	owner := pkgPath + "." + name
	c := m.confinement(owner, carriers.New(m.fset, m.derived(owner)))
	for {
		c.begin()
		c.written(pkgPath, name)
		for _, fn := range c.functions {
			c.shownIn(fn)
			if c.why != "" {
				return c.why
			}
		}
		if !c.grown {
			return c.why
		}
	}
}

// written inspects how the owner is declared, because other modules may set its exported fields,
// and finds constants that depend on its size.
func (c *confinement) written(pkgPath, name string) {
	for _, p := range c.loaded {
		if p.Types == nil {
			continue
		}
		if slices.ContainsFunc(p.Types.Imports(), func(i *types.Package) bool { return i == types.Unsafe }) {
			c.sizes(p.Syntax, p.TypesInfo)
		}
		if p.PkgPath != pkgPath || !c.importable(p.Types) {
			continue
		}
		o := p.Types.Scope().Lookup(name)
		if o == nil || !o.Exported() {
			continue
		}
		s, ok := o.Type().Underlying().(*types.Struct)
		if ok && !slices.ContainsFunc(slices.Collect(s.Fields()), func(v *types.Var) bool { return !v.Exported() }) && c.why == "" {
			c.why = fmt.Sprintf("%s is exported with all of its fields (%s), and code in other modules may write or convert values by these", name, c.place(o.Pos()))
		}
	}
}

// shownIn inspects the instructions of a function that may reveal the fields of an owner.
func (c *confinement) shownIn(fn *ssa.Function) {
	if slices.ContainsFunc(fn.TypeArgs(), c.Holds) && c.why == "" {
		c.why = fmt.Sprintf("the owner is a type argument of %s, which may inspect its size, at %s", originName(fn), c.place(fn.Pos()))
	}
	for _, b := range fn.Blocks {
		for _, i := range b.Instrs {
			c.shows(i)
		}
	}
}

// shows inspects an instruction that is a conversion, including conversions to interfaces.
func (c *confinement) shows(i ssa.Instruction) {
	switch i := i.(type) {
	case *ssa.MakeInterface:
		c.boxed(i, i.X, i.Type())
	case *ssa.ChangeInterface:
		if c.Carries(i.X.Type()) {
			c.boxed(i, i.X, i.Type())
		}
	case *ssa.TypeAssert:
		if c.Carries(i.X.Type()) && types.IsInterface(i.AssertedType) {
			c.boxed(i, i.X, i.AssertedType)
		}
	case *ssa.ChangeType:
		c.converted(i, i.X.Type(), i.Type())
	case *ssa.Convert:
		c.converted(i, i.X.Type(), i.Type())
	case *ssa.MultiConvert:
		c.converted(i, i.X.Type(), i.Type())
	case *ssa.SliceToArrayPointer:
		c.converted(i, i.X.Type(), i.Type())
	}
}
