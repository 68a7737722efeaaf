package alloctest_test

import (
	"errors"
	"fmt"
	"reflect"
	"sync"

	"github.com/coppice-go/coppice/alloctest"
)

// A plain is the simplest allocator that supports everything the kit tests. Each value is a
// separate variable, in a map whose keys are never reused.
type plain[T any] struct {
	values   map[int]*T
	reserved int // number of values that Grow has made room for
	limit    int
}

// lastName is the last name given out by any plain. The mutex lock guards lastName and the maps of
// all plains.
var (
	lock     sync.Mutex
	lastName int
)

var errFull = errors.New("plain: full")

func (p *plain[T]) TryAlloc(v T) (int, error) {
	lock.Lock()
	defer lock.Unlock()
	if len(p.values) == p.limit {
		return 0, fmt.Errorf("%w at %d", errFull, p.limit)
	}
	lastName++
	p.values[lastName] = &v
	return lastName, nil
}

func (p *plain[T]) Alloc(v T) int {
	name, err := p.TryAlloc(v)
	if err != nil {
		panic(err)
	}
	return name
}

func (p *plain[T]) New() (int, *T) {
	name := p.Alloc(*new(T))
	return name, p.At(name)
}

func (p *plain[T]) Make(n int) (first int, row []T) {
	if n < 0 || n > p.limit {
		panic(fmt.Sprintf("plain.Make: no room for %d values", n))
	}
	row = make([]T, n)
	lock.Lock()
	defer lock.Unlock()
	for i := range row {
		lastName++
		p.values[lastName] = &row[i]
	}
	return lastName - n + 1, row
}

func (p *plain[T]) At(name int) *T {
	lock.Lock()
	defer lock.Unlock()
	return p.values[name]
}

func (p *plain[T]) Append(s []T, more ...T) []T { return append(s[:len(s):len(s)], more...) }

func (p *plain[T]) Grow(n int) {
	if n < 0 || n > p.limit {
		panic(fmt.Sprintf("plain.Grow: no room for %d values", n))
	}
	p.reserved = max(p.reserved, len(p.values)+n)
}

func (p *plain[T]) Delete(name int) {
	lock.Lock()
	defer lock.Unlock()
	delete(p.values, name)
}

func (p *plain[T]) Mark() func() {
	mark := lastName
	return func() { p.rewind(mark) }
}

func (p *plain[T]) rewind(mark int) {
	for name := range p.values {
		if name > mark {
			delete(p.values, name)
		}
	}
}

func (p *plain[T]) Reset() { p.rewind(0) }

func (p *plain[T]) Release() { p.values, p.reserved = map[int]*T{}, 0 }

func (p *plain[T]) Clone() alloctest.Allocator[int, T] {
	clone := &plain[T]{values: map[int]*T{}, limit: p.limit}
	for name, v := range p.values {
		copied := *v
		clone.values[name] = &copied
	}
	return clone.described()
}

func (p *plain[T]) Bytes() uint64 {
	return uint64(max(p.reserved, len(p.values))) * uint64(reflect.TypeFor[T]().Size())
}

func (p *plain[T]) described() alloctest.Allocator[int, T] {
	return alloctest.Allocator[int, T]{
		New: p.New, Alloc: p.Alloc, TryAlloc: p.TryAlloc, Make: p.Make, At: p.At, Append: p.Append,
		Grow: p.Grow, Delete: p.Delete, Mark: p.Mark, Reset: p.Reset, Release: p.Release, Clone: p.Clone,
		Writer:  func() alloctest.Allocator[int, T] { return alloctest.Allocator[int, T]{New: p.New, Alloc: p.Alloc} },
		Bounded: func(limit int) alloctest.Allocator[int, T] { return newPlain[T](limit).described() },
		Full:    errFull,
		Len:     func() int { return len(p.values) }, Bytes: p.Bytes,
		Concurrent: true, Dead: alloctest.DeadNoticed,
	}
}

func newPlain[T any](limit int) *plain[T] {
	return &plain[T]{values: map[int]*T{}, limit: limit}
}

// variables describes Go's builtin new, make and append as an allocator whose names are pointers.
func variables[T any]() alloctest.Allocator[*T, T] {
	return alloctest.Allocator[*T, T]{
		New:    alloctest.Pointer(func() *T { return new(T) }),
		Make:   alloctest.Pointers(func(n int) []T { return make([]T, n) }),
		Append: func(s []T, more ...T) []T { return append(s[:len(s):len(s)], more...) },
	}
}

// plains describes a new plain, as Run and Verify expect it.
func plains[T any]() alloctest.Allocator[int, T] { return newPlain[T](1 << 30).described() }
