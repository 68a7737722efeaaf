package arena

import (
	"reflect"

	"github.com/coppice-go/coppice/internal/owner"
	"github.com/coppice-go/coppice/slab"
)

// buckets is how many sizes of types, in words, are told apart before two sizes share a
// bucket. A program's node types have a handful of sizes, few types each.
const buckets = 16

// A table finds the slab of a type. Every entry is a *slab.Slab[T]; that of a plain type is a
// nil one, unless Of gave it a slab.
type table [buckets][]any

// find returns the arena's slab for T, nil if T is plain.
func find[T any](a *Arena) *slab.Slab[T] {
	for _, entry := range a.types[bucketOf[T]()] {
		if s, ok := entry.(*slab.Slab[T]); ok {
			return s
		}
	}
	return meet[T](a)
}

// meet is find for a type that the arena sees for the first time.
//
//go:noinline
func meet[T any](a *Arena) *slab.Slab[T] {
	if !isPlain(reflect.TypeFor[T]()) {
		return adopt(a, new(slab.Slab[T]))
	}
	a.begin()
	a.types.enter(bucketOf[T](), (*slab.Slab[T])(nil))
	return nil
}

// isPlain tells whether memory of type t may have held values of other types before: it has
// no pointers, and every pattern of bits is a value of it. That leaves out bool. The compiler takes
// a bool to be 0 or 1 and drops the bounds check where one becomes an index; a stale *int must
// not make it 200.
func isPlain(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Array:
		return t.Len() == 0 || isPlain(t.Elem())
	case reflect.Struct:
		for field := range t.Fields() {
			if !isPlain(field.Type) {
				return false
			}
		}
		return true
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr,
		reflect.Float32, reflect.Float64, reflect.Complex64, reflect.Complex128:
		return true
	default:
		return false
	}
}

// begin makes the slabs of plain the arena's, if that was not done yet.
func (a *Arena) begin() {
	if len(a.slabs) > 0 {
		return
	}
	a.own(&a.plain.words, true) // strings are made of its values
	a.own(&a.plain.pairs, false)
	a.own(&a.plain.triples, false)
	a.own(&a.plain.quads, false)
}

// membership is what the next slab shall know of the arena.
func (a *Arena) membership() owner.Membership {
	return owner.Membership{Account: &a.account, Place: len(a.slabs)}
}

// own makes a slab the next of the arena's. text says that strings are made of its values.
//
//go:noinline
func (a *Arena) own(slab any, text bool) {
	a.slabs = append(a.slabs, member{owned: owner.Join(slab, a.membership(), text).(owned)})
}

// adopt makes s the slab of its type.
func adopt[T any](a *Arena, s *slab.Slab[T]) *slab.Slab[T] {
	a.begin()
	a.own(s, false)
	a.types.enter(bucketOf[T](), s)
	return s
}

// enter adds an entry to a bucket, or puts it in the place of the one of its type.
func (t *table) enter(bucket uintptr, entry any) {
	for i, other := range t[bucket] {
		if reflect.TypeOf(other) == reflect.TypeOf(entry) {
			t[bucket][i] = entry
			return
		}
	}
	t[bucket] = append(t[bucket], entry)
}
