// Package hash hashes container keys: strings, and values of fixed size without pointers.
//
// A hash has 64 bits, all of which depend on the whole key. Keys that are equal according to ==
// have equal hashes: padding and blank fields are ignored, and -0 equals 0. A hash is a function of
// the key and a seed. For the same seed, it is the same in every process and on every machine of
// the same byte order, so a container that is ordered by hashes can be saved. The hashes of strings
// are the same on all machines. Each container has a random seed. This makes it hard to provoke
// collisions, but the function is not cryptographic.
//
// The algorithm is the variant of wyhash that rapidhash and foldhash use: the two halves of a
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

// SeedsFrom makes NewSeed return the results of next. Tests call it before anything else.
func SeedsFrom(next func() uint64) { newSeed = next }

// Secrets contains three numbers that are derived from a seed and enter every hash.
type Secrets struct{ a, b, c uint64 }

// SecretsOf derives the secrets from a seed. Each secret has about as many one bits as zero bits.
func SecretsOf(seed uint64) Secrets {
	const step = 0x9e3779b97f4a7c15
	return Secrets{scatter(seed + step), scatter(seed ^ step), scatter(seed - step)}
}

// scatter is the mixing function of splitmix64, by Steele, Lea and Flood.
func scatter(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// Numbers returns the three secrets, for callers that compute Word inline.
func (s *Secrets) Numbers() (a, b, c uint64) { return s.a, s.b, s.c }

// Word hashes 64 bits. It can be inlined. One multiplication would suffice for maps that use all
// bits of a hash to place a key, but the hashes of consecutive numbers would then be unevenly
// distributed in some ranges of bits (TestSpread).
func (s *Secrets) Word(x uint64) uint64 {
	high, low := bits.Mul64(x^s.a, s.b|1)
	high, low = bits.Mul64(high^low, s.c|1)
	return high ^ low
}

// Words hashes 128 bits. It can be inlined.
func (s *Secrets) Words(x, y uint64) uint64 {
	high, low := bits.Mul64(x^s.a, y^s.b)
	high, low = bits.Mul64(high^low^s.c, s.a|1)
	return high ^ low
}

// A Kind specifies how the keys of a type are hashed.
type Kind uint8

// These are the kinds of keys.
const (
	Memory Kind = iota // all bytes are significant: the bytes of the value are hashed
	Text               // a string: its bytes are hashed
	Parts              // some bytes are not significant, or the type contains floats
)

// A Plan specifies which bytes of the keys of one type are hashed, and how.
type Plan struct {
	Kind  Kind
	Size  uintptr
	parts []part
}

// A part is either a range of significant bytes in a value or a single float.
type part struct {
	offset, size uintptr
	float        bool
}

// PlanOf returns the plan for keys of type t that are compared with ==. A key may be a string, but
// other types must not contain strings. PlanOf returns an error if keys of type t cannot be hashed.
// The error message begins with the caller's name, which is passed in where.
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

// mostParts is the maximum number of parts in a plan. Arrays of structs with padding would
// otherwise need very many.
const mostParts = 1 << 12

// add adds the parts of a value of type t that begins at offset.
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

// addArray adds the parts of an array. If all bytes of the elements are significant, the whole
// array is one part.
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

// append adds a part to the plan, or extends the last part if next is adjacent to it.
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
