package hashmap

import "sync"

// A loop over values does not read string keys, because each would cost a cache miss. It identifies
// an entry by its slot, as long as the page is not replaced. Before a page is replaced, loops over
// it copy the keys that they have not reached yet (docs/decisions/0053).

// A listed is an entry of a page with the index of its slot in the page.
type listed[V any] struct {
	slot  uint32
	value V
}

// A valueLoop is a loop over the values of a Map with string keys.
type valueLoop[V any] struct {
	page  ref
	list  []listed[V] // the entries of the page when the loop reached it
	next  int         // index in list
	moved bool        // the page was replaced, and the entries not yet reached are in rest
	rest  []string
	other *valueLoop[V]
}

// valueLoops are the loops in progress. Several goroutines may start loops at the same time; a
// change of the Map has no concurrent loops.
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
