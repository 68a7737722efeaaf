//go:build coppice_checks || race

package pool

import (
	"fmt"
	"reflect"
	"sync"

	"github.com/coppice-go/coppice/internal/checks"
)

// resting is how many values rest on a shelf before the oldest is handed out
// again. Every Get and Put looks at all of them, so it is a small number.
const resting = 16

// A shelf, in checked builds, is a queue whose values rest before they are handed
// out again, so that a second Put and a write through a stale pointer can be told
// from the acts of a new owner.
type shelf[T any] struct {
	mu     sync.Mutex
	values []rest[T] // in the order of their Puts
}

// rest is a value that belongs to nobody.
type rest[T any] struct {
	value *T
	print uint64 // fingerprint of the value as Put left it
	putAt checks.Place
}

// take returns the value that has rested longest, or nil if none has rested long
// enough.
func (s *shelf[T]) take() *T {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.verify("pool.Get")
	if len(s.values) <= resting {
		return nil
	}
	v := s.values[0].value
	s.values[0] = rest[T]{}
	s.values = s.values[1:]
	return v
}

// put lets v rest, put at the given place. It refuses v like refuse, for a second
// Put may have come while the first ran the user's Reset.
func (s *shelf[T]) put(v *T, place checks.Place) {
	if reflect.TypeFor[T]().Size() == 0 {
		return // all zero-size values share one address
	}
	s.refuse(v)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.values = append(s.values, rest[T]{v, fingerprint(v), place})
}

// refuse panics if v rests already, or if any value was written while it rested.
func (s *shelf[T]) refuse(v *T) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range s.values {
		if r.value == v {
			panic(fmt.Sprintf("pool.Put: this *%s was already Put at %s", reflect.TypeFor[T](), r.putAt))
		}
	}
	s.verify("pool.Put")
}

// verify panics in the name of where if a resting value is not as Put left it.
func (s *shelf[T]) verify(where string) {
	for _, r := range s.values {
		if fingerprint(r.value) != r.print {
			panic(fmt.Sprintf("%s: a *%s was written after it was Put at %s", where, reflect.TypeFor[T](), r.putAt))
		}
	}
}
