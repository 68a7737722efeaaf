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

// Calls returns where the loaded packages, tests aside, call one of some functions of another package; empty if nowhere.
func (m *Module) Calls(pkgPath string, names ...string) (where string) {
	for _, fn := range m.functions {
		if m.inTest(fn) {
			continue
		}
		for _, b := range fn.Blocks {
			for _, i := range b.Instrs {
				call, ok := i.(ssa.CallInstruction)
				if !ok {
					continue
				}
				if callee := call.Common().StaticCallee(); callee != nil && packageOf(callee) == pkgPath && slices.Contains(names, originName(callee)) {
					return m.placeOf(i)
				}
			}
		}
	}
	return ""
}
