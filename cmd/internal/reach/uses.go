package reach

import (
	"slices"

	"golang.org/x/tools/go/ssa"
)

// Declares returns where a type of the loaded packages has a method of that name; empty if none has.
func (m *Module) Declares(method string) (where string) {
	for _, fn := range m.functions {
		if fn.Name() == method && fn.Synthetic == "" && fn.Signature.Recv() != nil {
			return m.place(fn.Pos())
		}
	}
	return ""
}

// Calls returns where the loaded packages, tests aside, call one of some functions of another package, or use one as a value; empty if nowhere.
func (m *Module) Calls(pkgPath string, names ...string) (where string) {
	for _, fn := range m.functions {
		if m.inTest(fn) {
			continue
		}
		for _, b := range fn.Blocks {
			for _, i := range b.Instrs {
				for _, o := range i.Operands(nil) {
					if used, ok := (*o).(*ssa.Function); ok && packageOf(used) == pkgPath && slices.Contains(names, originName(used)) {
						return m.placeOf(i)
					}
				}
			}
		}
	}
	return ""
}

// Recovers returns where the module may recover from a panic; empty if it does nowhere, tests aside.
func (m *Module) Recovers() (where string) {
	for _, fn := range m.functions {
		for _, b := range fn.Blocks {
			for _, i := range b.Instrs {
				call, ok := i.(ssa.CallInstruction)
				if !ok || m.inTest(fn) {
					continue
				}
				if builtin, ok := call.Common().Value.(*ssa.Builtin); ok && builtin.Name() == "recover" {
					return m.placeOf(i)
				}
			}
		}
	}
	return ""
}
