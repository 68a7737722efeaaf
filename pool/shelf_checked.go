//go:build coppice_checks || race

package pool

import (
	"fmt"
	"reflect"
	"sync"

	"github.com/coppice-go/coppice/internal/checks"
)

// resting is the number of values that stay in quarantine. When there are more, the oldest value
// may be reused. The shelf keeps the values in quarantine alive, so the number is small.
const resting = 16

// lookBytes is the number of bytes of quarantined values that each Get or Put checks, in addition
// to the value that it handles. If a value has at most 256 bytes, this is enough for all values in
// quarantine. If values are larger, each Get or Put checks the next few values, but at least one.
const lookBytes = resting * 256

// A shelf, in checked builds, is a queue in which values are quarantined before they are reused.
// This distinguishes a second Put, or a write through a stale pointer, from the actions of a new
// owner. The cost of a Get or a Put does not grow with the number of values: values whose
// quarantine is over are in a sync.Pool, which the collector empties.
type shelf[T any] struct {
	mu     sync.Mutex
	values []rest[T] // in the order of their Puts, at most resting
	turn   int       // index in values where the last check ended
	rested sync.Pool // of *rest[T]
	parts  []span    // the bytes of a T that fingerprints cover; nil before the first Put
	looked int       // bytes checked so far
}

// rest is a value in quarantine.
type rest[T any] struct {
	value *T
	print uint64 // fingerprint of the value as Put left it
	putAt checks.Place
}

// take returns a value whose quarantine is over, or nil if there is none.
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

// put quarantines v; place is the call site of the Put. Like refuse, it panics if v is already in
// quarantine, because a second Put may have run while the first one ran the user's Reset.
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

// refuse panics if v is already in quarantine, or if a quarantined value is found to have been
// written.
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

// look verifies as many quarantined values as lookBytes allows, beginning after the last value that
// it verified.
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

// verify panics if the value has changed since Put. The panic message begins with where, the name
// of the caller.
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
