package hashmap

import "sync"

// A loop over values reads no key that is a string: each would be a wait for memory. So it knows an
// entry by its slot, as long as the page stays where it is. Before a page is replaced, the loops
// that are at it get copies of the keys that they have not reached (docs/decisions/0053).

// A listed is an entry of a page, in which slot it is, of all that the page has.
type listed[V any] struct {
	slot  uint32
	value V
}

// A valueLoop is a loop over the values of a Map whose keys are strings.
type valueLoop[V any] struct {
	page  ref
	list  []listed[V] // of the page, when the loop came to it
	next  int         // of the list
	moved bool        // the page has been replaced, and what the loop has not reached is in rest
	rest  []string
	other *valueLoop[V]
}

// valueLoops are those that are under way. Several goroutines may begin some at the same time;
// whoever changes the Map is alone.
type valueLoops[V any] struct {
	mu    sync.Mutex
	first *valueLoop[V]
}

func (l *valueLoops[V]) enter() *valueLoop[V] {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.first = &valueLoop[V]{other: l.first}
	return l.first
}

func (l *valueLoops[V]) leave(loop *valueLoop[V]) {
	l.mu.Lock()
	defer l.mu.Unlock()
	at := &l.first
	for *at != loop {
		at = &(*at).other
	}
	*at = loop.other
}
