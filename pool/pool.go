package pool

import (
	"fmt"
	"reflect"
	"sync/atomic"

	"github.com/coppice-go/coppice/internal/checks"
)

// Options configures a Pool. With the zero Options, values are allocated by new, and Put calls
// their own reset method or zeroes them.
type Options[T any] struct {
	// New creates a value when the pool is empty. nil means new(T). It must not return nil.
	New func() *T

	// Reset prepares a value for its next owner. Put calls it, so that an idle value keeps no other
	// memory alive. If it is nil, Put calls the value's own method Reset() or, if there is none,
	// Clear(), which keeps the memory of a buffer, a slab, an arena or a map. A value with neither
	// method is zeroed. A struct with an embedded field that has such a method is also zeroed,
	// because the method may belong to the field and leave the other fields unchanged.
	Reset func(v *T)

	// Size returns the amount of memory that a value holds, in the unit of MaxSize. For a buffer
	// this is its capacity in bytes. Put calls it before Reset.
	Size func(v *T) int

	// MaxSize is the maximum Size of a value that Put keeps. Put drops larger values, so that one
	// large request does not pin its memory forever. 0 means no limit.
	MaxSize int
}

// A Pool keeps values for reuse. The zero Pool has the zero Options and is ready to use: it creates
// values with new and resets them in Put. Any number of goroutines may use a Pool concurrently. A
// Pool must not be copied after first use.
type Pool[T any] struct {
	// Options must not change after the first use. Put, and a Get that finds no value, panic if
	// MaxSize is negative, or if only one of MaxSize and Size is set.
	Options Options[T]

	shelf shelf[T]
	way   atomic.Int32 // how reset works without Options.Reset; 0 before its first use
}

// These are the ways to reset a value.
const (
	zeroes = iota + 1
	callsOwn
	callsClear
)

// check panics if the options are invalid. The panic message begins with the caller's name, which
// is passed in where.
func (o *Options[T]) check(where string) {
	switch {
	case o.MaxSize < 0:
		panic(fmt.Sprintf("%s: negative MaxSize %d", where, o.MaxSize))
	case (o.MaxSize > 0) != (o.Size != nil):
		panic(where + ": MaxSize and Size need each other; set both or neither")
	}
}

// Get returns a value that was reset, or a new one. The value belongs to the caller until Put. Get
// allocates only if it creates a new value. It panics if Options.New returns nil.
func (p *Pool[T]) Get() *T {
	if v := p.shelf.take(); v != nil {
		return v
	}
	p.Options.check("pool.Pool.Get")
	if p.Options.New == nil {
		return new(T)
	}
	v := p.Options.New()
	if v == nil {
		panic(fmt.Sprintf("pool.Pool.Get: Options.New of a Pool[%s] returned nil", reflect.TypeFor[T]()))
	}
	return v
}

// Put resets v and keeps it for a later Get, or drops it if its Size exceeds MaxSize. The caller
// must not use v afterwards. v need not come from Get. Put allocates nothing. It panics if v is
// nil. If Reset panics, v is not kept.
func (p *Pool[T]) Put(v *T) {
	if v == nil {
		panic(fmt.Sprintf("pool.Pool.Put: nil *%s", reflect.TypeFor[T]()))
	}
	var place checks.Place
	if checks.Enabled {
		place = checks.Caller()
		p.shelf.refuse(v) // before Reset, which would already write to a value with another owner
	}
	if o := &p.Options; o.Size != nil || o.MaxSize != 0 {
		o.check("pool.Pool.Put")
		if o.Size(v) > o.MaxSize {
			return
		}
	}
	p.reset(v)
	p.shelf.put(v, place)
}

// reset prepares v for its next owner.
func (p *Pool[T]) reset(v *T) {
	if p.Options.Reset != nil {
		p.Options.Reset(v)
		return
	}
	way := p.way.Load()
	if way == 0 {
		way = wayOf(reflect.TypeFor[T]())
		p.way.Store(way)
	}
	if way == callsOwn {
		any(v).(resetter).Reset()
		return
	}
	if way == callsClear {
		any(v).(clearer).Clear()
		return
	}
	var zero T
	*v = zero
}

// A resetter has a method that prepares it for its next owner.
type resetter interface{ Reset() }

// A clearer has a method that empties it, which also resets it. Maps, caches and vectors are
// clearers.
type clearer interface{ Clear() }

// wayOf returns how values of type t are reset: zeroes, callsOwn or callsClear.
func wayOf(t reflect.Type) int32 {
	resets, clears := reflect.TypeFor[resetter](), reflect.TypeFor[clearer]()
	switch {
	case reflect.PointerTo(t).Implements(resets):
		if isEmbedded(t, resets) {
			return zeroes // the method may be that of the field
		}
		return callsOwn
	case reflect.PointerTo(t).Implements(clears) && !isEmbedded(t, clears):
		return callsClear
	}
	return zeroes
}

// isEmbedded reports whether t is a struct with an embedded field that implements wanted. The
// method of t may then belong to that field.
func isEmbedded(t, wanted reflect.Type) bool {
	if t.Kind() != reflect.Struct {
		return false
	}
	for field := range t.Fields() {
		if field.Anonymous && (field.Type.Implements(wanted) || reflect.PointerTo(field.Type).Implements(wanted)) {
			return true
		}
	}
	return false
}
