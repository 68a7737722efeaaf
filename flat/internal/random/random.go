// Package random creates random trees of pointers, for tests. The trees consist of the types that a
// schema declares.
package random

import (
	"math/rand/v2"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/coppice-go/coppice/internal/flatlayout"
)

// Tree returns a random tree with a root of type R, whose nodes are of the given variants. nodes is
// the approximate number of nodes. Empty slices are nil, and no float is NaN, so that equal trees
// are deeply equal.
func Tree[R any](r *rand.Rand, nodes int, variants []any) R {
	m := maker{rand: r, left: nodes}
	for _, v := range variants {
		m.variants = append(m.variants, reflect.TypeOf(v))
	}
	var root R
	m.fill(reflect.ValueOf(&root).Elem())
	for _, link := range m.links {
		var fit []reflect.Value
		for _, n := range m.made {
			if n.Type().AssignableTo(link.Type()) {
				fit = append(fit, n)
			}
		}
		if i := r.IntN(len(fit) + 1); i < len(fit) {
			link.Set(fit[i])
		}
	}
	return root
}

type maker struct {
	rand     *rand.Rand
	left     int // nodes that may still be made
	variants []reflect.Type
	width    int             // of the field, in bits, from its tag
	links    []reflect.Value // places for pointers to nodes that others hold
	made     []reflect.Value // pointers to all nodes
	embedded bool            // the struct that comes next is embedded: even if it has the type of a node, it is not a node
}

// fill puts a random value into v.
func (m *maker) fill(v reflect.Value) {
	switch v.Kind() {
	case reflect.Interface:
		m.fillSum(v)
	case reflect.Pointer:
		m.fillPointer(v)
	case reflect.Struct:
		if slices.Contains(m.variants, reflect.PointerTo(v.Type())) && !m.embedded {
			m.made = append(m.made, v.Addr())
		}
		for i := range v.NumField() {
			m.width = 0
			if v.Type().Field(i).Tag.Get("flat") == "ref" {
				m.link(v.Field(i))
				continue
			}
			if text, is := strings.CutPrefix(v.Type().Field(i).Tag.Get("flat"), "bits="); is {
				m.width, _ = strconv.Atoi(text)
			}
			m.embedded = v.Type().Field(i).Anonymous && v.Field(i).Kind() == reflect.Struct
			m.fill(v.Field(i))
		}
		m.width, m.embedded = 0, false
	case reflect.Array:
		for i := range v.Len() {
			m.fill(v.Index(i))
		}
	case reflect.Slice:
		n := m.rand.IntN(4) * m.rand.IntN(4)
		if slices.Contains(m.variants, reflect.PointerTo(v.Type().Elem())) { // nodes by value, which may hold themselves
			if m.left -= n; m.left < 0 {
				n = 0
			}
		}
		if n > 0 {
			v.Set(reflect.MakeSlice(v.Type(), n, n))
			for i := range n {
				m.fill(v.Index(i))
			}
		}
	default:
		m.fillScalar(v)
	}
}

// link records the links in v, which are set when the tree is complete. If v is a slice of links,
// it gets up to three items.
func (m *maker) link(v reflect.Value) {
	switch v.Kind() {
	case reflect.Slice:
		if n := m.rand.IntN(4); n > 0 {
			v.Set(reflect.MakeSlice(v.Type(), n, n))
		}
		fallthrough
	case reflect.Array:
		for i := range v.Len() {
			m.link(v.Index(i))
		}
	default:
		m.links = append(m.links, v)
	}
}

// fillSum sets an interface to a variant or to nil.
func (m *maker) fillSum(v reflect.Value) {
	m.left--
	if m.left < 0 {
		return
	}
	var fit []reflect.Type
	for _, t := range m.variants {
		if t.Implements(v.Type()) {
			fit = append(fit, t)
		}
	}
	node := reflect.New(fit[m.rand.IntN(len(fit))].Elem())
	m.fill(node.Elem())
	v.Set(node)
}

// fillPointer sets a pointer to a new variant or optional value, or to nil.
func (m *maker) fillPointer(v reflect.Value) {
	isVariant := false
	for _, t := range m.variants {
		isVariant = isVariant || t == v.Type()
	}
	if isVariant {
		m.left--
	}
	if isVariant && m.left < 0 || !isVariant && m.rand.IntN(2) == 0 {
		return
	}
	v.Set(reflect.New(v.Type().Elem()))
	m.fill(v.Elem())
}

func (m *maker) fillScalar(v reflect.Value) {
	bits := m.rand.Uint64() >> m.rand.IntN(64)
	width := 64
	if v.CanInt() || v.CanUint() {
		width = v.Type().Bits()
	}
	if base, ok := flatlayout.OfGo(v.Type().String()); ok && base.IsNarrow() {
		width = base.Bits()
	}
	if m.width > 0 {
		width = m.width
	}
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(bits&1 != 0)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		v.SetInt(int64(bits<<(64-width)) >> (64 - width))
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		v.SetUint(bits << (64 - width) >> (64 - width))
	case reflect.Float32, reflect.Float64:
		v.SetFloat(float64(int32(bits)) / 8)
	case reflect.String:
		text := make([]byte, m.rand.IntN(6))
		for i := range text {
			text[i] = "abxyz\xff\x00"[m.rand.IntN(7)]
		}
		v.SetString(string(text))
	}
}
