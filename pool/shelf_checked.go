//go:build coppice_checks || race

package pool

import (
	"fmt"
	"reflect"
	"sync"

	"github.com/coppice-go/coppice/internal/checks"
)

// resting is how many values rest on a shelf before the oldest may be handed out again. The
// shelf keeps them for good, so it is a small number.
const resting = 16

// lookBytes is how much a Get or a Put looks at of what rests, besides the value that it is
// about: all values of up to 256 bytes, of larger ones some, in turns, at least one.
const lookBytes = resting * 256

// A shelf, in checked builds, is a queue in which values rest before they are handed out
// again, so that a second Put and a write through a stale pointer can be told from the acts
// of a new owner. Whatever a Get or a Put costs, it does not grow with the values that were
// put: those that have rested are in a sync.Pool, which the collector empties.
type shelf[T any] struct {
	mu     sync.Mutex
	values []rest[T] // in the order of their Puts, at most resting
	turn   int       // where in values the last look ended
	rested sync.Pool // of *rest[T]
	parts  []span    // what fingerprints see of a T; nil before the first Put
	looked int       // bytes that were looked at so far
}

// rest is a value that belongs to nobody.
type rest[T any] struct {
	value *T
	print uint64 // fingerprint of the value as Put left it
	putAt checks.Place
}

// take returns a value that has rested, or nil if there is none.
func (s *shelf[T]) take() *T {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.look("pool.Pool.Get")
	r, _ := s.rested.Get().(*rest[T])
	if r == nil {
		return nil
	}
	for i := range s.values {
		if again := &s.values[i]; again.value == r.value {
			panic(fmt.Sprintf("pool.Pool.Get: a *%s was Put at %s and again at %s", reflect.TypeFor[T](), r.putAt, again.putAt))
		}
	}
	s.verify("pool.Pool.Get", r)
	return r.value
}

// put lets v rest, put at the given place. It refuses v like refuse, for a second
// Put may have come while the first ran the user's Reset.
func (s *shelf[T]) put(v *T, place checks.Place) {
	if reflect.TypeFor[T]().Size() == 0 {
		return // all zero-size values share one address
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refuseResting(v)
	if s.parts == nil {
		s.parts = partsOf(reflect.TypeFor[T]())
	}
	if len(s.values) == resting {
		oldest := s.values[0]
		s.verify("pool.Pool.Put", &oldest)
		s.values = append(s.values[:0], s.values[1:]...)
		s.rested.Put(&oldest)
	}
	s.values = append(s.values, rest[T]{v, s.fingerprint(v), place})
}

// refuse panics if v rests already, or if a value that rests is seen to have been written.
func (s *shelf[T]) refuse(v *T) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refuseResting(v)
	s.look("pool.Pool.Put")
}

func (s *shelf[T]) refuseResting(v *T) {
	for i := range s.values {
		if r := &s.values[i]; r.value == v {
			panic(fmt.Sprintf("pool.Pool.Put: this *%s was already Put at %s", reflect.TypeFor[T](), r.putAt))
		}
	}
}

// look verifies as many of the values that rest as lookBytes allows, the next ones each time.
func (s *shelf[T]) look(where string) {
	enough := s.looked + lookBytes
	for range s.values {
		if s.looked >= enough {
			return
		}
		s.turn = (s.turn + 1) % len(s.values)
		s.verify(where, &s.values[s.turn])
	}
}

// verify panics in the name of where if the value is not as Put left it.
func (s *shelf[T]) verify(where string, r *rest[T]) {
	if s.fingerprint(r.value) != r.print {
		panic(fmt.Sprintf("%s: a *%s was written after it was Put at %s", where, reflect.TypeFor[T](), r.putAt))
	}
}

func (s *shelf[T]) fingerprint(v *T) uint64 {
	for _, p := range s.parts {
		s.looked += int(p.end - p.start)
	}
	return fingerprint(v, s.parts)
}
