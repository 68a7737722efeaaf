package rewrite

import "go/types"

// Locked reports whether values of a type contain a lock, so that go vet reports copies of them.
func Locked(t types.Type) bool {
	switch u := t.Underlying().(type) {
	case *types.Array:
		return Locked(u.Elem())
	case *types.Interface:
		return false
	case *types.Struct:
		for f := range u.Fields() {
			if Locked(f.Type()) {
				return true
			}
		}
	}
	for _, name := range []string{"Lock", "Unlock"} {
		m, _, _ := types.LookupFieldOrMethod(types.NewPointer(t), false, nil, name)
		if _, ok := m.(*types.Func); !ok {
			return false
		}
	}
	return true
}
