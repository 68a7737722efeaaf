// Package deephash computes a hash of the contents of values. Two values have the same hash if a
// program can distinguish them only by their addresses. coppice prove uses it to compare the
// results of two versions of a program.
//
// # What the hash depends on
//
// The hash depends on numbers, bools and strings; on the lengths and elements of slices (a nil
// slice differs from an empty one); on the entries of maps, whatever their order; on all fields of
// structs, exported or not; on the name of the type in an interface; and on which pointers and maps
// refer to the same object. A pointer is hashed as the index of the object that it points to, in
// the order in which the traversal reaches objects. A list and its copy therefore have the same
// hash. A ring, or a tree whose two children are the same node, has a different hash from a tree
// that looks the same but shares nothing. All NaNs are equal, and -0 differs from 0.
//
// # What the hash ignores
//
//   - Addresses, capacities, and whether two slices share memory. A slice is hashed by its
//     elements, with one exception: a slice that may contain itself without a pointer in between,
//     such as a []any, is hashed like a pointer from the ninth visit on. Otherwise the traversal
//     might never end.
//   - Pointers to zero-size values, except for nil: Go does not specify whether such pointers are
//     equal.
//   - Funcs, channels, unsafe.Pointer and uintptr.
//   - Types of the packages sync, runtime, reflect, hash/maphash and internal/..., and the fields
//     that NewDeepHasher was told to skip.
//   - The library's allocators (slab, arena, store, pool, flat) and containers (hashmap, btree,
//     symbols, cache), because an allocator or container inside a result is not part of the result.
//     So neither a ref into a store nor the value that it refers to is hashed. The entries of a
//     hashmap.Map, whose memory has no Go types, are not hashed either. An inline.Vec is hashed as
//     a slice of its elements.
//   - Values that are reachable only through the keys of a map, if several entries look the same.
//     Entries are visited in the order of the hashes of their keys, and a key that points to an
//     object without any other reference is hashed only to a small depth. If two such entries are
//     equal to that depth, the hash may differ from run to run. This never makes the hashes of
//     different values equal.
//
// # Implementation
//
// The traversal keeps the values that it has not yet visited in a list, so a linked list of a
// million nodes does not need a deep stack. The recursion is only as deep as structs and arrays are
// nested within a type. Maps whose keys contain pointers are visited last, when most of the objects
// that they point to have an index.
//
// The files of this package, except for tests, also become part of the testing package in a metered
// binary. That is why they import few packages, and why many of their names begin with deep.
package deephash

import (
	"math"
	"reflect"
	"slices"
)

// A DeepHasher hashes values. It must not be used by several goroutines at once. Between calls, it
// keeps information about types, but no values.
type DeepHasher struct {
	skip  map[string]bool
	plans map[reflect.Type]*typePlan
	call  uint64 // number of the current call of Hash

	// The following fields are the state of a single call of Hash.
	state  uint64
	values uint64
	number uint64           // index of the object that was found last
	seen   map[place]uint64 // indexes of objects; for slices, how often each was visited
	todo   []content        // stack of values that are still to be hashed
	late   []content        // queue of maps that are hashed after everything else
	met    map[string][]string
}

// A place identifies an object during a call of Hash. The plan is part of the identity, because a
// struct and its first field have the same address.
type place struct {
	addr  uintptr
	count int // length of a slice; -1 for a pointer or map
	plan  *typePlan
}

// A content is a value that is still to be hashed: the target of a pointer, slice, map or
// interface.
type content struct {
	value reflect.Value
	plan  *typePlan
}

// NewDeepHasher returns a DeepHasher that ignores the fields in skip, a comma-separated list of
// fields in the format "import/path.Type.field".
func NewDeepHasher(skip string) *DeepHasher {
	return &DeepHasher{skip: skipSet(skip), plans: map[reflect.Type]*typePlan{}}
}

// Hash returns the hash of the values, which may share objects, and the total count of the numbers,
// bools, strings and pointers in them. For every struct type in the values, it adds the names of
// all fields, including ignored ones, to the map met.
func (h *DeepHasher) Hash(met map[string][]string, values []any) (hash, count uint64) {
	h.call++
	h.state, h.values, h.number, h.met = uint64(len(values)), 0, 0, met
	h.seen = map[place]uint64{}
	v := reflect.ValueOf(values)
	p := h.plan(v.Type().Elem())
	for i := range values {
		h.value(v.Index(i), p)
		h.drain()
	}
	for i := 0; i < len(h.late); i++ {
		h.entries(h.late[i])
		h.drain()
	}
	clear(h.late)
	h.late, h.seen, h.met = h.late[:0], nil, nil
	return h.state, h.values
}

// drain hashes the values on the list todo until the list is empty.
func (h *DeepHasher) drain() {
	for len(h.todo) > 0 {
		last := len(h.todo) - 1
		c := h.todo[last]
		h.todo[last] = content{}
		h.todo = h.todo[:last]
		switch c.plan.kind {
		case deepSlice:
			h.elements(c.value, c.plan.elem, c.value.Len())
		case deepMap:
			h.entries(c)
		default:
			h.value(c.value, c.plan)
		}
	}
}

// value hashes v. If v refers to other values, it adds them to the list todo.
func (h *DeepHasher) value(v reflect.Value, p *typePlan) {
	switch p.kind {
	case deepIgnored:
	case deepStruct:
		if p.met != h.call {
			p.met = h.call
			h.met[p.typeName] = p.all
		}
		for _, f := range p.fields {
			h.value(v.Field(f.index), f.plan)
		}
	case deepArray:
		h.elements(v, p.elem, v.Len())
	case deepVector:
		h.vector(v, p)
	case deepSlice:
		h.slice(v, p)
	case deepPointer:
		h.pointer(v, p)
	case deepMap:
		if h.object(v, p, v.IsNil()) {
			h.add(uint64(v.Len()))
			if p.pointers {
				h.late = append(h.late, content{v, p})
			} else {
				h.todo = append(h.todo, content{v, p})
			}
		}
	case deepInterface:
		h.dynamic(v)
	default:
		h.values++
		h.state = deepScalar(h.state, v, p)
	}
}

// deepScalar mixes v, which contains no references, into state and returns the new state.
func deepScalar(state uint64, v reflect.Value, p *typePlan) uint64 {
	switch p.kind {
	case deepBool:
		if v.Bool() {
			return deepMix(state, 1)
		}
		return deepMix(state, 0)
	case deepInt:
		return deepMix(state, uint64(v.Int()))
	case deepUint:
		return deepMix(state, v.Uint())
	case deepFloat:
		return deepMix(state, deepFloatBits(v.Float()))
	case deepComplex:
		c := v.Complex()
		return deepMix(deepMix(state, deepFloatBits(real(c))), deepFloatBits(imag(c)))
	case deepString:
		return deepMixString(state, v.String())
	case deepBytes:
		if v.IsNil() {
			return deepMix(state, 0)
		}
		return deepMixString(deepMix(state, 1), v.Bytes())
	}
	return state
}

func deepFloatBits(f float64) uint64 {
	if f != f {
		f = math.NaN()
	}
	return math.Float64bits(f)
}

func (h *DeepHasher) add(x uint64) { h.state = deepMix(h.state, x) }

// elements hashes the first n elements of a slice or an array.
func (h *DeepHasher) elements(v reflect.Value, p *typePlan, n int) {
	if p.kind == deepIgnored {
		return
	}
	for i := range n {
		h.value(v.Index(i), p)
	}
}

// vector hashes an inline.Vec as the slice of its elements.
func (h *DeepHasher) vector(v reflect.Value, p *typePlan) {
	spill, n, inside := v.Field(p.fields[0].index), v.Field(p.fields[1].index), v.Field(p.fields[2].index)
	switch count := int(n.Uint()); {
	case !spill.IsNil():
		h.value(spill, p.fields[0].plan)
	case count == 0:
		h.add(0)
	default:
		h.add(uint64(count) + 1)
		h.elements(inside, p.elem, count)
	}
}

// wholeVisits is the maximum number of times that the elements of a slice are hashed if the slice
// may contain itself. Later visits hash only the length of the slice.
const wholeVisits = 8

func (h *DeepHasher) slice(v reflect.Value, p *typePlan) {
	if v.IsNil() {
		h.add(0)
		return
	}
	n := v.Len()
	h.add(uint64(n) + 1)
	switch {
	case n == 0:
	case !p.nested:
		h.elements(v, p.elem, n)
	default:
		at := place{v.Pointer(), n, p}
		h.seen[at]++
		if h.seen[at] > wholeVisits {
			h.add(wholeVisits)
			return
		}
		h.todo = append(h.todo, content{v, p})
	}
}

func (h *DeepHasher) pointer(v reflect.Value, p *typePlan) {
	h.values++
	if p.elem.empty && !v.IsNil() {
		h.add(1)
		return
	}
	if h.object(v, p, v.IsNil()) {
		h.todo = append(h.todo, content{v.Elem(), p.elem})
	}
}

// object hashes the index of the object that a pointer or map refers to, and reports whether Hash
// has reached the object for the first time.
func (h *DeepHasher) object(v reflect.Value, p *typePlan, none bool) bool {
	if none {
		h.add(0)
		return false
	}
	at := place{v.Pointer(), -1, p}
	number := h.seen[at]
	fresh := number == 0
	if fresh {
		h.number++
		number = h.number
		h.seen[at] = number
	}
	h.add(number + 1)
	return fresh
}

// dynamic hashes the value in an interface. A struct, array or vector may contain further
// interfaces, nested without bound. Such a value is therefore added to the list todo instead of
// being hashed recursively.
func (h *DeepHasher) dynamic(v reflect.Value) {
	if v.IsNil() {
		h.add(0)
		return
	}
	e := v.Elem()
	p := h.plan(e.Type())
	h.add(p.name)
	switch p.kind {
	case deepStruct, deepArray, deepVector:
		h.todo = append(h.todo, content{e, p})
	default:
		h.value(e, p)
	}
}

// An entry is a map entry with two hashes by which entries are sorted. The field at is the hash of
// the key, and the field then is the hash of the value.
type entry struct {
	key, value reflect.Value
	at, then   uint64
}

// entries hashes the entries of a map in an order that does not depend on the map's iteration
// order.
func (h *DeepHasher) entries(c content) {
	all := make([]entry, 0, c.value.Len())
	for iter := c.value.MapRange(); iter.Next(); {
		e := entry{key: iter.Key(), value: iter.Value()}
		e.at = h.look(e.key, c.plan.key)
		all = append(all, e)
	}
	slices.SortFunc(all, func(a, b entry) int { return deepCompare(a.at, b.at) })
	for i := 0; i < len(all); {
		end := i + 1
		for end < len(all) && all[end].at == all[i].at {
			end++
		}
		if alike := all[i:end]; len(alike) > 1 { // several NaNs, or pointers to equal values
			for k := range alike {
				alike[k].then = h.look(alike[k].value, c.plan.elem)
			}
			slices.SortFunc(alike, func(a, b entry) int { return deepCompare(a.then, b.then) })
		}
		i = end
	}
	for _, e := range all {
		h.value(e.key, c.plan.key)
		h.value(e.value, c.plan.elem)
	}
}

func deepCompare(a, b uint64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}
