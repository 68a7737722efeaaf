package deephash

import "reflect"

// lookBudget is the maximum number of nested values that look visits. It has to be small, because
// all other values might be reachable from each entry of a map.
const lookBudget = 64

// look returns a hash of a value that covers only the first values nested in it. Unlike value, it
// does not assign indexes to objects. An object that already has an index is hashed by that index.
func (h *DeepHasher) look(v reflect.Value, p *typePlan) uint64 {
	budget := lookBudget
	return h.glance(0, v, p, &budget)
}

func (h *DeepHasher) glance(state uint64, v reflect.Value, p *typePlan, budget *int) uint64 {
	if *budget--; *budget < 0 {
		return state
	}
	switch p.kind {
	case deepIgnored:
	case deepStruct:
		for _, f := range p.fields {
			state = h.glance(state, v.Field(f.index), f.plan, budget)
		}
	case deepVector:
		state = deepMix(state, v.Field(p.fields[1].index).Uint())
	case deepSlice, deepArray:
		state = deepMix(state, uint64(v.Len()))
		for i := 0; i < v.Len() && *budget > 0; i++ {
			state = h.glance(state, v.Index(i), p.elem, budget)
		}
	case deepMap:
		state = deepMix(state, uint64(v.Len()))
	case deepPointer:
		switch number := h.seen[place{v.Pointer(), -1, p}]; {
		case v.IsNil():
			state = deepMix(state, 0)
		case number != 0:
			state = deepMix(state, number+1)
		default:
			state = h.glance(deepMix(state, 1), v.Elem(), p.elem, budget)
		}
	case deepInterface:
		if v.IsNil() {
			return deepMix(state, 0)
		}
		e := v.Elem()
		p := h.plan(e.Type())
		state = h.glance(deepMix(state, p.name), e, p, budget)
	default:
		state = deepScalar(state, v, p)
	}
	return state
}
