// Package hash hashes keys of containers: values of fixed size without pointers, and strings.
//
// A hash has 64 bits, all of which depend on the whole key. Equal keys, as defined by ==, have
// equal hashes: padding and blank fields are ignored, and -0 equals 0. A hash is a function of the
// key and of a seed. The hash of a key is the same in every process and on every machine of the
// same byte order, so that a container that is ordered by hashes can be saved. The hashes of
// strings are the same on all machines. Seeds are random, one for each container. This makes
// collisions hard to provoke, but the function is not cryptographic.
//
// The algorithm is wyhash, in the form that rapidhash and foldhash use: the two halves of a
// 128-bit product are folded into one, and each multiplication consumes 16 bytes.
package hash

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
	"reflect"
)

// NewSeed returns a random seed.
func NewSeed() uint64 { return newSeed() }

var newSeed = rand.Uint64

// SeedsFrom makes NewSeed call next. Tests call it before anything else.
func SeedsFrom(next func() uint64) { newSeed = next }

// Secrets contains the numbers that are derived from a seed and used in every hash.
type Secrets struct{ a, b, c uint64 }

// SecretsOf returns the secrets of a seed. Each has about as many ones as zeros.
func SecretsOf(seed uint64) Secrets {
	const step = 0x9e3779b97f4a7c15
	return Secrets{scatter(seed + step), scatter(seed ^ step), scatter(seed - step)}
}

// scatter is the step of splitmix64, by Steele, Lea and Flood.
func scatter(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// Numbers returns the secrets, for code that computes Word inline.
func (s *Secrets) Numbers() (a, b, c uint64) { return s.a, s.b, s.c }

// Word hashes 64 bits. It inlines. One multiplication would suffice for maps that use all bits to
// place a key, but then consecutive numbers would be unevenly distributed over some ranges of bits
// (TestSpread).
func (s *Secrets) Word(x uint64) uint64 {
	high, low := bits.Mul64(x^s.a, s.b|1)
	high, low = bits.Mul64(high^low, s.c|1)
	return high ^ low
}

// Words hashes 128 bits. It inlines.
func (s *Secrets) Words(x, y uint64) uint64 {
	high, low := bits.Mul64(x^s.a, y^s.b)
	high, low = bits.Mul64(high^low^s.c, s.a|1)
	return high ^ low
}

// A Kind determines how keys of a type are hashed.
type Kind uint8

// The kinds of keys.
const (
	Memory Kind = iota // all bytes are significant: the bytes of the value are hashed
	Text               // a string: its bytes are hashed
	Parts              // some bytes are not significant, or the type contains floats
)

// A Plan describes how keys of one type are hashed.
type Plan struct {
	Kind  Kind
	Size  uintptr
	parts []part
}

// A part is a range of significant bytes of a value, or one float.
type part struct {
	offset, size uintptr
	float        bool
}

// PlanOf returns the plan for keys of type t, with equality defined by ==. A string type is allowed
// as the whole key; other types must not contain a string. It returns an error if such keys cannot
// be hashed. The error message begins with where, the name of the caller.
func PlanOf(where string, t reflect.Type) (Plan, error) {
	if t.Kind() == reflect.String {
		return Plan{Kind: Text, Size: t.Size()}, nil
	}
	p := Plan{Size: t.Size()}
	if err := p.add(where, t, t.String(), 0); err != nil {
		return Plan{}, err
	}
	whole := []part{{0, t.Size(), false}}
	if t.Size() == 0 || len(p.parts) == 1 && p.parts[0] == whole[0] {
		return Plan{Kind: Memory, Size: t.Size()}, nil
	}
	p.Kind = Parts
	return p, nil
}

// mostParts limits the size of a plan, for arrays of structs with padding.
const mostParts = 1 << 12

// add adds the parts of a value of type t, which begins at offset.
func (p *Plan) add(where string, t reflect.Type, path string, offset uintptr) error {
	switch t.Kind() {
	case reflect.Bool, reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		return p.append(where, part{offset, t.Size(), false})
	case reflect.Float32, reflect.Float64:
		return p.append(where, part{offset, t.Size(), true})
	case reflect.Complex64, reflect.Complex128:
		half := t.Size() / 2
		if err := p.append(where, part{offset, half, true}); err != nil {
			return err
		}
		return p.append(where, part{offset + half, half, true})
	case reflect.Array:
		return p.addArray(where, t, path, offset)
	case reflect.Struct:
		for f := range t.Fields() {
			if f.Name == "_" {
				continue // == ignores it
			}
			if err := p.add(where, f.Type, path+"."+f.Name, offset+f.Offset); err != nil {
				return err
			}
		}
		return nil
	}
	return fmt.Errorf("%s: %s is a %s, which is not a key of fixed size; use numbers, arrays and structs of them, or a string alone", where, path, t)
}

// addArray adds the elements of an array. If all bytes of the elements are significant, they are
// one part.
func (p *Plan) addArray(where string, t reflect.Type, path string, offset uintptr) error {
	if t.Len() == 0 {
		return nil
	}
	elem, err := PlanOf(where, t.Elem())
	if err == nil && elem.Kind == Memory {
		if t.Size() == 0 {
			return nil
		}
		return p.append(where, part{offset, t.Size(), false})
	}
	for i := range t.Len() {
		if err := p.add(where, t.Elem(), path+"[0]", offset+uintptr(i)*t.Elem().Size()); err != nil {
			return err
		}
	}
	return nil
}

// append adds a part, or extends the last one.
func (p *Plan) append(where string, next part) error {
	if n := len(p.parts); n > 0 && !next.float {
		if last := &p.parts[n-1]; !last.float && last.offset+last.size == next.offset {
			last.size += next.size
			return nil
		}
	}
	if len(p.parts) == mostParts {
		return fmt.Errorf("%s: keys of %d parts with gaps between them; use a struct without padding, or an array of bytes", where, mostParts)
	}
	p.parts = append(p.parts, next)
	return nil
}
