// Package flattest is for the tests of generated packages: it makes random trees of the schema's
// own types and compares them with their flat form.
package flattest

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/coppice-go/coppice/flat"
)

// A Package is what a generated package offers: R is the type of the root, T its Tree.
type Package[R any, T Tree[T]] struct {
	Variants []any // a nil pointer to each variant of the schema
	FromTree func(R, flat.LoadLimits) (T, error)
	ToTree   func(T, flat.LoadLimits) (R, error)
	Load     func([]byte, flat.LoadLimits) (T, error)
}

// A Tree is what the Tree of each generated package can do.
type Tree[T any] interface {
	Clone() T
	Compact() T
	NumNodes() int
	NumBytes() int64
	WriteTo(io.Writer) (int64, error)
}

// rounds is how many random trees a test looks at.
const rounds = 200

// RoundTrip makes random trees of pointers, always the same ones. Each becomes flat and is written, loaded, cloned and
// compacted; whatever comes back as pointers must be equal to the tree.
func RoundTrip[R any, T Tree[T]](t testing.TB, p Package[R, T]) {
	t.Helper()
	for seed := range uint64(rounds) {
		want := Random[R](rand.New(rand.NewPCG(seed, 1)), int(seed)%50, p.Variants)
		if err := p.check(want); err != nil {
			t.Fatalf("tree %d: %v", seed, err)
		}
	}
}

// check compares the forms of one tree.
func (p Package[R, T]) check(want R) error {
	tree, err := p.FromTree(want, flat.LoadLimits{})
	if err != nil {
		return fmt.Errorf("in FromTree: %w", err)
	}
	written, err := fileOf(tree)
	if err != nil {
		return err
	}
	loaded, err := p.Load(written, flat.LoadLimits{})
	if err != nil {
		return fmt.Errorf("loading what WriteTo wrote: %w", err)
	}
	again, err := fileOf(loaded)
	if err != nil || !bytes.Equal(written, again) {
		return fmt.Errorf("a loaded tree is written as other bytes (%v)", err)
	}
	compact := loaded.Compact()
	canonical, err := fileOf(compact)
	if err != nil {
		return err
	}
	if twice, err := fileOf(compact.Compact()); err != nil || !bytes.Equal(canonical, twice) {
		return fmt.Errorf("a compact tree changes in Compact (%v)", err)
	}
	if _, err := p.Load(canonical, flat.LoadLimits{}); err != nil {
		return fmt.Errorf("loading a compact tree: %w", err)
	}
	for _, form := range []struct {
		name string
		tree T
	}{{"the built", tree}, {"the loaded", loaded}, {"the compact", compact}, {"the cloned", tree.Clone()}} {
		got, err := p.ToTree(form.tree, flat.LoadLimits{})
		if err != nil {
			return fmt.Errorf("in ToTree of %s: %w", form.name, err)
		}
		if !reflect.DeepEqual(got, want) {
			return fmt.Errorf("%s tree differs from the pointers that it was made from", form.name)
		}
	}
	return nil
}

func fileOf[T Tree[T]](tree T) ([]byte, error) {
	var b bytes.Buffer
	n, err := tree.WriteTo(&b)
	if err == nil && (n != int64(b.Len()) || n != tree.NumBytes()) {
		err = fmt.Errorf("the count of WriteTo says that it wrote %d bytes, NumBytes says %d; %d came", n, tree.NumBytes(), b.Len())
	}
	return b.Bytes(), err
}

// Random returns a random value of type R with about that many nodes, of the variants. Empty slices
// are nil, and there is no NaN, so that equal trees are deeply equal.
func Random[R any](r *rand.Rand, nodes int, variants []any) R {
	m := maker{rand: r, left: nodes}
	for _, v := range variants {
		m.variants = append(m.variants, reflect.TypeOf(v))
	}
	var root R
	m.fill(reflect.ValueOf(&root).Elem())
	return root
}

type maker struct {
	rand     *rand.Rand
	left     int // nodes that may still be made
	variants []reflect.Type
}

// fill puts a random value into v.
func (m *maker) fill(v reflect.Value) {
	switch v.Kind() {
	case reflect.Interface:
		m.fillSum(v)
	case reflect.Pointer:
		m.fillPointer(v)
	case reflect.Struct:
		for i := range v.NumField() {
			m.fill(v.Field(i))
		}
	case reflect.Array:
		for i := range v.Len() {
			m.fill(v.Index(i))
		}
	case reflect.Slice:
		if n := m.rand.IntN(4) * m.rand.IntN(4); n > 0 {
			v.Set(reflect.MakeSlice(v.Type(), n, n))
			for i := range n {
				m.fill(v.Index(i))
			}
		}
	default:
		m.fillScalar(v)
	}
}

// fillSum puts a variant into an interface, or nil.
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

// fillPointer puts a variant or an optional value behind a pointer, or nil.
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
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(bits&1 != 0)
	case reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		v.SetInt(int64(bits<<(64-v.Type().Bits())) >> (64 - v.Type().Bits()))
	case reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		v.SetUint(bits << (64 - v.Type().Bits()) >> (64 - v.Type().Bits()))
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
