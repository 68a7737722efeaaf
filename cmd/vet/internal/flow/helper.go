package flow

import (
	"fmt"
	"go/types"
	"maps"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// A Helper is a fact about a function that resets one of its parameters, or an object to which a
// parameter refers, or gives such an object to a pool. Rules use this fact in packages that call
// the function.
type Helper struct {
	Endings []HelperEnding
}

// A HelperEnding describes an object that the function of a Helper resets or gives to a pool.
type HelperEnding struct {
	Parameter  int // the receiver is the first
	Steps      string
	Fresh      bool     // the object may have been given other memory before
	Type, Name string   // of the method of the library or of sync.Pool
	Resets     []string // types whose Reset the package mentions
}

// AFact implements analysis.Fact.
func (*Helper) AFact() {}

// String describes the objects that the function resets or gives to a pool. Drivers use it to print
// facts.
func (h *Helper) String() string {
	text := "ends"
	for _, e := range h.Endings {
		text += fmt.Sprintf(" %d%s by %s.%s", e.Parameter, e.Steps, e.Type, e.Name)
	}
	return text
}

// export exports a Helper fact for each exported function of the package that resets objects of its
// callers or gives them to a pool.
func (p *Program) export() {
	for _, fn := range p.Functions {
		object, ok := fn.Object().(*types.Func)
		if !ok || !object.Exported() || object.Pkg() != p.pass.Pkg {
			continue
		}
		fact := &Helper{}
		for _, e := range p.endings[fn] {
			if e.param >= 0 {
				resets := slices.Sorted(maps.Keys(e.resets))
				fact.Endings = append(fact.Endings, HelperEnding{e.param, e.path.Steps, e.fresh, e.call.Type, e.call.Name, resets})
			}
		}
		if len(fact.Endings) > 0 {
			p.pass.ExportObjectFact(object.Origin(), fact)
		}
	}
}

// imported returns the endings of a function of another package, as described by its Helper fact.
func (p *Program) imported(fn *ssa.Function) (all []ending) {
	object, ok := fn.Object().(*types.Func)
	fact := new(Helper)
	if !ok || object.Pkg() == nil || object.Pkg() == p.pass.Pkg || !p.pass.ImportObjectFact(object.Origin(), fact) {
		return nil
	}
	for _, e := range fact.Endings {
		resets := map[string]bool{}
		for _, name := range e.Resets {
			resets[name] = true
		}
		all = append(all, ending{e.Parameter, Path{Steps: e.Steps}, Call{Type: e.Type, Name: e.Name}, fn.Name(), e.Fresh, resets})
	}
	return all
}
