package arena

import (
	"reflect"

	"github.com/coppice-go/coppice/internal/pointers"
	"github.com/coppice-go/coppice/slab"
)

// buckets is how many sizes of types, in words, are told apart before two sizes share a
// bucket. A program's node types have a handful of sizes, few types each.
const buckets = 16

// A table finds the slab of a type. Every entry is a *slab.Slab[T]; that of a type without
// pointers is a nil one, unless Of gave it a slab.
type table [buckets][]any

// find returns the arena's slab for T, nil if values of T are made of plain words.
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
	t := reflect.TypeFor[T]()
	if _, found := pointers.Find(t, ""); found != nil {
		return adopt(a, new(slab.Slab[T]))
	}
	bucket := &a.types[bucketOf[T]()]
	*bucket = append(*bucket, (*slab.Slab[T])(nil))
	return nil
}

// adopt makes s the slab of its type.
func adopt[T any](a *Arena, s *slab.Slab[T]) *slab.Slab[T] {
	a.slabs = append(a.slabs, s)
	bucket := a.types[bucketOf[T]()]
	for i, entry := range bucket {
		if _, ok := entry.(*slab.Slab[T]); ok {
			bucket[i] = s
			return s
		}
	}
	a.types[bucketOf[T]()] = append(bucket, s)
	return s
}
