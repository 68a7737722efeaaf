//go:build coppice_checks || race

package pool

import (
	"fmt"
	"reflect"
	"sync"

	"github.com/coppice-go/coppice/internal/checks"
)

// resting is the number of values in quarantine. When another value is put, the oldest one leaves
// the quarantine and may be reused. The number is small because the shelf keeps values in
// quarantine alive.
const resting = 16

// lookBytes is the number of bytes of quarantined values that each Get or Put checks, in addition
// to the value that it handles. This is enough for all values in quarantine if a value has at most
// 256 bytes. If values are larger, each Get or Put checks the next few values, but at least one.
const lookBytes = resting * 256

// A shelf, in checked builds, is a queue in which values are quarantined before they are reused.
// This distinguishes a second Put, or a write through a stale pointer, from the actions of a new
// owner. After the quarantine, values move to a sync.Pool, which the collector empties. The cost of
// a Get or a Put therefore does not depend on the number of values.
type shelf[T any] struct {
	mu     sync.Mutex
	values []rest[T] // values in quarantine, in the order of their Puts, at most resting
	turn   int       // index in values of the value that was verified last
	rested sync.Pool // values of type *rest[T] that have left the quarantine
	parts  []span    // the bytes of a T that a fingerprint covers; nil before the first Put
	looked int       // number of bytes that were fingerprinted so far
}

// rest is a value in quarantine, with the data that is needed to verify it.
type rest[T any] struct {
	value *T
	print uint64 // fingerprint of the value at the end of Put
	putAt checks.Place
}

// take returns a value that has left the quarantine, or nil if there is none.
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

// put quarantines v. place is the call site of Put. Like refuse, it panics if v is already in
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

// refuse panics if v is already in quarantine, or if it finds that a quarantined value was written
// to.
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

// look verifies quarantined values, beginning after the last one that it verified. lookBytes limits
// their number.
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

// verify panics if the value has changed since Put. The panic message begins with the caller's
// name, which is passed in where.
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
