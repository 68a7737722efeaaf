package hashmap

import "sync"

// A loop over a map with string keys reads entries in place. It records its position as the index
// of a slot in the page, because to search for the last key again would cost a cache miss. An entry
// keeps its slot as long as its page is not replaced. Before a page is replaced, each loop that is
// in this page copies the keys that it has not reached yet. From then on, the loop finds these
// entries by key (docs/decisions/0053).

// A slotLoop is the position of a loop over a map with string keys.
type slotLoop struct {
	page  ref
	next  uint64 // the first slot of the page that was not reached yet
	moved bool   // the page was replaced, and the entries not yet reached are in rest
	rest  []string
	other *slotLoop
}

// at moves the loop to the start of a page.
func (l *slotLoop) at(page ref) { l.page, l.next, l.moved, l.rest = page, 0, false, nil }

// A slotLoops contains the loops over a map that are in progress. Several goroutines may start
// loops at the same time. While a goroutine changes the map, no other goroutine runs a loop.
type slotLoops struct {
	mu    sync.Mutex
	first *slotLoop
}

func (l *slotLoops) enter() *slotLoop {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.first = &slotLoop{other: l.first}
	return l.first
}

func (l *slotLoops) leave(loop *slotLoop) {
	l.mu.Lock()
	defer l.mu.Unlock()
	at := &l.first
	for *at != loop {
		at = &(*at).other
	}
	*at = loop.other
}
